/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The consumer peeks at the length outside the spin lock to save the trouble of taking
 *   it.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t spin; /* guards ring, head and length */
static int ring[4];
static int head;
static int length;

static void *
produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 2; i++) {
        pthread_spin_lock(&spin);
        ring[(head + length) % 4] = i;
        length++;
        pthread_spin_unlock(&spin);
    }
    return NULL;
}

static void *
consume(void *arg)
{
    int *got = arg;

    for (int i = 0; i < 3; i++) {
        if (length == 0)
            continue;
        pthread_spin_lock(&spin);
        if (length > 0) {
            *got += ring[head];
            head = (head + 1) % 4;
            length--;
        }
        pthread_spin_unlock(&spin);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int got = 0;

    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, consume, &got);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_spin_destroy(&spin);
    return got <= 3 ? 0 : 1;
}
