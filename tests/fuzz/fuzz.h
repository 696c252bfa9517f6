/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz.h - a small driver for fuzzers, and the entry point libFuzzer knows.
 *
 * A fuzzer defines LLVMFuzzerTestOneInput() and its seeds, and includes this
 * header once. Built plainly, main() runs the corpus and then mutations of it:
 *     fuzz_x [--iterations=N] [--seed=N] [corpus file or directory...]
 * Built with clang -fsanitize=fuzzer -DBURL_LIBFUZZER, libFuzzer brings main().
 * A crash leaves the input in ./crash-input: give it as the only argument to
 * run it again. Deterministic for a seed.
 */
#ifndef BURL_TESTS_FUZZ_H
#define BURL_TESTS_FUZZ_H

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/rng.h"
#include "base/vec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs every run starts from; ends with NULL. Words are pieces a mutation may insert. */
extern const char *const burl_fuzz_seeds[];
extern const char *const burl_fuzz_words[];

#ifndef BURL_LIBFUZZER

struct fuzz_input {
    char  *p;
    size_t n;
};

struct fuzz_corpus {
    BURL_VEC_OF(struct fuzz_input);
};

#ifdef BURL_FUZZ_MAKE_SEEDS
/* For inputs that are no strings: adds its own seeds. */
static void burl_fuzz_make_seeds(struct fuzz_corpus *c);
#endif

/* Kept on the disk before each call, so that a crash leaves its input behind. */
static void
fuzz_one(int crash_fd, const char *p, size_t n)
{
    uint8_t *exact = burl_xmemdup(p, n); /* no slack behind it: ASan sees one byte too far */

    if (crash_fd >= 0 && (ftruncate(crash_fd, 0) != 0 || pwrite(crash_fd, p, n, 0) < 0))
        perror("crash-input");
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

static void
fuzz_load(struct fuzz_corpus *c, const char *path)
{
    struct burl_err err;
    struct fuzz_input in;

    if (burl_fs_is_dir(path)) {
        DIR *d = opendir(path);
        struct dirent *e = d ? readdir(d) : NULL;

        for (; e; e = readdir(d)) {
            char *child = burl_path_join(path, e->d_name);

            if (e->d_name[0] != '.')
                fuzz_load(c, child);
            free(child);
        }
        if (d)
            closedir(d);
        return;
    }
    if (burl_fs_read_file(path, 1 << 20, &in.p, &in.n, &err) != BURL_OK) {
        fprintf(stderr, "%s\n", err.msg);
        exit(2);
    }
    BURL_VEC_PUSH(c, in);
}

/* Replaces [at, at + cut) of the input by `add` bytes at `p`. */
static void
fuzz_splice(struct fuzz_input *in, size_t at, size_t cut, const char *p, size_t add)
{
    char *out = burl_xmalloc(in->n - cut + add);

    memcpy(out, in->p, at);
    if (add)
        memcpy(out + at, p, add);
    memcpy(out + at + add, in->p + at + cut, in->n - at - cut);
    free(in->p);
    in->p = out;
    in->n = in->n - cut + add;
}

static void
fuzz_mutate(struct burl_rng *r, const struct fuzz_corpus *c, struct fuzz_input *in)
{
    const struct fuzz_input *other = &c->v[burl_rng_below(r, c->n)];
    size_t at = burl_rng_below(r, in->n + 1);
    size_t rest = in->n - at;
    char byte = (char)burl_rng_next(r);
    size_t n_words = 0;
    size_t from;

    while (burl_fuzz_words[n_words])
        n_words++;
    switch (burl_rng_below(r, 7)) {
    case 0: /* flip a bit */
        if (rest)
            in->p[at] ^= (char)(1u << burl_rng_below(r, 8));
        break;
    case 1: /* insert a byte */
        fuzz_splice(in, at, 0, &byte, 1);
        break;
    case 2: /* cut a piece */
        fuzz_splice(in, at, burl_rng_below(r, rest + 1), NULL, 0);
        break;
    case 3: /* repeat a piece */
        rest = burl_rng_below(r, rest + 1);
        if (rest < 4096) {
            char *copy = burl_xmemdup(in->p + at, rest);

            fuzz_splice(in, at, 0, copy, rest);
            free(copy);
        }
        break;
    case 4: /* a piece of another input */
        from = burl_rng_below(r, other->n + 1);
        fuzz_splice(in, at, burl_rng_below(r, rest + 1), other->p + from,
                    burl_rng_below(r, other->n - from + 1));
        break;
    case 5: /* a word of the grammar */
        if (n_words) {
            const char *w = burl_fuzz_words[burl_rng_below(r, n_words)];

            fuzz_splice(in, at, rest ? burl_rng_below(r, 2) : 0, w, strlen(w));
        }
        break;
    default: /* the end is missing */
        in->n = at;
        break;
    }
}

int
main(int argc, char **argv)
{
    uint64_t iterations = 20000;
    uint64_t seed = 1;
    struct fuzz_corpus c = { 0 };
    struct burl_rng r;
    int crash_fd;

    for (const char *const *s = burl_fuzz_seeds; *s; s++)
        BURL_VEC_PUSH(&c, (struct fuzz_input){ burl_xstrdup(*s), strlen(*s) });
#ifdef BURL_FUZZ_MAKE_SEEDS
    burl_fuzz_make_seeds(&c);
#endif
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--iterations=", 13) == 0)
            iterations = strtoull(argv[i] + 13, NULL, 10);
        else if (strncmp(argv[i], "--seed=", 7) == 0)
            seed = strtoull(argv[i] + 7, NULL, 10);
        else
            fuzz_load(&c, argv[i]);
    }
    crash_fd = open("crash-input", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    for (size_t i = 0; i < c.n; i++)
        fuzz_one(crash_fd, c.v[i].p, c.v[i].n);
    burl_rng_init(&r, seed);
    for (uint64_t i = 0; i < iterations; i++) {
        const struct fuzz_input *from = &c.v[burl_rng_below(&r, c.n)];
        struct fuzz_input in = { burl_xmemdup(from->p, from->n), from->n };

        for (uint64_t k = 1 + burl_rng_below(&r, 6); k > 0; k--)
            fuzz_mutate(&r, &c, &in);
        fuzz_one(crash_fd, in.p, in.n);
        free(in.p);
    }
    printf("%zu inputs, %llu mutations, no crash\n", c.n, (unsigned long long)iterations);
    for (size_t i = 0; i < c.n; i++)
        free(c.v[i].p);
    BURL_VEC_FREE(&c);
    if (crash_fd >= 0) {
        close(crash_fd);
        unlink("crash-input");
    }
    return 0;
}

#endif
#endif
