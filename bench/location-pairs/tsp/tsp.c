/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsp.c - the shortest round trip by branch and bound, with workers on one queue of partial tours.
 *
 * A worker takes the most promising partial tour, extends it by one city or, when few cities are
 * left, searches the rest itself, and prunes what is longer than the best round trip known.
 * The bound is read without a lock (atomically: the original has a race there) and changed under
 * one. The length found must be that of an exhaustive search.
 */
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CITIES 5
#define THREADS 3
#define MAX_TOURS 64
#define SOLVE_REST 2 /* cities left that one worker does alone */

struct tour {
    int n;
    int length;
    int city[CITIES];
};

static int distances[CITIES][CITIES];

static struct {
    pthread_mutex_t lock; /* of all below; never held together with best.lock */
    pthread_cond_t changed;
    int n;
    int busy; /* workers that may still put something in */
    struct tour tours[MAX_TOURS];
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static struct {
    pthread_mutex_t lock; /* of changes, and of city */
    atomic_int length;
    int city[CITIES];
} best = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
put_tour(const struct tour *t)
{
    pthread_mutex_lock(&queue.lock);
    assert(queue.n < MAX_TOURS);
    queue.tours[queue.n] = *t;
    queue.n++;
    pthread_cond_signal(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

/* Under queue.lock: longest first, shortest among equals. */
static int
most_promising(void)
{
    int found = 0;

    for (int i = 1; i < queue.n; i++) {
        if (queue.tours[i].n > queue.tours[found].n ||
            (queue.tours[i].n == queue.tours[found].n &&
             queue.tours[i].length < queue.tours[found].length))
            found = i;
    }
    return found;
}

/* False when there is no work left and none can come. */
static bool
take_tour(struct tour *t, bool was_busy)
{
    bool found;

    pthread_mutex_lock(&queue.lock);
    if (was_busy)
        queue.busy--;
    while (queue.n == 0 && queue.busy > 0)
        pthread_cond_wait(&queue.changed, &queue.lock);
    found = queue.n > 0;
    if (found) {
        const int i = most_promising();

        *t = queue.tours[i];
        queue.n--;
        queue.tours[i] = queue.tours[queue.n];
        queue.busy++;
    } else {
        pthread_cond_broadcast(&queue.changed);
    }
    pthread_mutex_unlock(&queue.lock);
    return found;
}

static void
offer_best(const struct tour *t, int length)
{
    if (length >= atomic_load(&best.length))
        return;
    pthread_mutex_lock(&best.lock);
    if (length < atomic_load(&best.length)) {
        atomic_store(&best.length, length);
        memcpy(best.city, t->city, sizeof best.city);
    }
    pthread_mutex_unlock(&best.lock);
}

static bool
has_city(const struct tour *t, int c)
{
    for (int i = 0; i < t->n; i++) {
        if (t->city[i] == c)
            return true;
    }
    return false;
}

static void
search_rest(struct tour *t)
{
    if (t->n == CITIES) {
        offer_best(t, t->length + distances[t->city[CITIES - 1]][t->city[0]]);
        return;
    }
    for (int c = 0; c < CITIES; c++) {
        const int step = distances[t->city[t->n - 1]][c];

        if (has_city(t, c) || t->length + step >= atomic_load(&best.length))
            continue;
        t->city[t->n++] = c;
        t->length += step;
        search_rest(t);
        t->length -= step;
        t->n--;
    }
}

static void
extend(const struct tour *t)
{
    for (int c = 0; c < CITIES; c++) {
        struct tour longer = *t;

        if (has_city(t, c))
            continue;
        longer.length += distances[t->city[t->n - 1]][c];
        longer.city[longer.n++] = c;
        if (longer.length < atomic_load(&best.length))
            put_tour(&longer);
    }
}

static void *
work(void *arg)
{
    struct tour t;
    bool busy = false;

    (void)arg;
    while (take_tour(&t, busy)) {
        busy = true;
        if (CITIES - t.n <= SOLVE_REST)
            search_rest(&t);
        else
            extend(&t);
    }
    return NULL;
}

/* All round trips, without the machinery above. */
static int
shortest(int at, unsigned visited, int length)
{
    int found = INT_MAX;

    if (visited == (1u << CITIES) - 1)
        return length + distances[at][0];
    for (int c = 1; c < CITIES; c++) {
        if (!(visited & 1u << c)) {
            const int l = shortest(c, visited | 1u << c, length + distances[at][c]);

            found = l < found ? l : found;
        }
    }
    return found;
}

int
main(void)
{
    pthread_t threads[THREADS];
    struct tour start = { .n = 1 };
    uint32_t state = 99;
    int expected;

    for (int i = 0; i < CITIES; i++) {
        for (int j = 0; j < i; j++) {
            state = state * 1664525u + 1013904223u;
            distances[i][j] = distances[j][i] = 10 + (int)(state >> 26);
        }
    }
    expected = shortest(0, 1, 0);
    atomic_init(&best.length, INT_MAX);
    put_tour(&start);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&best.length) == expected);
    return 0;
}
