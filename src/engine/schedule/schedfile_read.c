/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedfile_read.c - reading the schedule file of docs/formats/schedule.md.
 *
 * Runs in the host, on bytes from outside. It works on (pointer, length) slices and
 * never relies on a NUL. It refuses in this order, because each step makes the
 * next one's message true: not a schedule, another version, truncated, damaged,
 * bad line. A damaged file is parsed all the same, to name the line that shows the
 * damage. Memory grows with the lines that are there, never with a count that is
 * claimed.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "base/verdict.h"
#include "engine/schedule/schedfile.h"
#include "engine/schedule/schedfile_int.h"

/* A rebuilt program needs a search through all its sites for each distinct site of the file; more
 * distinct ones than this are left unresolved, so that a hostile file cannot keep us busy. */
#define MAX_SEARCHES 4096u
/* One name or argument: the kernel's own limit on arguments. */
#define STRING_MAX_B (128u << 10)
/* In files written before orders had a flag for it, this bit of the seed is the flag `patient`. It
 * stays in the seed: random numbers are drawn from it. */
#define SEED_PATIENT (1ull << 52)

/* One line that is being read, and all that reading needs. */
struct reader {
    const struct burl_schedfile_options *opts;
    struct burl_schedfile *f;
    struct burl_err *err;
    enum burl_schedfile_fault fault;
    struct burl_linereader in;
    uint64_t version;
    uint32_t seen;          /* bit per header key */
    uint32_t n_stop_wanted; /* stop-site lines that the `stop` line needs, at least */
    uint32_t n_stop_max;
    bool in_switches;
    uint64_t claimed;         /* by the `switches` line */
    size_t cap;               /* of f->switches */
    struct burl_map searched; /* module and index: how it was found << 32 | site */
};

static enum burl_status
bad_line(struct reader *r, const char *why, struct burl_span what)
{
    char shown[48];

    r->fault = BURL_SCHEDFILE_FAULT_SYNTAX;
    return burl_err_set(
        r->err, BURL_E_FORMAT, 0,
        "%s line %u: %s: '%s'; correct the line or recreate the schedule with burl test",
        r->in.name, r->in.line, why, burl_span_show(what, shown));
}

static enum burl_status
too_much(struct reader *r, const char *what, uint64_t limit)
{
    r->fault = BURL_SCHEDFILE_FAULT_BOUNDS;
    return burl_err_set(r->err, BURL_E_LIMIT, 0, "%s line %u: more than %llu %s are not accepted",
                        r->in.name, r->in.line, (unsigned long long)limit, what);
}

/* ---- words ------------------------------------------------------------------------- */

/* 16 digits, as the writer makes them. */
static bool
take_hash(struct burl_span w, uint64_t *out)
{
    return w.n == 16 && burl_span_number(w, 16, UINT64_MAX, out);
}

/* Turns a word into the string it stands for; NULL when it is not one. Caller frees. */
static char *
take_string(struct burl_span w)
{
    char *s;

    if (burl_span_is(w, "-"))
        return burl_xstrdup("");
    if (w.n > STRING_MAX_B)
        return NULL;
    for (size_t i = 0; i < w.n; i++) {
        if ((unsigned char)w.p[i] < ' ')
            return NULL;
    }
    s = burl_span_string(w, "x");
    if (s == NULL || w.p[0] == '"' || burl__schedfile_is_bare(s))
        return s;
    free(s);
    return NULL;
}

/* ---- lines ------------------------------------------------------------------------- */

static enum burl_status
read_strings(struct reader *r, char ***v, size_t *n)
{
    struct {
        BURL_VEC_OF(char *);
    } args = { 0 };
    enum burl_status st = BURL_OK;

    while (st == BURL_OK && !burl_linereader_at_end(&r->in)) {
        struct burl_span w = burl_linereader_word(&r->in);
        char *arg = take_string(w);

        if (arg == NULL)
            st = bad_line(r, "not a word or a quoted string", w);
        else if (args.n == BURL_SCHEDFILE_MAX_ARGS)
            st = too_much(r, "arguments", BURL_SCHEDFILE_MAX_ARGS);
        else
            BURL_VEC_PUSH(&args, arg);
        if (st != BURL_OK)
            free(arg);
    }
    *v = args.v;
    *n = args.n;
    return st;
}

