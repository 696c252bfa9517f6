/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/explain.c - pairs in words.
 *
 * Names of members come from the places in the code that loaded them: D has offsets only. A step
 * that no place names is shown as its offset.
 */
#include "synth/explain.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "finding/fingerprint.h"

#define MAX_NUMBERS 6u /* of pairs, listed */

static const char *const access_words[] = { "none", "read", "write", "update" };
static const char access_letters[] = "-RWU";

const char *
burl_synth_fate_text(enum burl_synth_fate fate, enum burl_synth_for what)
{
    static const char *const text[] = {
        [BURL_SYNTH_KEPT] =
            "kept: no lock that thread A holds from p to c is held by thread B at r",
        [BURL_SYNTH_KEPT_SETTER] = "kept: the common lock is above the object, and a setter gives "
                                   "the threads different owners of one object",
        [BURL_SYNTH_OWN_LOCK] = "dropped: the common lock is in the accessed object itself",
        [BURL_SYNTH_GLOBAL_LOCK] = "dropped: the common lock is the same for every client",
        [BURL_SYNTH_NO_SETTER] = "dropped: the common lock is above the object, and no public "
                                 "function sets a pointer between them",
    };

    if (fate == BURL_SYNTH_KEPT && what == BURL_SYNTH_RACE)
        return "kept: the two accesses have no lock in common";
    return text[fate];
}

const char *
burl_synth_fate_name(enum burl_synth_fate fate)
{
    static const char *const name[] = {
        [BURL_SYNTH_KEPT] = "kept",           [BURL_SYNTH_KEPT_SETTER] = "kept_setter",
        [BURL_SYNTH_OWN_LOCK] = "own_lock",   [BURL_SYNTH_GLOBAL_LOCK] = "global_lock",
        [BURL_SYNTH_NO_SETTER] = "no_setter",
    };

    return name[fate];
}

/* Why there is no test: a word for documents, and a sentence. */
static const struct {
    const char *name;
    const char *text;
} no_test[BURL_SYNTH_TOO_LONG + 1] = {
    [BURL_SYNTH_UNWRITTEN] = { "unwritten", "an argument of the seed cannot be written as C" },
    [BURL_SYNTH_STATIC_SEED] = { "static_seed", "the seed has what it passes in static variables, "
                                                "which two executions would share" },
    [BURL_SYNTH_OWNED] = { "owned", "a call takes an object over that the other one, or another "
                                    "owner, has too" },
    [BURL_SYNTH_UNSHARED] = { "unshared", "the client has no object on the paths that the threads "
                                          "could share" },
    [BURL_SYNTH_TOO_LONG] = { "too_long", "the seed makes too many calls before it" },
};

const char *
burl_synth_built_text(enum burl_synth_built built)
{
    return no_test[built].text;
}

const char *
burl_synth_built_name(enum burl_synth_built built)
{
    return no_test[built].name;
}

const char *
burl_synth_for_name(enum burl_synth_for what)
{
    static const char *const name[] = { [BURL_SYNTH_ATOMICITY] = "atomicity",
                                        [BURL_SYNTH_RACE] = "race",
                                        [BURL_SYNTH_DEADLOCK] = "deadlock" };

    return name[what];
}

const char *
burl_synth_result_name(enum burl_synth_result result)
{
    static const char *const name[] = { [BURL_SYNTH_NOT_RUN] = "not run",
                                        [BURL_SYNTH_NOT_MET] = "not met",
                                        [BURL_SYNTH_BENIGN] = "benign",
                                        [BURL_SYNTH_NOT_DECIDED] = "undecided",
                                        [BURL_SYNTH_HARMFUL] = "harmful" };

    return name[result];
}

/* ---- tests ------------------------------------------------------------------------------- */

const char *
burl_synth_test_fn(const struct burl_synth *s, size_t test, unsigned thread)
{
    return s->m->fns.v[s->tests.v[test].test.threads[thread].v[0].fn].name;
}

size_t
burl_synth_test_n_pairs(const struct burl_synth *s, size_t test)
{
    return s->tests.v[test].pairs.n + s->tests.v[test].lock_pairs.n;
}

size_t
burl_synth_test_pair(const struct burl_synth *s, size_t test, size_t i)
{
    const struct burl_synth_test *t = &s->tests.v[test];

    return i < t->pairs.n ? t->pairs.v[i] + 1 : s->pairs.n + t->lock_pairs.v[i - t->pairs.n] + 1;
}

