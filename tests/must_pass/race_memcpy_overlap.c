/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The two parts of the packet lie next to each other and do not overlap.
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
    memcpy(packet, "MAGIC1", HEADER);
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
