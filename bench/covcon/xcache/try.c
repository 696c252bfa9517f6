/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of xcache by hand, and random calls.
 *
 *     try           two threads, checked
 *     try seq       random calls one after the other; prints a digest of all results
 *     try par       the same random calls from four threads, results not checked
 */
#include "xcache.h"

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
calls(struct xcache *x, struct xcache *other, unsigned seed, int n)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };
    static const char *const words[] = { "", "a", "ab", "abc", "map", "list" };
    unsigned long long d = 14695981039346656037u;

    while (n-- > 0) {
        int a = table[pick(&seed, 9)];
        int b = table[pick(&seed, 9)];
        const char *word = words[pick(&seed, 6)];
        const char *more = words[pick(&seed, 6)];
        char text[8] = "";
        size_t len = (size_t)pick(&seed, 9);
        int hits = 0;
        int misses = 0;

        switch (pick(&seed, 20)) {
        case 0:
            xcache_set_mode(x, (enum xcache_mode)pick(&seed, 3));
            break;
        case 1:
            d = mix(d, xcache_mode(x));
            break;
        case 2:
            d = mix(d, xcache_register(x, a, a == b ? NULL : word, b));
            break;
        case 3:
            d = mix(d, xcache_unregister(x, a));
            break;
        case 4:
            d = mix(d, xcache_converter_count(x));
            break;
        case 5:
            d = mix(d, xcache_lookup(x, word));
            break;
        case 6:
            d = mix(d, xcache_lookup(x, more));
            break;
        case 7:
            d = mix(d, xcache_is_cached(x, word));
            break;
        case 8:
            d = mix(d, xcache_cached_count(x));
            break;
        case 9:
            xcache_statistics(x, &hits, &misses);
            break;
        case 10:
            d = mix(d, xcache_flush(x));
            break;
        case 11:
            d = mix(d, xcache_alias(x, word, more));
            break;
        case 12:
            d = mix(d, xcache_remove_alias(x, word));
            break;
        case 13:
            d = mix(d, xcache_alias_count(x));
            break;
        case 14:
            d = mix(d, xcache_type_of(x, word, text, len));
            break;
        case 15:
            d = mix(d, xcache_alias_of(x, word, text, len));
            break;
        case 16:
            d = mix(d, xcache_omit_field(x, word, more));
            break;
        case 17:
            d = mix(d, xcache_is_omitted(x, word, more));
            break;
        case 18:
            d = mix(d, xcache_omitted_count(x));
            break;
        case 19:
            d = mix(d, xcache_omitted_count(other));
            break;
        }
        d = mix(mix(mix(d, hits), misses), (long long)strlen(text));
    }
    return d;
}

static struct xcache *shared;
static struct xcache *second;
static int answer;

static void *
first_thread(void *arg)
{
    (void)arg;
    answer = xcache_lookup(shared, "ab");
    return NULL;
}

static void *
second_thread(void *arg)
{
    (void)arg;
    xcache_register(shared, 2, "a", 0);
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

    shared = xcache_new(XCACHE_XPATH_REFERENCES);
    second = xcache_new(XCACHE_NO_REFERENCES);
    assert(shared != NULL && second != NULL);
    if (strcmp(mode, "seq") == 0) {
        printf("%016llx\n", calls(shared, second, 7, 200000));
    } else if (strcmp(mode, "par") == 0) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, random_calls, &seeds[i]);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else {
        xcache_register(shared, 1, "a", 0);
        xcache_lookup(shared, "ab");
        pthread_create(&threads[0], NULL, first_thread, NULL);
        pthread_create(&threads[1], NULL, second_thread, NULL);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        assert(answer == 1 || answer == 2);
        assert(xcache_lookup(shared, "ab") == 2);
    }
    xcache_free(shared);
    xcache_free(second);
    return 0;
}