static enum burl_status
read_order(struct reader *r)
{
    while (!burl_linereader_at_end(&r->in)) {
        struct burl_span w = burl_linereader_word(&r->in);
        size_t i = 0;

        if (burl_span_is(w, "-"))
            continue;
        while (i < BURL__SCHEDFILE_N_FLAGS && !burl_span_is(w, burl__schedfile_flags[i].name))
            i++;
        if (i == BURL__SCHEDFILE_N_FLAGS)
            return bad_line(r, "unknown flag of the order", w);
        r->f->order_flags |= burl__schedfile_flags[i].flag;
    }
    return BURL_OK;
}

static enum burl_status
read_observe(struct reader *r)
{
    while (!burl_linereader_at_end(&r->in)) {
        struct burl_span w = burl_linereader_word(&r->in);
        uint64_t x;

        /* A detector of older versions, which reported the same races. */
        if (burl_span_is(w, "goldilocks")) {
            r->f->observers |= BURL_OB(RACE);
            continue;
        }
        if (!burl__schedfile_find_name(w, burl__schedfile_observer_names, BURL_OBSERVER__N, false,
                                       &x))
            return bad_line(r, "unknown observer", w);
        r->f->observers |= 1u << x;
    }
    return BURL_OK;
}

static enum burl_status
read_stop(struct reader *r)
{
    struct burl_span w = burl_linereader_word(&r->in);

    for (size_t i = 0; i < BURL__SCHEDFILE_N_STOPS; i++) {
        if (burl_span_is(w, burl__schedfile_stops[i].name)) {
            r->f->stop.kind = burl__schedfile_stops[i].kind;
            r->n_stop_wanted = burl__schedfile_stops[i].n_sites;
            r->n_stop_max = burl__schedfile_stops[i].n_sites_max;
            return BURL_OK;
        }
    }
    return bad_line(r, "not something to stop at (race, region, pair, misuse)", w);
}

static enum burl_status
read_value(struct reader *r, enum burl__schedfile_key key)
{
    const struct burl__schedfile_header *h = &burl__schedfile_headers[key];
    struct burl_schedfile *f = r->f;
    struct burl_span w = burl_linereader_word(&r->in);
    /* What a line claims is no number of switches that are there. */
    void *member =
        key == BURL__SCHEDFILE_KEY_SWITCHES ? (char *)&r->claimed : (char *)f + h->offset;
    uint64_t x = 0;
    bool ok = false;

    switch (h->type) {
    case BURL__SCHEDFILE_STRING:
        *(char **)member = take_string(w);
        ok = *(char **)member != NULL;
        break;
    case BURL__SCHEDFILE_NAME:
        ok = burl__schedfile_find_name(w, h->names, h->n_names, false, &x);
        *(uint32_t *)member = (uint32_t)x;
        break;
    case BURL__SCHEDFILE_NUMBER:
        ok = burl_span_number(w, 10, UINT64_MAX, member);
        break;
    case BURL__SCHEDFILE_HASH:
        ok = take_hash(w, member);
        break;
    case BURL__SCHEDFILE_LIST:
        break;
    }
    if (ok && key == BURL__SCHEDFILE_KEY_STRATEGY) {
        w = burl_linereader_word(&r->in);
        ok = burl_span_number(w, 10, UINT32_MAX, &x);
        f->param = (uint32_t)x;
    }
    if (key == BURL__SCHEDFILE_KEY_SEED && (f->seed & SEED_PATIENT))
        f->order_flags |= BURL_ORDER_F_PATIENT;
    return ok ? BURL_OK : bad_line(r, "not a value this header can have", w);
}

static enum burl_status
end_of_line(struct reader *r)
{
    return burl_linereader_at_end(&r->in)
               ? BURL_OK
               : bad_line(r, "unexpected words at the end of the line", r->in.rest);
}

