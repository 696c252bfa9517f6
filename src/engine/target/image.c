/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/image.c - code that a program loads while it runs; contract in image.h.
 *
 * Runs in the host. Whether a program can load code is read from its files: one that imports
 * dlopen may. Libraries of the C implementation do not count; nearly every
 * program has them, and what they load is never instrumented. The error is on the side of an
 * execution too many.
 */
#include "engine/target/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/target/foreign.h"
#include "engine/target/program.h"
#include "engine/target/target.h"

bool
burl_image_has_late(const struct burl_wire_ctl *ctl)
{
    const uint32_t n = ctl->n_modules;

    return n > 0 && n <= BURL_WIRE_MAX_MODULES && ctl->n_objects <= BURL_WIRE_MAX_OBJECTS &&
           ctl->modules[n - 1].late != 0;
}

void
burl_image_deinit(struct burl_campaign_image *image)
{
    free(image->objects);
    free(image->modules);
    memset(image, 0, sizeof *image);
}

void
burl_image_take(struct burl_campaign_image *to, const struct burl_wire_ctl *ctl)
{
    burl_image_deinit(to);
    to->n_objects = ctl->n_objects;
    to->n_modules = ctl->n_modules;
    to->n_sites = ctl->n_sites;
    to->objects = burl_xmemdup(ctl->objects, to->n_objects * sizeof *to->objects);
    to->modules = burl_xmemdup(ctl->modules, to->n_modules * sizeof *to->modules);
}

void
burl_image_copy(struct burl_campaign_image *to, const struct burl_campaign_image *from)
{
    burl_image_deinit(to);
    if (from->n_modules == 0)
        return;
    *to = *from;
    to->objects = burl_xmemdup(from->objects, from->n_objects * sizeof *to->objects);
    to->modules = burl_xmemdup(from->modules, from->n_modules * sizeof *to->modules);
}

static bool
same_object(const struct burl_wire_object *known, const struct burl_wire_object *of)
{
    return strncmp(known->path, of->path, BURL_WIRE_PATH_B) == 0 &&
           (of->load_bias == UINT64_MAX || of->load_bias == known->load_bias);
}

bool
burl_image_covers(const struct burl_campaign_image *known, const struct burl_campaign_image *of)
{
    if (of->n_modules > known->n_modules)
        return false;
    for (size_t i = 0; i < of->n_modules; i++) {
        const struct burl_wire_module_entry *k = &known->modules[i];
        const struct burl_wire_module_entry *m = &of->modules[i];

        if (k->hash != m->hash || k->base != m->base || k->n_sites != m->n_sites)
            return false;
        if (m->object < of->n_objects &&
            (k->object >= known->n_objects ||
             !same_object(&known->objects[k->object], &of->objects[m->object])))
            return false;
    }
    return true;
}

void
burl_image_put(const struct burl_campaign_image *image, struct burl_block *b)
{
    struct burl_wire_ctl *both[] = { b->copy, b->shared };

    if (!image || image->n_modules == 0)
        return;
    for (size_t i = 0; i < 2; i++) {
        struct burl_wire_ctl *ctl = both[i];

        memcpy(ctl->objects, image->objects, image->n_objects * sizeof *ctl->objects);
        memcpy(ctl->modules, image->modules, image->n_modules * sizeof *ctl->modules);
        ctl->n_objects = (uint32_t)image->n_objects;
        ctl->n_modules = (uint32_t)image->n_modules;
        ctl->n_sites = image->n_sites;
    }
}

void
burl_image_place(const struct burl_campaign_image *image, struct burl_block *b)
{
    struct burl_wire_ctl *ctl = b->copy;

    if (!image)
        return;
    for (size_t i = 0; i < image->n_objects && i < ctl->n_objects; i++) {
        if (ctl->objects[i].load_bias == UINT64_MAX)
            ctl->objects[i].load_bias = b->shared->objects[i].load_bias =
                image->objects[i].load_bias;
    }
}

/* ---- looking ahead ----------------------------------------------------------------- */

static bool
may_load(const struct burl_wire_ctl *ctl)
{
    for (uint32_t i = 0; i < ctl->n_objects && i < BURL_WIRE_MAX_OBJECTS; i++) {
        struct burl_program_info info;
        struct burl_err ignored;
        char path[BURL_WIRE_PATH_B + 1] = "";

        memcpy(path, ctl->objects[i].path, BURL_WIRE_PATH_B);
        if (!strchr(path, '/') || burl__foreign_is_libc(path))
            continue;
        if (burl_program_inspect(path, &info, &ignored) == BURL_OK && info.loads)
            return true;
    }
    return false;
}

/* *again: this engine could not carry the execution. */
static enum burl_status
look_with(struct burl_campaign_image *out, const struct burl_target_opts *opts, uint64_t max_steps,
          uint32_t max_wall_ms, bool *again, struct burl_err *err)
{
    const struct burl_wire_order order = {
        .kind = BURL_ORDER_KIND_BATCH,
        .flags = BURL_ORDER_F_STRICT_TIME,
        .strategy = BURL_STRATEGY_NONPREEMPTIVE,
        .n_execs = 1,
        .max_steps = max_steps,
        .max_wall_ms = max_wall_ms,
        .epoch_ns = BURL_ENGINE_EPOCH_NS,
    };
    struct burl_target *t;
    enum burl_status st = burl_target_start(&t, opts, err);

    *again = false;
    if (st != BURL_OK)
        return st;
    if (may_load(t->ctl)) {
        st = burl_target_order(t, &order, NULL, err);
        if (st == BURL_OK && burl_target_wait(t) == BURL_TARGET_IDLE) {
            const uint8_t end = t->ctl->result.last.kind;

            *again = end == BURL_VERDICT_UNSUPPORTED || end == BURL_VERDICT_INTERNAL;
        }
        if (burl_image_has_late(t->ctl))
            burl_image_take(out, t->ctl);
        if (st == BURL_OK)
            st = burl_target_check_version(t->ctl, opts->argv[0], err);
    }
    burl_target_stop(t);
    return st;
}

enum burl_status
burl_image_look(struct burl_campaign_image *out, const struct burl_target_opts *opts,
                uint64_t max_steps, uint32_t max_wall_ms, struct burl_err *err)
{
    struct burl_target_opts o = *opts;
    bool again;
    enum burl_status st;

    o.engine = BURL_ENGINE_FIBERS;
    o.reset = BURL_RESET_FORK;
    o.image = NULL;
    st = look_with(out, &o, max_steps, max_wall_ms, &again, err);
    if (st == BURL_OK && again) {
        o.engine = BURL_ENGINE_THREADS;
        st = look_with(out, &o, max_steps, max_wall_ms, &again, err);
    }
    return st;
}
