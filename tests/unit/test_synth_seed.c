/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_synth_seed.c - a sequential seed, recorded in a real process, becomes the
 * concurrent test of the paper's motivating example: two threads share the argument of one call as
 * the receiver of the other.
 */
#include "unit.h"

#include "gen/exec/exec.h"
#include "synth/pairs.h"
#include "synth/record.h"
#include "synth/share.h"
#include "wire/record.h"

static const char header[] = "struct bin;\n"
                             "struct bin *bin_new(void);\n"
                             "void bin_free(struct bin *b);\n"
                             "void bin_add(struct bin *b, int x);\n"
                             "int bin_size(struct bin *b);\n"
                             "void bin_clear(struct bin *b);\n"
                             "int bin_sum(struct bin *b, struct bin *other);\n"
                             "const char *bin_name(struct bin *b, const char *name);\n";

static const char source[] =
    "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n#include \"bin.h\"\n"
    "struct bin { pthread_mutex_t lock; int *v; int n; char name[32]; };\n"
    "struct bin *bin_new(void) {\n"
    "    struct bin *b = calloc(1, sizeof *b);\n"
    "    pthread_mutex_init(&b->lock, NULL); b->v = malloc(64 * sizeof *b->v); return b; }\n"
    "void bin_free(struct bin *b) { pthread_mutex_destroy(&b->lock); free(b->v); free(b); }\n"
    "void bin_add(struct bin *b, int x) {\n"
    "    pthread_mutex_lock(&b->lock); b->v[b->n++] = x; pthread_mutex_unlock(&b->lock); }\n"
    "int bin_size(struct bin *b) {\n"
    "    int n; pthread_mutex_lock(&b->lock); n = b->n; pthread_mutex_unlock(&b->lock); return n; "
    "}\n"
    "void bin_clear(struct bin *b) {\n"
    "    pthread_mutex_lock(&b->lock); b->n = 0; free(b->v); b->v = calloc(64, sizeof *b->v);\n"
    "    pthread_mutex_unlock(&b->lock); }\n"
    "int bin_sum(struct bin *b, struct bin *other) {\n"
    "    int sum = 0, n;\n"
    "    pthread_mutex_lock(&b->lock);\n"
    "    n = bin_size(other);\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        pthread_mutex_lock(&other->lock); sum += other->v[i]; "
    "pthread_mutex_unlock(&other->lock);\n"
    "    }\n"
    "    pthread_mutex_unlock(&b->lock);\n"
    "    return sum; }\n"
    "const char *bin_name(struct bin *b, const char *name) { strcpy(b->name, name); return "
    "b->name; }\n";

static const char seed[] = "#include <assert.h>\n#include \"bin.h\"\n"
                           "int check(struct bin *);\n"
                           "int main(int argc, char **argv) {\n"
                           "    struct bin *a = bin_new(), *b = bin_new();\n"
                           "    (void)argv;\n"
                           "    bin_add(a, 3);\n"
                           "    bin_add(b, 4);\n"
                           "    bin_add(b, 6);\n"
                           "    bin_name(a, \"first\");\n"
                           "    assert(bin_sum(a, b) == 10);\n"
                           "    bin_clear(a);\n"
                           "    if (argc == 2)\n"
                           "        bin_add(a, 5);\n"
                           "    check(a);\n"
                           "    bin_free(a);\n"
                           "    bin_free(b);\n"
                           "    return 0; }\n";

static const char helper[] = "#include \"bin.h\"\n"
                             "int check(struct bin *b);\n"
                             "int check(struct bin *b) { return bin_size(b); }\n";

static char *dir;
static struct burl_gen_model model;
static struct burl_gen_exec *x;
static struct burl_synth_log log_;
static struct burl_synth_script script;
static struct burl_synth_table table;
static struct burl_synth_pairs pairs;
static struct burl_err err;

static char *
file(const char *name, const char *text)
{
    char *path = burl_path_join(dir, name);

    EXPECT_OK(burl_fs_write_atomic(path, text, strlen(text), &err), &err);
    return path;
}

