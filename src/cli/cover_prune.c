/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cover_prune.c - `burl cover prune`: removes pairs from the target, with a reason.
 *
 * Runs in the host. Without arguments it lists proposals of lock reasoning and stale entries; with
 * two places it adds the pairs between them (the first place is the earlier access; the reverse
 * order is another pair), or with --remove deletes their entries. A place is FILE:LINE, optionally
 * :COLUMN, optionally :read, :write or :update (`x++` is two accesses at one column); the file may
 * be the end of the path.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "cli/cover_int.h"
#include "cover/prune.h"

/* "read", "write", "update". */
static const char *
access_word(const struct burl_cover_site *s)
{
    if (s->reads && s->writes)
        return "update";
    return s->writes ? "write" : "read";
}

void
burl__cover_print_site(const struct burl_cover_site *s)
{
    printf("%s:%u:%u %s", s->file, s->line, s->column, access_word(s));
}

struct place {
    char file[512];
    uint32_t line;
    uint32_t column;    /* 0: any */
    const char *access; /* NULL: any */
};

static bool
take_number(char *text, uint32_t *out)
{
    char *colon = strrchr(text, ':');
    char *end;
    unsigned long x;

    if (!colon || colon[1] < '0' || colon[1] > '9')
        return false;
    x = strtoul(colon + 1, &end, 10);
    if (*end != '\0' || x == 0 || x > UINT32_MAX)
        return false;
    *colon = '\0';
    *out = (uint32_t)x;
    return true;
}

static const char *
take_access(char *text)
{
    static const char *const words[] = { "read", "write", "update" };
    char *colon = strrchr(text, ':');

    for (size_t i = 0; colon && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(colon + 1, words[i]) == 0) {
            *colon = '\0';
            return words[i];
        }
    }
    return NULL;
}

static bool
parse_place(const char *text, struct place *out)
{
    uint32_t last, before;

    *out = (struct place){ 0 };
    if (strlen(text) >= sizeof out->file)
        return false;
    memcpy(out->file, text, strlen(text) + 1);
    out->access = take_access(out->file);
    if (!take_number(out->file, &last))
        return false;
    if (take_number(out->file, &before)) {
        out->line = before;
        out->column = last;
    } else {
        out->line = last;
    }
    return out->file[0] != '\0';
}

static bool
is_at(const struct burl_cover_site *s, const struct place *p)
{
    const size_t n = strlen(s->file);
    const size_t k = strlen(p->file);

    if (s->line != p->line || (p->column != 0 && s->column != p->column) || k > n)
        return false;
    if (p->access && strcmp(p->access, access_word(s)) != 0)
        return false;
    return strcmp(s->file + (n - k), p->file) == 0 && (k == n || s->file[n - k - 1] == '/');
}

static void
print_pair(const struct burl_cover_model *m, const struct burl_cover_pair *p)
{
    burl__cover_print_site(&m->sites.v[p->a]);
    printf(" then ");
    burl__cover_print_site(&m->sites.v[p->b]);
    printf(" (%s)", m->sites.v[p->a].variable);
}

static void
list_text(const struct burl_cover_model *m, const struct burl_options *o)
{
    size_t n = 0;

    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];

        if (p->state != BURL_COVER_PROPOSED)
            continue;
        printf("%3zu  ", ++n);
        print_pair(m, p);
        printf("\n     %s\n", p->reason ? p->reason : "");
    }
    if (n == 0)
        printf("no uncovered pair looks infeasible\n");
    else
        printf("%zu proposed; `burl cover prune accept N` adds one to %s, --auto-prune adds all\n",
               n, o->prune_file);
    for (size_t i = 0; i < m->pairs.n; i++) {
        if (m->pairs.v[i].state != BURL_COVER_PRUNED)
            continue;
        printf("pruned: ");
        print_pair(m, &m->pairs.v[i]);
        printf("\n     %s\n", m->pairs.v[i].reason ? m->pairs.v[i].reason : "");
    }
    for (size_t i = 0; i < m->stale.n; i++)
        printf("stale: %s:%u: %s\n", m->stale.v[i].file ? m->stale.v[i].file : "",
               m->stale.v[i].line, m->stale.v[i].text ? m->stale.v[i].text : "");
}

/* ---- --json ------------------------------------------------------------------------ */

static void
json_site(struct burl_json_writer *w, const char *key, const struct burl_cover_site *s)
{
    burl_json_kv_object(w, key);
    burl_json_kv_str(w, "file", s->file);
    burl_json_kv_u64(w, "line", s->line);
    burl_json_kv_u64(w, "column", s->column);
    burl_json_kv_str(w, "access", access_word(s));
    burl_json_kv_bool(w, "atomic", s->atomic);
    burl_json_kv_str(w, "variable", s->variable);
    burl_json_kv_str(w, "function", s->func);
    burl_json_object_end(w);
}