void
burl_synth_test_pairs(const struct burl_synth *s, size_t test, struct burl_buf *out)
{
    const size_t n = burl_synth_test_n_pairs(s, test);

    burl_buf_str_append(out, n == 1 ? "pair" : "pairs");
    for (size_t i = 0; i < n && i < MAX_NUMBERS; i++)
        burl_buf_printf(out, "%s %zu", i > 0 ? "," : "", burl_synth_test_pair(s, test, i));
    burl_buf_str_append(out, n > MAX_NUMBERS ? ", ..." : "");
}

/* ---- names ------------------------------------------------------------------------------- */

static void
place_print(const struct burl_sites *sites, uint32_t site, struct burl_buf *out)
{
    const struct burl_site_info *at = burl_sites_get(sites, site);

    burl_buf_printf(out, " at %s:%u", burl_path_basename(at->file), at->line);
}

/* The last member of "b->list.head"; NULL: the expression has none. */
static const char *
last_member(const char *expr)
{
    const char *last = expr;

    for (const char *p = expr; *p; p++) {
        if (*p == '.' || (*p == '>' && p > expr && p[-1] == '-'))
            last = p + 1;
    }
    return last != expr && *last ? last : NULL;
}

/* The member that an access at `site` names, or the offset. */
static void
member_print(const struct burl_sites *sites, uint32_t site, uint64_t off, struct burl_buf *out)
{
    const char *name = last_member(burl_sites_get(sites, site)->variable);

    if (name != NULL)
        burl_buf_str_append(out, name);
    else
        burl_buf_printf(out, "+%llu", (unsigned long long)off);
}

/* The same for the lock that the call at `site` takes: its argument names it. */
static void
lock_member_print(const struct burl_sites *sites, uint32_t site, uint64_t off, struct burl_buf *out)
{
    struct burl_buf text = BURL_BUF_INIT;
    const char *name = NULL;

    if (burl_source_argument(sites, burl_sites_get(sites, site), 0, &text))
        name = last_member(burl_buf_str(&text));
    if (name != NULL)
        burl_buf_str_append(out, name);
    else
        burl_buf_printf(out, "lock+%llu", (unsigned long long)off);
    burl_buf_deinit(&text);
}

static void
root_print(const struct burl_synth *s, int fn, const struct burl_synth_path *p,
           struct burl_buf *out)
{
    const struct burl_gen_fn *f = &s->m->fns.v[fn];

    if (p->root == BURL_SYNTH_STATIC)
        burl_buf_str_append(out, s->log.statics.v[p->id].name);
    else if (p->root == BURL_SYNTH_RESULT)
        burl_buf_str_append(out, "result");
    else if ((size_t)p->id < f->params.n && f->params.v[p->id].name[0])
        burl_buf_str_append(out, f->params.v[p->id].name);
    else
        burl_buf_printf(out, "argument%d", p->id + 1);
}

/* A place that loads the pointer at this offset of this type; 0: none did on a path of D. */
static uint32_t
step_site(const struct burl_synth *s, int type, uint32_t off)
{
    for (size_t i = 0; i < s->table.deps.n; i++) {
        const struct burl_synth_dep *d = &s->table.deps.v[i];

        for (unsigned k = 0; k < d->path.n; k++) {
            if (d->path.type[k] == type && d->path.off[k] == off)
                return d->step_site[k];
        }
    }
    return 0;
}

/* A path that is not a row's. `last`: a place that names its last step; 0 none. */
static void
any_path_print(const struct burl_synth *s, const struct burl_sites *sites, int fn,
               const struct burl_synth_path *p, uint32_t last, struct burl_buf *out)
{
    root_print(s, fn, p, out);
    for (unsigned i = 0; i < p->n; i++) {
        burl_buf_str_append(out, "->");
        member_print(sites, i + 1 == p->n && last != 0 ? last : step_site(s, p->type[i], p->off[i]),
                     p->off[i], out);
    }
}

static void
owner_print(const struct burl_synth *s, const struct burl_sites *sites,
            const struct burl_synth_dep *d, unsigned steps, struct burl_buf *out)
{
    root_print(s, d->fn, &d->path, out);
    for (unsigned i = 0; i < steps; i++) {
        burl_buf_str_append(out, "->");
        member_print(sites, d->step_site[i], d->path.off[i], out);
    }
}

/* A place that names the field of a row: `site`, or one that accesses the field directly where the
 * code at `site` has only its address, as in a helper. */
