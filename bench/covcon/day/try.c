/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of day by hand, and random calls.
 *
 *     try           two threads, checked
 *     try seq       random calls one after the other; prints a digest of all results
 *     try par       the same random calls from four threads, results not checked
 */
#include "day.h"

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
calls(struct day *x, struct day *other, unsigned seed, int n)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };
    static const char *const words[] = { "", "2024-02-29", "2023-02-29", "1-1-1", "9999-12-31" };
    unsigned long long d = 14695981039346656037u;

    while (n-- > 0) {
        int a = table[pick(&seed, 9)];
        int b = table[pick(&seed, 9)];
        int out[3] = { 0 };
        char text[12] = "";

        switch (pick(&seed, 30)) {
        case 0:
            d = mix(d, day_serial(x));
            break;
        case 1:
            d = mix(d, day_year(x));
            break;
        case 2:
            d = mix(d, day_month(x));
            break;
        case 3:
            d = mix(d, day_of_month(x));
            break;
        case 4:
            d = mix(d, day_of_year(x));
            break;
        case 5:
            d = mix(d, day_quarter(x));
            break;
        case 6:
            d = mix(d, day_weekday(x));
            break;
        case 7:
            d = mix(d, day_in_leap_year(x));
            break;
        case 8:
            d = mix(d, day_is_weekend(x));
            break;
        case 9:
            d = mix(d, day_get_date(x, &out[0], &out[1], &out[2]));
            break;
        case 10:
            d = mix(d, day_set_serial(x, a * (pick(&seed, 2) ? 10007 : 1)));
            break;
        case 11:
            d = mix(d, day_set_date(x, a == 100 ? 2024 : a, b, pick(&seed, 33)));
            break;
        case 12:
            d = mix(d, day_set_time(x, a * 123456789012LL, b));
            break;
        case 13:
            d = mix(d, day_next(x));
            break;
        case 14:
            d = mix(d, day_previous(x));
            break;
        case 15:
            d = mix(d, day_add_days(x, a));
            break;
        case 16:
            d = mix(d, day_add_months(x, a));
            break;
        case 17:
            d = mix(d, day_following(x, (enum day_weekday)pick(&seed, 9)));
            break;
        case 18:
            d = mix(d, day_assign(x, a == 3 ? x : other));
            break;
        case 19:
            d = mix(d, day_assign(other, x));
            break;
        case 20:
            d = mix(d, day_first_ms(x, a));
            break;
        case 21:
            d = mix(d, day_last_ms(x, a * 50));
            break;
        case 22:
            d = mix(d, day_middle_ms(x, a));
            break;
        case 23:
            d = mix(d, day_format(x, text, (size_t)pick(&seed, 12)));
            break;
        case 24:
            d = mix(d, day_parse(x, words[pick(&seed, 5)]));
            break;
        case 25:
            d = mix(d, day_compare(x, other));
            break;
        case 26:
            d = mix(d, day_compare(other, x));
            break;
        case 27:
            d = mix(d, day_equals(x, a == 3 ? x : other));
            break;
        case 28:
            d = mix(d, (long long)day_hash(x));
            break;
        case 29:
            assert(n == 0 ||
                   (day_format(x, text, sizeof text) == 10 && day_parse(x, text) == DAY_OK));
            break;
        }
        for (int i = 0; i < 3; i++)
            d = mix(d, out[i]);
        d = mix(d, (long long)strlen(text));
    }
    return d;
}

static struct day shared;
static struct day second;
static int64_t first;

static void *
first_thread(void *arg)
{
    (void)arg;
    first = day_first_ms(&shared, 0);
    return NULL;
}

static void *
second_thread(void *arg)
{
    (void)arg;
    day_middle_ms(&shared, 0);
    return NULL;
}

static void *
random_calls(void *arg)
{
    calls(&shared, &second, *(unsigned *)arg, 3000);
    return NULL;
}

int
main(int argc, char **argv)
{
    unsigned seeds[4] = { 1, 2, 3, 4 };
    pthread_t threads[4];
    const char *mode = argc > 1 ? argv[1] : "";

    assert(day_init(&shared, 0) == DAY_OK);
    assert(day_init(&second, -1) == DAY_OK);
    if (strcmp(mode, "seq") == 0) {
        printf("%016llx\n", calls(&shared, &second, 7, 200000));
    } else if (strcmp(mode, "par") == 0) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, random_calls, &seeds[i]);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else {
        day_set_serial(&shared, 2);
        pthread_create(&threads[0], NULL, first_thread, NULL);
        pthread_create(&threads[1], NULL, second_thread, NULL);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        assert(first == 2 * INT64_C(86400000));
    }
    day_destroy(&shared);
    day_destroy(&second);
    return 0;
}
