/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: Atomic operations of different sizes on the same bytes: a load of both counts acquires
 *   what an update of one of them has released, and a load of one what a store of both has.
 *   libstdc++'s shared_ptr reads its two counts so before it frees the object.
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
    question = 1;
    __atomic_fetch_add(&counts[1], 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&answers[1], __ATOMIC_ACQUIRE) == 0) {
    }
    return answer == 2 ? arg : NULL;
}

int
main(void)
{
    pthread_t thread;
    void *result;

    pthread_create(&thread, NULL, work, &thread);
    while (__atomic_load_n((both *)counts, __ATOMIC_ACQUIRE) == 0) {
    }
    answer = question + 1;
    __atomic_store_n((both *)answers, UINT64_MAX, __ATOMIC_RELEASE);
    pthread_join(thread, &result);
    return result != NULL ? 0 : 1;
}