static uint32_t
naming_site(const struct burl_synth *s, const struct burl_sites *sites,
            const struct burl_synth_dep *d, uint32_t site)
{
    if (last_member(burl_sites_get(sites, site)->variable) != NULL)
        return site;
    for (size_t i = 0; i < s->table.deps.n; i++) {
        const struct burl_synth_dep *x = &s->table.deps.v[i];

        if (x->field == d->field && x->off == d->off &&
            last_member(burl_sites_get(sites, x->current_site)->variable) != NULL)
            return x->current_site;
    }
    return site;
}

/* The field of a row as the code at `site` names it. */
static void
field_print(const struct burl_synth *s, const struct burl_sites *sites,
            const struct burl_synth_dep *d, uint32_t site, struct burl_buf *out)
{
    const bool is_static = d->path.root == BURL_SYNTH_STATIC && d->path.n == 0;

    owner_print(s, sites, d, d->path.n, out);
    if (d->is_free || (is_static && d->off == 0))
        return;
    burl_buf_str_append(out, is_static ? "." : "->");
    member_print(sites, naming_site(s, sites, d, site), d->off, out);
}

void
burl_synth_path_print(const struct burl_synth *s, const struct burl_sites *sites,
                      const struct burl_synth_dep *d, bool with_field, struct burl_buf *out)
{
    if (with_field)
        field_print(s, sites, d, d->current_site, out);
    else
        owner_print(s, sites, d, d->path.n, out);
}

/* "foo(a, b)" with the names of the parameters. */
static void
call_print(const struct burl_synth *s, int fn, struct burl_buf *out)
{
    const struct burl_gen_fn *f = &s->m->fns.v[fn];

    burl_buf_printf(out, "%s(", f->name);
    for (size_t i = 0; i < f->params.n; i++)
        burl_buf_printf(out, "%s%s", i > 0 ? ", " : "",
                        f->params.v[i].name[0] ? f->params.v[i].name : "...");
    burl_buf_str_append(out, ")");
}

/* ---- locks ------------------------------------------------------------------------------- */

/* Where the call of the row takes the lock at an address; 0 unknown. */
static uint32_t
lock_site(const struct burl_synth *s, const struct burl_synth_dep *d, uint64_t addr)
{
    const struct burl_synth_call *c;

    if (d->call >= s->log.calls.n)
        return 0;
    c = &s->log.calls.v[d->call];
    for (size_t i = c->first; i < c->first + c->n_events; i++) {
        const struct burl_synth_event *e = &s->log.events.v[i];

        if (e->kind == BURL_SYNTH_LOCK && e->addr == addr)
            return e->site;
    }
    return 0;
}

static void
global_lock_print(const struct burl_synth *s, const struct burl_sites *sites,
                  const struct burl_synth_dep *d, uint64_t addr, struct burl_buf *out)
{
    struct burl_buf text = BURL_BUF_INIT;
    const char *name = "a lock";

    if (burl_source_argument(sites, burl_sites_get(sites, lock_site(s, d, addr)), 0, &text))
        name = burl_buf_str(&text);
    for (size_t i = 0; i < s->log.statics.n; i++) {
        const struct burl_synth_static *v = &s->log.statics.v[i];

        if (addr - v->addr < v->size_b)
            name = v->name;
    }
    burl_buf_printf(out, "%s (the same for every client)", name);
    burl_buf_deinit(&text);
}

static void
lock_print(const struct burl_synth *s, const struct burl_sites *sites,
           const struct burl_synth_dep *d, const struct burl_synth_lock *x, struct burl_buf *out)
{
    int type = x->type;

    if (x->is_global) {
        global_lock_print(s, sites, d, x->off, out);
    } else {
        owner_print(s, sites, d, x->steps, out);
        for (unsigned i = 0; i < x->n_rest; i++) {
            burl_buf_str_append(out, "->");
            member_print(sites, i == 0 ? step_site(s, type, x->rest[i]) : 0, x->rest[i], out);
        }
        burl_buf_str_append(out, "->");
        lock_member_print(sites, x->n_rest == 0 ? lock_site(s, d, d->object[x->steps] + x->off) : 0,
                          x->off, out);
    }
    burl_buf_str_append(out, x->is_shared ? " (for reading)" : "");
}

