/* SPDX-License-Identifier: Apache-2.0 */
/* Threads at full speed, each at bytes of its own that lie within the same 8 bytes as the others',
 * and in blocks that are freed and given out again. Nothing is shared: there is no triple, and
 * every access of a thread is in state SCT, whatever the order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "turn.h"

#define N 4
#define ROUNDS 40000

struct mixed {
    uint8_t one;
    uint8_t two;
    uint16_t three;
    uint32_t four;
};

static uint8_t bytes[8];
static struct mixed fields;
static pthread_mutex_t locks[N];

static void *
work(void *arg)
{
    int me = *(int *)arg;

    for (int i = 0; i < ROUNDS; i++) {
        bytes[me]++;
        bytes[me + 4] = bytes[me];
        if (i % 64 == 0) {
            char *p = malloc(24);

            memset(p, me, 24);
            p[3]++;
            free(p);
        }
        if (i % 16 == 0)
            pthread_mutex_lock(&locks[me]); /* its own: the epoch moves */
        switch (me) {
        case 0:
            fields.one++;
            break;
        case 1:
            fields.two++;
            break;
        case 2:
            fields.three++;
            break;
        default:
            fields.four++;
        }
        if (i % 16 == 0)
            pthread_mutex_unlock(&locks[me]);
    }
    return NULL;
}

int
main(void)
{
    static int me[N];
    pthread_t t[N];

    for (int i = 0; i < N; i++) {
        me[i] = i;
        pthread_mutex_init(&locks[i], NULL);
    }
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, &me[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
