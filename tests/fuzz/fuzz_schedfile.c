/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_schedfile.c - bytes from anywhere into the decoder of schedule files.
 *
 * Laws checked on every input: no crash and no leak (under the sanitizers), a refusal
 * has a message and leaves the result empty, and what was accepted is written again
 * and read again to the same value.
 *
 * By itself it is a deterministic mutation fuzzer, which needs no special compiler and
 * gives the same inputs for the same seed:
 *     fuzz_schedfile [--iterations=N] [--seed=N] [corpus directory or files...]
 * The decoder guards its content with a checksum, behind which blind mutation
 * never gets; most mutants therefore get a right one, or "none". With libFuzzer:
 *     clang -fsanitize=fuzzer,address -DBURL_LIBFUZZER -Isrc fuzz_schedfile.c ...
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/rng.h"
#include "base/vec.h"
#include "engine/schedule/schedfile.h"
#include "wire/site.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define CHECK(cond)                                                                  \
    do {                                                                             \
        if (!(cond)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #cond); \
            abort();                                                                 \
        }                                                                            \
    } while (0)

static const struct burl_site_info infos[] = {
    { .id = 101,
      .index = 117,
      .module_hash = 0x5f2a31c0aabbccddull,
      .file = "bank.c",
      .func = "deposit",
      .variable = "acct->balance",
      .line = 40,
      .column = 12,
      .kind = BURL_SITE_READ },
    { .id = 102,
      .index = 118,
      .module_hash = 0x5f2a31c0aabbccddull,
      .file = "bank.c",
      .func = "worker",
      .variable = "pthread_mutex_lock",
      .line = 50,
      .column = 5,
      .kind = BURL_SITE_CALL },
};

static struct burl_sites *
shared_sites(void)
{
    static struct burl_sites *sites;

    if (sites == NULL)
        sites = burl_sites_new_fixed(infos, sizeof infos / sizeof infos[0]);
    return sites;
}

