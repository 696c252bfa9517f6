/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/verify.c - suspects by place, and what a finding says about the change; verify.h.
 *
 * Runs in the host. Pure.
 */
#include "regress/verify.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"

/* ---- places ------------------------------------------------------------------------ */

uint32_t
burl_regress_suspect_kind(const struct burl_wire_suspect *s)
{
    switch (s->kind) {
    case BURL_SUSPECT_RACE:
    case BURL_SUSPECT_POTENTIAL:
        return BURL_REGRESS_RACES;
    case BURL_SUSPECT_TRIPLE:
    case BURL_SUSPECT_REGION:
        return BURL_REGRESS_ATOMICITY;
    case BURL_SUSPECT_CYCLE:
    case BURL_SUSPECT_SIGNAL:
    case BURL_SUSPECT_WAKEUP:
        return BURL_REGRESS_DEADLOCKS;
    default:
        return 0;
    }
}

/* 0: not known. */
static uint64_t
place_hash(const struct burl_sites *sites, uint32_t site)
{
    const struct burl_site_info *x = burl_sites_get(sites, site);
    uint64_t h = BURL_HASH_BEGIN;

    if (site == 0 || x->file[0] == '\0' || x->line == 0)
        return 0;
    h = burl_hash_str(burl_hash_str(h, x->file), x->func);
    h = burl_hash_u64(h, (uint64_t)x->line << 32 | x->column);
    return burl_hash_end(h);
}

static size_t
n_sites(const struct burl_wire_suspect *s)
{
    return s->n_sites < BURL_WIRE_MAX_SITES ? s->n_sites : BURL_WIRE_MAX_SITES;
}

uint64_t
burl_regress_suspect_key(const struct burl_wire_suspect *s, const struct burl_sites *sites)
{
    const uint32_t kind = burl_regress_suspect_kind(s);
    const size_t n = n_sites(s);
    uint64_t sum = 0;
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, kind == BURL_REGRESS_DEADLOCKS ? s->kind + 1u : 0);

    h = burl_hash_u64(h, kind);
    for (size_t i = 0; i < n; i++) {
        const uint64_t place = place_hash(sites, s->sites[i]);

        if (place == 0)
            return 0;
        /* The accesses of a race have no order; those of a triple have. A cycle may be entered
         * at any of its locks: each is held at one site and requested at the next. */
        if (kind == BURL_REGRESS_RACES)
            sum += burl_hash_end(burl_hash_u64(BURL_HASH_BEGIN, place));
        else if (s->kind == BURL_SUSPECT_CYCLE && i % 2 == 1)
            sum += burl_hash_end(burl_hash_u64(
                burl_hash_u64(BURL_HASH_BEGIN, place_hash(sites, s->sites[i - 1])), place));
        else if (s->kind != BURL_SUSPECT_CYCLE)
            h = burl_hash_u64(h, place);
    }
    h = burl_hash_end(burl_hash_u64(h, sum));
    return h != 0 ? h : 1;
}

void
burl_regress_suspect_text(const struct burl_wire_suspect *s, const struct burl_sites *sites,
                          struct burl_buf *out)
{
    const size_t n = n_sites(s);

    for (size_t i = 0; i < n; i++) {
        const struct burl_site_info *x = burl_sites_get(sites, s->sites[i]);

        if (s->kind == BURL_SUSPECT_CYCLE && i % 2 == 0)
            continue; /* where the lock was taken that is held at the next */
        if (out->n > 0)
            burl_buf_str_append(out, i + 1 == n ? " and " : ", ");
        burl_buf_printf(out, "%s:%u", burl_path_basename(x->file), x->line);
    }
}

/* ---- the ledger -------------------------------------------------------------------- */

