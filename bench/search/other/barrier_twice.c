/* SPDX-License-Identifier: Apache-2.0 */
/*
 * barrier_twice.c - a barrier made of a count and a condition, used for two phases. It opens
 * when the count is full, and the last to leave resets it: a fast thread comes round to
 * the second phase while the first is still open, and goes straight through. FIXED: phases
 * are numbered.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { THREADS = 3, PHASES = 2 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t open;
    int arrived;
    int left;
    unsigned phase;
} barrier = { .lock = PTHREAD_MUTEX_INITIALIZER, .open = PTHREAD_COND_INITIALIZER };

static pthread_mutex_t step_lock = PTHREAD_MUTEX_INITIALIZER;
static int n_steps[PHASES];

static void
barrier_wait(void)
{
    pthread_mutex_lock(&barrier.lock);
#ifdef FIXED
    unsigned phase = barrier.phase;

    if (++barrier.arrived == THREADS) {
        barrier.arrived = 0;
        barrier.phase++;
        pthread_cond_broadcast(&barrier.open);
    }
    while (phase == barrier.phase)
        pthread_cond_wait(&barrier.open, &barrier.lock);
#else
    if (++barrier.arrived == THREADS)
        pthread_cond_broadcast(&barrier.open);
    while (barrier.arrived < THREADS)
        pthread_cond_wait(&barrier.open, &barrier.lock);
    if (++barrier.left == THREADS) {
        barrier.left = 0;
        barrier.arrived = 0;
    }
#endif
    pthread_mutex_unlock(&barrier.lock);
}

static void
step(int phase)
{
    pthread_mutex_lock(&step_lock);
    assert(phase == 0 || n_steps[phase - 1] == THREADS);
    n_steps[phase]++;
    pthread_mutex_unlock(&step_lock);
}

static void *
worker(void *arg)
{
    for (int phase = 0; phase < PHASES; phase++) {
        step(phase);
        barrier_wait();
    }
    return arg;
}

int
main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
