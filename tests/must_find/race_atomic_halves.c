/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The store of one count does not publish what an update of its neighbor has released
 *   later: the question is written between the two.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t both __attribute__((may_alias));

static uint32_t counts[2] __attribute__((aligned(8)));
static uint32_t answers[2] __attribute__((aligned(8)));
static int question, answer;

static void *
work(void *arg)
{
    __atomic_store_n(&counts[0], 1, __ATOMIC_RELEASE);
    question = 1;
    __atomic_fetch_add(&counts[1], 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&answers[1], __ATOMIC_ACQUIRE) == 0) {
    }
    return answer > 0 ? arg : NULL;
}

int
main(void)
{
    pthread_t thread;
    void *result;

    pthread_create(&thread, NULL, work, &thread);
    while (__atomic_load_n(&counts[0], __ATOMIC_ACQUIRE) == 0) {
    }
    answer = question + 1;
    __atomic_store_n((both *)answers, UINT64_MAX, __ATOMIC_RELEASE);
    pthread_join(thread, &result);
    return result != NULL ? 0 : 1;
}
