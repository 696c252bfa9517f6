/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of sharedpool by hand, and random calls.
 *
 *     try           two threads, checked
 *     try seq       random calls one after the other; prints a digest of all results
 *     try par       the same random calls from four threads, results not checked
 */
#include "sharedpool.h"

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
calls(struct sharedpool *x, struct sharedpool *other, unsigned seed, int n)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };
    static const char *const words[] = { NULL, "", "select 1", "x",
                                         "a text that is longer than the data source will keep" };
    unsigned long long d = 14695981039346656037u;

    while (n-- > 0) {
        int a = table[pick(&seed, 9)];
        int b = table[pick(&seed, 9)];
        const char *word = words[pick(&seed, 5)];
        char text[60] = "";
        size_t len = (size_t)pick(&seed, 61);

        switch (pick(&seed, 26)) {
        case 0:
            d = mix(d, sharedpool_instances());
            break;
        case 1:
            sharedpool_set_max_active(x, a);
            break;
        case 2:
            d = mix(d, sharedpool_max_active(x));
            break;
        case 3:
            sharedpool_set_max_idle(x, a);
            break;
        case 4:
            d = mix(d, sharedpool_max_idle(x));
            break;
        case 5:
            sharedpool_set_login_timeout(x, a);
            break;
        case 6:
            d = mix(d, sharedpool_login_timeout(x));
            break;
        case 7:
            sharedpool_set_auto_commit(x, a > 0);
            break;
        case 8:
            d = mix(d, sharedpool_auto_commit(x));
            break;
        case 9:
            sharedpool_set_isolation(x, (enum sharedpool_isolation)pick(&seed, 4));
            break;
        case 10:
            d = mix(d, sharedpool_isolation(x));
            break;
        case 11:
            sharedpool_set_description(x, word);
            break;
        case 12:
            d = mix(d, sharedpool_description(x, text, len));
            break;
        case 13:
            sharedpool_set_validation_query(x, word);
            break;
        case 14:
            d = mix(d, sharedpool_validation_query(x, text, len));
            break;
        case 15:
            d = mix(d, sharedpool_borrow(x));
            break;
        case 16:
            d = mix(d, sharedpool_give_back(x, pick(&seed, 2) ? b : pick(&seed, 34)));
            break;
        case 17:
            d = mix(d, sharedpool_num_active(x));
            break;
        case 18:
            d = mix(d, sharedpool_num_idle(x));
            break;
        case 19:
            d = mix(d, sharedpool_evict(x));
            break;
        case 20:
            d = mix(d, sharedpool_reference(x));
            break;
        case 21:
            d = mix(d, sharedpool_reference(other));
            break;
        case 22:
            d = mix(d, sharedpool_close(a > 2 ? other : x));
            break;
        case 23:
            d = mix(d, sharedpool_reopen(x));
            break;
        case 24:
            d = mix(d, sharedpool_reopen(other));
            break;
        case 25:
            d = mix(d, sharedpool_is_closed(x));
            break;
        }
        d = mix(d, (long long)strlen(text));
    }
    return d;
}

static struct sharedpool *shared;
static struct sharedpool *second;
static int key;

static void *
first_thread(void *arg)
{
    (void)arg;
    key = sharedpool_reference(shared);
    return NULL;
}

static void *
second_thread(void *arg)
{
    (void)arg;
    sharedpool_close(shared);
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

    shared = sharedpool_new("first");
    second = sharedpool_new(NULL);
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
        assert(key == 1 || key == SHAREDPOOL_ECLOSED);
    }
    sharedpool_free(shared);
    sharedpool_free(second);
    assert(sharedpool_instances() == 0);
    return 0;
}
