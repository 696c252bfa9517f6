/* SPDX-License-Identifier: Apache-2.0 */
/*
 * title_race.c - the sentences of races and atomicity violations.
 *
 * Runs in the host; reads the model only. The title names the variable and both accesses, the
 * detail the missing lock, so that a C engineer can start from them.
 */
#include "report/build/build_int.h"

/* "T1 worker writes at bank.c:17 in deposit" */
static void
put_side(const struct burl_finding *f, const struct burl_finding_side *s, const char *what,
         struct burl_buf *out)
{
    const struct burl_finding_thread *t = burl__report_thread_of(f, s->tid);

    burl__report_put(out, f, "%T %s%s%s", s->tid, s->verb, what[0] != '\0' ? " " : "", what);
    if (s->loc.line != 0)
        burl__report_put(out, f, " %s %L", s->near ? "near" : "at", &s->loc);
    if (s->loc.func[0] != '\0' && (s->loc.line == 0 || !burl__report_is_start(t, s->loc.func)))
        burl__report_put(out, f, " in %s", s->loc.func);
}

/* "global, 4 bytes" */
static void
put_memory(const struct burl_finding *f, struct burl_buf *out)
{
    static const char *const kinds[] = {
        [BURL_ORIGIN_UNKNOWN] = "",
        [BURL_ORIGIN_HEAP] = "heap, ",
        [BURL_ORIGIN_GLOBAL] = "global, ",
        [BURL_ORIGIN_STACK] = "stack of %T, ",
        [BURL_ORIGIN_TLS] = "thread-local of %T, ",
    };
    const struct burl_finding_memory *m = &f->memory;

    burl__report_put(out, f, kinds[m->kind], m->tid);
    burl__report_put(out, f, "%N byte%s", m->size_b, m->size_b == 1 ? "" : "s");
}

static const struct burl_finding_lock *
common_lock(const struct burl_finding *f)
{
    for (size_t i = 0; i < f->sides[0].n_locks; i++) {
        for (size_t k = 0; k < f->sides[1].n_locks; k++) {
            if (f->sides[0].locks[i].addr == f->sides[1].locks[k].addr)
                return &f->sides[0].locks[i];
        }
    }
    return NULL;
}

/* The locks that should have ordered the accesses. */
static void
put_locks(const struct burl_finding *f, struct burl_buf *out)
{
    const struct burl_finding_lock *both = common_lock(f);

    if (f->sides[0].n_locks == 0 && f->sides[1].n_locks == 0)
        burl_buf_str_append(out, "no lock held");
    else if (both != NULL && both->mode[0] != '\0')
        burl_buf_printf(out, "both hold %s for reading only",
                        both->name[0] != '\0' ? both->name : "a lock");
    else if (both == NULL)
        burl_buf_str_append(out, "no common lock");
    else
        burl_buf_str_append(out, "their common lock does not order them");
}

static void
title_region(const struct burl_finding *f, struct burl_buf *out)
{
    burl__report_put(out, f, "atomicity violation in %s%s of %T: ",
                     f->region[0] != '\0' ? "region " : "a region", f->region, f->sides[0].tid);
    put_side(f, &f->sides[1], f->memory.name, out);
    if (f->tid == f->sides[0].tid && f->where.line != 0 && f->sides[0].loc.line != 0)
        burl__report_put(out, f, ", between %L and %L", &f->sides[0].loc, &f->where);
    else
        burl_buf_str_append(out, ", between two of its accesses");
}

void
burl__report_title_race(const struct burl_finding *f, struct burl_buf *out)
{
    if (f->n_sides != 2) {
        burl_buf_str_append(out, f->verdict == BURL_VERDICT_RACE_DATA
                                     ? "data race; the accesses are not known"
                                     : "atomicity violation in a region");
        return;
    }
    if (f->verdict == BURL_VERDICT_ATOMICITY_REGION) {
        title_region(f, out);
        return;
    }
    burl_buf_printf(out, "data race on %s (",
                    f->memory.name[0] != '\0' ? f->memory.name : "memory");
    put_memory(f, out);
    burl_buf_str_append(out, "): ");
    put_side(f, &f->sides[0], "", out);
    burl_buf_str_append(out, ", ");
    put_side(f, &f->sides[1], "", out);
}

void
burl__report_detail_race(const struct burl_finding *f, struct burl_buf *out)
{
    const struct burl_finding_side *a = &f->sides[0];
    const struct burl_finding_side *b = &f->sides[1];

    if (f->n_sides != 2)
        return;
    if (f->verdict == BURL_VERDICT_ATOMICITY_REGION) {
        burl__report_put(out, f,
                         "The accesses of %T in the region must appear atomic; with the access in "
                         "between they match no serial order (not serializable).\n",
                         a->tid);
        return;
    }
    burl_buf_str_append(out, "Unsynchronized: ");
    put_locks(f, out);
    burl_buf_str_append(out, ", no happens-before edge (create/join, signal, release/acquire).\n");
    if (a->atomic != b->atomic)
        burl_buf_printf(out,
                        "Only T%u's access is atomic; that does not protect it from a plain "
                        "access.\n",
                        a->atomic ? a->tid : b->tid);
    if (a->frees || b->frees)
        burl_buf_printf(out, "T%u frees the memory that T%u still uses.\n",
                        a->frees ? a->tid : b->tid, a->frees ? b->tid : a->tid);
    if (f->orders.failing)
        burl_buf_str_append(out,
                            "Confirmed and failing: the program fails when the race occurs.\n");
    else if (f->orders.outcome == BURL_FINDING_OUTCOME_DIFFERS)
        burl_buf_str_append(out, "Confirmed: the order of the two accesses changes the result.\n");
    else if (f->orders.outcome == BURL_FINDING_OUTCOME_SAME)
        burl_buf_str_append(
            out, "Confirmed: both orders end the same way here. A compiler may still break such "
                 "code, since a data race is undefined behavior in C and C++.\n");
}

void
burl__report_put_predicted(const struct burl_wire_suspect *s, const struct burl_sites *sites,
                           struct burl_buf *out)
{
    if (s == NULL || s->kind == BURL_SUSPECT_RACE || s->kind == BURL_SUSPECT_REGION)
        return;
    burl_buf_str_append(out, "Predicted from a passing run, then reproduced: ");
    burl__report_put_suspect(s, sites, out);
}