static void
locks_print(const struct burl_synth *s, const struct burl_sites *sites,
            const struct burl_synth_dep *d, const struct burl_synth_locks *l, struct burl_buf *out)
{
    if (l->n == 0)
        burl_buf_str_append(out, "none");
    for (unsigned i = 0; i < l->n; i++) {
        burl_buf_str_append(out, i > 0 ? ", " : "");
        lock_print(s, sites, d, &l->v[i], out);
    }
}

/* ---- the two sides ----------------------------------------------------------------------- */

static void
access_print(const struct burl_synth *s, const struct burl_sites *sites,
             const struct burl_synth_dep *d, const char *letter, uint8_t access, uint32_t site,
             struct burl_buf *out)
{
    burl_buf_printf(out, "    %s%s%s of ", letter, d->is_atomic ? "atomic " : "",
                    d->is_free ? "free" : access_words[access]);
    field_print(s, sites, d, site, out);
    place_print(sites, site, out);
    burl_buf_char(out, '\n');
}

static void
held_print(const struct burl_synth *s, const struct burl_sites *sites,
           const struct burl_synth_dep *d, const char *at, bool with_hc, struct burl_buf *out)
{
    burl_buf_printf(out, "    locks held%s (HR): ", at);
    locks_print(s, sites, d, &d->hr, out);
    if (with_hc) {
        burl_buf_str_append(out, "\n    held from p to c (HC): ");
        locks_print(s, sites, d, &d->hc, out);
    }
    burl_buf_char(out, '\n');
}

static void
thread_print(const struct burl_synth *s, char thread, int fn, struct burl_buf *out)
{
    burl_buf_printf(out, "  thread %c calls ", thread);
    call_print(s, fn, out);
    burl_buf_char(out, '\n');
}

void
burl_synth_rows_print(const struct burl_synth *s, const struct burl_sites *sites,
                      enum burl_synth_for what, size_t a, size_t b, struct burl_buf *out)
{
    const struct burl_synth_dep *x = &s->table.deps.v[a];
    const struct burl_synth_dep *y = &s->table.deps.v[b];
    const bool is_triple = what == BURL_SYNTH_ATOMICITY;

    thread_print(s, 'A', x->fn, out);
    if (is_triple)
        access_print(s, sites, x, "p: ", x->previous, x->previous_site, out);
    access_print(s, sites, x, is_triple ? "c: " : "", x->current, x->current_site, out);
    held_print(s, sites, x, is_triple ? " at c" : "", is_triple, out);
    thread_print(s, 'B', y->fn, out);
    access_print(s, sites, y, is_triple ? "r: " : "", y->current, y->current_site, out);
    held_print(s, sites, y, is_triple ? " at r" : "", false, out);
    if (x->off != y->off)
        burl_buf_printf(out,
                        "  seen at +%llu and +%llu: one place accesses both, so they count as "
                        "elements of one array\n",
                        (unsigned long long)x->off, (unsigned long long)y->off);
}

static void
nest_print(const struct burl_synth *s, const struct burl_sites *sites,
           const struct burl_synth_nest *n, char thread, struct burl_buf *out)
{
    thread_print(s, thread, n->fn, out);
    burl_buf_str_append(out, "    takes ");
    any_path_print(s, sites, n->fn, &n->outer, 0, out);
    burl_buf_str_append(out, "->");
    lock_member_print(sites, n->outer_site, n->outer_off, out);
    place_print(sites, n->outer_site, out);
    burl_buf_str_append(out, ", then ");
    any_path_print(s, sites, n->fn, &n->inner, 0, out);
    burl_buf_str_append(out, "->");
    lock_member_print(sites, n->inner_site, n->inner_off, out);
    place_print(sites, n->inner_site, out);
    burl_buf_char(out, '\n');
}

void
burl_synth_nests_print(const struct burl_synth *s, const struct burl_sites *sites,
                       const struct burl_synth_lock_pair *p, struct burl_buf *out)
{
    nest_print(s, sites, &s->table.nests.v[p->a], 'A', out);
    nest_print(s, sites, &s->table.nests.v[p->b], 'B', out);
}

/* ---- setters ----------------------------------------------------------------------------- */

