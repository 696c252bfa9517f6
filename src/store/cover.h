/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/cover.h - what has been covered, merged over campaigns.
 *
 * A program is its absolute path. An item names its sites by (hash of the module, index), which
 * stay the same in another process, another order of shared objects, and a build that did not
 * change the module. Items of modules that were changed stay in the store; whether they count is
 * for the reader, which has the list of modules of the newest build (the image).
 *
 * Functions that write take one transaction each and have synced when they return. A kill -9 loses
 * what was not given yet and nothing else. The rules of store.h about strings and failures hold.
 */
#ifndef BURL_STORE_COVER_H
#define BURL_STORE_COVER_H

#include "store/store.h"
#include "wire/control.h"

struct burl_store_cover_program {
    int64_t     id;
    const char *path;       /* absolute: the key */
    const char *program;    /* as given */
    const char *args;       /* JSON array, of the newest campaign */
    const char *build_id;   /* of the newest */
    const char *mode;       /* "controlled, fibers", "free"; of the newest */
    uint32_t    context;    /* --context of the newest */
    uint32_t    metrics;    /* BURL_METRIC bits that were ever requested */
    uint32_t    campaigns;
    uint64_t    executions; /* in all campaigns and hunts; ordinals of items count in these */
    uint64_t    wall_ms;
    uint64_t    lost;       /* items that found no room */
};

/* `path` NULL: the program covered last. *found false when there is none. */
BURL_MUST_CHECK enum burl_status
burl_store_cover_get(struct burl_store *s, const char *path, bool *found,
                     struct burl_store_cover_program *out, struct burl_err *err);
void burl_store_cover_program_deinit(struct burl_store_cover_program *p);

/* The modules of the program, as the runtime reported them. Owned arrays. */
struct burl_store_cover_image {
    struct burl_wire_object *objects;
    size_t n_objects;
    struct burl_wire_module_entry *modules;
    size_t n_modules;
};

/* Records that a campaign begins (one more in `campaigns`, metrics are joined, the image and what
 * else is of the newest are replaced); *id is the program's. */
BURL_MUST_CHECK enum burl_status
burl_store_cover_begin(struct burl_store *s, const struct burl_store_cover_program *p,
                       const struct burl_store_cover_image *image, int64_t *id,
                       struct burl_err *err);
/* Replaces it: more was loaded. */
BURL_MUST_CHECK enum burl_status
burl_store_cover_image_put(struct burl_store *s, int64_t id,
                           const struct burl_store_cover_image *image, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl_store_cover_image_get(struct burl_store *s, int64_t id,
                                                            struct burl_store_cover_image *out,
                                                            struct burl_err *err);
void burl_store_cover_image_deinit(struct burl_store_cover_image *i);

/* One of the up to three names in an item; module 0: not a site but a number or a hash. */
struct burl_store_cover_name {
    uint64_t module;
    uint32_t value;
};

struct burl_store_cover_item {
    uint8_t metric;
    uint8_t flags; /* BURL_COVER_F_* */
    struct burl_store_cover_name a, b, c;
    uint32_t d;
    uint64_t build; /* items with a hash in them mean something in one build; 0: in any */
    uint64_t execution; /* of the program, from 0 */
    uint64_t seed;
    const char *strategy;
};

/* Adds items (those that are there stay as they are) and sets the program's sums. */
BURL_MUST_CHECK enum burl_status burl_store_cover_put(struct burl_store *s, int64_t id,
                                                      const struct burl_store_cover_item *items,
                                                      size_t n, uint64_t executions,
                                                      uint64_t wall_ms, uint64_t lost,
                                                      struct burl_err *err);
/* How the newest campaign ran its threads, once that is known. */
BURL_MUST_CHECK enum burl_status burl_store_cover_set_mode(struct burl_store *s, int64_t id,
                                                           const char *mode, struct burl_err *err);
/* All items in the order of execution; `each` borrows. */
BURL_MUST_CHECK enum burl_status
burl_store_cover_items(struct burl_store *s, int64_t id,
                       void (*each)(void *arg, const struct burl_store_cover_item *item), void *arg,
                       struct burl_err *err);

/* A kept schedule; `file` relative to the store's directory. One per execution. */
struct burl_store_cover_schedule {
    uint64_t execution;
    const char *file;
};
BURL_MUST_CHECK enum burl_status
burl_store_cover_schedule_put(struct burl_store *s, int64_t id,
                              const struct burl_store_cover_schedule *x, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl_store_cover_schedules(
    struct burl_store *s, int64_t id,
    void (*each)(void *arg, const struct burl_store_cover_schedule *x), void *arg,
    struct burl_err *err);

/* What hunting a pair came to. */
struct burl_store_cover_hunt {
    struct burl_store_cover_name a, b;
    uint32_t outcome; /* enum burl_hunt_outcome */
    uint64_t tries;   /* added up */
    const char *why;
    const char *build; /* program, arguments: what a proof is about */
};
BURL_MUST_CHECK enum burl_status burl_store_cover_hunt_put(struct burl_store *s, int64_t id,
                                                           const struct burl_store_cover_hunt *x,
                                                           struct burl_err *err);
BURL_MUST_CHECK enum burl_status
burl_store_cover_hunts(struct burl_store *s, int64_t id,
                       void (*each)(void *arg, const struct burl_store_cover_hunt *x), void *arg,
                       struct burl_err *err);

/* Forgets all of a program's coverage; schedule files are the caller's. */
BURL_MUST_CHECK enum burl_status burl_store_cover_forget(struct burl_store *s, int64_t id,
                                                         struct burl_err *err);

#endif
