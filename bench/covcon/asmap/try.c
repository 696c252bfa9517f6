/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of asmap by hand, and random calls.
 *
 *     try           two threads, checked
 *     try seq       random calls one after the other; prints a digest of all results
 *     try par       the same random calls from four threads, results not checked
 */
#include "asmap.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long
mix(unsigned long long digest, long long value)
{
    return (digest ^ (unsigned long long)value) * 1099511628211u;
}

static int
pick(unsigned *state, int n)
{
    *state = *state * 1103515245u + 12345u;
    return (int)((*state >> 16) % (unsigned)n);
}

static bool
add_up(int key, int n_values, void *arg)
{
    *(long long *)arg += key * 3 + n_values;
    return key != 100;
}

static unsigned long long
calls(struct asmap *x, struct asmap *other, unsigned seed, int n)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };
    unsigned long long d = 14695981039346656037u;

    while (n-- > 0) {
        int a = table[pick(&seed, 9)];
        int b = table[pick(&seed, 9)];
        int some[3] = { a, b, 1 };
        int out[4] = { 0 };
        size_t len = (size_t)pick(&seed, 4);
        long long sum = 0;

        switch (pick(&seed, 27)) {
        case 0:
            d = mix(d, asmap_put(x, a, b));
            break;
        case 1:
            d = mix(d, asmap_put(x, a, 1));
            break;
        case 2:
            d = mix(d, asmap_put_all(x, a, some, len));
            break;
        case 3:
            d = mix(d, asmap_put_all(other, a, some, len));
            break;
        case 4:
            d = mix(d, asmap_replace(x, a, some, len));
            break;
        case 5:
            d = mix(d, asmap_replace(other, a, some, len));
            break;
        case 6:
            d = mix(d, asmap_remove(x, a, b));
            break;
        case 7:
            d = mix(d, asmap_remove_key(x, a));
            break;
        case 8:
            d = mix(d, asmap_remove_value(x, a));
            break;
        case 9:
            asmap_clear(x);
            break;
        case 10:
            if (a > 0)
                asmap_clear(other);
            break;
        case 11:
            d = mix(d, asmap_size(x));
            break;
        case 12:
            d = mix(d, asmap_total(x));
            break;
        case 13:
            d = mix(d, asmap_count(x, a));
            break;
        case 14:
            d = mix(d, asmap_is_empty(x));
            break;
        case 15:
            d = mix(d, asmap_contains_key(x, a));
            break;
        case 16:
            d = mix(d, asmap_contains_value(x, a));
            break;
        case 17:
            d = mix(d, asmap_contains_entry(x, a, b));
            break;
        case 18:
            d = mix(d, asmap_first(x, a, out));
            break;
        case 19:
            d = mix(d, asmap_key_at(x, a, out));
            break;
        case 20:
            d = mix(d, asmap_index_of(x, a));
            break;
        case 21:
            d = mix(d, asmap_get(x, a, out, len));
            break;
        case 22:
            d = mix(d, asmap_keys(x, out, len));
            break;
        case 23:
            d = mix(d, asmap_each(x, add_up, &sum));
            break;
        case 24:
            d = mix(d, (long long)asmap_hash(x));
            break;
        case 25:
            d = mix(d, asmap_equals(x, a == b ? NULL : other));
            break;
        case 26:
            d = mix(d, asmap_equals(other, x));
            break;
        }
        for (int i = 0; i < 4; i++)
            d = mix(d, out[i]);
        d = mix(d, sum);
    }
    return d;
}

static struct asmap *shared;
static struct asmap *second;
static unsigned hash;
static unsigned full;

static void *
first_thread(void *arg)
{
    (void)arg;
    hash = asmap_hash(shared);
    return NULL;
}

static void *
second_thread(void *arg)
{
    (void)arg;
    asmap_clear(shared);
    return NULL;
}

static void *
random_calls(void *arg)
{
    calls(shared, second, *(unsigned *)arg, 3000);
    return NULL;
}

int
main(int argc, char **argv)
{
    unsigned seeds[4] = { 1, 2, 3, 4 };
    pthread_t threads[4];
    const char *mode = argc > 1 ? argv[1] : "";

    shared = asmap_new();
    second = asmap_new();
    assert(shared != NULL && second != NULL);
    if (strcmp(mode, "seq") == 0) {
        printf("%016llx\n", calls(shared, second, 7, 200000));
    } else if (strcmp(mode, "par") == 0) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, random_calls, &seeds[i]);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else {
        asmap_put(shared, 1, 7);
        asmap_put(shared, 2, 7);
        full = asmap_hash(shared);
        pthread_create(&threads[0], NULL, first_thread, NULL);
        pthread_create(&threads[1], NULL, second_thread, NULL);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        assert(hash == full || hash == 0);
    }
    asmap_free(shared);
    asmap_free(second);
    return 0;
}
