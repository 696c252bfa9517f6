/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static.c - the static target of a program, for percentages of SP; see driver.h.
 *
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/sp.h"
#include "driver.h"

struct lp_static {
    struct burl_sp target;
};

struct lp_static *
lp_static_load(const char *path)
{
    struct lp_static *s = burl_xcalloc(1, sizeof *s);
    struct burl_err err = { 0 };

    burl_sp_init(&s->target);
    if (burl_sp_load(&s->target, path, &err) != BURL_OK)
        lp_die("%s", err.msg);
    return s;
}

void
lp_static_free(struct lp_static *s)
{
    if (!s)
        return;
    burl_sp_deinit(&s->target);
    free(s);
}

struct counts {
    const struct burl_sp *target;
    uint64_t sp, impossible;
};

static bool
count_pair(void *arg, uint32_t a, uint32_t b, uint32_t cls)
{
    struct counts *n = arg;

    (void)cls;
    n->sp++;
    n->impossible += burl_sp_never_adjacent(n->target, a, b) != NULL;
    return true;
}

void
lp_static_count(const struct lp_static *s, uint64_t *sp, uint64_t *impossible)
{
    struct counts n = { .target = &s->target };

    burl_sp_pairs(&s->target, false, count_pair, &n);
    *sp = n.sp;
    *impossible = n.impossible;
}

enum lp_static_state
lp_static_state(const struct lp_static *s, const struct lp_program *p, const struct lp_item *item)
{
    const uint32_t a = burl_sp_find(&s->target, p->site_hash[item->a], p->site_index[item->a]);
    const uint32_t b = burl_sp_find(&s->target, p->site_hash[item->b], p->site_index[item->b]);

    if (a == UINT32_MAX || b == UINT32_MAX || !burl_sp_has(&s->target, a, b, true))
        return LP_STATIC_OUTSIDE;
    if (burl_sp_never_adjacent(&s->target, a, b))
        return LP_STATIC_IMPOSSIBLE;
    return burl_sp_has(&s->target, a, b, false) ? LP_STATIC_IN : LP_STATIC_UNTYPED;
}
