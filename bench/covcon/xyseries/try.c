/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of xyseries by hand, and a sequential stress of all its functions.
 *
 *     try         one thread asks for the range of y, another clears the series
 *     try seq     random calls, one after the other; the same seed must give the same answers
 */
#include "xyseries.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 23u

struct world {
    struct xyseries s;
};

/* ---- random calls -------------------------------------------------------------------------- */

static uint32_t
draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static int
draw_int(uint32_t *seed)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };

    return table[draw(seed) % (sizeof table / sizeof *table)];
}

static double
draw_double(uint32_t *seed)
{
    static const double table[] = { -100, -3, -2, -1, -0.1, 0, 0.1, 1, 2, 3, 100 };

    return table[draw(seed) % (sizeof table / sizeof *table)];
}

static uint32_t
mix(uint32_t h, long value)
{
    return (h ^ (uint32_t)value) * 16777619u;
}

static uint32_t
mix_double(uint32_t h, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return mix(mix(h, (long)(bits >> 32)), (long)(bits & 0xffffffffu));
}

static void
world_init(struct world *w, uint32_t seed)
{
    const int rc = xyseries_init(&w->s, draw(&seed) % 2, draw(&seed) % 2);

    assert(rc == 0);
}

static void
world_end(struct world *w)
{
    xyseries_destroy(&w->s);
}

/* One call that asks. */
static uint32_t
call_asking(struct xyseries *s, unsigned op, uint32_t seed)
{
    struct xyseries_point points[3] = { { 0, 0 } };
    const int i = draw_int(&seed);
    const double x = draw_double(&seed);
    double out[2] = { 0 };
    int rc;

    switch (op) {
    case 13:
        return mix(op, xyseries_count(s));
    case 14:
        return mix(op, xyseries_is_empty(s));
    case 15:
        rc = xyseries_get_x(s, i, out);
        return mix_double(mix(op, rc), out[0]);
    case 16:
        rc = xyseries_get_y(s, i, out);
        return mix_double(mix(op, rc), out[0]);
    case 17:
        rc = xyseries_get_point(s, i, points);
        return mix_double(mix_double(mix(op, rc), points[0].x), points[0].y);
    case 18:
        return mix(op, xyseries_index_of(s, x));
    case 19:
        rc = xyseries_x_range(s, &out[0], &out[1]);
        return mix_double(mix_double(mix(op, rc), out[0]), out[1]);
    case 20:
        rc = xyseries_y_range(s, &out[0], &out[1]);
        return mix_double(mix_double(mix(op, rc), out[0]), out[1]);
    case 21:
        rc = xyseries_interpolate(s, x, out);
        return mix_double(mix(op, rc), out[0]);
    default:
        rc = xyseries_copy(s, points, draw(&seed) % 4);
        return mix_double(mix_double(mix(op, rc), points[0].x), points[2].y);
    }
}

/* One call; a number made of everything it answers. */
static uint32_t
call(struct world *w, unsigned op, uint32_t seed)
{
    struct xyseries *s = &w->s;
    const int i = draw_int(&seed);
    const double x = draw_double(&seed);
    const double y = draw_double(&seed);
    double old = 0;
    int rc;

    switch (op) {
    case 0:
        return mix(mix(op, xyseries_is_sorted(s)), xyseries_allows_duplicates(s));
    case 1:
    case 2: /* twice, so that series get longer */
        return mix(op, xyseries_add(s, x, y));
    case 3:
        rc = xyseries_add_or_update(s, x, y, &old);
        return mix_double(mix(op, rc), old);
    case 4:
        return mix(op, xyseries_set_y(s, i, y));
    case 5:
        return mix(op, xyseries_update(s, x, y));
    case 6:
        return mix(op, xyseries_remove_at(s, i));
    case 7:
        rc = xyseries_remove(s, x, &old);
        return mix_double(mix(op, rc), old);
    case 8:
        return mix(op, xyseries_delete_range(s, i, draw_int(&seed)));
    case 9:
        return mix(op, xyseries_clear(s));
    case 10:
        return mix(op, xyseries_shift_y(s, y));
    case 11:
        return mix(op, xyseries_set_max_count(s, i));
    case 12:
        return mix(op, xyseries_get_max_count(s));
    default:
        return call_asking(s, op, seed);
    }
}

static uint32_t
run_sequence(uint32_t seed)
{
    struct world w;
    uint32_t h = 2166136261u;

    world_init(&w, seed);
    for (int i = 0; i < 100; i++) {
        const unsigned op = draw(&seed) % N_OPS;

        h = mix(h, call(&w, op, draw(&seed)));
    }
    world_end(&w);
    return h;
}

static int
run_sequential(void)
{
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        if (run_sequence(seed) != run_sequence(seed)) {
            fprintf(stderr, "seed %u: two runs differ\n", seed);
            return 1;
        }
    }
    return 0;
}

/* ---- the failing pair ---------------------------------------------------------------------- */

static int range_rc;
static double low;
static double high;

static void *
asker(void *arg)
{
    range_rc = xyseries_y_range(arg, &low, &high);
    return NULL;
}

static void *
clearer(void *arg)
{
    const int n = xyseries_clear(arg);

    assert(n == 1);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct xyseries s;
    pthread_t t1;
    pthread_t t2;

    if (argc > 1 && strcmp(argv[1], "seq") == 0)
        return run_sequential();
    xyseries_init(&s, true, true);
    xyseries_add(&s, 1, 1);
    pthread_create(&t1, NULL, asker, &s);
    pthread_create(&t2, NULL, clearer, &s);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(range_rc == -ENOENT || (range_rc == 0 && low == 1 && high == 1));
    xyseries_destroy(&s);
    return 0;
}
