/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/hold.c - holding, patience and release. Runs in the target; see hold.h.
 *
 * No real time: patience is counted in decisions and drawn per execution.
 */
#include "hold.h"

#include <string.h>

/* Decisions without progress, besides a share for each thread, after which the threads that run
 * are taken to wait for a held one. */
#define QUIET_PICKS 64u
#define MAX_PATIENCE_SHIFT 8u

struct burl_hold burl_hold;
struct burl_hold_mark burl_hold_marks[BURL_MAX_THREADS];
uint16_t burl_held[BURL_MAX_THREADS];
uint16_t burl_at_large[BURL_MAX_THREADS];

void
burl_hold_begin(uint32_t max_halvings)
{
    memset(&burl_hold, 0, sizeof burl_hold);
    burl_hold.max_halvings = max_halvings;
}

void
burl_hold_draw(uint32_t least)
{
    burl_hold.stay_shift = burl_rng_below(5);
    burl_hold.patience = 256ull << (least + burl_rng_below(MAX_PATIENCE_SHIFT + 1 - least));
}

void
burl_hold_thread_new(struct burl_thread *t)
{
    memset(&burl_hold_marks[t->tid], 0, sizeof burl_hold_marks[t->tid]);
}

void
burl_hold_enter_mode(uint32_t mode)
{
    burl_hold.mode = mode;
    burl_hold.since = burl_hold.picks;
    burl_hold.moved = burl_hold.picks;
}

bool
burl_hold_wants(uint32_t role)
{
    const uint32_t n = burl_hold.stalls[role];
    const uint32_t max = burl_hold.max_halvings;
    const uint32_t halvings = n < 2 ? 0 : n - 1 < max ? n - 1 : max;

    if (burl_hold.skip[role] != 0) {
        burl_hold.skip[role]--;
        return false;
    }
    return burl_rng_below(1u << halvings) == 0;
}

bool
burl_hold_is_held(const struct burl_thread *t, uint32_t role, uint32_t mode,
                  bool (*wants)(uint32_t role))
{
    struct burl_hold_mark *m = &burl_hold_marks[t->tid];

    if (m->decided != t->n_ops + 1 || m->mode != mode) {
        m->decided = t->n_ops + 1;
        m->mode = mode;
        m->hold = wants(role);
        m->since = burl_hold.picks;
    }
    if (m->hold && burl_hold.picks - m->since > burl_hold.patience) {
        m->hold = false;
        burl_hold.stalls[role]++;
    }
    return m->hold;
}

void
burl_hold_split(const struct burl_choice *c, bool (*is_held)(const struct burl_thread *t))
{
    burl_hold.n_held = 0;
    burl_hold.n_at_large = 0;
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        const uint16_t tid = c->runnable[i];

        if (is_held(burl_rt.threads[tid]))
            burl_held[burl_hold.n_held++] = tid;
        else
            burl_at_large[burl_hold.n_at_large++] = tid;
    }
}

bool
burl_hold_is_quiet(void)
{
    if (burl_hold.progress != burl_rt.exec.progress) {
        burl_hold.progress = burl_rt.exec.progress;
        burl_hold.moved = burl_hold.picks;
    }
    return burl_hold.picks - burl_hold.moved > QUIET_PICKS + 8ull * burl_rt.exec.n_alive;
}

bool
burl_hold_must_release(void)
{
    return burl_hold.n_held != 0 && (burl_hold.n_at_large == 0 || burl_hold_is_quiet());
}

uint16_t
burl_hold_release(void)
{
    const uint16_t tid = burl_held[burl_rng_below(burl_hold.n_held)];

    burl_hold_marks[tid].hold = false;
    burl_hold.moved = burl_hold.picks;
    return tid;
}

uint16_t
burl_hold_walk(const struct burl_choice *c)
{
    return burl_walk(c, burl_at_large, burl_hold.n_at_large, burl_hold.stay_shift);
}

uint16_t
burl_hold_walk_all(const struct burl_choice *c)
{
    return burl_walk(c, c->runnable, c->n_runnable, burl_hold.stay_shift);
}
