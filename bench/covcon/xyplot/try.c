/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of xyplot by hand, and random calls.
 *
 *     try           two threads, checked
 *     try seq       random calls one after the other; prints a digest of all results
 *     try par       the same random calls from four threads, results not checked
 */
#include "xyplot.h"

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
add_up(double x, double y, const char *text, void *arg)
{
    *(double *)arg += x + 2 * y + (double)strlen(text);
    return x < 100;
}

static unsigned long long
calls(struct xyplot *x, struct xyplot *other, unsigned seed, int n)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };
    static const char *const words[] = { NULL, "", "a", "mean", "a longer label" };
    unsigned long long d = 14695981039346656037u;

    while (n-- > 0) {
        int a = table[pick(&seed, 9)];
        int b = table[pick(&seed, 9)];
        double u = a == 1 ? 0.1 : a;
        enum xyplot_layer layer = (enum xyplot_layer)pick(&seed, 2);
        const char *word = words[pick(&seed, 5)];
        double lo = 0;
        double hi = 0;
        int out = 0;
        char text[8] = "";

        switch (pick(&seed, 24)) {
        case 0:
            xyplot_set_orientation(x, (enum xyplot_orientation)pick(&seed, 2));
            break;
        case 1:
            d = mix(d, xyplot_orientation(x));
            break;
        case 2:
            d = mix(d, xyplot_set_dataset(x, a, b));
            break;
        case 3:
            d = mix(d, xyplot_dataset(x, a, &out));
            break;
        case 4:
            d = mix(d, xyplot_dataset_count(x));
            break;
        case 5:
            d = mix(d, xyplot_index_of(x, a));
            break;
        case 6:
            d = mix(d, xyplot_set_domain(x, u, b));
            break;
        case 7:
            d = mix(d, xyplot_domain(x, &lo, &hi));
            break;
        case 8:
            d = mix(d, xyplot_zoom_domain(x, u > 1 ? 1 / u : u));
            break;
        case 9:
            d = mix(d, xyplot_add_domain_marker(x, layer, u, word));
            break;
        case 10:
            d = mix(d, xyplot_add_range_marker(x, layer, u, word));
            break;
        case 11:
            d = mix(d, xyplot_remove_domain_marker(x, layer, u));
            break;
        case 12:
            d = mix(d, xyplot_remove_range_marker(x, layer, u));
            break;
        case 13:
            d = mix(d, xyplot_domain_marker_count(x, layer));
            break;
        case 14:
            d = mix(d, xyplot_range_marker_count(x, layer));
            break;
        case 15:
            d = mix(d, xyplot_domain_marker_label(x, layer, u, text, (size_t)pick(&seed, 9)));
            break;
        case 16:
            if (a > 2)
                xyplot_clear_domain_markers(x);
            break;
        case 17:
            if (a > 2)
                xyplot_clear_range_markers(x);
            break;
        case 18:
            d = mix(d, xyplot_add_annotation(x, u, b, word != NULL ? word : "none"));
            break;
        case 19:
            d = mix(d, xyplot_remove_annotation(x));
            break;
        case 20:
            d = mix(d, xyplot_annotation_count(x));
            break;
        case 21:
            xyplot_clear_annotations(x);
            break;
        case 22:
            d = mix(d, xyplot_each_annotation(x, add_up, &hi));
            break;
        case 23:
            d = mix(d, xyplot_dataset_count(other));
            break;
        }
        d = mix(mix(d, out), (long long)strlen(text));
        d = mix(d, lo < hi ? (long long)((hi - lo) * 1e-3) : 0);
    }
    return d;
}

static struct xyplot *shared;
static struct xyplot *second;
static bool removed;

static void *
first_thread(void *arg)
{
    (void)arg;
    removed = xyplot_remove_domain_marker(shared, XYPLOT_FOREGROUND, 2);
    return NULL;
}

static void *
second_thread(void *arg)
{
    (void)arg;
    xyplot_add_domain_marker(shared, XYPLOT_FOREGROUND, 3, "three");
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

    shared = xyplot_new(XYPLOT_VERTICAL);
    second = xyplot_new(XYPLOT_HORIZONTAL);
    assert(shared != NULL && second != NULL);
    if (strcmp(mode, "seq") == 0) {
        printf("%016llx\n", calls(shared, second, 7, 200000));
    } else if (strcmp(mode, "par") == 0) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, random_calls, &seeds[i]);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else {
        xyplot_add_domain_marker(shared, XYPLOT_FOREGROUND, 1, "one");
        xyplot_add_domain_marker(shared, XYPLOT_FOREGROUND, 2, NULL);
        pthread_create(&threads[0], NULL, first_thread, NULL);
        pthread_create(&threads[1], NULL, second_thread, NULL);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        assert(removed);
        assert(xyplot_domain_marker_count(shared, XYPLOT_FOREGROUND) == 2);
        assert(!xyplot_remove_domain_marker(shared, XYPLOT_FOREGROUND, 2));
    }
    xyplot_free(shared);
    xyplot_free(second);
    return 0;
}
