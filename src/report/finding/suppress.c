/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suppress.c - reads rules and matches them; contract in suppress.h.
 *
 * Runs in the host. A file with a malformed line is refused as a whole: a rule that is silently
 * ignored would bring back accepted findings, and a rule with a typo in its first word would never
 * be noticed.
 *
 * The pattern language is * and ? only. Sets in brackets would change the meaning of `a[i]` and
 * `operator[]`. A pattern must match a whole name: "lock" does not hide "unlock".
 *
 * Matched are functions, files and variables of the two accesses, of every frame of their stacks
 * and of every wait. Not the allocation: a race is a bug of the accesses, not of the owner of the
 * memory.
 */
#include "report/finding/suppress.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/linereader.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"

/* A file larger than this was not written by a person: most likely it is the wrong file. */
#define FILE_MAX_B (4u << 20)

struct hidden {
    uint64_t id;
    const struct burl_suppress_rule *rule;
};

struct burl_suppress {
    char *name;
    BURL_VEC(struct hidden) hidden;
    BURL_VEC(struct burl_suppress_rule) rules;
};

static const char *const about_names[BURL_SUPPRESS__N] = {
    [BURL_SUPPRESS_ANY] = "any",
    [BURL_SUPPRESS_RACE] = "race",
    [BURL_SUPPRESS_DEADLOCK] = "deadlock",
    [BURL_SUPPRESS_ATOMICITY] = "atomicity",
};

const char *
burl_suppress_about_name(uint8_t about)
{
    return about < BURL_SUPPRESS__N ? about_names[about] : "?";
}

/* ---- patterns ---------------------------------------------------------------------- */

bool
burl_suppress_glob(const char *pattern, const char *text)
{
    const char *star = NULL; /* after the last * met */
    const char *from = NULL; /* where in the text that * ends for now */

    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* ---- reading ----------------------------------------------------------------------- */

static int
about_of(struct burl_span word)
{
    for (int i = 0; i < BURL_SUPPRESS__N; i++) {
        if (burl_span_is(word, about_names[i]))
            return i;
    }
    return -1;
}

static enum burl_status
read_rule(struct burl_suppress *s, const struct burl_linereader *r, struct burl_err *err)
{
    const struct burl_span rule = burl_span_trim(r->rest);
    const char *colon = memchr(rule.p, ':', rule.n);
    struct burl_span word, pattern;
    int about;

    if (colon == NULL)
        return burl_linereader_fail(r, BURL_E_USAGE, err,
                                    "no colon; a rule is race:, deadlock:, atomicity: or any: and "
                                    "a pattern");
    word = burl_span_trim((struct burl_span){ rule.p, (size_t)(colon - rule.p) });
    pattern =
        burl_span_trim((struct burl_span){ colon + 1, rule.n - (size_t)(colon + 1 - rule.p) });
    about = about_of(word);
    if (about < 0)
        return burl_linereader_fail(r, BURL_E_USAGE, err,
                                    "\"%.*s\" is none of race, deadlock, atomicity, any",
                                    (int)(word.n < 40 ? word.n : 40), word.p);
    if (pattern.n == 0)
        return burl_linereader_fail(r, BURL_E_USAGE, err,
                                    "no pattern after %s:; * stands for everything",
                                    about_names[about]);
    BURL_VEC_PUSH(&s->rules,
                  (struct burl_suppress_rule){ .about = (uint8_t)about,
                                               .line = r->line,
                                               .pattern = burl_xstrndup(pattern.p, pattern.n) });
    return BURL_OK;
}

enum burl_status
burl_suppress_parse(struct burl_suppress **out, const char *name, const char *text, size_t n,
                    struct burl_err *err)
{
    struct burl_suppress *s = burl_xcalloc(1, sizeof *s);
    struct burl_linereader r;
    enum burl_status st = burl_linereader_open(&r, name, text, n, BURL_E_USAGE, err);

    *out = NULL;
    s->name = burl_xstrdup(name);
    while (st == BURL_OK && burl_linereader_next(&r)) {
        /* Quotes mean nothing here, and a file's name may hold a #. */
        burl_linereader_cut_comment(&r, false);
        if (r.rest.n > 0)
            st = read_rule(s, &r, err);
    }
    if (st != BURL_OK) {
        burl_suppress_free(s);
        return st;
    }
    *out = s;
    return BURL_OK;
}

enum burl_status
burl_suppress_read(struct burl_suppress **out, const char *path, struct burl_err *err)
{
    enum burl_status st;
    char *text = NULL;
    size_t n = 0;

    *out = NULL;
    st = burl_fs_read_file(path, FILE_MAX_B, &text, &n, err);
    if (st != BURL_OK) {
        /* The file was named on the command line: a usage error. */
        if (err != NULL) {
            burl_err_prefix(err, "--suppressions");
            err->code = BURL_E_USAGE;
        }
        return BURL_E_USAGE;
    }
    st = burl_suppress_parse(out, path, text, n, err);
    free(text);
    return st;
}

void
burl_suppress_free(struct burl_suppress *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->rules.n; i++)
        free((char *)s->rules.v[i].pattern);
    BURL_VEC_FREE(&s->rules);
    BURL_VEC_FREE(&s->hidden);
    free(s->name);
    free(s);
}