static void
json_pairs(struct burl_json_writer *w, const char *key, const struct burl_cover_model *m,
           enum burl_cover_state state)
{
    burl_json_kv_array(w, key);
    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];

        if (p->state != state)
            continue;
        burl_json_object_begin(w);
        json_site(w, "first", &m->sites.v[p->a]);
        json_site(w, "then", &m->sites.v[p->b]);
        burl_json_kv_str(w, "reason", p->reason ? p->reason : "");
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

/* docs/formats/prune.md. The proposals are in the order of their numbers. */
static void
list_json(const struct burl_cover_model *m, const struct burl_options *o, size_t added,
          size_t removed)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);

    burl_json_kv_str(w, "prune_file", o->prune_file);
    burl_json_kv_u64(w, "added", added);
    burl_json_kv_u64(w, "removed", removed);
    json_pairs(w, "proposed", m, BURL_COVER_PROPOSED);
    json_pairs(w, "pruned", m, BURL_COVER_PRUNED);
    burl_json_kv_array(w, "stale");
    for (size_t i = 0; i < m->stale.n; i++) {
        burl_json_object_begin(w);
        burl_json_kv_str(w, "file", m->stale.v[i].file);
        burl_json_kv_u64(w, "line", m->stale.v[i].line);
        burl_json_kv_str(w, "text", m->stale.v[i].text);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    burl_json_kv_u64(w, "foreign_prunes", m->foreign_prunes);
    burl_cli_json_end(&doc, stdout);
}

/* ---- changing the file ------------------------------------------------------------- */

struct change {
    size_t added;
    size_t removed;
};

/* Fails because there is no such pair or entry. */
static enum burl_status
fail_nothing(const struct burl_options *o, const struct place places[2], size_t n_pairs,
             struct burl_err *err)
{
    if (o->remove)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s has no entry for %s:%u then %s:%u; `burl cover prune` lists them "
                            "(remove a stale one by hand)",
                            o->prune_file, places[0].file, places[0].line, places[1].file,
                            places[1].line);
    if (n_pairs > 0)
        return burl_err_set(err, BURL_E_USAGE, 0, "%s:%u then %s:%u was covered, so it is feasible",
                            places[0].file, places[0].line, places[1].file, places[1].line);
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "the target has no pair %s:%u then %s:%u; `burl cover report --gaps=%u` "
                        "lists the uncovered ones",
                        places[0].file, places[0].line, places[1].file, places[1].line, 1000000u);
}

/* Adds or removes the pairs from one place to another. */
static enum burl_status
edit_entries(const struct burl_cover_session *s, const struct burl_cover_model *m,
             const struct place places[2], struct burl_prune *p, struct change *out,
             struct burl_err *err)
{
    const bool removing = s->opts->remove;
    size_t n_pairs = 0;
    size_t n_covered = 0;

    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *x = &m->pairs.v[i];

        if (!is_at(&m->sites.v[x->a], &places[0]) || !is_at(&m->sites.v[x->b], &places[1]))
            continue;
        n_pairs++;
        if (removing) {
            out->removed += burl_prune_remove(p, m, i);
        } else if (x->state == BURL_COVER_COVERED || x->state == BURL_COVER_OUTSIDE) {
            n_covered++;
        } else {
            out->added += burl_prune_add(p, m, i, s->opts->reason);
        }
    }
    if (removing ? out->removed == 0 : n_covered == n_pairs)
        return fail_nothing(s->opts, places, n_pairs, err);
    return BURL_OK;
}

/* The n-th proposal of the list, from 1; SIZE_MAX none. */
static size_t
find_proposal(const struct burl_cover_model *m, const char *word)
{
    char *end;
    unsigned long n = strtoul(word, &end, 10);

    for (size_t i = 0; i < m->pairs.n && *end == '\0' && n > 0; i++) {
        if (m->pairs.v[i].state == BURL_COVER_PROPOSED && --n == 0)
            return i;
    }
    return SIZE_MAX;
}

/* `prune accept N...`: proposals by their numbers in the list, with the argument as the reason. */
static enum burl_status
accept_some(const struct burl_cover_session *s, const struct burl_cover_model *m,
            struct burl_prune *p, struct change *out, struct burl_err *err)
{
    for (int i = 1; i < s->argc; i++) {
        const size_t pair = find_proposal(m, s->argv[i]);

        if (pair == SIZE_MAX)
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "there is no proposal %s; `burl cover prune` lists them",
                                s->argv[i]);
        out->added += burl_prune_add(p, m, pair, m->pairs.v[pair].reason);
    }
    return BURL_OK;
}

/* ---- the sub-command --------------------------------------------------------------- */

enum doing { LIST, EDIT, ACCEPT, ACCEPT_ALL };

