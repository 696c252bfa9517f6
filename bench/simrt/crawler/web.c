/* SPDX-License-Identifier: Apache-2.0 */
/*
 * web.c - a web in memory. The table is filled before the first fetch and constant from then on.
 */
#include <stdlib.h>

#include "crawler.h"

#define PAGES_MAX 16

struct resource {
    struct url url;
    const char *body;
    _Atomic int failures; /* that are left */
};

struct web {
    struct resource resources[PAGES_MAX];
    unsigned n;
    _Atomic unsigned fetches;
};

struct web *
web_new(void)
{
    return calloc(1, sizeof(struct web));
}

void
web_free(struct web *w)
{
    free(w);
}

void
web_add(struct web *w, const char *url, const char *body, int failures)
{
    struct resource *r = &w->resources[w->n];

    if (w->n == PAGES_MAX || !url_parse(&r->url, url))
        return;
    r->body = body;
    atomic_init(&r->failures, failures);
    w->n++;
}

static bool
fails(struct resource *r)
{
    int left = atomic_load(&r->failures);

    while (left > 0) {
        if (atomic_compare_exchange_weak(&r->failures, &left, left - 1))
            return true;
    }
    return false;
}

struct page
web_fetch(struct web *w, const struct url *u)
{
    struct page missing = { .status = 404, .body = "" };

    atomic_fetch_add_explicit(&w->fetches, 1, memory_order_relaxed);
    for (unsigned i = 0; i < w->n; i++) {
        struct resource *r = &w->resources[i];

        if (url_equal(&r->url, u)) {
            if (fails(r))
                return (struct page){ .status = 503, .body = "" };
            return (struct page){ .status = 200, .body = r->body };
        }
    }
    return missing;
}

unsigned
web_fetches(struct web *w)
{
    return atomic_load_explicit(&w->fetches, memory_order_relaxed);
}