const char *
burl_suppress_name(const struct burl_suppress *s)
{
    return s != NULL ? s->name : "";
}

size_t
burl_suppress_count(const struct burl_suppress *s)
{
    return s != NULL ? s->rules.n : 0;
}

const struct burl_suppress_rule *
burl_suppress_at(const struct burl_suppress *s, size_t i)
{
    return &s->rules.v[i];
}

/* ---- matching ---------------------------------------------------------------------- */

/* Without what follows its name: "head" of "q->head", "cells" of "t.cells[i]"; the whole when it is
 * no expression of that form. */
static char *
last_member(const char *expr)
{
    const char *start = expr;
    size_t n = strlen(expr);

    while (n > 0 && expr[n - 1] == ']') {
        size_t depth = 0;

        do {
            n--;
            depth += expr[n] == ']';
            depth -= expr[n] == '[';
        } while (n > 0 && depth > 0);
    }
    for (size_t i = 0; i < n; i++) {
        if (expr[i] == '.' || (expr[i] == '>' && i > 0 && expr[i - 1] == '-'))
            start = expr + i + 1;
    }
    return burl_xstrndup(start, (size_t)(expr + n - start));
}

static bool
fits_file(const char *pattern, const char *file)
{
    return file[0] != '\0' && (burl_suppress_glob(pattern, file) ||
                               burl_suppress_glob(pattern, burl_path_basename(file)));
}

/* With the directory it was compiled in. */
static bool
fits_path(const char *pattern, const struct burl_site_info *site)
{
    char *path = burl_path_join(site->dir, site->file);
    const bool fits =
        site->file[0] != '\0' && site->dir[0] != '\0' && burl_suppress_glob(pattern, path);

    free(path);
    return fits;
}

static bool
fits_variable(const char *pattern, const char *expr)
{
    char *member = last_member(expr);
    const bool fits = expr[0] != '\0' &&
                      (burl_suppress_glob(pattern, expr) || burl_suppress_glob(pattern, member));

    free(member);
    return fits;
}

static bool
fits_site(const char *pattern, const struct burl_sites *sites, uint32_t id)
{
    const struct burl_site_info *site = burl_sites_get(sites, id);

    if (site->id == 0)
        return false;
    /* The "variable" of a call is the callee, not a name of this frame. */
    return (site->func[0] != '\0' && burl_suppress_glob(pattern, site->func)) ||
           fits_file(pattern, site->file) || fits_path(pattern, site) ||
           fits_file(pattern, site->module) || fits_file(pattern, burl_sites_object(sites, id)) ||
           (!burl_site_is_call(site) && fits_variable(pattern, site->variable));
}

static bool
fits_stack(const char *pattern, const struct burl_sites *sites,
           const uint32_t stack[BURL_WIRE_MAX_STACK])
{
    for (size_t i = 0; i < BURL_WIRE_MAX_STACK && stack[i] != 0; i++) {
        if (fits_site(pattern, sites, stack[i]))
            return true;
    }
    return false;
}

