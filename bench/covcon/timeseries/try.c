/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of timeseries by hand, and a sequential stress of all its functions.
 *
 *     try         one thread adds or updates, another clears the series
 *     try seq     random calls, one after the other; the same seed must give the same answers
 */
#include "timeseries.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 25u

struct world {
    struct timeseries *ts;
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
    w->ts = timeseries_new(draw(&seed) % 2 ? "t" : NULL);
    assert(w->ts != NULL);
}

static void
world_end(struct world *w)
{
    timeseries_free(w->ts);
}

/* One call that asks. */
static uint32_t
call_asking(struct timeseries *ts, unsigned op, uint32_t seed)
{
    const int n = draw_int(&seed);
    int times[3] = { 0 };
    double values[3] = { 0 };
    int rc;

    switch (op) {
    case 14:
        return mix(op, timeseries_count(ts));
    case 15:
        return mix(op, timeseries_is_empty(ts));
    case 16:
        rc = timeseries_get_value(ts, n, values);
        return mix_double(mix(op, rc), values[0]);
    case 17:
        rc = timeseries_get_item(ts, n, times, values);
        return mix_double(mix(mix(op, rc), times[0]), values[0]);
    case 18:
        return mix(op, timeseries_index_of(ts, n));
    case 19:
        rc = timeseries_first_time(ts, times);
        return mix(mix(op, rc), times[0]);
    case 20:
        rc = timeseries_last_time(ts, times);
        return mix(mix(op, rc), times[0]);
    case 21:
        rc = timeseries_value_range(ts, &values[0], &values[1]);
        return mix_double(mix_double(mix(op, rc), values[0]), values[1]);
    case 22:
        return mix_double(op, timeseries_mean(ts));
    case 23:
        rc = timeseries_copy_times(ts, times, draw(&seed) % 4);
        return mix(mix(mix(op, rc), times[0]), times[2]);
    default:
        rc = timeseries_copy_values(ts, values, draw(&seed) % 4);
        return mix_double(mix_double(mix(op, rc), values[0]), values[2]);
    }
}

/* One call; a number made of everything it answers. */
static uint32_t
call(struct world *w, unsigned op, uint32_t seed)
{
    struct timeseries *ts = w->ts;
    const int n = draw_int(&seed);
    const double value = draw_double(&seed);
    double old = 0;
    char buf[8] = "";
    int rc;

    switch (op) {
    case 0:
        timeseries_set_name(ts, n > 0 ? "" : "a name that is too long for any series");
        return op;
    case 1:
        rc = timeseries_get_name(ts, buf, draw(&seed) % sizeof buf);
        return mix(mix(op, rc), buf[0]);
    case 2:
        return mix(op, timeseries_add(ts, n, value));
    case 3:
    case 4: /* twice, so that series get longer */
        rc = timeseries_add_or_update(ts, n, value, &old);
        return mix_double(mix(op, rc), old);
    case 5:
        return mix(op, timeseries_update(ts, n, value));
    case 6:
        return mix(op, timeseries_delete(ts, n));
    case 7:
        return mix(op, timeseries_delete_range(ts, n, draw_int(&seed)));
    case 8:
        return mix(op, timeseries_clear(ts));
    case 9:
        timeseries_scale(ts, value);
        return op;
    case 10:
        return mix(op, timeseries_set_max_items(ts, n));
    case 11:
        return mix(op, timeseries_get_max_items(ts));
    case 12:
        return draw(&seed) % 2 ? mix(op, timeseries_set_max_age(ts, n))
                               : mix(op, timeseries_get_max_age(ts));
    case 13:
        return mix(op, timeseries_remove_aged(ts, n));
    default:
        return call_asking(ts, op, seed);
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

static int add_rc;
static int clear_rc;

static void *
adder(void *arg)
{
    double old;

    add_rc = timeseries_add_or_update(arg, 3, 3, &old);
    return NULL;
}

static void *
clearer(void *arg)
{
    clear_rc = timeseries_clear(arg);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct timeseries *ts;
    pthread_t t1;
    pthread_t t2;

    if (argc > 1 && strcmp(argv[1], "seq") == 0)
        return run_sequential();
    ts = timeseries_new(NULL);
    assert(ts != NULL);
    timeseries_add(ts, 1, 1);
    timeseries_add(ts, 2, 2);
    pthread_create(&t1, NULL, adder, ts);
    pthread_create(&t2, NULL, clearer, ts);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(add_rc == 1 && clear_rc + timeseries_count(ts) == 3);
    timeseries_free(ts);
    return 0;
}
