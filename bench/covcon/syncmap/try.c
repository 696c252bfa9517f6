/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of syncmap by hand, and a sequential stress of all its functions.
 *
 *     try         two threads use the same two maps, which their functions lock in opposite order
 *     try seq     random calls, one after the other; the same seed must give the same answers
 */
#include "syncmap.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 27u

struct world {
    struct syncmap *a;
    struct syncmap *b;
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

static uint32_t
mix(uint32_t h, long value)
{
    return (h ^ (uint32_t)value) * 16777619u;
}

static void
world_init(struct world *w, uint32_t seed)
{
    w->a = syncmap_new();
    w->b = syncmap_new();
    assert(w->a != NULL && w->b != NULL);
    for (uint32_t n = draw(&seed) % 6; n > 0; n--)
        syncmap_put(w->a, draw_int(&seed), draw_int(&seed), NULL);
}

static void
world_end(struct world *w)
{
    syncmap_free(w->a);
    syncmap_free(w->b);
}

static uint32_t
mix_map_copy(struct syncmap *m, uint32_t h)
{
    struct syncmap *copy = syncmap_copy(m);

    assert(copy != NULL);
    h = mix(mix(h, syncmap_size(copy)), syncmap_hash(copy));
    syncmap_free(copy);
    return h;
}

/* One call on two maps. */
static uint32_t
call_two(struct syncmap *m, struct syncmap *other, unsigned op)
{
    switch (op) {
    case 21:
        return mix(op, syncmap_equals(m, other));
    case 22:
        return mix(op, syncmap_contains_all(m, other));
    case 23:
        return mix(op, syncmap_put_all(m, other));
    case 24:
        return mix(op, syncmap_copy_to(m, other));
    case 25:
        return mix(op, syncmap_remove_all(m, other));
    default:
        return mix(op, syncmap_retain_all(m, other));
    }
}

/* One call; a number made of everything it answers. */
static uint32_t
call(struct world *w, unsigned op, uint32_t seed)
{
    struct syncmap *m = draw(&seed) % 3 == 0 ? w->b : w->a;
    struct syncmap *other = draw(&seed) % 3 == 0 ? w->a : w->b;
    const int key = draw_int(&seed);
    const int value = draw_int(&seed);
    int out[4] = { 0 };
    char buf[16] = "";
    int rc;

    switch (op) {
    case 0:
        rc = syncmap_put(m, key, value, draw(&seed) % 2 ? out : NULL);
        return mix(mix(op, rc), out[0]);
    case 1:
        return mix(op, syncmap_put_if_absent(m, key, value));
    case 2:
        return mix(op, syncmap_replace(m, key, value));
    case 3:
        rc = syncmap_add(m, key, value, out);
        return mix(mix(op, rc), out[0]);
    case 4:
        rc = syncmap_get(m, key, out);
        return mix(mix(op, rc), out[0]);
    case 5:
        return mix(op, syncmap_get_or(m, key, value));
    case 6:
        rc = syncmap_remove(m, key, draw(&seed) % 2 ? out : NULL);
        return mix(mix(op, rc), out[0]);
    case 7:
        return mix(op, syncmap_size(m));
    case 8:
        return mix(op, syncmap_is_empty(m));
    case 9:
        return mix(op, syncmap_clear(m));
    case 10:
        return mix(op, syncmap_contains_key(m, key));
    case 11:
        return mix(op, syncmap_contains_value(m, value));
    case 12:
        rc = syncmap_first_key(m, out);
        return mix(mix(op, rc), out[0]);
    case 13:
    case 14:
        rc = syncmap_keys(m, out, draw(&seed) % 5);
        return mix(mix(mix(op, rc), out[0]), out[3]);
    case 15:
        rc = syncmap_values(m, out, draw(&seed) % 5);
        return mix(mix(mix(op, rc), out[0]), out[3]);
    case 16:
        return mix(op, syncmap_hash(m));
    case 17:
        rc = syncmap_to_string(m, buf, draw(&seed) % sizeof buf);
        return mix(mix(mix(op, rc), buf[1]), buf[6]);
    case 18:
        return mix_map_copy(m, op);
    default:
        return call_two(m, other, op < 21 ? op + 4 : op);
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

static struct syncmap *a;
static struct syncmap *b;

static void *
putter(void *arg)
{
    const int rc = syncmap_put_all(a, b);

    assert(rc >= 0);
    return arg;
}

static void *
copier(void *arg)
{
    const int rc = syncmap_copy_to(a, b);

    assert(rc >= 0);
    return arg;
}

int
main(int argc, char **argv)
{
    pthread_t t1;
    pthread_t t2;

    if (argc > 1 && strcmp(argv[1], "seq") == 0)
        return run_sequential();
    a = syncmap_new();
    b = syncmap_new();
    assert(a != NULL && b != NULL);
    syncmap_put(a, 1, 2, NULL);
    pthread_create(&t1, NULL, putter, NULL);
    pthread_create(&t2, NULL, copier, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(syncmap_equals(a, b));
    syncmap_free(a);
    syncmap_free(b);
    return 0;
}