static int
check_words(const struct burl_cover_session *s, enum doing doing, struct place places[2])
{
    const struct burl_options *o = s->opts;

    if (doing == EDIT && s->argc != 2)
        return burl_cli_usage("cover", "prune expects two places (FILE:LINE FILE:LINE), or accept "
                                       "and the numbers of proposals, or no arguments");
    for (int i = 0; i < 2 && doing == EDIT; i++) {
        if (!parse_place(s->argv[i], &places[i]))
            return burl_cli_usage("cover",
                                  "\"%s\" is not a place: FILE:LINE[:COLUMN][:read|write|update]",
                                  s->argv[i]);
    }
    if (doing == EDIT && !o->remove && !o->reason)
        return burl_cli_usage("cover", "prune needs a reason: --reason=TEXT");
    if (doing == EDIT && o->reason && strpbrk(o->reason, "\r\n"))
        return burl_cli_usage("cover", "--reason must be one line");
    if (o->typed[BURL_OPT_reason] && (doing != EDIT || o->remove))
        return burl_cli_usage(
            "cover", "--reason needs a pair to add: prune FILE:LINE FILE:LINE --reason=TEXT");
    if (o->typed[BURL_OPT_remove] && doing != EDIT)
        return burl_cli_usage("cover", "--remove needs a pair: prune FILE:LINE FILE:LINE --remove");
    if (o->typed[BURL_OPT_auto_prune] && doing != ACCEPT_ALL)
        return burl_cli_usage("cover", "--auto-prune accepts all proposals and takes no arguments");
    return BURL_EXIT_CLEAN;
}

/* Changes the file, and rebuilds the model if it did. */
static enum burl_status
change_file(struct burl_cover_session *s, struct burl_cover_model *m, enum doing doing,
            const struct place places[2], struct change *out, struct burl_err *err)
{
    struct burl_prune *p;
    enum burl_status st = burl_prune_read(&p, s->opts->prune_file, err);

    if (st != BURL_OK)
        return st;
    if (doing == EDIT)
        st = edit_entries(s, m, places, p, out, err);
    else if (doing == ACCEPT)
        st = accept_some(s, m, p, out, err);
    else
        out->added = burl__cover_accept_all(m, p);
    if (st == BURL_OK && out->added + out->removed > 0)
        st = burl_prune_write(p, s->opts->prune_file, err);
    burl_prune_free(p);
    if (st != BURL_OK || out->added + out->removed == 0)
        return st;
    burl_cover_model_deinit(m);
    return burl__cover_model(s, m, NULL, err);
}

static void
print_change(const struct burl_cover_session *s, const struct burl_cover_model *m, enum doing doing,
             const struct change *c)
{
    const size_t n = s->opts->remove ? c->removed : c->added;

    if (s->opts->json)
        list_json(m, s->opts, c->added, c->removed);
    else if (doing == LIST)
        list_text(m, s->opts);
    else if (!s->opts->quiet)
        printf("%zu entr%s %s %s\n", n, n == 1 ? "y" : "ies",
               s->opts->remove ? "removed from" : "added to", s->opts->prune_file);
    burl__cover_say_foreign(s, m);
}

/* A program may come first, as for the other sub-commands; NULL none. */
static const char *
take_program(struct burl_cover_session *s)
{
    struct place unused;

    if (s->argc == 0 || strcmp(s->argv[0], "accept") == 0 || parse_place(s->argv[0], &unused) ||
        access(s->argv[0], X_OK) != 0 || burl_fs_is_dir(s->argv[0]))
        return NULL;
    s->argc--;
    return *s->argv++;
}

int
burl__cover_cmd_prune(struct burl_cover_session *s)
{
    struct burl_cover_model m;
    struct place places[2];
    struct burl_err err = { 0 };
    struct change c = { 0 };
    const char *program = take_program(s);
    enum burl_status st;
    enum doing doing = s->argc == 0 ? s->opts->auto_prune ? ACCEPT_ALL : LIST : EDIT;

    if (s->argc > 1 && strcmp(s->argv[0], "accept") == 0)
        doing = ACCEPT;
    if (check_words(s, doing, places) != BURL_EXIT_CLEAN)
        return BURL_EXIT_USAGE;
    burl_cover_model_init(&m);
    st = burl__cover_open(s, program, false, &err);
    if (st == BURL_OK)
        st = burl__cover_model(s, &m, NULL, &err);
    if (st == BURL_OK && !m.has_target)
        st = burl_err_set(&err, BURL_E_TARGET, 0, "there is no target to prune: %s",
                          m.target_problem ? m.target_problem : "no location pairs");
    if (st == BURL_OK && doing != LIST)
        st = change_file(s, &m, doing, places, &c, &err);
    if (st == BURL_OK)
        print_change(s, &m, doing, &c);
    burl_cover_model_deinit(&m);
    return st == BURL_OK ? BURL_EXIT_CLEAN : burl_cli_fail(&err);
}