static enum burl_status
read_header(struct reader *r, struct burl_span word)
{
    const uint32_t n = r->version > 2   ? BURL__SCHEDFILE_KEY__N
                       : r->version > 1 ? BURL__SCHEDFILE_KEY_DIRECTORY
                                        : BURL__SCHEDFILE_N_REQUIRED;
    uint32_t key = 0;
    enum burl_status st;

    while (key < n && !burl_span_is(word, burl__schedfile_headers[key].name))
        key++;
    if (key == n)
        return bad_line(r, "unknown kind of line", word);
    if (r->in_switches)
        return bad_line(r, "header line after the first switch", word);
    if (r->seen & (1u << key))
        return bad_line(r, "the same header twice", word);
    r->seen |= 1u << key;
    st = key == BURL__SCHEDFILE_KEY_PROGRAM       ? read_strings(r, &r->f->argv, &r->f->n_argv)
         : key == BURL__SCHEDFILE_KEY_ENVIRONMENT ? read_strings(r, &r->f->env, &r->f->n_env)
         : key == BURL__SCHEDFILE_KEY_ORDER       ? read_order(r)
         : key == BURL__SCHEDFILE_KEY_OBSERVE     ? read_observe(r)
         : key == BURL__SCHEDFILE_KEY_STOP        ? read_stop(r)
                                                  : read_value(r, (enum burl__schedfile_key)key);
    return st == BURL_OK ? end_of_line(r) : st;
}

/* A site as the line describes it; the strings are owned. */
struct described {
    bool known;
    uint64_t hash;
    uint32_t index;
    struct burl_site_key key;
    char *position; /* key.file points into it */
    char *func;
    char *variable;
};

static void
described_deinit(struct described *d)
{
    free(d->position);
    free(d->func);
    free(d->variable);
}

/* "file:line:column", cut at the last two colons. */
static bool
split_position(struct described *d)
{
    char *column = strrchr(d->position, ':');
    char *line;
    uint64_t x;
    uint64_t y;

    if (column == NULL)
        return false;
    *column++ = '\0';
    line = strrchr(d->position, ':');
    if (line == NULL)
        return false;
    *line++ = '\0';
    if (!burl_span_number((struct burl_span){ line, strlen(line) }, 10, UINT32_MAX, &x) ||
        !burl_span_number((struct burl_span){ column, strlen(column) }, 10, UINT32_MAX, &y))
        return false;
    d->key.file = d->position;
    d->key.line = (uint32_t)x;
    d->key.column = (uint32_t)y;
    return true;
}

/* "[hash:index]" or "[hash:index:kind]". */
static bool
parse_brackets(struct burl_span w, uint8_t op, struct described *d)
{
    const char *colon;
    uint64_t x;
    size_t n;

    if (w.n < 20 || w.p[0] != '[' || w.p[w.n - 1] != ']' || w.p[17] != ':' ||
        !take_hash((struct burl_span){ w.p + 1, 16 }, &d->hash) || d->hash == 0)
        return false;
    w = (struct burl_span){ w.p + 18, w.n - 19 };
    colon = memchr(w.p, ':', w.n);
    n = colon != NULL ? (size_t)(colon - w.p) : w.n;
    if (!burl_span_number((struct burl_span){ w.p, n }, 10, UINT32_MAX, &x))
        return false;
    d->index = (uint32_t)x;
    d->key.kind = burl__schedfile_usual_site_kind(op);
    if (colon != NULL) {
        if (!burl__schedfile_find_name((struct burl_span){ w.p + n + 1, w.n - n - 1 },
                                       burl__schedfile_site_kind_names, BURL_SITE__N, true, &x))
            return false;
        d->key.kind = (uint8_t)x;
    }
    return true;
}

