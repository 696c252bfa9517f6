/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of vector2 by hand, and random calls.
 *
 *     try           two threads, checked
 *     try seq       random calls one after the other; prints a digest of all results
 *     try par       the same random calls from four threads, results not checked
 */
#include "vector2.h"

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

static unsigned long long
calls(struct vector2 *x, struct vector2 *other, unsigned seed, int n)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };
    unsigned long long d = 14695981039346656037u;

    while (n-- > 0) {
        int a = table[pick(&seed, 9)];
        int b = table[pick(&seed, 9)];
        int some[3] = { a, b, 1 };
        int out[4] = { 0 };
        size_t len = (size_t)pick(&seed, 4);
        struct vector2 *copy;

        switch (pick(&seed, 30)) {
        case 0:
            d = mix(d, vector2_size(x));
            break;
        case 1:
            d = mix(d, vector2_is_empty(x));
            break;
        case 2:
            d = mix(d, vector2_reserve(x, a));
            break;
        case 3:
            d = mix(d, vector2_truncate(x, a));
            break;
        case 4:
            vector2_clear(x);
            break;
        case 5:
            d = mix(d, vector2_push(x, a));
            break;
        case 6:
            d = mix(d, vector2_pop(x, out));
            break;
        case 7:
            d = mix(d, vector2_peek(x, out));
            break;
        case 8:
            d = mix(d, vector2_get(x, a, out));
            break;
        case 9:
            d = mix(d, vector2_set(x, a, b));
            break;
        case 10:
            d = mix(d, vector2_swap(x, a, b));
            break;
        case 11:
            d = mix(d, vector2_remove_at(x, a));
            break;
        case 12:
            d = mix(d, vector2_insert(x, a, b));
            break;
        case 13:
            d = mix(d, vector2_push_array(x, some, len));
            break;
        case 14:
            d = mix(d, vector2_size(x) < 500 ? vector2_add_all(x, x) : 0);
            break;
        case 15:
            d = mix(d, vector2_size(x) < 500 ? vector2_add_all(x, other) : 0);
            break;
        case 16:
            d = mix(d, vector2_size(other) < 500 ? vector2_add_all(other, x)
                                                 : vector2_truncate(other, 1));
            break;
        case 17:
            d = mix(d, vector2_index_of(x, a));
            break;
        case 18:
            d = mix(d, vector2_contains(x, a));
            break;
        case 19:
            d = mix(d, vector2_count_of(x, a));
            break;
        case 20:
            d = mix(d, vector2_replace(x, a, b));
            break;
        case 21:
            d = mix(d, vector2_remove_value(x, a));
            break;
        case 22:
            d = mix(d, vector2_min(x, out));
            break;
        case 23:
            d = mix(d, vector2_max(x, out));
            break;
        case 24:
            vector2_sort(x);
            break;
        case 25:
            vector2_reverse(x);
            break;
        case 26:
            d = mix(d, vector2_to_array(x, out, len));
            break;
        case 27:
            d = mix(d, vector2_equals(x, other));
            break;
        case 28:
            d = mix(d, vector2_compare(pick(&seed, 2) ? x : other, x));
            break;
        case 29:
            copy = vector2_copy(x);
            d = mix(d, vector2_size(copy));
            vector2_free(copy);
            break;
        }
        for (int i = 0; i < 4; i++)
            d = mix(d, out[i]);
    }
    return d;
}

static struct vector2 *shared;
static struct vector2 *second;
static int added;

static void *
first_thread(void *arg)
{
    (void)arg;
    added = vector2_add_all(shared, shared);
    return NULL;
}

static void *
second_thread(void *arg)
{
    (void)arg;
    vector2_push(shared, 2);
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

    shared = vector2_new(-1);
    second = vector2_new(1);
    assert(shared != NULL && second != NULL);
    if (strcmp(mode, "seq") == 0) {
        printf("%016llx\n", calls(shared, second, 7, 200000));
    } else if (strcmp(mode, "par") == 0) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, random_calls, &seeds[i]);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else {
        vector2_push(shared, 1);
        pthread_create(&threads[0], NULL, first_thread, NULL);
        pthread_create(&threads[1], NULL, second_thread, NULL);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        /* Doubled before the push: 1 1, 2 elements. After it: 1 2 1 2, 4 elements. */
        assert(added == 2 || added == 4);
    }
    vector2_free(shared);
    vector2_free(second);
    return 0;
}