size_t
burl_regress_ledger_note(struct burl_regress_ledger *l, const struct burl_regress_sighting *s,
                         const char *text)
{
    struct burl_regress_suspect *e;
    uint64_t at;

    if (!burl_map_get(&l->at, s->key, &at)) {
        at = l->all.n;
        burl_map_set(&l->at, s->key, at);
        BURL_VEC_PUSH(&l->all, (struct burl_regress_suspect){
                                   .key = s->key, .kind = s->kind, .text = burl_xstrdup(text) });
    }
    e = &l->all.v[at];
    e->impacted |= s->impacted;
    e->confirmed |= s->confirmed;
    if (s->confirmed && e->fingerprint == 0)
        e->fingerprint = s->fingerprint;
    e->runs += s->runs;
    e->n_tests++;
    return at;
}

bool
burl_regress_ledger_has_confirmed(const struct burl_regress_ledger *l, uint64_t key)
{
    uint64_t at;

    return key != 0 && burl_map_get(&l->at, key, &at) && l->all.v[at].confirmed;
}

size_t
burl_regress_ledger_count(const struct burl_regress_ledger *l, uint32_t kinds, bool confirmed)
{
    size_t n = 0;

    for (size_t i = 0; i < l->all.n; i++)
        n += (l->all.v[i].kind & kinds) != 0 && (!confirmed || l->all.v[i].confirmed);
    return n;
}

uint64_t
burl_regress_ledger_runs(const struct burl_regress_ledger *l)
{
    uint64_t n = 0;

    for (size_t i = 0; i < l->all.n; i++)
        n += l->all.v[i].runs;
    return n;
}

void
burl_regress_ledger_deinit(struct burl_regress_ledger *l)
{
    for (size_t i = 0; i < l->all.n; i++)
        free(l->all.v[i].text);
    BURL_VEC_FREE(&l->all);
    burl_map_deinit(&l->at);
}

/* ---- the change -------------------------------------------------------------------- */

static uint64_t
pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

void
burl_regress_pairset_fill(struct burl_regress_pairset *p, const struct burl_regress_selection *s,
                          uint32_t subject)
{
    for (size_t i = 0; i < s->pairs.n; i++) {
        if (s->pairs.v[i].subject == subject)
            burl_map_set(&p->has, pair_key(s->pairs.v[i].a, s->pairs.v[i].b), 1);
    }
}

bool
burl_regress_pairset_has(const struct burl_regress_pairset *p, const struct burl_changes *c,
                         uint64_t hash_a, uint32_t a, uint64_t hash_b, uint32_t b)
{
    const uint32_t x = burl_changes_find(c, hash_a, a);
    const uint32_t y = burl_changes_find(c, hash_b, b);
    uint64_t ignored;

    return x != UINT32_MAX && y != UINT32_MAX && burl_map_get(&p->has, pair_key(x, y), &ignored);
}

void
burl_regress_pairset_deinit(struct burl_regress_pairset *p)
{
    burl_map_deinit(&p->has);
}

bool
burl_regress_is_impacted(const struct burl_changes *c, uint64_t module_hash, uint32_t index)
{
    const uint32_t at = burl_changes_find(c, module_hash, index);

    return at != UINT32_MAX && c->sites.v[at].rules != 0;
}

/* ---- findings ---------------------------------------------------------------------- */

enum burl_regress_class
burl_regress_classify(const struct burl_regress_evidence *e)
{
    if (e->shown_base)
        return BURL_REGRESS_KNOWN;
    if (!e->alone && (e->unchanged || (e->on_accesses && e->judged && !e->impacted)))
        return e->older ? BURL_REGRESS_KNOWN : BURL_REGRESS_UNRELATED;
    if (e->alone)
        return e->failed_base ? BURL_REGRESS_KNOWN : BURL_REGRESS_FAILS;
    return e->older && !e->impacted ? BURL_REGRESS_KNOWN : BURL_REGRESS_NEW;
}

const char *
burl_regress_class_name(enum burl_regress_class c)
{
    static const char *const names[BURL_REGRESS_CLASS__N] = {
        [BURL_REGRESS_NEW] = "new",
        [BURL_REGRESS_FAILS] = "fails",
        [BURL_REGRESS_KNOWN] = "known",
        [BURL_REGRESS_UNRELATED] = "unrelated",
    };

    return (unsigned)c < BURL_REGRESS_CLASS__N ? names[c] : "unknown";
}
