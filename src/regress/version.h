/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/version.h - one recorded version of a suite: its tests, their histories, its programs.
 *
 * Runs in the host. `burl regress record` fills it and the store keeps it (store/regress.h); the
 * canonical bitcode of its modules lies in <store>/regress/<hash>.bc, so that the tree of the
 * version need not exist any more.
 */
#ifndef BURL_REGRESS_VERSION_H
#define BURL_REGRESS_VERSION_H

#include "base/history.h"
#include "base/vec.h"
#include "store/regress.h"

/* One test of a version. */
struct burl_regress_test {
    char *name;
    enum burl_store_test_state state;
    char *why; /* FAILED, HUNG, ...: "exit code 3"; NULL none */
    BURL_VEC(struct burl_history) histories; /* one per program that it ran; `program` is the key
                                              * within the suite (suite/suite.h) */
};

/* One module of a program of the version. */
struct burl_regress_module {
    uint64_t hash;
    uint32_t n_sites;
    char *name;   /* source file as given to the compiler */
    char *object; /* key of the executable or shared object that holds it */
};

struct burl_regress_program {
    char *key;
    BURL_VEC(struct burl_regress_module) modules; /* those of the executable first */
};

struct burl_regress_version {
    int64_t id;
    char *name;
    char *suite; /* identifies the suite: "ctest build", "file burl.tests" */
    BURL_VEC(struct burl_regress_test) tests; /* in the order of the suite */
    BURL_VEC(struct burl_regress_program) programs; /* ascending by key */
};

/* Loads a version by name; `name` NULL: the one recorded last. BURL_E_USAGE: there is none, which
 * says what to run; BURL_E_FORMAT: another version of burl recorded it. */
BURL_MUST_CHECK enum burl_status burl_regress_version_load(struct burl_regress_version *v,
                                                           struct burl_store *s, const char *name,
                                                           struct burl_err *err);
void burl_regress_version_deinit(struct burl_regress_version *v);
/* <store>/regress/<hash>.bc; the caller frees. */
char *burl_regress_bitcode_path(const struct burl_store *s, uint64_t hash);

#endif
