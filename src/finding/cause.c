/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding/cause.c - races on several members of an object that one mistake explains.
 *
 * Runs in the host. A function that fills a structure without a lock races with each function that
 * does the same or reads it, once for each member: ten members, ten races, one mistake. Races are
 * of one cause when they are on one object (a global variable, or the blocks of one allocating
 * call), the same two functions access it, and both hold the same locks in both races; or one
 * function, with the same locks, takes part in both and races with itself in one. Other functions,
 * another object, or a lock that only one of the races is without are another mistake.
 *
 * Direction of the error: two mistakes that the same functions make on one object are one
 * finding, which lists each variable. Objects on stacks, and blocks of allocators of
 * the program, cannot be told apart: their races stay findings of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "finding/fingerprint.h"
#include "wire/site.h"

/* 0: not known. */
static uint64_t
function_of(const struct burl_sites *sites, uint32_t site)
{
    const char *name = burl_sites_get(sites, site)->func;

    return name[0] != '\0' ? burl_hash(name, strlen(name)) : 0;
}

static struct burl_cause_pair
pair_of(const struct burl_sites *sites, uint32_t site_a, uint32_t site_b)
{
    return (struct burl_cause_pair){ { function_of(sites, site_a), function_of(sites, site_b) } };
}

/* The places where the locks held were taken, whatever their order. */
static uint64_t
locks_of(const struct burl_wire_side *s)
{
    uint64_t h = s->n_locks;

    for (uint32_t i = 0; i < s->n_locks && i < BURL_WIRE_MAX_LOCKS; i++)
        h += burl_hash(&s->locks[i].site, sizeof s->locks[i].site);
    return h;
}

struct burl_cause
burl_cause_of(const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    struct burl_cause c = { 0 };
    struct burl_buf object = BURL_BUF_INIT;
    uint64_t size_b;

    if (v->kind != BURL_VERDICT_RACE_DATA || v->n_sides != 2 ||
        ((v->sides[0].flags | v->sides[1].flags) & BURL_SIDE_F_FREE) != 0)
        return c;
    if (burl_finding_object(v, burl_variable_overlap(&v->sides[0], &v->sides[1], &size_b), sites,
                            &object)) {
        for (size_t i = 0; i < 2; i++)
            c.locks[i] = locks_of(&v->sides[i]);
        c.object = burl_buf_take(&object, NULL);
        BURL_VEC_PUSH(&c.pairs, pair_of(sites, v->sides[0].site, v->sides[1].site));
    }
    burl_buf_deinit(&object);
    return c;
}

void
burl_cause_add(struct burl_cause *c, const struct burl_wire_suspect *pairs, size_t n,
               const struct burl_sites *sites)
{
    for (size_t i = 0; i < n && c->object != NULL; i++) {
        if (pairs[i].kind == BURL_SUSPECT_RACE && pairs[i].n_sites >= 2)
            BURL_VEC_PUSH(&c->pairs, pair_of(sites, pairs[i].sites[0], pairs[i].sites[1]));
    }
}

/* Two values are the same two, in whatever order. */
static bool
are_same(const uint64_t a[2], const uint64_t b[2])
{
    return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

static bool
is_known(const struct burl_cause_pair *p)
{
    return p->f[0] != 0 && p->f[1] != 0;
}

static bool
shares_pair(const struct burl_cause *a, const struct burl_cause *b)
{
    if (!are_same(a->locks, b->locks))
        return false;
    for (size_t i = 0; i < a->pairs.n; i++) {
        for (size_t j = 0; j < b->pairs.n && is_known(&a->pairs.v[i]); j++) {
            if (are_same(a->pairs.v[i].f, b->pairs.v[j].f))
                return true;
        }
    }
    return false;
}

/* The function that races with itself in `a`; 0 none. */
static uint64_t
initializer_of(const struct burl_cause *a)
{
    const struct burl_cause_pair *p = &a->pairs.v[0];

    return p->f[0] == p->f[1] && a->locks[0] == a->locks[1] ? p->f[0] : 0;
}

/* Does the function that races with itself in `a` take part in `b`, with the same locks? */
static bool
is_initializer_in(const struct burl_cause *a, const struct burl_cause *b)
{
    const uint64_t f = initializer_of(a);

    for (size_t i = 0; i < 2 && f != 0; i++) {
        if (b->pairs.v[0].f[i] == f && b->locks[i] == a->locks[0])
            return true;
    }
    return false;
}

bool
burl_cause_is_same(const struct burl_cause *a, const struct burl_cause *b)
{
    if (a->object == NULL || b->object == NULL || strcmp(a->object, b->object) != 0)
        return false;
    return shares_pair(a, b) || is_initializer_in(a, b) || is_initializer_in(b, a);
}

void
burl_cause_deinit(struct burl_cause *c)
{
    free(c->object);
    BURL_VEC_FREE(&c->pairs);
    *c = (struct burl_cause){ 0 };
}
