/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/hang.h - where the threads of a program are that does not end in its time.
 *
 * Two looks, some time apart: a thread that has not moved in between is blocked there, and of one
 * that has moved the functions are known that it did not leave. The innermost of these is where it
 * loops, whichever function it was calling at the second look.
 */
#ifndef BURL_ENGINE_FREE_HANG_H
#define BURL_ENGINE_FREE_HANG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/free/waitfor.h"

/* Of a thread, at the first look. */
struct burl_free_hang_thread {
    uint16_t tid;
    uint32_t seq;
    uint32_t ring_at;
    uint64_t switches;
};

/* Zero-initialize. */
struct burl_free_hang {
    bool begun;
    size_t n;
    struct burl_free_hang_thread v[BURL_WIRE_MAX_BLOCKED];
};

/* The first look; later calls do nothing. */
void burl_free_hang_begin(struct burl_free_hang *h, pid_t pid, const struct burl_wire_ctl *ctl);
/* The second: *g has all threads, blocked or not, with their stacks; *v is the hang. `ctl` is
 * shared with the program and may hold anything. */
void burl_free_hang_end(const struct burl_free_hang *h, pid_t pid, const struct burl_wire_ctl *ctl,
                        struct burl_waitfor *g, struct burl_wire_verdict *v);

/* Exposed for tests: functions that the thread stayed in while it wrote the words from..to of its
 * ring; `depth` is what it is in now. */
uint32_t burl__hang_common(const uint64_t *ring, uint32_t from, uint32_t to, uint32_t depth);

#endif
