/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_corpus.c - the corpus: the stored schedules of a program.
 *
 * Runs in the host. The corpus has the schedule of every finding, and the executions that together
 * cover the most reads-from edges, at most CORPUS_MAX in all (findings are never dropped for it).
 * They are few and cheap to rerun after a rebuild, and cover what took long to find.
 *
 * The order of writing makes a kill -9 harmless: a new file before its row, a dropped row before
 * its file. The worst case is an unreferenced file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/cover_int.h"
#include "cli/test_int.h"

#define CORPUS_MAX 64u

/* ---- keeping ----------------------------------------------------------------------- */

/* Writes the schedule of an entry that has its number, then its row. */
static enum burl_status
put_entry(struct burl_test *t, struct burl_store_entry *e, const struct burl_schedfile *f,
          struct burl_err *err)
{
    char *file = burl_xasprintf("corpus/%" PRId64 "-%" PRId64 ".txt", t->memory->program, e->n);
    char *path = burl_path_join(burl_store_dir(t->store), file);
    enum burl_status st = burl_fs_mkdir_inside(burl_store_dir(t->store), "corpus", err);

    e->file = file;
    e->build_id = t->build_id;
    e->steps = f->steps;
    e->preemptions = burl_minimize_count_preemptions(f->switches, f->n_switches);
    if (st == BURL_OK)
        st = burl_schedfile_write(f, t->sites, path, err);
    if (st == BURL_OK)
        st = burl_store_corpus_put(t->store, t->memory->program, e, err);
    free(path);
    free(file);
    return st;
}

/* The number of the entry of a finding, or a new one. */
static enum burl_status
number_for(const struct burl_test *t, int64_t finding, int64_t *n, struct burl_err *err)
{
    struct burl_store_corpus c;
    enum burl_status st = burl_store_corpus_list(t->store, t->memory->program, &c, err);

    *n = 0;
    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < c.n; i++) {
        if (c.v[i].finding == finding)
            *n = c.v[i].n;
    }
    burl_store_corpus_deinit(&c);
    return *n != 0 ? BURL_OK : burl_store_corpus_next(t->store, t->memory->program, n, err);
}

enum burl_status
burl__corpus_keep_finding(struct burl_test *t, const struct burl_campaign_finding *f,
                          const struct burl_kept *k, struct burl_err *err)
{
    const struct burl_schedfile file = burl__test_finding_schedfile(t, f);
    char *why = burl_xasprintf("finding %" PRId64 ": %s", k->id, k->finding->title);
    const char *found_by = burl__memory_strategy(t, f);
    struct burl_store_entry e = {
        .finding = k->id,
        .why = why,
        .strategy = found_by ? found_by : burl_schedfile_strategy_name(f->strategy),
        .seed = f->facts.seed,
    };
    enum burl_status st = number_for(t, k->id, &e.n, err);

    if (st == BURL_OK)
        st = put_entry(t, &e, &file, err);
    free(why);
    return st;
}

/* ---- edges ------------------------------------------------------------------------- */

static struct burl_store_edge
store_edge(const struct burl_sites *sites, const struct burl_profile_edge *e)
{
    const struct burl_site_info *w = burl_sites_get(sites, e->write);
    const struct burl_site_info *r = burl_sites_get(sites, e->read);

    return (struct burl_store_edge){ .write_module = e->write != 0 ? w->module_hash : 0,
                                     .write = e->write != 0 ? w->index : 0,
                                     .read_module = r->module_hash,
                                     .read = r->index };
}

/* The edges of one execution; caller frees. */
static struct burl_store_edge *
list_edges(const struct burl_test *t, const struct burl_wire_profile *p, size_t *n)
{
    BURL_VEC(struct burl_store_edge) edges = { 0 };

    for (uint32_t i = 0; p && i < BURL_PROFILE_EDGES; i++) {
        if (p->edges[i].read != 0 && (p->edges[i].flags & BURL_EDGE_F_SEEN) != 0)
            BURL_VEC_PUSH(&edges, store_edge(t->sites, &p->edges[i]));
    }
    *n = edges.n;
    return edges.v;
}

/* "first to cover 3 reads-from edges: a.c:12 reads from b.c:20, ..." */
static char *
say_edges(const struct burl_test *t, const struct burl_wire_profile *p, size_t n_new)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_buf_printf(&b, "first to cover %zu reads-from edge%s", n_new, n_new == 1 ? "" : "s");
    for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
        const struct burl_profile_edge *e = &p->edges[i];
        const struct burl_site_info *w = burl_sites_get(t->sites, e->write);
        const struct burl_site_info *r = burl_sites_get(t->sites, e->read);

        if (e->read == 0 || (e->flags & BURL_EDGE_F_SEEN) == 0 || e->write == 0 || r->line == 0 ||
            w->line == 0)
            continue;
        burl_buf_printf(&b, "; for example, %s:%u reads from %s:%u", r->file, r->line, w->file,
                        w->line);
        break;
    }
    return burl_buf_take(&b, NULL);
}