static int
set_up(void **state)
{
    char *burl = NULL;
    char *bin_h;
    char *words[4];
    char *api;
    struct burl_gen_exec_opts o = { .cc_flags = "", .max_steps = 100000, .exec_timeout_ms = 5000 };
    struct burl_gen_seed_run run;

    (void)state;
    if (!getenv("BURL"))
        setenv("BURL", "build/burl", 1);
    EXPECT_OK(burl_path_absolute(&burl, getenv("BURL"), &err), &err);
    api = burl_xasprintf("%s-api", burl);
    dir = unit_mkdir();
    bin_h = file("bin.h", header);
    words[0] = file("bin.c", source);
    words[1] = file("seed.c", seed);
    words[2] = file("helper.c", helper);
    words[3] = NULL;
    o.sources = (struct burl_gen_sources){
        .header = bin_h, .words = (const char *const *)words, .n_words = 3, .api_tool = api
    };
    EXPECT_OK(burl_gen_model_load(&model, &o.sources, NULL, NULL, &err), &err);
    o.model = &model;
    o.dir = dir;
    o.burl = burl;
    o.with_seeds = true;
    EXPECT_OK(burl_gen_exec_open(&x, &o, &err), &err);
    assert_int_equal(burl_gen_exec_n_seeds(x), 1);
    assert_string_equal(burl_gen_exec_seed_source(x, 0), words[1]);
    burl_gen_exec_seed(x, 0, "more", 5, &run);
    EXPECT_OK(burl_gen_exec_status(x, &err), &err);
    assert_int_equal(run.verdict.kind, BURL_VERDICT_PASS);
    assert_int_equal(run.n_threads, 1);
    EXPECT_OK(burl_synth_record_read(&log_, &script, &model, 0, run.area, run.area_b, &err), &err);
    burl_gen_seed_run_deinit(&run);
    table = burl_synth_analyze(&log_);
    burl_synth_pairs_find(&pairs, &table, BURL_SYNTH_ATOMICITY);
    burl_synth_pairs_scan(&pairs, &table);
    for (int i = 0; i < 3; i++)
        free(words[i]);
    free(bin_h);
    free(api);
    free(burl);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    burl_synth_pairs_deinit(&pairs);
    burl_synth_table_deinit(&table);
    burl_synth_script_deinit(&script);
    burl_synth_log_deinit(&log_);
    burl_gen_exec_close(x);
    burl_gen_model_deinit(&model);
    unit_rmdir(dir);
    return 0;
}

static int
fn(const char *name)
{
    return burl_gen_model_fn(&model, name);
}

/* Calls of the client, not those that bin_sum() makes; those of the helper as well. */
static void
client_calls_are_recorded(void **state)
{
    static const char *const names[] = { "bin_new", "bin_new",  "bin_add",  "bin_add",
                                         "bin_add", "bin_name", "bin_sum",  "bin_clear",
                                         "bin_add", "bin_size", "bin_free", "bin_free" };

    (void)state;
    assert_int_equal(log_.calls.n, sizeof names / sizeof *names);
    for (size_t i = 0; i < log_.calls.n; i++)
        assert_string_equal(model.fns.v[log_.calls.v[i].fn].name, names[i]);
    assert_int_equal(script.objects.n, 2);
    assert_int_equal(script.objects.v[0].ended, 10);
    assert_int_equal(script.calls.v[2].c.args.v[1].i, 3);
    assert_int_equal(script.calls.v[5].c.args.v[1].kind, BURL_GEN_ARG_BYTES);
    assert_memory_equal(script.calls.v[5].c.args.v[1].bytes, "first", 5);
    for (size_t i = 0; i < script.calls.n; i++)
        assert_int_equal(script.calls.v[i].unwritten, -1);
}

/* bin_sum(a, b) reads b's fields under b's lock, taken anew each time. */
static void
argument_of_one_is_receiver_of_the_other(void **state)
{
    unsigned n = 0;

    (void)state;
    for (size_t i = 0; i < pairs.n; i++) {
        const struct burl_synth_pair *p = &pairs.v[i];
        const struct burl_synth_dep *a = &table.deps.v[p->a];
        const struct burl_synth_dep *b = &table.deps.v[p->b];
        struct burl_gen_test t;

        if (a->fn != fn("bin_sum") || b->fn != fn("bin_clear") || a->path.id != 1 ||
            p->fate != BURL_SYNTH_KEPT)
            continue;
        assert_int_equal(burl_synth_share_pair(&t, p, &table, &script, &model), BURL_SYNTH_BUILT);
        assert_int_equal(t.threads[0].v[0].fn, fn("bin_sum"));
        assert_int_equal(t.threads[1].v[0].fn, fn("bin_clear"));
        assert_int_equal(t.threads[0].v[0].args.v[1].i, t.threads[1].v[0].args.v[0].i);
        assert_int_not_equal(t.threads[0].v[0].args.v[0].i, t.threads[1].v[0].args.v[0].i);
        burl_gen_test_deinit(&t);
        n++;
    }
    assert_true(n > 0);
}

static void
own_lock_drops_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < pairs.n; i++) {
        const struct burl_synth_dep *a = &table.deps.v[pairs.v[i].a];
        const struct burl_synth_dep *b = &table.deps.v[pairs.v[i].b];

        if (a->fn == fn("bin_add") && b->fn == fn("bin_add"))
            assert_int_equal(pairs.v[i].fate, BURL_SYNTH_OWN_LOCK);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(client_calls_are_recorded),
        cmocka_unit_test(argument_of_one_is_receiver_of_the_other),
        cmocka_unit_test(own_lock_drops_pairs),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
