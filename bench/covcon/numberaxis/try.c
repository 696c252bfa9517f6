/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of numberaxis by hand, and a sequential stress of all its functions.
 *
 *     try         one thread moves the lower end of the range, another the upper end
 *     try seq     random calls, one after the other; the same seed must give the same answers
 */
#include "numberaxis.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 35u

struct world {
    struct numberaxis a;
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
    const enum numberaxis_kind kind = (enum numberaxis_kind)draw_int(&seed);

    if (numberaxis_init(&w->a, kind, draw(&seed) % 2 ? "an axis" : NULL) != 0)
        numberaxis_init(&w->a, NUMBERAXIS_VERTICAL, "");
}

static void
world_end(struct world *w)
{
    numberaxis_destroy(&w->a);
}

/* One call on something else than the range. */
static uint32_t
call_other(struct numberaxis *a, unsigned op, uint32_t seed)
{
    const double x = draw_double(&seed);
    const double start = draw_double(&seed);
    const double end = draw_double(&seed);
    const bool on = draw(&seed) % 2;
    char buf[8] = "";
    double value = 0;
    int rc;

    switch (op) {
    case 22:
        return mix(op, numberaxis_set_tick_unit(a, x));
    case 23:
        return mix_double(op, numberaxis_get_tick_unit(a));
    case 24:
        return mix_double(op, numberaxis_choose_tick_unit(a));
    case 25:
        return mix(op, numberaxis_tick_count(a));
    case 26:
        rc = numberaxis_tick_at(a, draw_int(&seed), &value);
        return mix_double(mix(op, rc), value);
    case 27:
        numberaxis_set_inverted(a, on);
        return op;
    case 28:
        return mix(op, numberaxis_is_inverted(a));
    case 29:
        return mix(op, numberaxis_get_kind(a));
    case 30:
        return mix_double(op, numberaxis_to_place(a, x, start, end));
    case 31:
        rc = numberaxis_from_place(a, x, start, end, &value);
        return mix_double(mix(op, rc), value);
    case 32:
        numberaxis_set_label(a, on ? NULL : draw_string(&seed));
        return op;
    case 33:
        rc = numberaxis_get_label(a, buf, draw(&seed) % sizeof buf);
        return mix(mix(mix(op, rc), buf[0]), buf[6]);
    default:
        return mix(op, numberaxis_contains(a, x));
    }
}

/* One call; a number made of everything it answers. */
static uint32_t
call(struct world *w, unsigned op, uint32_t seed)
{
    struct numberaxis *a = &w->a;
    const double values[3] = { draw_double(&seed), draw_double(&seed), draw_double(&seed) };
    const bool on = draw(&seed) % 2;
    double out[2] = { 0 };

    switch (op) {
    case 0:
        return mix_double(op, numberaxis_get_lower(a));
    case 1:
        return mix_double(op, numberaxis_get_upper(a));
    case 2:
        return mix_double(op, numberaxis_length(a));
    case 3:
    case 4: /* twice: it shows what the others did */
        numberaxis_get_range(a, &out[0], &out[1]);
        assert(out[0] < out[1]);
        return mix_double(mix_double(op, out[0]), out[1]);
    case 5:
    case 6:
        return mix(op, numberaxis_set_lower(a, values[0]));
    case 7:
        return mix(op, numberaxis_set_upper(a, values[0]));
    case 8:
        return mix(op, numberaxis_set_range(a, values[0], values[1]));
    case 9:
        return mix(op, numberaxis_set_range_about(a, values[0], values[1]));
    case 10:
        return mix(op, numberaxis_center(a, values[0]));
    case 11:
        return mix(op, numberaxis_pan(a, values[0]));
    case 12:
        return mix(op, numberaxis_resize(a, values[0]));
    case 13:
    case 14:
        numberaxis_set_auto_range(a, on);
        return op;
    case 15:
        return mix(op, numberaxis_is_auto_range(a));
    case 16:
        numberaxis_set_include_zero(a, on);
        return op;
    case 17:
        return mix(op, numberaxis_get_include_zero(a));
    case 18:
        return mix(op, numberaxis_set_margins(a, values[0], values[1]));
    case 19:
        numberaxis_get_margins(a, &out[0], &out[1]);
        return mix_double(mix_double(op, out[0]), out[1]);
    case 20:
    case 21:
        return mix(op, numberaxis_fit(a, values, draw(&seed) % 4));
    default:
        return call_other(a, op, seed);
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

static void *
lower_mover(void *arg)
{
    const int rc = numberaxis_set_lower(arg, 0.1);

    assert(rc == 0);
    return NULL;
}

static void *
upper_mover(void *arg)
{
    const int rc = numberaxis_set_upper(arg, 0);

    assert(rc == 0);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct numberaxis a;
    double lower;
    double upper;
    pthread_t t1;
    pthread_t t2;

    if (argc > 1 && strcmp(argv[1], "seq") == 0)
        return run_sequential();
    numberaxis_init(&a, NUMBERAXIS_HORIZONTAL, NULL);
    pthread_create(&t1, NULL, lower_mover, &a);
    pthread_create(&t2, NULL, upper_mover, &a);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    numberaxis_get_range(&a, &lower, &upper);
    assert((lower == -1 && upper == 0) || (lower == 0.1 && upper == 0.1 + 1));
    numberaxis_destroy(&a);
    return 0;
}
