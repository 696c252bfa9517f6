/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of all sizes that overlap in part, within 8 bytes and across their borders; every byte
 * has a history of its own. */
#include <stdint.h>
#include <string.h>

#include "turn.h"

static union {
    uint8_t b[32];
    uint16_t h[16];
    uint32_t w[8];
    uint64_t d[4];
} u;

struct __attribute__((packed)) odd {
    uint8_t lead;
    uint64_t eight;
    uint32_t four;
    uint16_t two;
};

static struct odd o;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
bytes(void *arg)
{
    (void)arg;
    await_turn(0);
    for (int i = 0; i < 13; i++)
        u.b[i] = (uint8_t)i;
    o.eight = 1;
    o.lead++;
    give_turn(1);
    await_turn(3);
    u.b[2]++;
    u.w[1] = u.b[7];
    pthread_mutex_lock(&lock);
    u.b[5] = 1;
    u.h[4] = 2;
    pthread_mutex_unlock(&lock);
    o.two = 3;
    give_turn(4);
    return NULL;
}

static void *
words(void *arg)
{
    (void)arg;
    await_turn(1);
    u.w[0] += u.h[1];
    u.d[1] = 5;
    o.four = (uint32_t)o.eight;
    give_turn(2);
    await_turn(4);
    u.d[0] = u.d[0] + u.b[9];
    pthread_mutex_lock(&lock);
    u.h[2] = 2;
    u.w[2]++;
    pthread_mutex_unlock(&lock);
    o.lead = 0;
    give_turn(5);
    return NULL;
}

static void *
halves(void *arg)
{
    (void)arg;
    await_turn(2);
    u.h[0] = 1;
    u.h[3] = 2;
    o.two = (uint16_t)o.four;
    give_turn(3);
    await_turn(5);
    u.b[1] = u.b[6];
    u.d[0]++;
    o.eight = o.two + o.lead;
    return NULL;
}

int
main(void)
{
    void *(*const start[3])(void *) = { bytes, words, halves };
    pthread_t t[3];

    turns_init();
    u.d[2] = 9;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, start[i], NULL);
    give_turn(0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return u.d[0] + u.d[1] + o.eight == 0;
}