/* "? [-]" or "variable file:line:column in func [hash:index]". */
static enum burl_status
read_site(struct reader *r, uint8_t op, struct described *d)
{
    struct burl_span w = burl_linereader_word(&r->in);

    if (burl_span_is(w, "?")) {
        w = burl_linereader_word(&r->in);
        return burl_span_is(w, "[-]") ? BURL_OK : bad_line(r, "an unknown site needs [-]", w);
    }
    d->variable = take_string(w);
    if (d->variable == NULL)
        return bad_line(r, "not the name of a variable", w);
    w = burl_linereader_word(&r->in);
    d->position = take_string(w);
    if (d->position == NULL || !split_position(d))
        return bad_line(r, "not a position (file:line:column)", w);
    w = burl_linereader_word(&r->in);
    if (!burl_span_is(w, "in"))
        return bad_line(r, "'in' and the function are missing", w);
    w = burl_linereader_word(&r->in);
    d->func = take_string(w);
    if (d->func == NULL)
        return bad_line(r, "not the name of a function", w);
    w = burl_linereader_word(&r->in);
    if (!parse_brackets(w, op, d))
        return bad_line(r, "not a site key ([module hash:index])", w);
    d->known = true;
    d->key.func = d->func;
    d->key.variable = d->variable;
    return BURL_OK;
}

static enum burl_status
read_thread(struct reader *r, uint16_t *tid)
{
    struct burl_span w = burl_linereader_word(&r->in);
    uint64_t x;

    if (w.n < 2 || w.p[0] != 'T' ||
        !burl_span_number((struct burl_span){ w.p + 1, w.n - 1 }, 10, BURL_TID_NONE - 1, &x))
        return bad_line(r, "not a thread (T0, T1, ...)", w);
    *tid = (uint16_t)x;
    return BURL_OK;
}

static enum burl_site_match
search_site(struct reader *r, const struct described *d, uint32_t *site)
{
    uint64_t key = burl_wire_mix(d->hash, d->index);
    enum burl_site_match match = BURL_SITE_MATCH_NONE;
    uint64_t found;

    *site = 0;
    if (burl_map_get(&r->searched, key, &found)) {
        *site = (uint32_t)found;
        return (enum burl_site_match)(found >> 32);
    }
    if (r->searched.n < MAX_SEARCHES) {
        match = burl_sites_find_key(r->opts->sites, &d->key, site, NULL);
        burl_map_set(&r->searched, key, (uint64_t)match << 32 | *site);
    }
    return match;
}

/* The site's number in the program at hand, 0 when it is lost. The hash covers the code of the
 * module, so a module that did not change keeps its sites through any rebuild of the others. */
static uint32_t
resolve_site(struct reader *r, const struct described *d)
{
    struct burl_schedfile *f = r->f;
    enum burl_site_match match;
    uint32_t id;

    if (!d->known) {
        f->n_exact++;
        return 0;
    }
    id = burl_sites_find_index(r->opts->sites, d->hash, d->index);
    if (id != 0) {
        f->n_exact++;
        return id;
    }
    match = search_site(r, d, &id);
    if (match == BURL_SITE_MATCH_EXACT)
        f->n_position++;
    else if (match == BURL_SITE_MATCH_MOVED)
        f->n_moved++;
    else
        f->n_unresolved++;
    return id;
}

/* An operation and its site, as the lines of switches and of stops have them. *known: the line
 * names a site. */
static enum burl_status
read_place(struct reader *r, uint8_t *kind, uint32_t *site, bool *known)
{
    struct burl_span w = burl_linereader_word(&r->in);
    struct described d = { 0 };
    enum burl_status st;
    uint64_t x = 0;

    if (!burl__schedfile_find_name(w, burl__schedfile_op_names, BURL_OP__N, true, &x))
        return bad_line(r, "not a kind of operation", w);
    *kind = (uint8_t)x;
    st = read_site(r, *kind, &d);
    if (st == BURL_OK)
        *site = resolve_site(r, &d);
    *known = d.known;
    described_deinit(&d);
    return st;
}

