/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=burst --detect=none --runs=1500 --stop-at-first
 * BURL-WHY: Serial numbers of 16 bits, compared by their signed difference. However long a
 *   reader stands still, fewer than 32768 are given out meanwhile.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { WRITES = 512, READS = 20 };

static _Atomic uint16_t serial;

static void *
writer(void *arg)
{
    for (int i = 0; i < WRITES; i++)
        atomic_fetch_add(&serial, 1);
    return arg;
}

static void *
reader(void *arg)
{
    uint16_t last = atomic_load(&serial);

    for (int i = 0; i < READS; i++) {
        const uint16_t now = atomic_load(&serial);

        assert((int16_t)(uint16_t)(now - last) >= 0);
        last = now;
    }
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