static bool
fits_verdict(const char *pattern, const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    if (fits_site(pattern, sites, v->site) || fits_stack(pattern, sites, v->stack))
        return true;
    for (size_t i = 0; i < v->n_waits && i < BURL_WIRE_MAX_CYCLE; i++) {
        if (fits_site(pattern, sites, v->waits[i].site))
            return true;
    }
    for (size_t i = 0; i < v->n_sides && i < 2; i++) {
        if (fits_site(pattern, sites, v->sides[i].site) ||
            fits_stack(pattern, sites, v->sides[i].stack))
            return true;
    }
    return false;
}

static const uint8_t about_verdict[BURL_VERDICT__N] = {
    [BURL_VERDICT_RACE_DATA] = BURL_SUPPRESS_RACE,
    [BURL_VERDICT_ATOMICITY_REGION] = BURL_SUPPRESS_ATOMICITY,
    [BURL_VERDICT_NON_LINEARIZABLE] = BURL_SUPPRESS_ATOMICITY,
    [BURL_VERDICT_DEADLOCK_CYCLE] = BURL_SUPPRESS_DEADLOCK,
    [BURL_VERDICT_DEADLOCK_STUCK] = BURL_SUPPRESS_DEADLOCK,
};

static const uint8_t about_suspect[BURL_SUSPECT__N] = {
    [BURL_SUSPECT_RACE] = BURL_SUPPRESS_RACE,
    [BURL_SUSPECT_POTENTIAL] = BURL_SUPPRESS_RACE,
    [BURL_SUSPECT_TRIPLE] = BURL_SUPPRESS_ATOMICITY,
    [BURL_SUSPECT_REGION] = BURL_SUPPRESS_ATOMICITY,
    [BURL_SUSPECT_CYCLE] = BURL_SUPPRESS_DEADLOCK,
};

/* Of what kind is the subject, and is the rule about that kind? */
static bool
fits_suspect(const char *pattern, const struct burl_wire_suspect *x, const struct burl_sites *sites)
{
    for (size_t i = 0; i < x->n_sites && i < BURL_WIRE_MAX_SITES; i++) {
        if (fits_site(pattern, sites, x->sites[i]))
            return true;
    }
    return false;
}

/* Is the rule about findings of that kind? */
static bool
is_about(const struct burl_suppress_rule *r, uint8_t about)
{
    return r->about == BURL_SUPPRESS_ANY || r->about == about;
}

struct burl_suppress_rule *
burl_suppress_verdict(struct burl_suppress *s, const struct burl_wire_verdict *v,
                      const struct burl_sites *sites)
{
    const uint8_t about = v->kind < BURL_VERDICT__N ? about_verdict[v->kind] : BURL_SUPPRESS_ANY;

    for (size_t i = 0; i < burl_suppress_count(s); i++) {
        if (is_about(&s->rules.v[i], about) && fits_verdict(s->rules.v[i].pattern, v, sites))
            return &s->rules.v[i];
    }
    return NULL;
}

struct burl_suppress_rule *
burl_suppress_suspect(struct burl_suppress *s, const struct burl_wire_suspect *x,
                      const struct burl_sites *sites)
{
    const uint8_t about = x->kind < BURL_SUSPECT__N ? about_suspect[x->kind] : BURL_SUPPRESS_ANY;

    for (size_t i = 0; i < burl_suppress_count(s); i++) {
        if (is_about(&s->rules.v[i], about) && fits_suspect(s->rules.v[i].pattern, x, sites))
            return &s->rules.v[i];
    }
    return NULL;
}

/* ---- counting ---------------------------------------------------------------------- */

/* True the first time. */
static bool
is_new(struct burl_suppress *s, const struct burl_suppress_rule *rule, uint64_t id)
{
    for (size_t i = 0; i < s->hidden.n; i++) {
        if (s->hidden.v[i].id == id && s->hidden.v[i].rule == rule)
            return false;
    }
    BURL_VEC_PUSH(&s->hidden, (struct hidden){ .id = id, .rule = rule });
    return true;
}

void
burl_suppress_hide_finding(struct burl_suppress *s, struct burl_suppress_rule *rule,
                           uint64_t fingerprint)
{
    rule->n_findings += is_new(s, rule, fingerprint);
}

void
burl_suppress_hide_suspect(struct burl_suppress *s, struct burl_suppress_rule *rule, uint64_t key)
{
    rule->n_suspects += is_new(s, rule, key);
}