static enum burl_status
read_stop_site(struct reader *r)
{
    struct burl_schedfile *f = r->f;
    const struct burl_schedfile before = *f;
    uint32_t n = f->stop.n_sites;
    enum burl_status st;
    bool known;

    if (r->in_switches)
        return bad_line(r, "header line after the first switch", r->in.rest);
    if (n >= r->n_stop_max)
        return bad_line(r, "more sites than the line 'stop' needs", r->in.rest);
    st = read_place(r, &f->stop_ops[n], &f->stop.sites[n], &known);
    if (st != BURL_OK)
        return st;
    /* These counts are about switches. */
    f->n_exact = before.n_exact;
    f->n_position = before.n_position;
    f->n_moved = before.n_moved;
    f->n_unresolved = before.n_unresolved;
    f->n_stop_lost += known && f->stop.sites[n] == 0;
    f->stop.n_sites++;
    return end_of_line(r);
}

/* "5", or "5.0" of a choice. */
static bool
read_count(struct burl_span w, bool choice, struct burl_wire_switch *sw)
{
    const char *dot = choice ? memchr(w.p, '.', w.n) : NULL;
    const size_t n = dot ? (size_t)(dot - w.p) : w.n;
    uint64_t op = 0;
    uint64_t nth = 0;

    if (!burl_span_number((struct burl_span){ w.p, n }, 10, UINT32_MAX, &op) || choice != !!dot ||
        (dot &&
         !burl_span_number((struct burl_span){ dot + 1, w.n - n - 1 }, 10, UINT16_MAX, &nth)))
        return false;
    sw->op = (uint32_t)op;
    sw->nth = (uint16_t)nth;
    return true;
}

/* The thread, where it was and what it was about to do. */
static enum burl_status
read_occasion(struct reader *r, bool choice, struct burl_wire_switch *sw)
{
    struct burl_span w;
    enum burl_status st = read_thread(r, &sw->tid);
    bool known;

    if (st != BURL_OK)
        return st;
    w = burl_linereader_word(&r->in);
    if (!burl_span_is(w, "op"))
        return bad_line(r, "'op' and a count are missing", w);
    w = burl_linereader_word(&r->in);
    if (!read_count(w, choice, sw))
        return bad_line(r,
                        choice ? "not a count of operations and of choices (5.0)"
                               : "not a count of operations",
                        w);
    return read_place(r, &sw->kind, &sw->site, &known);
}

/* "-> T1" of a switch, "= 2" of a choice. */
static enum burl_status
read_next(struct reader *r, bool choice, struct burl_wire_switch *sw)
{
    struct burl_span w = burl_linereader_word(&r->in);
    uint64_t x = 0;

    if (!burl_span_is(w, choice ? "=" : "->"))
        return bad_line(
            r, choice ? "'=' and the outcome are missing" : "'->' and the next thread are missing",
            w);
    if (!choice)
        return read_thread(r, &sw->next);
    w = burl_linereader_word(&r->in);
    if (!burl_span_number(w, 10, BURL_TID_NONE - 1, &x) || x == 0)
        return bad_line(r, "not an outcome (1, 2, ...)", w);
    sw->next = (uint16_t)x;
    return BURL_OK;
}

static enum burl_status
read_record(struct reader *r, bool choice)
{
    struct burl_schedfile *f = r->f;
    struct burl_wire_switch sw = { 0 };
    struct burl_span w;
    uint64_t x = 0;
    enum burl_status st;

    r->in_switches = true;
    if (f->n_switches == BURL_SCHEDFILE_MAX_SWITCHES)
        return too_much(r, "switches", BURL_SCHEDFILE_MAX_SWITCHES);
    st = read_occasion(r, choice, &sw);
    if (st == BURL_OK)
        st = read_next(r, choice, &sw);
    if (st != BURL_OK)
        return st;
    w = burl_linereader_word(&r->in);
    if (!burl__schedfile_find_name(w, burl__schedfile_why_names, BURL__SCHEDFILE_N_WHY, false,
                                   &x) ||
        (bool)burl_switch_is_choice((uint8_t)x) != choice)
        return bad_line(r,
                        choice ? "not a choice (waiter, spurious, create-fails, malloc-fails)"
                               : "not a reason (preempt, blocked, finished, yield)",
                        w);
    sw.why = (uint8_t)x;
    f->switches = burl_vec_grow(f->switches, &r->cap, f->n_switches, 1, sizeof sw);
    f->switches[f->n_switches++] = sw;
    return end_of_line(r);
}

