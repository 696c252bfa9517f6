/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of intrange by hand, and random calls.
 *
 *     try           two threads, checked
 *     try seq       random calls one after the other; prints a digest of all results
 *     try par       the same random calls from four threads, results not checked
 */
#include "intrange.h"

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
add_up(int value, void *arg)
{
    *(long long *)arg += value;
    return value < 90;
}

static unsigned long long
calls(struct intrange *x, struct intrange *other, unsigned seed, int n)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };
    unsigned long long d = 14695981039346656037u;

    while (n-- > 0) {
        int a = table[pick(&seed, 9)];
        int b = table[pick(&seed, 9)];
        int some[3] = { a, b, 1 };
        int out[4] = { 0 };
        size_t len = (size_t)pick(&seed, 4);
        char text[20] = "";
        long long sum = 0;
        struct intrange *fresh = intrange_new(a, b);
        struct intrange *r = pick(&seed, 2) ? x : fresh;
        struct intrange *made;

        made = a == b ? NULL : other;

        switch (pick(&seed, 20)) {
        case 0:
            d = mix(d, intrange_min(r));
            break;
        case 1:
            d = mix(d, intrange_max(r));
            break;
        case 2:
            d = mix(d, intrange_is_single(r));
            break;
        case 3:
            d = mix(d, intrange_length(r));
            break;
        case 4:
            d = mix(d, intrange_contains(r, a));
            break;
        case 5:
            d = mix(d, intrange_side(r, a));
            break;
        case 6:
            d = mix(d, intrange_clamp(r, a));
            break;
        case 7:
            d = mix(d, intrange_at(r, a, out));
            break;
        case 8:
            d = mix(d, intrange_to_array(r, out, len));
            break;
        case 9:
            d = mix(d, intrange_count(r, some, len));
            break;
        case 10:
            d = mix(d, intrange_each(r, b, add_up, &sum));
            break;
        case 11:
            d = mix(d, intrange_contains_range(r, made));
            break;
        case 12:
            d = mix(d, intrange_overlaps(r, made));
            break;
        case 13:
            made = intrange_intersect(r, made);
            d = mix(d, made != NULL ? intrange_length(made) : -1);
            intrange_free(made);
            break;
        case 14:
            made = intrange_span(r, made);
            d = mix(d, made != NULL ? intrange_length(made) : -1);
            intrange_free(made);
            break;
        case 15:
            made = intrange_new_single(a);
            d = mix(d, intrange_equals(made, r));
            intrange_free(made);
            break;
        case 16:
            d = mix(d, intrange_equals(r, made));
            break;
        case 17:
            d = mix(d, intrange_equals(r, x));
            break;
        case 18:
            d = mix(d, (long long)intrange_hash(r));
            break;
        case 19:
            d = mix(d, intrange_to_string(r, text, len * 6));
            break;
        }
        intrange_free(fresh);
        for (int i = 0; i < 4; i++)
            d = mix(d, out[i]);
        d = mix(mix(d, sum), (long long)strlen(text));
    }
    return d;
}

static struct intrange *shared;
static struct intrange *second;
static unsigned hashes[2];

static void *
first_thread(void *arg)
{
    (void)arg;
    hashes[0] = intrange_hash(shared);
    return NULL;
}

static void *
second_thread(void *arg)
{
    (void)arg;
    hashes[1] = intrange_hash(shared);
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

    shared = intrange_new(1, 3);
    second = intrange_new(3, 1);
    assert(shared != NULL && second != NULL);
    if (strcmp(mode, "seq") == 0) {
        printf("%016llx\n", calls(shared, second, 7, 200000));
    } else if (strcmp(mode, "par") == 0) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, random_calls, &seeds[i]);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else {
        pthread_create(&threads[0], NULL, first_thread, NULL);
        pthread_create(&threads[1], NULL, second_thread, NULL);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        assert(hashes[0] == hashes[1]);
        assert(hashes[0] == intrange_hash(second));
    }
    intrange_free(shared);
    intrange_free(second);
    return 0;
}