enum burl_status
burl__corpus_keep_edges(void *arg, const struct burl_campaign_covered *where,
                        const struct burl_run *run, const struct burl_wire_profile *profile,
                        size_t n_new, struct burl_err *err)
{
    struct burl_test *t = arg;
    struct burl_schedfile f = burl__test_schedfile(t, run);
    char *why = say_edges(t, profile, n_new);
    struct burl_store_entry e = {
        .n_new = n_new,
        .why = why,
        .strategy = burl_schedfile_strategy_name(where->strategy),
        .seed = where->seed,
    };
    enum burl_status st = burl_store_corpus_next(t->store, t->memory->program, &e.n, err);

    f.engine = where->engine;
    f.strategy = where->strategy;
    f.param = where->param;
    f.seed = where->seed;
    f.order_flags = where->order_flags;
    e.edges = list_edges(t, profile, &e.n_edges);
    if (st == BURL_OK)
        st = put_entry(t, &e, &f, err);
    free(e.edges);
    free(why);
    return st;
}

enum burl_status
burl__corpus_renew(struct burl_test *t, const struct burl_store_entry *old,
                   const struct burl_campaign_reran *r, struct burl_err *err)
{
    struct burl_schedfile f = burl__test_schedfile(t, r->run);
    struct burl_store_entry e = *old;
    enum burl_status st;

    f.engine = r->engine;
    f.strategy = r->file->strategy;
    f.param = r->file->param;
    f.seed = r->file->seed;
    f.order_flags = r->file->order_flags;
    e.edges = list_edges(t, r->profile, &e.n_edges);
    st = put_entry(t, &e, &f, err);
    free(e.edges);
    return st;
}

/* ---- choosing ---------------------------------------------------------------------- */

struct choice {
    bool taken;
    bool foreign; /* its edges are of another build: what it covers in this one is not known */
};

static bool
same_edge(const struct burl_store_edge *a, const struct burl_store_edge *b)
{
    return a->write_module == b->write_module && a->write == b->write &&
           a->read_module == b->read_module && a->read == b->read;
}

static bool
is_of_this_build(const struct burl_test *t, const struct burl_store_edge *e)
{
    return burl_sites_find_index(t->sites, e->read_module, e->read) != 0 &&
           (e->write_module == 0 ||
            burl_sites_find_index(t->sites, e->write_module, e->write) != 0);
}

static bool
is_covered(const struct burl_store_corpus *c, const struct choice *choices,
           const struct burl_store_edge *e)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; choices[i].taken && k < c->v[i].n_edges; k++) {
            if (same_edge(&c->v[i].edges[k], e))
                return true;
        }
    }
    return false;
}

/* Edges of this build that entry i would add to those taken. */
static size_t
count_gain(const struct burl_test *t, const struct burl_store_corpus *c,
           const struct choice *choices, size_t i)
{
    size_t n = 0;

    for (size_t k = 0; k < c->v[i].n_edges; k++)
        n += is_of_this_build(t, &c->v[i].edges[k]) && !is_covered(c, choices, &c->v[i].edges[k]);
    return n;
}

/* Greedy: each time the one that adds most, the oldest of equals. */
static void
take_greedily(const struct burl_test *t, const struct burl_store_corpus *c, struct choice *choices,
              size_t room)
{
    while (room > 0) {
        size_t best = c->n;
        size_t most = 0;

        for (size_t i = 0; i < c->n; i++) {
            const size_t g = choices[i].taken ? 0 : count_gain(t, c, choices, i);

            if (g > most) {
                most = g;
                best = i;
            }
        }
        if (best == c->n)
            return;
        choices[best].taken = true;
        room--;
    }
}

static void
choose_entries(const struct burl_test *t, const struct burl_store_corpus *c, struct choice *choices)
{
    size_t taken = 0;

    for (size_t i = 0; i < c->n; i++) {
        choices[i].taken = c->v[i].finding != 0;
        choices[i].foreign = !c->v[i].build_id || strcmp(c->v[i].build_id, t->build_id) != 0;
        taken += choices[i].taken;
    }
    take_greedily(t, c, choices, taken < CORPUS_MAX ? CORPUS_MAX - taken : 0);
    taken = 0;
    for (size_t i = 0; i < c->n; i++)
        taken += choices[i].taken;
    /* The newest of those that nothing is known of, while there is room. */
    for (size_t i = c->n; i > 0 && taken < CORPUS_MAX; i--) {
        if (!choices[i - 1].taken && choices[i - 1].foreign) {
            choices[i - 1].taken = true;
            taken++;
        }
    }
}

enum burl_status
burl__corpus_choose(struct burl_test *t, size_t *left, struct burl_err *err)
{
    struct burl_store_corpus c;
    struct choice *choices;
    enum burl_status st = burl_store_corpus_list(t->store, t->memory->program, &c, err);

    *left = 0;
    if (st != BURL_OK)
        return st;
    choices = burl_xcalloc(c.n + 1, sizeof *choices);
    choose_entries(t, &c, choices);
    for (size_t i = 0; i < c.n && st == BURL_OK; i++) {
        char *path;

        if (choices[i].taken) {
            ++*left;
            continue;
        }
        st = burl_store_corpus_drop(t->store, t->memory->program, c.v[i].n, err);
        path = burl_path_join(burl_store_dir(t->store), c.v[i].file);
        /* A file that cannot be removed is unreferenced. */
        if (st == BURL_OK)
            (void)!burl_fs_remove_tree(path, NULL);
        free(path);
    }
    free(choices);
    burl_store_corpus_deinit(&c);
    return st;
}