static enum burl_status
read_end(struct reader *r)
{
    struct burl_span w = burl_linereader_word(&r->in);
    uint64_t x;

    if (!burl_span_number(w, 10, UINT64_MAX, &x) || x != r->f->n_switches)
        return bad_line(r, "the count of the end line does not match the switch lines", w);
    for (unsigned k = 0; k < BURL__SCHEDFILE_N_REQUIRED; k++) {
        const char *name = burl__schedfile_headers[k].name;

        if (!(r->seen & (1u << k)))
            return bad_line(r, "a header is missing", (struct burl_span){ name, strlen(name) });
    }
    if (r->f->stop.n_sites < r->n_stop_wanted ||
        (r->n_stop_wanted > 0) != ((r->seen & (1u << BURL__SCHEDFILE_KEY_OBSERVE)) != 0))
        return bad_line(r, "the lines 'observe', 'stop' and 'stop-site' contradict each other", w);
    if (r->claimed != r->f->n_switches)
        return bad_line(r, "the count of the header 'switches' does not match the switch lines", w);
    return end_of_line(r);
}

/* All lines after the first, up to the checksum line, which is not in `text`. */
static enum burl_status
read_lines(struct reader *r, struct burl_span text)
{
    bool ended = false;
    enum burl_status st = BURL_OK;

    r->in.text = text;
    while (st == BURL_OK && burl_linereader_next_words(&r->in)) {
        const struct burl_span word = burl_linereader_word(&r->in);

        if (ended)
            return bad_line(r, "nothing may follow the end line but the checksum", word);
        if (burl_span_is(word, "switch"))
            st = read_record(r, false);
        else if (burl_span_is(word, "choice") && r->version > 2)
            st = read_record(r, true);
        else if (r->version > 1 && burl_span_is(word, "stop-site"))
            st = read_stop_site(r);
        else if (burl_span_is(word, "end")) {
            ended = true;
            st = read_end(r);
        } else
            st = read_header(r, word);
    }
    if (st == BURL_OK && !ended) {
        r->fault = BURL_SCHEDFILE_FAULT_TRUNCATED;
        return burl_err_set(r->err, BURL_E_FORMAT, 0,
                            "%s has no end line after line %u: it is truncated; get the whole "
                            "file again, or recreate it with burl test",
                            r->in.name, r->in.line);
    }
    return st;
}

static enum burl_status
truncated(struct reader *r)
{
    r->fault = BURL_SCHEDFILE_FAULT_TRUNCATED;
    return burl_err_set(r->err, BURL_E_FORMAT, 0,
                        "%s is truncated: its last line is not a checksum line; get the whole file "
                        "again, or recreate it with burl test",
                        r->in.name);
}

/* The first line; leaves `text` after it. */
static enum burl_status
read_magic(struct reader *r, struct burl_span *text)
{
    static const char magic[] = BURL__SCHEDFILE_MAGIC " ";
    size_t magic_n = sizeof magic - 1;
    const char *nl = memchr(text->p, '\n', text->n);
    struct burl_span version;
    char shown[48];

    if (text->n == 0 || memcmp(text->p, magic, text->n < magic_n ? text->n : magic_n) != 0) {
        r->fault = BURL_SCHEDFILE_FAULT_FOREIGN;
        return burl_err_set(r->err, BURL_E_FORMAT, 0,
                            "%s is not a burl schedule: it %s; give the schedule file of a "
                            "finding",
                            r->in.name,
                            text->n == 0 ? "is empty"
                                         : "does not begin with '" BURL__SCHEDFILE_MAGIC "'");
    }
    if (nl == NULL)
        return truncated(r);
    version = (struct burl_span){ text->p + magic_n, (size_t)(nl - text->p) - magic_n };
    if (!burl_span_number(version, 10, UINT64_MAX, &r->version) || r->version < 1 ||
        r->version > BURL_SCHEDFILE_VERSION) {
        r->fault = BURL_SCHEDFILE_FAULT_VERSION;
        return burl_err_set(
            r->err, BURL_E_FORMAT, 0,
            "%s has schedule version '%s' and this burl reads versions up to %u; replay it "
            "with the burl that wrote it, or run burl test again",
            r->in.name, burl_span_show(version, shown), BURL_SCHEDFILE_VERSION);
    }
    if (r->version < 3)
        r->f->order_flags = BURL_ORDER_F_SEED_CHOICES;
    text->n -= (size_t)(nl + 1 - text->p);
    text->p = nl + 1;
    return BURL_OK;
}

