/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of userpool by hand, and random calls.
 *
 *     try           two threads, checked
 *     try seq       random calls one after the other; prints a digest of all results
 *     try par       the same random calls from four threads, results not checked
 */
#include "userpool.h"

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
calls(struct userpool *x, struct userpool *other, unsigned seed, int n)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };
    static const char *const names[] = { NULL, "", "ann", "bo", "a" };
    unsigned long long d = 14695981039346656037u;

    while (n-- > 0) {
        int a = table[pick(&seed, 9)];
        int b = table[pick(&seed, 9)];
        const char *user = names[pick(&seed, 5)];
        char text[4] = "";

        switch (pick(&seed, 25)) {
        case 0:
            if (a > -3)
                userpool_set_default_max_active(x, a);
            break;
        case 1:
            d = mix(d, userpool_default_max_active(x));
            break;
        case 2:
            userpool_set_default_max_idle(x, a);
            break;
        case 3:
            d = mix(d, userpool_default_max_idle(x));
            break;
        case 4:
            userpool_set_default_read_only(x, a > 0);
            break;
        case 5:
            d = mix(d, userpool_default_read_only(x));
            break;
        case 6:
            d = mix(d, userpool_set_user_max_active(x, user, a));
            break;
        case 7:
            d = mix(d, userpool_user_max_active(x, user));
            break;
        case 8:
            d = mix(d, userpool_set_user_max_idle(x, user, a));
            break;
        case 9:
            d = mix(d, userpool_user_max_idle(x, user));
            break;
        case 10:
            d = mix(d, userpool_set_user_read_only(x, user, a > 0));
            break;
        case 11:
            d = mix(d, userpool_user_read_only(x, user));
            break;
        case 12:
            d = mix(d,
                    userpool_set_user_isolation(x, user, (enum userpool_isolation)pick(&seed, 4)));
            break;
        case 13:
            d = mix(d, userpool_user_isolation(x, user));
            break;
        case 14:
            d = mix(d, userpool_clear_user(x, user));
            break;
        case 15:
            d = mix(d, userpool_borrow(x, user));
            break;
        case 16:
            d = mix(d, userpool_give_back(x, pick(&seed, 2) ? a : pick(&seed, 66)));
            break;
        case 17:
            d = mix(d, userpool_num_active(x, user));
            break;
        case 18:
            d = mix(d, userpool_num_idle(x, user));
            break;
        case 19:
            d = mix(d, userpool_total(x));
            break;
        case 20:
            d = mix(d, userpool_user_of(x, a, text, (size_t)pick(&seed, 5)));
            break;
        case 21:
            d = mix(d, userpool_evict(x));
            break;
        case 22:
            if (n < 1000)
                userpool_close(x);
            break;
        case 23:
            d = mix(d, userpool_is_closed(x));
            break;
        case 24:
            d = mix(d, userpool_total(other) + b);
            break;
        }
        d = mix(d, (long long)strlen(text));
    }
    return d;
}

static struct userpool *shared;
static struct userpool *second;
static bool read_only;

static void *
first_thread(void *arg)
{
    (void)arg;
    read_only = userpool_user_read_only(shared, "bo");
    return NULL;
}

static void *
second_thread(void *arg)
{
    (void)arg;
    userpool_set_user_read_only(shared, "cy", true);
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

    shared = userpool_new();
    second = userpool_new();
    assert(shared != NULL && second != NULL);
    if (strcmp(mode, "seq") == 0) {
        printf("%016llx\n", calls(shared, second, 7, 200000));
    } else if (strcmp(mode, "par") == 0) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, random_calls, &seeds[i]);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else {
        userpool_set_user_read_only(shared, "ann", true);
        pthread_create(&threads[0], NULL, first_thread, NULL);
        pthread_create(&threads[1], NULL, second_thread, NULL);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        assert(!read_only);
        assert(userpool_user_read_only(shared, "cy"));
    }
    userpool_free(shared);
    userpool_free(second);
    return 0;
}