static void
setter_print(const struct burl_synth *s, const struct burl_sites *sites, char thread,
             const struct burl_synth_setter *set, struct burl_buf *out)
{
    burl_buf_printf(out, "  setter of thread %c: ", thread);
    for (unsigned i = 0; i < set->n; i++) {
        const struct burl_synth_assign *x = &s->table.assigns.v[set->assign[i]];

        burl_buf_str_append(out, i > 0 ? ", then " : "");
        call_print(s, x->fn, out);
        burl_buf_str_append(out, " with ");
        any_path_print(s, sites, x->fn, &x->target, x->site, out);
        burl_buf_str_append(out, " := ");
        any_path_print(s, sites, x->fn, &x->source, 0, out);
        place_print(sites, x->site, out);
    }
    if (set->is_suspended)
        burl_buf_str_append(out, "; stopped before it assigns something else");
    burl_buf_char(out, '\n');
}

/* The lock of row a that its owner after `steps` steps has. */
static const struct burl_synth_lock *
lock_of_owner(const struct burl_synth_locks *l, int steps)
{
    for (unsigned i = 0; i < l->n; i++) {
        if (!l->v[i].is_global && l->v[i].steps == steps)
            return &l->v[i];
    }
    return NULL;
}

void
burl_synth_setters_print(const struct burl_synth *s, const struct burl_sites *sites,
                         const struct burl_synth_pair *p, struct burl_buf *out)
{
    const struct burl_synth_dep *a = &s->table.deps.v[p->a];
    const struct burl_synth_lock *lock;

    if (p->dominant < 0)
        return;
    lock = lock_of_owner(p->what == BURL_SYNTH_RACE ? &a->hr : &a->hc, p->dominant);
    burl_buf_str_append(out, "  dominant lock: ");
    if (lock != NULL)
        lock_print(s, sites, a, lock, out);
    else
        owner_print(s, sites, a, (unsigned)p->dominant, out);
    burl_buf_char(out, '\n');
    if (p->fate != BURL_SYNTH_KEPT_SETTER)
        return;
    setter_print(s, sites, 'A', &p->set_a, out);
    setter_print(s, sites, 'B', &p->set_b, out);
}

/* ---- one pair ---------------------------------------------------------------------------- */

/* "test 3: harmful, findings 1 and 4". */
static void
outcome_print(const struct burl_synth *s, size_t at, bool is_short, struct burl_buf *out)
{
    const struct burl_synth_planned *planned = &s->planned.v[at];
    const struct burl_synth_test *t;

    if (planned->test == BURL_SYNTH_NO_TEST) {
        burl_buf_printf(out, "no test: %s", burl_synth_built_text(planned->built));
        return;
    }
    t = &s->tests.v[planned->test];
    burl_buf_printf(out, "test %zu: %s", planned->test + 1, burl_synth_result_name(t->result));
    for (size_t i = 0; i < t->findings.n; i++)
        burl_buf_printf(out, "%s%lld",
                        i == 0 ? t->findings.n == 1 ? ", finding " : ", findings " : ", ",
                        (long long)t->findings.v[i]);
    if (t->result == BURL_SYNTH_HARMFUL && t->findings.n == 0 && !is_short)
        burl_buf_str_append(out, ", as a finding of another test");
    if (t->why[0] && !is_short)
        burl_buf_printf(out, ": %s", t->why);
}

static void
explain_lock_pair(const struct burl_synth *s, const struct burl_sites *sites, size_t at,
                  struct burl_buf *out)
{
    const struct burl_synth_lock_pair *p = &s->lock_pairs.v[at - s->pairs.n];

    burl_buf_printf(out, "pair %zu: deadlock\n", at + 1);
    burl_synth_nests_print(s, sites, p, out);
    burl_buf_str_append(out, "  kept: if the first lock of each thread is the second of the other, "
                             "they wait for each other\n  ");
    outcome_print(s, at, false, out);
    burl_buf_str_append(out, "\n\n");
}

void
burl_synth_explain(const struct burl_synth *s, const struct burl_sites *sites, size_t number,
                   struct burl_buf *out)
{
    const struct burl_synth_pair *p;

    if (number > s->pairs.n) {
        explain_lock_pair(s, sites, number - 1, out);
        return;
    }
    p = &s->pairs.v[number - 1];
    burl_buf_printf(out, "pair %zu: %s", number, burl_synth_for_name(p->what));
    if (p->n_same > 1)
        burl_buf_printf(out, " (stands for %zu that differ in the field or the places only)",
                        p->n_same);
    burl_buf_char(out, '\n');
    burl_synth_rows_print(s, sites, p->what, p->a, p->b, out);
    burl_synth_setters_print(s, sites, p, out);
    burl_buf_printf(out, "  %s\n", burl_synth_fate_text(p->fate, p->what));
    if (p->fate <= BURL_SYNTH_KEPT_SETTER) {
        burl_buf_str_append(out, "  ");
        outcome_print(s, number - 1, false, out);
        burl_buf_char(out, '\n');
    }
    burl_buf_char(out, '\n');
}