/* Splits the checksum line off the end. */
static enum burl_status
take_checksum(struct reader *r, struct burl_span *text, struct burl_span *checksum)
{
    static const char word[] = "checksum ";
    size_t word_n = sizeof word - 1;
    const char *nl;
    size_t start;

    if (text->n == 0 || text->p[text->n - 1] != '\n')
        return truncated(r);
    nl = memrchr(text->p, '\n', text->n - 1);
    start = nl != NULL ? (size_t)(nl + 1 - text->p) : 0;
    if (text->n - start < word_n + 1 || memcmp(text->p + start, word, word_n) != 0)
        return truncated(r);
    *checksum = (struct burl_span){ text->p + start + word_n, text->n - 1 - start - word_n };
    text->n = start;
    return BURL_OK;
}

static enum burl_status
damaged(struct reader *r, enum burl_status parsed)
{
    char where[48] = "";

    if (parsed != BURL_OK)
        snprintf(where, sizeof where, " (line %u is malformed)", r->in.line);
    r->fault = BURL_SCHEDFILE_FAULT_CORRUPT;
    return burl_err_set(r->err, BURL_E_FORMAT, 0,
                        "%s is corrupt: its content does not match its checksum%s; get it again, "
                        "or, if you changed it by hand, make its last line 'checksum none'",
                        r->in.name, where);
}

static enum burl_status
decode_text(struct reader *r, const char *data, size_t n)
{
    struct burl_span text = { data, n };
    struct burl_span checksum;
    uint64_t sum = 0;
    bool match;
    enum burl_status st;

    if (n > BURL_SCHEDFILE_MAX_B)
        return too_much(r, "bytes", BURL_SCHEDFILE_MAX_B);
    st = read_magic(r, &text);
    if (st != BURL_OK)
        return st;
    st = take_checksum(r, &text, &checksum);
    if (st != BURL_OK)
        return st;

    r->f->checksum_none = burl_span_is(checksum, "none");
    match = r->f->checksum_none ||
            (take_hash(checksum, &sum) && sum == burl_hash(data, (size_t)(text.p + text.n - data)));
    if (!match && r->opts->accept_edited) {
        match = true;
        r->f->checksum_none = true;
    }
    st = read_lines(r, text);
    if (!match)
        return damaged(r, st);
    return st;
}

enum burl_status
burl_schedfile_decode(struct burl_schedfile *f, const char *text, size_t n,
                      const struct burl_schedfile_options *opts, enum burl_schedfile_fault *fault,
                      struct burl_err *err)
{
    static const struct burl_schedfile_options none = { 0 };
    struct reader r = { .opts = opts != NULL ? opts : &none, .f = f, .err = err, .in.line = 1 };
    enum burl_status st;

    burl_schedfile_init(f);
    r.in.name = r.opts->name != NULL ? r.opts->name : "schedule";
    st = decode_text(&r, text, n);
    burl_map_deinit(&r.searched);
    if (st != BURL_OK)
        burl_schedfile_deinit(f);
    else
        f->same_build = r.opts->build_id != NULL && r.opts->build_id[0] != '\0' &&
                        strcmp(r.opts->build_id, f->build_id) == 0;
    if (fault != NULL)
        *fault = r.fault;
    return st;
}
