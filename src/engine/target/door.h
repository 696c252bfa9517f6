/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/door.h - the control block of one process, and the only way out of it.
 *
 * The program can write every byte of the block, by mistake and at any moment, also while it has no
 * order: a thread or a child of its may run on. So the host has two blocks of the same layout. The
 * shared one is written by block.c and read by door.c alone. The copy is the host's own memory:
 * what is in it was copied out of the shared block once and then checked against our own limits.
 * Everything else works on the copy, where a number does not change after it was checked.
 *
 * Sizes, offsets and orders are the host's: they are never read back, only compared. A difference
 * is a wild write of the program, and so is a number that does not fit: `damage` says which.
 *
 * What lies in the block, and how it comes out:
 *     head, order, settled          the host's; compared by burl_door_take()
 *     live                          burl_door_live_execs() while an order runs, burl_door_take()
 *     result, failures, suspects    burl_door_take()
 *     objects, modules, n_sites     burl_door_take()
 *     points_new, gates_new         burl_door_points_new(), burl_door_gates_new()
 *     profile_new                   burl_door_profile_new()
 *     sched_out, trace              burl_door_switches(), burl_door_events()
 *     search                        burl_door_search(), burl_door_search_head()
 *     cover                         burl_door_items()
 *     mail_out                      burl_door_mail()
 *     points (marks of noise)       burl_door_marks()
 *     noise_counts                  burl_door_noise_counts()
 *     blocked                       burl_waitfor_read(), which copies each record and checks it
 *     turn                          target.c: a word that is compared with HOST and nothing else
 */
#ifndef BURL_ENGINE_DOOR_H
#define BURL_ENGINE_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/control.h"
#include "wire/search.h"

#define BURL__DAMAGE_B 64u

/* Zero-initialize; burl_target_block_new() fills it. */
struct burl_block {
    struct burl_wire_ctl *shared; /* the program's and ours */
    struct burl_wire_ctl *copy;   /* ours */
    size_t map_b;                 /* of both */
    bool cover;                   /* there is an area for covered items */
    uint32_t taken;               /* areas that were copied since the last order: bits */
    uint32_t n_items;             /* covered items in the copy */
    uint64_t max_done;            /* executions that the order can have at most */
    char damage[BURL__DAMAGE_B];  /* what the program overwrote; empty: nothing known */
};

/*
 * Copies what an order left: result, suspects, modules, live. False: something in the block cannot
 * be what we or the runtime wrote. Then `damage` is set and the copy has an empty result.
 * is_whole: the runtime handed the block over. Otherwise the process ended in the middle of
 * something: half-written tables are no damage, and count as empty.
 */
bool burl_door_take(struct burl_block *b, bool is_whole);

/* Is all that the host wrote as it was? At any time; false: `damage` is set. */
bool burl_door_is_intact(struct burl_block *b);

/* Progress of a running order, for people and the watchdog. */
uint64_t burl_door_live_execs(const struct burl_block *b);

/* The areas, as copied at the first call after an order. All are as long as the copy's numbers say
 * (n_sites and so on), and valid until the next order. */
const uint8_t *burl_door_points_new(struct burl_block *b);
const uint32_t *burl_door_gates_new(struct burl_block *b);
const struct burl_wire_profile *burl_door_profile_new(struct burl_block *b);
/* struct burl_mail_out and as many bytes as its used_b says, which is within the area. */
const void *burl_door_mail(struct burl_block *b);
/* Items covered so far, *n of them; older ones stay as they were read first. */
const struct burl_wire_cover_item *burl_door_items(struct burl_block *b, uint32_t *n);
uint32_t burl_door_items_lost(const struct burl_block *b);

/* Copies; the caller frees them. NULL: not what the runtime writes; `damage` is set. The events
 * are in order, oldest first. */
struct burl_wire_switch *burl_door_switches(struct burl_block *b);
struct burl_wire_event *burl_door_events(struct burl_block *b);
/* The search stack without its frames. */
const struct burl_search_stack *burl_door_search_head(struct burl_block *b);
/* The search stack as *n words; NULL: there is none that can be continued. */
uint64_t *burl_door_search(struct burl_block *b, uint64_t *n);
/* Is it one, of so many words? Also for stacks out of a store. */
bool burl_door_is_search(const uint64_t *words, uint64_t n_words);
/* The marks of the first n sites. */
uint8_t *burl_door_marks(const struct burl_block *b, size_t n);
struct burl_wire_noise_counts burl_door_noise_counts(const struct burl_block *b);

#endif