/* ---- listing ----------------------------------------------------------------------- */

static void
print_entry(const struct burl_options *opts, const struct burl_store_entry *e)
{
    printf("%4" PRId64 "  %s\n", e->n, e->why ? e->why : "");
    if (opts->quiet)
        return;
    printf("      %" PRIu64 " steps, %" PRIu64 " preemption%s, by %s; %s%s\n", e->steps,
           e->preemptions, e->preemptions == 1 ? "" : "s", e->strategy ? e->strategy : "?",
           e->result ? "last rerun " : "not rerun yet", e->result ? e->result : "");
    printf("      %s/%s\n", opts->dir, e->file);
}

static void
print_list(const struct burl_options *opts, const struct burl_store_program *p,
           const struct burl_store_corpus *c)
{
    char a[32];

    for (size_t i = 0; i < c->n; i++)
        print_entry(opts, &c->v[i]);
    if (opts->quiet)
        return;
    printf("%zu schedule%s; %s schedules were tried in %" PRIu64 " campaign%s of this build\n",
           c->n, c->n == 1 ? "" : "s", burl_number(p->executions, a), p->campaigns,
           p->campaigns == 1 ? "" : "s");
}

static void
json_entry(const struct burl_options *opts, const struct burl_store_entry *e,
           struct burl_json_writer *w)
{
    char *path = burl_path_join(opts->dir, e->file);

    burl_json_object_begin(w);
    burl_json_kv_i64(w, "number", e->n);
    burl_json_kv_str(w, "why", e->why);
    burl_json_kv_i64(w, "finding", e->finding);
    burl_json_kv_u64(w, "new_edges", e->n_new);
    burl_json_kv_u64(w, "edges", e->n_edges);
    burl_json_kv_u64(w, "steps", e->steps);
    burl_json_kv_u64(w, "preemptions", e->preemptions);
    burl_json_kv_str(w, "strategy", e->strategy);
    burl_json_kv_u64(w, "seed", e->seed);
    burl_json_kv_str(w, "build_id", e->build_id);
    burl_json_kv_i64(w, "kept_ms", e->kept_ms);
    burl_json_kv_str(w, "result", e->result);
    burl_json_kv_str(w, "result_build", e->result_build);
    burl_json_kv_i64(w, "result_ms", e->result_ms);
    burl_json_kv_str(w, "file", path);
    burl_json_object_end(w);
    free(path);
}

static void
print_json_list(const struct burl_options *opts, const char *program,
                const struct burl_store_program *p, const struct burl_store_corpus *c)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);

    burl_json_kv_u64(w, "version", 1);
    burl_json_kv_str(w, "command", "test");
    burl_json_kv_str(w, "program", program);
    burl_json_kv_str(w, "build_id", p->build_id);
    burl_json_kv_u64(w, "campaigns", p->campaigns);
    burl_json_kv_u64(w, "executions", p->executions);
    burl_json_kv_u64(w, "edges", p->edges);
    burl_json_kv_array(w, "corpus");
    for (size_t i = 0; i < c->n; i++)
        json_entry(opts, &c->v[i], w);
    burl_json_array_end(w);
    burl_cli_json_end(&doc, stdout);
}

static enum burl_status
read_list(struct burl_store *store, const char *program, const char *args,
          struct burl_store_program *p, struct burl_store_corpus *c, struct burl_err *err)
{
    char *path = NULL;
    bool found = false;
    enum burl_status st = burl__cover_program_path(&path, program, err);

    if (st == BURL_OK)
        st = burl_store_program_get(store, path, args, &found, p, err);
    if (st == BURL_OK && !found)
        st = burl_err_set(
            err, BURL_E_USAGE, 0,
            "no schedules of %s with these arguments are stored in %s; run `burl test` on it first",
            path, burl_store_dir(store));
    if (st == BURL_OK)
        st = burl_store_corpus_list(store, p->id, c, err);
    free(path);
    return st;
}

int
burl__corpus_list(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_store_program p = { 0 };
    struct burl_store_corpus c = { 0 };
    char *args = burl__test_args_json(argv + 1, argc - 1);
    struct burl_store *store = NULL;
    struct burl_err err = { 0 };
    enum burl_status st = burl_store_open_readonly(&store, opts->dir, &err);

    if (st == BURL_OK)
        st = read_list(store, argv[0], args, &p, &c, &err);
    if (st == BURL_OK && opts->json)
        print_json_list(opts, argv[0], &p, &c);
    else if (st == BURL_OK)
        print_list(opts, &p, &c);
    burl_store_corpus_deinit(&c);
    burl_store_program_deinit(&p);
    burl_store_close(store);
    free(args);
    return st == BURL_OK ? BURL_EXIT_CLEAN : burl_cli_fail(&err);
}
