/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/regress.h - recorded versions of test suites, in the store.
 *
 * Strings as in store/store.h. A history is bytes here (base/history.h writes and reads them).
 */
#ifndef BURL_STORE_REGRESS_H
#define BURL_STORE_REGRESS_H

#include "store/store.h"

enum burl_store_test_state {
    BURL_TEST_PENDING = 0, /* not recorded yet */
    BURL_TEST_RECORDED,
    BURL_TEST_FAILED,      /* recorded; it failed */
    BURL_TEST_HUNG,        /* recorded until its time limit */
    BURL_TEST_UNINSTRUMENTED, /* no program of it was built with burl cc */
    BURL_TEST_SKIPPED,     /* it says so by its exit code */
    BURL_TEST_UNSTARTED    /* its command could not be started */
};

struct burl_store_version {
    int64_t id;
    char *name;
    char *suite;         /* "ctest", "meson" or "file", a blank, and the source */
    int64_t wire;        /* BURL_WIRE_VERSION of the burl that recorded it */
    int64_t recorded_ms; /* last change, since 1970 */
};

struct burl_store_test {
    int64_t ix; /* position in the suite */
    char *name;
    char *command; /* JSON array */
    int64_t state; /* enum burl_store_test_state */
    char *why;
    int64_t runs;
    int64_t wall_ms; /* of the last run */
};

/* Finds or makes the version `name` of `suite`; *id is its number. BURL_E_USAGE: there is a version
 * of this name of another suite. */
BURL_MUST_CHECK enum burl_status burl_store_version_open(struct burl_store *s, const char *name,
                                                         const char *suite, int64_t *id,
                                                         struct burl_err *err);
/* Forgets tests, histories and selection of a version, and sets `wire` to that of this burl: the
 * version is about to be recorded from the beginning. */
BURL_MUST_CHECK enum burl_status burl_store_version_clear(struct burl_store *s, int64_t id,
                                                          struct burl_err *err);
/* Brings the tests of a version in line with the suite (ix, name, command): adds new ones as
 * pending, sets a test with another command back to pending, and removes tests that the suite does
 * not have any more. What else was recorded stays. */
BURL_MUST_CHECK enum burl_status burl_store_tests_sync(struct burl_store *s, int64_t version,
                                                       const struct burl_store_test *tests,
                                                       size_t n, struct burl_err *err);
/* name NULL: recorded last. */
BURL_MUST_CHECK enum burl_status burl_store_version_get(struct burl_store *s, const char *name,
                                                        bool *found,
                                                        struct burl_store_version *v,
                                                        struct burl_err *err);
void burl_store_version_deinit(struct burl_store_version *v);
/* All names, oldest first, for messages; the caller frees the string. */
BURL_MUST_CHECK enum burl_status burl_store_version_names(struct burl_store *s, char **out,
                                                          struct burl_err *err);

/* Writes a test and its histories, replacing what was there: one commit, so that an interrupted
 * recording has whole tests only. keys[i] names the program of bytes[i]. */
BURL_MUST_CHECK enum burl_status
burl_store_test_put(struct burl_store *s, int64_t version, const struct burl_store_test *t,
                    const char *const *keys, const void *const *bytes, const size_t *sizes,
                    size_t n, struct burl_err *err);
/* The histories of one test. */
BURL_MUST_CHECK enum burl_status
burl_store_test_histories(struct burl_store *s, int64_t version, const char *name,
                          enum burl_status (*each)(void *arg, int64_t ix, const char *key,
                                                   const void *bytes, size_t n,
                                                   struct burl_err *err),
                          void *arg, struct burl_err *err);
/* Every test of a version, by ix; then every history of it (version 0: of all versions). A status
 * stops. */
BURL_MUST_CHECK enum burl_status
burl_store_tests_each(struct burl_store *s, int64_t version,
                      enum burl_status (*each)(void *arg, const struct burl_store_test *t,
                                               struct burl_err *err),
                      void *arg, struct burl_err *err);
BURL_MUST_CHECK enum burl_status
burl_store_histories_each(struct burl_store *s, int64_t version,
                          enum burl_status (*each)(void *arg, int64_t ix, const char *key,
                                                   const void *bytes, size_t n,
                                                   struct burl_err *err),
                          void *arg, struct burl_err *err);

/* The last selection, as JSON (docs/formats/regress-json.md); NULL: there is none. */
BURL_MUST_CHECK enum burl_status burl_store_selection_put(struct burl_store *s, int64_t version,
                                                          const char *json, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl_store_selection_get(struct burl_store *s, char **json,
                                                          struct burl_err *err);

#endif
