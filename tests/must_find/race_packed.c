/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: In the packed record the counter straddles an eight-byte border; the other thread's
 *   status byte is its last byte.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct __attribute__((packed)) wire {
    char tag[6];
    uint32_t counter; /* bytes 6 to 9 */
    uint8_t status;
};

static _Alignas(8) union {
    struct wire wire;
    uint8_t bytes[sizeof(struct wire)];
} message;

static void *
count(void *arg)
{
    message.wire.counter = 0x01020304;
    return arg;
}

static void *
set_status(void *arg)
{
    message.bytes[offsetof(struct wire, status) - 1] = 9;
    return arg;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, set_status, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return message.bytes[6] == 4 ? 0 : 1;
}
