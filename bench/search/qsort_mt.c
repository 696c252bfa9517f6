/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qsort_mt.c - Inspect qsort_mt: the multithreaded quicksort of the BSDs.
 *
 * A pool of threads; one that has split its part gives half to an idle one. The state of a thread
 * has a lock, but the giver of work writes the state before taking that lock. A thread that has
 * just finished, and is not asleep yet, sees the new state and sorts its old part again; the new
 * one is lost or not sorted. When all are idle the last one ends the others.
 * FIXED: the state is written with its lock held, after the part.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { THREADS = 3, ELEMENTS = 16, SMALL = 3 };

enum state { IDLE, WORK, TERM };

struct pool;

struct worker {
    struct pool *pool;
    pthread_t thread;
    pthread_mutex_t state_lock;
    pthread_cond_t state_changed;
    enum state state;
    int *part;
    int n;
};

struct pool {
    pthread_mutex_t lock; /* of n_idle, and of finding an idle one */
    int n_idle;
    struct worker workers[THREADS];
};

static void
swap(int *a, int *b)
{
    int t = *a;

    *a = *b;
    *b = t;
}

static void
insertion_sort(int *part, int n)
{
    for (int i = 1; i < n; i++) {
        for (int j = i; j > 0 && part[j - 1] > part[j]; j--)
            swap(&part[j - 1], &part[j]);
    }
}

/* Where the two halves meet; both are smaller than the whole. */
static int
split(int *part, int n)
{
    int pivot = part[n / 2];
    int i = 0;
    int j = n - 1;

    for (;;) {
        while (part[i] < pivot)
            i++;
        while (part[j] > pivot)
            j--;
        if (i >= j)
            break;
        swap(&part[i], &part[j]);
        i++;
        j--;
    }
    return i > 0 && i < n ? i : 1;
}

/* An idle thread, with its state lock held; NULL when all work. */
static struct worker *
take_idle(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < THREADS; i++) {
        struct worker *w = &p->workers[i];

#ifdef FIXED
        pthread_mutex_lock(&w->state_lock);
        if (w->state == IDLE) {
            p->n_idle--;
            pthread_mutex_unlock(&p->lock);
            return w;
        }
        pthread_mutex_unlock(&w->state_lock);
#else
        if (w->state == IDLE) {
            p->n_idle--;
            w->state = WORK;
            pthread_mutex_lock(&w->state_lock);
            pthread_mutex_unlock(&p->lock);
            return w;
        }
#endif
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Gives a part to a thread that take_idle() has returned. */
static void
hand_over(struct worker *w, int *part, int n)
{
    w->part = part;
    w->n = n;
#ifdef FIXED
    w->state = WORK;
#endif
    pthread_cond_signal(&w->state_changed);
    pthread_mutex_unlock(&w->state_lock);
}

static void
sort_part(struct pool *p, int *part, int n)
{
    while (n > SMALL) {
        int at = split(part, n);
        struct worker *helper = take_idle(p);

        if (helper)
            hand_over(helper, part, at);
        else
            sort_part(p, part, at);
        part += at;
        n -= at;
    }
    insertion_sort(part, n);
}

/* Is the whole array sorted? Then the others end. */
static int
finished(struct worker *me)
{
    struct pool *p = me->pool;
    int all;

    pthread_mutex_lock(&p->lock);
#ifdef FIXED
    pthread_mutex_lock(&me->state_lock);
    me->state = IDLE;
    pthread_mutex_unlock(&me->state_lock);
#else
    me->state = IDLE;
#endif
    p->n_idle++;
    all = p->n_idle == THREADS;
    for (int i = 0; all && i < THREADS; i++) {
        struct worker *w = &p->workers[i];

        if (w == me)
            continue;
        pthread_mutex_lock(&w->state_lock);
        w->state = TERM;
        pthread_cond_signal(&w->state_changed);
        pthread_mutex_unlock(&w->state_lock);
    }
    pthread_mutex_unlock(&p->lock);
    return all;
}

static void *
worker_main(void *arg)
{
    struct worker *me = arg;

    for (;;) {
        enum state state;
        int *part;
        int n;

        pthread_mutex_lock(&me->state_lock);
        while (me->state == IDLE)
            pthread_cond_wait(&me->state_changed, &me->state_lock);
        state = me->state;
        part = me->part;
        n = me->n;
        pthread_mutex_unlock(&me->state_lock);
        if (state == TERM)
            return NULL;
        assert(state == WORK);
        sort_part(me->pool, part, n);
        if (finished(me))
            return NULL;
    }
}

static void
sort(int *array, int n)
{
    struct pool *p = calloc(1, sizeof *p);
    struct worker *first;

    pthread_mutex_init(&p->lock, NULL);
    p->n_idle = THREADS;
    for (int i = 0; i < THREADS; i++) {
        p->workers[i].pool = p;
        pthread_mutex_init(&p->workers[i].state_lock, NULL);
        pthread_cond_init(&p->workers[i].state_changed, NULL);
        pthread_create(&p->workers[i].thread, NULL, worker_main, &p->workers[i]);
    }
    first = take_idle(p);
    hand_over(first, array, n);
    for (int i = 0; i < THREADS; i++)
        pthread_join(p->workers[i].thread, NULL);
    free(p);
}

int
main(void)
{
    int array[ELEMENTS];

    for (int i = 0; i < ELEMENTS; i++)
        array[i] = i * 7 % ELEMENTS;
    sort(array, ELEMENTS);
    for (int i = 1; i < ELEMENTS; i++)
        assert(array[i - 1] <= array[i]);
    return 0;
}
