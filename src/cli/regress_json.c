/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_json.c - a selection as a JSON document: what `burl regress select --json` prints,
 * the store keeps, and `burl regress show` reads. docs/formats/regress-json.md describes it.
 *
 * Runs in the host.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/regress_doc.h"
#include "regress/words.h"

/* More than a person reads; all are counted. */
#define MAX_PAIRS 5000u
/* Places that a changed function impacts. */
#define MAX_IMPACTED 20u

static void
put_kinds(struct burl_json_writer *w, uint32_t kinds)
{
    static const char *const names[] = { "races", "atomicity", "deadlocks" };

    burl_json_kv_array(w, "for");
    for (uint32_t i = 0; i < 3; i++)
        if (kinds >> i & 1)
            burl_json_str(w, names[i]);
    burl_json_array_end(w);
}

static void
put_rules(struct burl_json_writer *w, uint32_t rules)
{
    burl_json_kv_array(w, "rules");
    for (uint32_t bit = 1; bit <= BURL_RULE_DATA; bit <<= 1)
        if (rules & bit)
            burl_json_str(w, burl_changes_rule_name((enum burl_changes_rule)bit));
    burl_json_array_end(w);
}

/* The members of an access. */
static void
put_access(struct burl_json_writer *w, const struct burl_regress_subject *x, uint32_t site,
           bool acquires)
{
    const struct burl_changes_site *c = &x->changes.sites.v[site];
    const struct burl_site_info info = burl_regress_place(x, site);

    burl_json_kv_str(w, "file", info.file);
    burl_json_kv_u64(w, "line", info.line);
    burl_json_kv_str(w, "function", info.func);
    burl_json_kv_str(w, "access", acquires ? "locks" : burl_regress_verb(x, site));
    burl_json_kv_str(w, "variable", info.variable);
    burl_json_kv_bool(w, "impacted", c->rules != 0);
    if (c->rules) {
        put_rules(w, c->rules);
        burl_json_kv_str(w, "why", c->why);
        burl_json_kv_bool(w, "exact", c->exact);
    }
}

/* ---- functions and variables ------------------------------------------------------------- */

static const char *
state_name(uint8_t state)
{
    static const char *const names[] = { "changed", "added", "removed", "moved" };

    return state < 4 ? names[state] : "?";
}

