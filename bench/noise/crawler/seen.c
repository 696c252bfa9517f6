/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seen.c - a set of addresses, chained.
 */
#include "crawler.h"

bool
seen_add(struct seen *s, const struct url *u)
{
    struct seen_entry **bucket = &s->buckets[url_hash(u) % SEEN_BUCKETS];
    struct seen_entry *e;

    for (e = *bucket; e != NULL; e = e->next)
        if (url_equal(&e->url, u))
            return false;
    e = calloc(1, sizeof *e);
    must(e != NULL, "calloc");
    e->url = *u;
    e->next = *bucket;
    *bucket = e;
    s->n++;
    return true;
}

void
seen_deinit(struct seen *s)
{
    for (unsigned i = 0; i < SEEN_BUCKETS; i++)
        while (s->buckets[i] != NULL) {
            struct seen_entry *e = s->buckets[i];

            s->buckets[i] = e->next;
            free(e);
        }
}
