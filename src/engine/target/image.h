/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/image.h - what a process consists of, with the code it loads while it runs.
 *
 * Sites of a shared object that is loaded by dlopen() have no numbers before it is, and a new
 * process gives numbers in the order of loading. So a program that may load code is run
 * once before anything else, and every later process is given the list that this run left: a
 * module that is in the list gets its numbers again, whatever the order (core/module.c). All that
 * goes by numbers and names (reports, kept schedules, build ids, what is learned) then covers
 * loaded code like any other.
 *
 * What only another schedule loads comes behind the list, in the numbers of its own process.
 */
#ifndef BURL_ENGINE_IMAGE_H
#define BURL_ENGINE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/control.h"

struct burl_block;
struct burl_target_opts;

/* Zero is empty. */
struct burl_campaign_image {
    struct burl_wire_object *objects;
    size_t n_objects;
    struct burl_wire_module_entry *modules;
    size_t n_modules;
    uint32_t n_sites;
};

/* Has the process loaded code since its start, and is its list within bounds? */
bool burl_image_has_late(const struct burl_wire_ctl *ctl);
/* Copies the list of a process; what was in *to is freed. */
void burl_image_take(struct burl_campaign_image *to, const struct burl_wire_ctl *ctl);
void burl_image_copy(struct burl_campaign_image *to, const struct burl_campaign_image *from);
void burl_image_deinit(struct burl_campaign_image *image);
/* Would names and numbers of `of` be the same with `known`? */
bool burl_image_covers(const struct burl_campaign_image *known,
                       const struct burl_campaign_image *of);

/* Into the block of a process that is about to start. NULL and empty are fine. */
void burl_image_put(const struct burl_campaign_image *image, struct burl_block *b);
/* After its start: objects that are not loaded yet are said to lie where they lay. */
void burl_image_place(const struct burl_campaign_image *image, struct burl_block *b);

/*
 * Runs the program once, without preemption, when it or a library of it can load code; *out stays
 * empty when it cannot or did not. Engine and reset of `opts` are not used. Failures are those of
 * burl_target_start(); that the execution failed or was cut is none.
 */
BURL_MUST_CHECK enum burl_status burl_image_look(struct burl_campaign_image *out,
                                                 const struct burl_target_opts *opts,
                                                 uint64_t max_steps, uint32_t max_wall_ms,
                                                 struct burl_err *err);

#endif
