/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit.h - tests as C source that any compiler takes: plain pthreads, no burl needed.
 *
 * The test makes its objects, starts the threads, joins them, takes the dumps, ends the objects and
 * compares the results with those of every linearization, which stand in it as a table. It exits
 * with 0 when the results are possible and aborts with a sentence when they are not; compiled by
 * `burl cc` it reports atomicity.non-linearisable instead.
 */
#ifndef BURL_GEN_EMIT_H
#define BURL_GEN_EMIT_H

#include "gen/shrink/shrink.h"

struct burl_gen_emit {
    const struct burl_gen_model *model;
    const struct burl_gen_test *test;
    const struct burl_gen_linear *linear; /* the table; n_linear 0: results are not checked */
    size_t n_linear;
    const struct burl_gen_oracle *oracle; /* says which values are left out; may be NULL: none */
    const struct burl_gen_violation *violation; /* what it shows, for the comment; NULL none */
    const struct burl_gen_exec *exec; /* has the seeds that the test stops; NULL: it stops none */
    const char *const *words; /* how the sources were given: for the comment on how to compile */
    size_t n_words;
    const char *story;   /* why the test was written, for the comment at the head; NULL none */
    const char *name;    /* of the test, for comments: "test_3" in test_3.c */
    bool by_label; /* functions that a seed uses are renamed by their symbols: macros did not do */
    bool is_movable; /* seeds are named relative to where burl was run */
    bool start_together; /* threads meet before their first call, so that they overlap without
                            burl */
};

void burl_gen_emit_test(const struct burl_gen_emit *e, struct burl_buf *out);

/* Makefile and CMakeLists.txt for a suite of emitted tests test_1.c .. test_<n>.c. */
void burl_gen_emit_makefile(const struct burl_gen_sources *src, size_t n, struct burl_buf *out);
void burl_gen_emit_cmake(const struct burl_gen_sources *src, size_t n, struct burl_buf *out);
/* Lines to be added to them: part number `number` of seeds is linked into those of the n tests that
 * contain a seed. */
void burl_gen_emit_makefile_part(const char *source, size_t number, const bool *tests, size_t n,
                                 struct burl_buf *out);
void burl_gen_emit_cmake_part(const char *source, const bool *tests, size_t n,
                              struct burl_buf *out);

#endif
