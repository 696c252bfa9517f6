/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/target.c - the static target of the build that coverage is of.
 *
 * Runs in the host. burl-analyze computes it once per build (analyzer/analyzer.h).
 *
 * Without a target coverage is still meaningful (saturation), so no problem here is a failure: the
 * model states it.
 */
#include <stdlib.h>

#include "analyzer/analyzer.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "cover/cover_int.h"

struct objects {
    BURL_VEC_OF(const char *);
};

/* The files that were loaded at run time, which the program itself does not name. */
static struct objects
loaded_objects(const struct burl_cover *c)
{
    struct objects o = { 0 };
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < c->image.n_modules; i++) {
        const struct burl_wire_module_entry *m = &c->image.modules[i];

        if (!m->late || m->object == last || m->object >= c->image.n_objects)
            continue;
        last = m->object;
        if (burl_fs_exists(c->image.objects[last].path))
            BURL_VEC_PUSH(&o, c->image.objects[last].path);
    }
    return o;
}

static uint64_t
modules_key(const struct burl_cover *c)
{
    uint64_t h = BURL_HASH_BEGIN;

    for (size_t i = 0; i < c->image.n_modules; i++)
        h = burl_hash_u64(h, c->image.modules[i].hash);
    return burl_hash_end(h);
}

/* Is the program on the disk the one that was run? */
static bool
is_same_program(const struct burl_cover *c, const struct burl_sp *t)
{
    for (size_t i = 0; i < t->sites.n; i++) {
        if (burl__cover_module(c, t->sites.v[i].module_hash))
            return true;
    }
    return t->sites.n == 0;
}

void
burl__cover_target(const struct burl_cover *c, struct burl_sp *t, bool *have, char **problem)
{
    struct objects with = loaded_objects(c);
    const struct burl_analyzer_request r = { .store_dir = burl_store_dir(c->store),
                                             .program = c->program.path,
                                             .with = with.v,
                                             .n_with = with.n,
                                             .key = modules_key(c) };

    *problem = burl_analyzer_run(&r, t, NULL);
    if (!*problem && !is_same_program(c, t))
        *problem = burl_xasprintf("%s was rebuilt since; run `burl cover` again", c->program.path);
    *have = *problem == NULL;
    BURL_VEC_FREE(&with);
}
