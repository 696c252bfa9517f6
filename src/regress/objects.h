/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/objects.h - executables and shared objects of a version while it is recorded.
 *
 * Runs in the host. Keeps which modules each file consists of, copies their canonical bitcode into
 * the store, and notices files that were built again: the histories of two builds have no union.
 */
#ifndef BURL_REGRESS_OBJECTS_H
#define BURL_REGRESS_OBJECTS_H

#include <sys/stat.h>

#include "base/history.h"
#include "base/vec.h"
#include "store/store.h"
#include "suite/suite.h"

struct burl_objects_module {
    uint64_t hash;
    uint32_t n_sites;
    char *name;
};

struct burl_objects_file {
    char *key;         /* within the suite */
    bool is_read;      /* `seen` is of the file that was read */
    struct stat seen;
    BURL_VEC(struct burl_objects_module) modules; /* ascending by hash */
};

struct burl_objects {
    const struct burl_suite *suite;
    const struct burl_store *store;
    BURL_VEC(struct burl_objects_file) files;
};

void burl_objects_init(struct burl_objects *o, const struct burl_suite *suite,
                       const struct burl_store *store);
void burl_objects_deinit(struct burl_objects *o);

/* A stored history says which modules its files had. */
void burl_objects_know(struct burl_objects *o, const struct burl_history *stored);
/* The key of the first known file that has other modules now; NULL none. A file that does not exist
 * any more has not changed. Bitcode that the store has lost is copied again. */
const char *burl_objects_changed(struct burl_objects *o);

enum burl_objects_result {
    BURL_OBJECTS_KEPT,
    BURL_OBJECTS_LOST,   /* a file is gone or has no bitcode; err says which and why */
    BURL_OBJECTS_REBUILT /* a file differs from before; err */
};

/*
 * Takes the files of a new history: copies bitcode that the store does not have, adds modules that
 * were not executed, and replaces paths by keys. A status other than BURL_OK: the store cannot be
 * written.
 */
BURL_MUST_CHECK enum burl_status burl_objects_take(struct burl_objects *o, struct burl_history *h,
                                                   enum burl_objects_result *result,
                                                   struct burl_err *err);

/* Removes bitcode from the store that no version consists of any more. Best effort: a file that
 * cannot be removed stays. */
void burl_objects_sweep(struct burl_store *s);

#endif