static void
check_again(const struct burl_schedfile *f, const struct burl_schedfile_options *opts)
{
    struct burl_schedfile g;
    struct burl_buf text = BURL_BUF_INIT;
    struct burl_err err;

    CHECK(burl_schedfile_encode(f, opts->sites, &text, &err) == BURL_OK);
    CHECK(burl_schedfile_decode(&g, text.p, text.n, opts, NULL, &err) == BURL_OK);
    CHECK(g.n_switches == f->n_switches);
    CHECK(f->n_switches == 0 ||
          memcmp(g.switches, f->switches, f->n_switches * sizeof *f->switches) == 0);
    CHECK(g.n_argv == f->n_argv);
    for (size_t i = 0; i < f->n_argv; i++)
        CHECK(strcmp(g.argv[i], f->argv[i]) == 0);
    CHECK(strcmp(g.build_id, f->build_id) == 0);
    CHECK(g.seed == f->seed && g.epoch_ns == f->epoch_ns && g.verdict == f->verdict);
    CHECK(g.trace_hash == f->trace_hash && g.fingerprint == f->fingerprint);
    CHECK(g.stop.n_sites == f->stop.n_sites);
    if (f->stop.n_sites > 0) {
        CHECK(g.observers == f->observers);
        CHECK(memcmp(&g.stop, &f->stop, sizeof g.stop) == 0);
        CHECK(memcmp(g.stop_ops, f->stop_ops, sizeof g.stop_ops) == 0);
    }
    burl_schedfile_deinit(&g);
    burl_buf_deinit(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct burl_schedfile_options opts = { .sites = shared_sites(),
                                           .build_id = "b",
                                           .accept_edited = n % 2 == 0 };
    enum burl_schedfile_fault fault;
    struct burl_schedfile f;
    struct burl_err err;

    memset(&err, 0, sizeof err);
    if (burl_schedfile_decode(&f, (const char *)data, n, &opts, &fault, &err) == BURL_OK) {
        CHECK(fault == BURL_SCHEDFILE_FAULT_NONE);
        CHECK(f.n_exact + f.n_position + f.n_moved + f.n_unresolved == f.n_switches);
        check_again(&f, &opts);
    } else {
        CHECK(fault != BURL_SCHEDFILE_FAULT_NONE);
        CHECK(err.msg[0] != '\0');
        CHECK(f.switches == NULL && f.argv == NULL && f.build_id == NULL);
    }
    burl_schedfile_deinit(&f);
    return 0;
}

#ifndef BURL_LIBFUZZER

struct seed_input {
    char *p;
    size_t n;
};

struct corpus {
    BURL_VEC_OF(struct seed_input);
};

static int
load_file(struct corpus *c, const char *path)
{
    struct seed_input in = { 0 };
    struct burl_err err;

    if (burl_fs_read_file(path, 1u << 20, &in.p, &in.n, &err) != BURL_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    BURL_VEC_PUSH(c, in);
    return 0;
}

static int
load(struct corpus *c, const char *path)
{
    struct dirent **names;
    int n;
    int failed = 0;

    if (!burl_fs_is_dir(path))
        return load_file(c, path);
    n = scandir(path, &names, NULL,
                alphasort); /* sorted, so that a seed means the same everywhere */
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.') {
            char *file = burl_path_join(path, names[i]->d_name);

            failed |= load_file(c, file);
            free(file);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return n < 0 ? 1 : failed;
}

/* Pieces of the language, so that mutants are nearly right. */
static const char *const words[] = {
    "switch ",
    "T0",
    "T65534",
    "op ",
    "-> ",
    "preempt",
    "blocked",
    "end ",
    "checksum none\n",
    "?  [-]",
    "[5f2a31c0aabbccdd:117]",
    "[5f2a31c0aabbccdd:4294967295]",
    "\"",
    "\\x0a",
    "\\",
    "\n",
    " ",
    "in ",
    "seed ",
    "18446744073709551615",
    "burl-schedule 1\n",
    "burl-schedule 3\n",
    "choice  T1 op 4.0  cond-wait ?  [-]  = 1  spurious\n",
    "malloc-fails",
    "switches 0",
    "order -",
    "a:1:2",
    ":",
    "read ",
    "lock ",
    "-",
    "#",
    "program",
};

static void
splice(struct burl_buf *b, size_t at, size_t cut, const char *p, size_t n)
{
    struct burl_buf out;

    burl_buf_init(&out, 1u << 20);
    burl_buf_append(&out, b->p, at);
    burl_buf_append(&out, p, n);
    burl_buf_append(&out, b->p + at + cut, b->n - at - cut);
    burl_buf_deinit(b);
    *b = out;
}

static void
mutate(struct burl_buf *b, struct burl_rng *r, const struct corpus *c)
{
    size_t at = b->n > 0 ? (size_t)burl_rng_below(r, b->n) : 0;
    size_t room = b->n - at;
    size_t cut = room > 0 ? (size_t)burl_rng_below(r, room < 12 ? room : 12) : 0;

    switch (burl_rng_below(r, 6)) {
    case 0: /* one byte */
        if (b->n > 0)
            b->p[at] = (char)burl_rng_next(r);
        break;
    case 1: /* remove */
        splice(b, at, cut, "", 0);
        break;
    case 2: { /* a word */
        const char *w = words[burl_rng_below(r, sizeof words / sizeof words[0])];

        splice(b, at, burl_rng_below(r, 2) ? cut : 0, w, strlen(w));
        break;
    }
    case 3: /* repeat a piece */
        if (b->n > 0) {
            char *piece = burl_xmemdup(b->p + at, cut + 1);

            splice(b, at, 0, piece, cut);
            free(piece);
        }
        break;
    case 4: { /* a piece of another seed */
        const struct seed_input *o = &c->v[burl_rng_below(r, c->n)];
        size_t from = o->n > 0 ? (size_t)burl_rng_below(r, o->n) : 0;
        size_t n = o->n > from ? (size_t)burl_rng_below(r, o->n - from) : 0;

        splice(b, at, cut, o->p + from, n < 200 ? n : 200);
        break;
    }
    default: /* truncate */
        if (burl_rng_below(r, 4) == 0)
            burl_buf_truncate(b, at);
        break;
    }
}

/* Ends the mutant with a checksum line that lets it in. */
static void
seal(struct burl_buf *b, bool none)
{
    char *last = NULL;

    for (size_t i = 0; i + 10 < b->n; i++) {
        if (memcmp(b->p + i, "\nchecksum ", 10) == 0)
            last = b->p + i + 1;
    }
    if (last != NULL)
        burl_buf_truncate(b, (size_t)(last - b->p));
    if (none)
        burl_buf_str_append(b, "checksum none\n");
    else
        burl_buf_printf(b, "checksum %016llx\n", (unsigned long long)burl_hash(b->p, b->n));
}

static void
run(const struct corpus *c, uint64_t seed, unsigned long iterations)
{
    struct burl_rng r;

    burl_rng_init(&r, seed);
    for (size_t i = 0; i < c->n; i++)
        LLVMFuzzerTestOneInput((const uint8_t *)c->v[i].p, c->v[i].n);
    for (unsigned long i = 0; i < iterations; i++) {
        const struct seed_input *in = &c->v[burl_rng_below(&r, c->n)];
        struct burl_buf b;
        char *exact;

        burl_buf_init(&b, 1u << 20);
        burl_buf_append(&b, in->p, in->n);
        for (uint64_t k = burl_rng_below(&r, 6) + 1; k > 0; k--)
            mutate(&b, &r, c);
        if (burl_rng_below(&r, 4) != 0 && b.n > 0)
            seal(&b, burl_rng_below(&r, 2) == 0);
        exact = burl_xmemdup(burl_buf_str(&b), b.n); /* no slack behind it */
        LLVMFuzzerTestOneInput((const uint8_t *)exact, b.n);
        free(exact);
        burl_buf_deinit(&b);
    }
}

int
main(int argc, char **argv)
{
    struct corpus c = { 0 };
    unsigned long iterations = 20000;
    uint64_t seed = 1;
    int failed = 0;

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--iterations=", 13) == 0)
            iterations = strtoul(argv[i] + 13, NULL, 10);
        else if (strncmp(argv[i], "--seed=", 7) == 0)
            seed = strtoull(argv[i] + 7, NULL, 10);
        else
            failed |= load(&c, argv[i]);
    }
    if (c.n == 0) {
        fprintf(stderr, "no corpus: give tests/fuzz/corpus/schedfile\n");
        failed = 1;
    }
    if (!failed)
        run(&c, seed, iterations);
    for (size_t i = 0; i < c.n; i++)
        free(c.v[i].p);
    printf("%zu seeds, %lu mutants, seed %llu: %s\n", c.n, iterations, (unsigned long long)seed,
           failed ? "not run" : "no law broken");
    BURL_VEC_FREE(&c);
    burl_sites_free(shared_sites());
    return failed;
}

#endif
