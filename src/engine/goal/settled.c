/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/settled.c - memory of which observers need not say more.
 *
 * Runs in the host. A counter that is touched at two hundred places has twenty thousand pairs of
 * places that race, and is one finding; and it has millions of triples, of which directed
 * executions will try some dozens. Once there is the finding, or more suspicion than will be tried,
 * the runtime gets the place of the memory (wire/control.h) and reports no more of that kind on it:
 * its table of suspects is for memory without a finding. Of a race one pair, the
 * one that is counted, goes on being reported. Globals go by their address, those of
 * a library that is loaded while the program runs by the library and the offset, because other
 * executions load it elsewhere; blocks by the call that makes them and the offset; stacks are
 * watched on.
 *
 * The table comes into force with the points, between rounds, so that it is the same whatever the
 * number of processes (INV-E1). A search of all schedules does not use it: it says what it saw.
 *
 * Direction of the error: a member of a union that shares its bytes with one that has a finding is
 * not reported any more in this campaign.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "engine/engine_int.h"

/* A full open table is slow to search, and what is left out only costs time. */
#define MOST (BURL_WIRE_MAX_SETTLED * 3u / 4u)
/* Suspects of one kind on one place that wait to be tried. Each may get `confirm_tries` executions,
 * so this is more than most campaigns have executions for. */
#define ENOUGH 64u

/* One suspect as far as the table goes. */
struct entry {
    uint64_t where;
    uint64_t key; /* of the pair that is counted, with `found` */
    uint32_t site;
    uint8_t kind;
    bool found; /* its race is a finding */
    bool open;  /* it is yet to be tried */
};

static const struct burl_known *
finding_of(const struct burl_campaign *c, const struct burl_campaign_suspect *e)
{
    const struct burl_known *k;

    if (e->goal.state != BURL_GOAL_STATE_CONFIRMED || e->suspect.kind != BURL_SUSPECT_RACE)
        return NULL;
    /* Whether a race is one behind a volatile flag only is decided by all that are seen. */
    if (e->suspect.behind == BURL_BEHIND_FLAG)
        return NULL;
    k = burl__findings_find(&c->findings, e->fingerprint);
    return k && k->reported ? k : NULL;
}

/* False: its place is unknown, or it is on a block as a whole. */
static bool
make_entry(const struct burl_campaign *c, const struct burl_campaign_suspect *e, struct entry *out)
{
    const struct burl_wire_suspect *s = &e->suspect;
    const struct burl_known *k = finding_of(c, e);
    uint64_t where;

    if (s->kind > BURL_SUSPECT_TRIPLE || s->ops[0] == BURL_OP_FREE || s->ops[1] == BURL_OP_FREE)
        return false;
    if (!burl_wire_settled_place(s->origin, s->addr, s->origin_addr, s->origin_site, &where))
        return false;
    *out = (struct entry){ .where = where,
                           .key = k ? k->pair : 0,
                           .site = s->origin_site,
                           .kind = s->kind,
                           .found = k != NULL,
                           .open = burl__goal_is_open(&e->goal, c->cfg->confirm_tries) };
    return true;
}

/* The first of a place has the key, if one has. */
#define BY_PLACE(e) (e)->site, (e)->where, !(e)->found, (e)->key

static int
by_place(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;

    return BURL_COMPARE(x, y, BY_PLACE);
}

/* The suspects of one place. */
static void
add_place(struct burl_campaign *c, const struct entry *v, size_t n)
{
    uint32_t open[BURL_SUSPECT__N] = { 0 };
    uint32_t kinds = v->found ? 1u << BURL_SUSPECT_RACE | 1u << BURL_SUSPECT_POTENTIAL : 0;

    for (size_t i = 0; i < n; i++)
        open[v[i].kind] += v[i].open;
    if (open[BURL_SUSPECT_POTENTIAL] >= ENOUGH)
        kinds |= 1u << BURL_SUSPECT_POTENTIAL;
    if (open[BURL_SUSPECT_TRIPLE] >= ENOUGH)
        kinds |= 1u << BURL_SUSPECT_TRIPLE;
    if (kinds == 0 || c->learned.n_settled >= MOST)
        return;
    c->learned.settled[burl_wire_settled_slot(c->learned.settled, v->where, v->site)] =
        (struct burl_wire_settled){
            .where = v->where, .key = v->key, .site = v->site, .kinds = kinds
        };
    c->learned.n_settled++;
}

static void
make_table(struct burl_campaign *c)
{
    struct {
        BURL_VEC_OF(struct entry);
    } list = { 0 };

    c->learned.n_settled = 0;
    memset(c->learned.settled, 0, BURL_WIRE_MAX_SETTLED * sizeof *c->learned.settled);
    for (size_t i = 0; i < c->stats->n_suspects; i++) {
        struct entry e;

        if (make_entry(c, &c->stats->suspects[i], &e))
            BURL_VEC_PUSH(&list, e);
    }
    if (list.n > 0)
        qsort(list.v, list.n, sizeof *list.v, by_place);
    for (size_t i = 0, end; i < list.n; i = end) {
        for (end = i + 1; end < list.n && list.v[end].where == list.v[i].where &&
                          list.v[end].site == list.v[i].site;)
            end++;
        add_place(c, &list.v[i], end - i);
    }
    BURL_VEC_FREE(&list);
}

void
burl__settled_adopt(struct burl_campaign *c)
{
    struct burl_wire_settled old[BURL_WIRE_MAX_SETTLED] = { 0 };

    if (c->stats->n_suspects == 0 && !c->learned.settled)
        return;
    if (c->learned.settled)
        memcpy(old, c->learned.settled, sizeof old);
    else
        c->learned.settled = burl_xcalloc(BURL_WIRE_MAX_SETTLED, sizeof *c->learned.settled);
    make_table(c);
    if (memcmp(old, c->learned.settled, sizeof old) != 0)
        c->learned.version++;
}

void
burl__settled_load(const struct burl_learned *l, struct burl_target *t)
{
    burl_target_settle(t, l->settled, l->n_settled);
}