/* Accesses that the function impacts: how many, and the first of them. */
static void
put_impacted(struct burl_json_writer *w, const struct burl_regress_subject *x, uint32_t function)
{
    size_t n = 0;

    burl_json_kv_array(w, "impacts");
    for (uint32_t i = 0; i < x->changes.sites.n; i++) {
        const struct burl_changes_site *c = &x->changes.sites.v[i];

        if (c->rules == 0 || c->function != function || n++ >= MAX_IMPACTED)
            continue;
        burl_json_object_begin(w);
        put_access(w, x, i, burl_sp_find(&x->target, c->module_hash, c->index) == UINT32_MAX);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    burl_json_kv_u64(w, "n_impacts", n);
}

static void
put_functions(struct burl_json_writer *w, const struct burl_regress_subject *x)
{
    burl_json_kv_array(w, "functions");
    for (uint32_t i = 0; i < x->changes.functions.n; i++) {
        const struct burl_changes_function *f = &x->changes.functions.v[i];

        burl_json_object_begin(w);
        burl_json_kv_str(w, "name", f->name);
        burl_json_kv_str(w, "file", f->file);
        burl_json_kv_u64(w, "line", f->line);
        burl_json_kv_str(w, "state", state_name(f->state));
        burl_json_kv_str(w, "what", f->what);
        put_impacted(w, x, i);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

/* Impacted accesses of a class. */
static size_t
count_impacted(const struct burl_regress_subject *x, const struct burl_sp_class *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->sites.n; i++) {
        const struct burl_sp_site *s = &x->target.sites.v[c->sites.v[i]];
        const uint32_t at = burl_changes_find(&x->changes, s->module_hash, s->index);

        n += at != UINT32_MAX && x->changes.sites.v[at].rules != 0;
    }
    return n;
}

static void
put_variables(struct burl_json_writer *w, const struct burl_regress_selection *s, uint32_t subject)
{
    const struct burl_regress_subject *x = &s->subjects.v[subject];
    uint64_t *pairs = burl_xcalloc(x->target.classes.n + 1, sizeof *pairs);

    for (size_t i = 0; i < s->pairs.n; i++)
        if (s->pairs.v[i].subject == subject && !(s->pairs.v[i].kinds & BURL_REGRESS_DEADLOCKS))
            pairs[s->pairs.v[i].class] += s->pairs.v[i].n;
    burl_json_kv_array(w, "variables");
    for (size_t i = 0; i < x->target.classes.n; i++) {
        const struct burl_sp_class *c = &x->target.classes.v[i];
        const size_t n = count_impacted(x, c);

        /* Bytes without a type are shown only where no type has the pair. */
        if (n == 0 || (c->untyped && pairs[i] == 0))
            continue;
        burl_json_object_begin(w);
        burl_json_kv_str(w, "name", c->name);
        burl_json_kv_str(w, "object", c->object);
        burl_json_kv_bool(w, "untyped", c->untyped);
        burl_json_kv_u64(w, "impacted", n);
        burl_json_kv_u64(w, "accesses", c->sites.n);
        burl_json_kv_u64(w, "pairs", pairs[i]);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    free(pairs);
}

static void
put_programs(struct burl_json_writer *w, const struct burl_regress_selection *s)
{
    burl_json_kv_array(w, "changed");
    for (uint32_t i = 0; i < s->subjects.n; i++) {
        const struct burl_regress_subject *x = &s->subjects.v[i];

        burl_json_object_begin(w);
        burl_json_kv_str(w, "program", x->key);
        burl_json_kv_str(w, "path", x->path);
        if (x->problem)
            burl_json_kv_str(w, "problem", x->problem);
        put_functions(w, x);
        put_variables(w, s, i);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

/* ---- pairs ------------------------------------------------------------------------------- */

static void
put_pair(struct burl_json_writer *w, const struct burl_regress_selection *s, uint32_t i)
{
    const struct burl_regress_pair *p = &s->pairs.v[i];
    const struct burl_regress_subject *x = &s->subjects.v[p->subject];
    const bool acquires = (p->kinds & BURL_REGRESS_DEADLOCKS) != 0;

    burl_json_object_begin(w);
    burl_json_kv_str(w, "program", x->key);
    burl_json_kv_str(w, acquires ? "locks" : "variable",
                     acquires ? burl_regress_variable(x, p) : x->target.classes.v[p->class].name);
    put_kinds(w, p->kinds);
    burl_json_kv_u64(w, "count", p->n);
    burl_json_kv_u64(w, "tests", burl_regress_n_tests_of(s, i));
    burl_json_kv_object(w, "a");
    put_access(w, x, p->a, acquires);
    burl_json_object_end(w);
    burl_json_kv_object(w, "b");
    put_access(w, x, p->b, acquires);
    burl_json_object_end(w);
    burl_json_object_end(w);
}

static void
put_pairs(struct burl_json_writer *w, const struct burl_regress_selection *s)
{
    burl_json_kv_u64(w, "n_pairs", s->n_pairs);
    burl_json_kv_array(w, "pairs");
    for (uint32_t i = 0; i < s->pairs.n && i < MAX_PAIRS; i++)
        put_pair(w, s, i);
    burl_json_array_end(w);
}

/* ---- tests ------------------------------------------------------------------------------- */

static void
put_reason(struct burl_json_writer *w, struct burl_buf *b)
{
    burl_json_kv_str(w, "reason", burl_buf_str(b));
    burl_buf_deinit(b);
}

static void
put_chosen(struct burl_json_writer *w, const struct burl_regress_selection *s,
           const struct burl_regress_chosen *c)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_json_object_begin(w);
    burl_json_kv_str(w, "name", s->base->tests.v[c->test].name);
    burl_json_kv_bool(w, "unknown", c->unknown);
    burl_json_kv_u64(w, "covers", c->n_pairs);
    burl_json_kv_u64(w, "adds", c->n_new);
    if (c->pair != UINT32_MAX) {
        const struct burl_regress_pair *p = &s->pairs.v[c->pair];
        const struct burl_history *h = burl_regress_history_of(s, c->test, p->subject);
        char room[BURL_REGRESS_ROLE_ROOM];

        if (c->pair < MAX_PAIRS)
            burl_json_kv_u64(w, "pair", c->pair);
        burl_json_kv_str(w, "program", s->subjects.v[p->subject].key);
        burl_json_kv_str(w, "thread_a", h ? burl_regress_role_name(h, c->role_a, room) : NULL);
        burl_json_kv_str(w, "thread_b", h ? burl_regress_role_name(h, c->role_b, room) : NULL);
    }
    burl_regress_explain(s, c, &b);
    put_reason(w, &b);
    burl_json_object_end(w);
}

/* Tests that were not selected and are not in the tail, each with the reason. */
static void
put_left(struct burl_json_writer *w, const struct burl_regress_selection *s)
{
    bool *is_chosen = burl_xcalloc(s->base->tests.n + 1, sizeof *is_chosen);

    for (size_t i = 0; i < s->chosen.n; i++)
        is_chosen[s->chosen.v[i].test] = true;
    for (size_t i = 0; i < s->uninstrumented.n; i++)
        is_chosen[s->uninstrumented.v[i]] = true;
    burl_json_kv_array(w, "not_selected");
    for (uint32_t i = 0; i < s->base->tests.n; i++) {
        struct burl_buf b = BURL_BUF_INIT;

        if (is_chosen[i])
            continue;
        burl_json_object_begin(w);
        burl_json_kv_str(w, "name", s->base->tests.v[i].name);
        burl_regress_explain_not(s, i, &b);
        put_reason(w, &b);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    free(is_chosen);
}

static void
put_tests(struct burl_json_writer *w, const struct burl_regress_selection *s)
{
    burl_json_kv_u64(w, "n_tests", s->base->tests.n);
    burl_json_kv_array(w, "selected");
    for (size_t i = 0; i < s->n_selected; i++)
        put_chosen(w, s, &s->chosen.v[i]);
    burl_json_array_end(w);
    burl_json_kv_array(w, "tail");
    for (size_t i = s->n_selected; i < s->chosen.n; i++)
        put_chosen(w, s, &s->chosen.v[i]);
    burl_json_array_end(w);
    put_left(w, s);
    burl_json_kv_array(w, "uninstrumented");
    for (size_t i = 0; i < s->uninstrumented.n; i++)
        burl_json_str(w, s->base->tests.v[s->uninstrumented.v[i]].name);
    burl_json_array_end(w);
}

/* ---- all --------------------------------------------------------------------------------- */

char *
burl__regress_doc(const struct burl_regress_plan *p, const struct burl_regress_rules *rules)
{
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_json_writer w;

    burl_json_writer_init(&w, &b, 2);
    burl_json_object_begin(&w);
    burl_json_kv_u64(&w, "schema", 1);
    burl_json_kv_str(&w, "command", "regress select");
    burl_json_kv_u64(&w, "exit_code", BURL_EXIT_CLEAN);
    burl_json_kv_str(&w, "base", p->base.name);
    burl_json_kv_str(&w, "suite", p->base.suite);
    put_kinds(&w, rules->wanted);
    burl_json_kv_bool(&w, "same_thread", rules->same_thread);
    burl_json_kv_bool(&w, "any_lifetime", rules->any_lifetime);
    burl_json_kv_u64(&w, "seed", rules->seed);
    burl_json_kv_u64(&w, "programs", p->n_programs);
    burl_json_kv_u64(&w, "unchanged", p->n_unchanged);
    put_tests(&w, &p->selection);
    put_programs(&w, &p->selection);
    put_pairs(&w, &p->selection);
    burl_json_kv_array(&w, "notes");
    for (size_t i = 0; i < p->notes.n; i++)
        burl_json_str(&w, p->notes.v[i]);
    burl_json_array_end(&w);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    return burl_buf_take(&b, NULL);
}

int
burl__regress_fail(const struct burl_options *opts, const char *command, const struct burl_err *err)
{
    const int code = burl_cli_fail(err);

    if (opts->json) {
        struct burl_cli_json doc;
        struct burl_json_writer *w = burl_cli_json_begin(&doc);

        burl_json_kv_u64(w, "schema", 1);
        burl_json_kv_str(w, "command", command);
        burl_json_kv_i64(w, "exit_code", code);
        burl_json_kv_str(w, "error", err->msg);
        burl_cli_json_end(&doc, stdout);
    }
    return code;
}
