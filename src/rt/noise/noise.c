/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/noise.c - noise points: whether noise is injected, and what was.
 *
 * A thread makes one draw of 64 bits at every point, whether the point is a place of noise or not,
 * from a generator seeded with the setting's seed and the thread's role. So what is drawn at the
 * n-th point of a role is the same in every run with the seed; which points are places depends, for
 * shared variables and coverage, on what the threads have done.
 *
 * Runs in the target, in free mode. No libc, no locks but the private monitor, errno untouched.
 */
#include "noise_int.h"

bool burl_noise_on;
struct burl_wire_noise burl__noise;

/* ---- begin ---------------------------------------------------------------------------------- */

void
burl_noise_start(void)
{
    burl__noise = burl_rt.ctl->noise;
    if (burl__noise.freq > BURL_NOISE_MAX_FREQ)
        burl__noise.freq = BURL_NOISE_MAX_FREQ;
    if (burl__noise.strength == 0)
        burl__noise.strength = 1;
    if (burl__noise.strength > BURL_NOISE_MAX_STRENGTH)
        burl__noise.strength = BURL_NOISE_MAX_STRENGTH;
    burl_noise_on = burl__noise.freq != 0 || burl__noise.tamper != 0;
    if (!burl_noise_on)
        return;
    burl__noise_marks_start();
    burl__noise_shared_start();
    burl__noise_cover_start();
}

/* ---- draws ---------------------------------------------------------------------------------- */

static uint64_t
scramble(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* splitmix64, as base/rng.c has it for the host. */
uint64_t
burl__noise_draw(struct burl_free_thread *f)
{
    if (BURL_UNLIKELY(!f->noise_seeded)) {
        f->noise_seeded = true;
        f->noise_draws = burl_wire_mix(burl_wire_mix(0x6e6f697365ull, burl__noise.seed), f->role);
    }
    f->noise_draws += 0x9e3779b97f4a7c15ull;
    return scramble(f->noise_draws);
}

/* ---- points --------------------------------------------------------------------------------- */

bool
burl__noise_may(const struct burl_free_thread *f)
{
    /* With an atomic operation under way the thread holds the lock of its bucket. */
    return f->handler_floor == 0 && !f->noise_ended && f->n_atomic == 0 &&
           !burl__noise_is_stopped() && !burl_free_is_alone();
}

struct burl_wire_noise_counts *
burl__noise_counts(const struct burl_free_thread *f)
{
    return &burl_rt.ctl->noise_counts[f->slot % BURL_NOISE_SLOTS];
}

static bool
has_marks(const struct burl_noise_point *p)
{
    return burl__noise.marks == 0 || (burl__noise_marks(p->site) & burl__noise.marks) != 0;
}

/* Each placement that applies makes a draw of its own. */
static bool
is_injected(const struct burl_noise_point *p, uint64_t draw, bool *is_place)
{
    const uint64_t more = scramble(draw);
    const bool random = burl__noise_place_random(p);
    const bool shared = burl__noise_place_shared(p);
    const bool cover = burl__noise_place_cover(p);

    *is_place = random || shared || cover;
    return (random && burl__noise_below((uint32_t)draw, BURL_NOISE_MAX_FREQ) < burl__noise.freq) ||
           (shared &&
            burl__noise_below((uint32_t)(draw >> 32), BURL_NOISE_MAX_FREQ) < burl__noise.freq) ||
           (cover && burl__noise_cover_injects(p, more));
}

static void
inject(const struct burl_noise_point *p, uint64_t draw)
{
    struct burl_wire_noise_counts *counts = burl__noise_counts(p->f);
    const uint64_t what = scramble(~draw);

    burl__noise_count(&counts->injected);
    if (burl__noise.halt != 0 && burl__noise_below((uint32_t)what, BURL_NOISE_HALT_ONE_IN) == 0 &&
        burl__noise_halt(burl__noise.strength)) {
        burl__noise_count(&counts->halted);
        return;
    }
    burl__noise_seed(burl__noise.seeding, burl__noise.strength, what >> 32);
}

static void
at_point(const struct burl_noise_point *p)
{
    uint64_t draw;
    bool is_place;
    bool injected;

    if (burl__noise.freq == 0 || !burl__noise_may(p->f))
        return;
    draw = burl__noise_draw(p->f);
    if (!has_marks(p))
        return;
    injected = is_injected(p, draw, &is_place);
    if (!is_place)
        return;
    burl__noise_count(&burl__noise_counts(p->f)->places);
    if (injected)
        inject(p, draw);
}

void
burl__noise_at_access(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                      const struct burl_wire_site *site)
{
    at_point(&(struct burl_noise_point){ .f = f, .site = site->id, .addr = addr, .n = n });
}

void
burl__noise_at_call(struct burl_free_thread *f)
{
    /* The number of a call site takes a look-up, and only marks need it. */
    at_point(&(struct burl_noise_point){
        .f = f, .site = burl__noise.marks != 0 ? burl_free_call_site() : 0 });
}
