/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of chashmap by hand, and a sequential stress of all its functions.
 *
 *     try         two threads add to the same key
 *     try seq     random calls, one after the other; the same seed must give the same answers
 */
#include "chashmap.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 21u

struct world {
    struct chashmap *m;
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
    const int n = draw_int(&seed);

    w->m = chashmap_new(n);
    assert((w->m != NULL) == (n > 0 && n < 100));
    if (w->m == NULL)
        w->m = chashmap_new_default();
    assert(w->m != NULL);
}

static void
world_end(struct world *w)
{
    chashmap_free(w->m);
}

static bool
visit(void *arg, const char *key, int value)
{
    uint32_t *h = arg;

    *h = mix(mix(*h, (long)strlen(key)), value);
    return value != 100;
}

/* One call on the whole map. */
static uint32_t
call_whole(struct chashmap *m, unsigned op, int value)
{
    int out[4] = { 0 };
    uint32_t h = op;
    int rc;

    switch (op) {
    case 11:
        return mix(op, chashmap_size(m));
    case 12:
        return mix(op, chashmap_is_empty(m));
    case 13:
        return mix(op, chashmap_clear(m));
    case 14:
        return mix(op, chashmap_contains_value(m, value));
    case 15:
        return mix(op, chashmap_count_value(m, value));
    case 16:
        return mix(op, chashmap_sum(m));
    case 17:
        return mix(op, chashmap_remove_value(m, value));
    case 18:
        rc = chashmap_values(m, out, value == 0 ? 0 : 4);
        return mix(mix(mix(op, rc), out[0]), out[3]);
    case 19:
        rc = chashmap_foreach(m, visit, &h);
        return mix(h, rc);
    default:
        return mix(op, chashmap_segments(m));
    }
}

/* One call; a number made of everything it answers. */
static uint32_t
call(struct world *w, unsigned op, uint32_t seed)
{
    struct chashmap *m = w->m;
    const char *key = draw_string(&seed);
    const char *other = draw_string(&seed);
    const int value = draw_int(&seed);
    const int expected = draw_int(&seed);
    int out = 0;
    int *out_or_null = draw(&seed) % 2 ? &out : NULL;
    int rc;

    switch (op) {
    case 0:
        rc = chashmap_get(m, key, &out);
        return mix(mix(op, rc), out);
    case 1:
        return mix(op, chashmap_get_or(m, key, value));
    case 2:
        return mix(op, chashmap_contains(m, key));
    case 3:
        rc = chashmap_put(m, key, value, out_or_null);
        return mix(mix(op, rc), out);
    case 4:
        rc = chashmap_put_if_absent(m, key, value, out_or_null);
        return mix(mix(op, rc), out);
    case 5:
        rc = chashmap_add(m, key, value, &out);
        return mix(mix(op, rc), out);
    case 6:
        rc = chashmap_replace(m, key, value, out_or_null);
        return mix(mix(op, rc), out);
    case 7:
        return mix(op, chashmap_compare_replace(m, key, expected, value));
    case 8:
        rc = chashmap_remove(m, key, out_or_null);
        return mix(mix(op, rc), out);
    case 9:
        return mix(op, chashmap_compare_remove(m, key, expected));
    case 10:
        return mix(op, chashmap_rename(m, key, other));
    default:
        return call_whole(m, op, value);
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

static int sums[2];
static struct chashmap *shared;

static void *
adder(void *arg)
{
    const int rc = chashmap_add(shared, "", 1, arg);

    assert(rc == 0);
    return NULL;
}

int
main(int argc, char **argv)
{
    pthread_t t1;
    pthread_t t2;

    if (argc > 1 && strcmp(argv[1], "seq") == 0)
        return run_sequential();
    shared = chashmap_new_default();
    assert(shared != NULL);
    pthread_create(&t1, NULL, adder, &sums[0]);
    pthread_create(&t2, NULL, adder, &sums[1]);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(sums[0] + sums[1] == 3);
    chashmap_free(shared);
    return 0;
}
