/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Two threads assemble one packet by memcpy; the header is one byte longer than the
 *   payload's offset allows for.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { HEADER = 5, PAYLOAD = 8 };

static char packet[HEADER + PAYLOAD];

static void *
put_header(void *arg)
{
    (void)arg;
    memcpy(packet, "MAGIC1", HEADER + 1);
    return NULL;
}

static void *
put_payload(void *arg)
{
    (void)arg;
    memcpy(packet + HEADER, "payload!", PAYLOAD);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, put_header, NULL);
    pthread_create(&threads[1], NULL, put_payload, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return packet[0] == 'M' ? 0 : 1;
}