/* ---- all pairs --------------------------------------------------------------------------- */

static const char *
fn_name(const struct burl_synth *s, int fn)
{
    return s->m->fns.v[fn].name;
}

/* Columns of the table. */
struct widths {
    int a;
    int b;
};

static int
wider(int width, const char *text)
{
    const int n = (int)strlen(text);

    return n > width ? n : width;
}

static struct widths
widths_of(const struct burl_synth *s)
{
    struct widths w = { (int)strlen("thread A"), (int)strlen("thread B") };

    for (size_t i = 0; i < s->pairs.n; i++) {
        w.a = wider(w.a, fn_name(s, s->table.deps.v[s->pairs.v[i].a].fn));
        w.b = wider(w.b, fn_name(s, s->table.deps.v[s->pairs.v[i].b].fn));
    }
    for (size_t i = 0; i < s->lock_pairs.n; i++) {
        w.a = wider(w.a, fn_name(s, s->table.nests.v[s->lock_pairs.v[i].a].fn));
        w.b = wider(w.b, fn_name(s, s->table.nests.v[s->lock_pairs.v[i].b].fn));
    }
    return w;
}

static void
row_of_pair(const struct burl_synth *s, const struct burl_sites *sites, size_t at, struct widths w,
            struct burl_buf *out)
{
    const struct burl_synth_pair *p = &s->pairs.v[at];
    const struct burl_synth_dep *a = &s->table.deps.v[p->a];
    const struct burl_synth_dep *b = &s->table.deps.v[p->b];
    struct burl_buf field = BURL_BUF_INIT;
    char triple[8] = { 0 };

    if (p->what == BURL_SYNTH_ATOMICITY)
        snprintf(triple, sizeof triple, "%c-%c-%c", access_letters[a->previous],
                 access_letters[b->current], access_letters[a->current]);
    else
        snprintf(triple, sizeof triple, "%c-%c", access_letters[a->current],
                 access_letters[b->current]);
    burl_synth_path_print(s, sites, a, true, &field);
    burl_buf_printf(out, "%6zu  %-9s  %-6s  %-*s  %-*s  %-20s  ", at + 1,
                    burl_synth_for_name(p->what), triple, w.a, fn_name(s, a->fn), w.b,
                    fn_name(s, b->fn), burl_buf_str(&field));
    if (p->fate <= BURL_SYNTH_KEPT_SETTER) {
        burl_buf_str_append(out, p->fate == BURL_SYNTH_KEPT_SETTER ? "kept by setter; " : "kept; ");
        outcome_print(s, at, true, out);
    } else {
        burl_buf_printf(out, "dropped: %s",
                        p->fate == BURL_SYNTH_OWN_LOCK      ? "lock of the object"
                        : p->fate == BURL_SYNTH_GLOBAL_LOCK ? "lock of every client"
                                                            : "lock of an owner, no setter");
    }
    burl_buf_char(out, '\n');
    burl_buf_deinit(&field);
}

void
burl_synth_explain_all(const struct burl_synth *s, const struct burl_sites *sites,
                       struct burl_buf *out)
{
    const struct widths w = widths_of(s);

    burl_buf_printf(out, "%6s  %-9s  %-6s  %-*s  %-*s  %-20s  %s\n", "pair", "for", "p-r-c", w.a,
                    "thread A", w.b, "thread B", "field", "fate");
    for (size_t i = 0; i < s->pairs.n; i++)
        row_of_pair(s, sites, i, w, out);
    for (size_t i = 0; i < s->lock_pairs.n; i++) {
        const struct burl_synth_lock_pair *p = &s->lock_pairs.v[i];

        burl_buf_printf(out, "%6zu  %-9s  %-6s  %-*s  %-*s  %-20s  kept; ", s->pairs.n + i + 1,
                        burl_synth_for_name(BURL_SYNTH_DEADLOCK), "", w.a,
                        fn_name(s, s->table.nests.v[p->a].fn), w.b,
                        fn_name(s, s->table.nests.v[p->b].fn), "");
        outcome_print(s, s->pairs.n + i, true, out);
        burl_buf_char(out, '\n');
    }
}
