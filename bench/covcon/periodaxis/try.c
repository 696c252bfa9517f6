/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of periodaxis by hand, and a sequential stress of all its functions.
 *
 *     try         one thread replaces the bands, another asks for the width of one
 *     try seq     random calls, one after the other; the same seed must give the same answers
 */
#include "periodaxis.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 29u

struct world {
    struct periodaxis *ax;
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

static const char *
draw_string(uint32_t *seed)
{
    static const char *const table[] = { "", "", "a", "b", "ab", "ba", "a longer one" };

    return table[draw(seed) % (sizeof table / sizeof *table)];
}

static uint32_t
mix(uint32_t h, long value)
{
    return (h ^ (uint32_t)value) * 16777619u;
}

static void
world_init(struct world *w, uint32_t seed)
{
    w->ax = periodaxis_new(draw(&seed) % 2 ? "days" : NULL);
    assert(w->ax != NULL);
}

static void
world_end(struct world *w)
{
    periodaxis_free(w->ax);
}

/* One call on the unit, the bands or the title. */
static uint32_t
call_other(struct periodaxis *ax, unsigned op, uint32_t seed)
{
    const int n = draw_int(&seed);
    const int widths[3] = { draw_int(&seed), draw_int(&seed), draw_int(&seed) };
    char buf[8] = "";
    int rc;

    switch (op) {
    case 13:
        return mix(op, periodaxis_set_unit(ax, (enum periodaxis_unit)n));
    case 14:
        return mix(op, periodaxis_get_unit(ax));
    case 15:
        return mix(op, periodaxis_set_offset(ax, n));
    case 16:
        return mix(op, periodaxis_get_offset(ax));
    case 17:
        return mix(op, periodaxis_period_of(ax, n));
    case 18:
        return mix(op, periodaxis_start_of(ax, n));
    case 19:
        return mix(op, periodaxis_set_bands(ax, widths, draw(&seed) % 4));
    case 20:
        return mix(op, periodaxis_add_band(ax, n));
    case 21:
        return mix(op, periodaxis_remove_band(ax));
    case 22:
        return mix(op, periodaxis_band_count(ax));
    case 23:
        return mix(op, periodaxis_band_width(ax, n));
    case 24:
        return mix(op, periodaxis_widest_band(ax));
    case 25:
        return mix(op, periodaxis_label_count(ax, n));
    case 26:
        rc = periodaxis_format(ax, n, widths[0], buf, draw(&seed) % sizeof buf);
        return mix(mix(mix(op, rc), buf[0]), buf[1]);
    case 27:
        periodaxis_set_title(ax, n == -1 ? NULL : draw_string(&seed));
        return op;
    default:
        rc = periodaxis_get_title(ax, buf, draw(&seed) % sizeof buf);
        return mix(mix(mix(op, rc), buf[0]), buf[1]);
    }
}

/* One call; a number made of everything it answers. */
static uint32_t
call(struct world *w, unsigned op, uint32_t seed)
{
    struct periodaxis *ax = w->ax;
    const int n = draw_int(&seed);
    const int periods[3] = { n, draw_int(&seed), draw_int(&seed) };
    int out[2] = { 0 };

    switch (op) {
    case 0:
        return mix(op, periodaxis_get_first(ax));
    case 1:
        return mix(op, periodaxis_get_last(ax));
    case 2:
        periodaxis_get_range(ax, &out[0], &out[1]);
        assert(out[0] <= out[1]);
        return mix(mix(op, out[0]), out[1]);
    case 3:
        return mix(op, periodaxis_set_first(ax, n));
    case 4:
        return mix(op, periodaxis_set_last(ax, n));
    case 5:
        return mix(op, periodaxis_set_range(ax, n, periods[1]));
    case 6:
        return mix(op, periodaxis_count(ax));
    case 7:
        return mix(op, periodaxis_contains(ax, n));
    case 8:
        return mix(op, periodaxis_pan(ax, n));
    case 9:
        return mix(op, periodaxis_zoom(ax, n));
    case 10:
        periodaxis_set_auto_range(ax, n < 0);
        return op;
    case 11:
        return mix(op, periodaxis_is_auto_range(ax));
    case 12:
        return mix(op, periodaxis_fit(ax, periods, draw(&seed) % 4));
    default:
        return call_other(ax, op, seed);
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

static int width;

static void *
setter(void *arg)
{
    static const int widths[] = { 3 };
    const int rc = periodaxis_set_bands(arg, widths, 1);

    assert(rc == 0);
    return NULL;
}

static void *
asker(void *arg)
{
    width = periodaxis_band_width(arg, 1);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct periodaxis *ax;
    pthread_t t1;
    pthread_t t2;

    if (argc > 1 && strcmp(argv[1], "seq") == 0)
        return run_sequential();
    ax = periodaxis_new(NULL);
    assert(ax != NULL);
    pthread_create(&t1, NULL, setter, ax);
    pthread_create(&t2, NULL, asker, ax);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(width == 7 || width == -ERANGE);
    periodaxis_free(ax);
    return 0;
}
