/* SPDX-License-Identifier: Apache-2.0 */
/* docs/programs/meet.c - a small test of the queue of examples/queue. */
#include "queue.h"
#include <assert.h>
#include <stddef.h>

static struct queue q;

static void *put(void *arg) { queue_put(&q, arg); return NULL; }
static void *take(void *arg) { *(struct job **)arg = queue_take(&q); return NULL; }

int main(void)
{
    static struct job a, b;
    struct job *got[2];
    pthread_t t[4];

    queue_init(&q, 1); /* small: full and empty happen */
    pthread_create(&t[0], NULL, put, &a);
    pthread_create(&t[1], NULL, put, &b);
    pthread_create(&t[2], NULL, take, &got[0]);
    pthread_create(&t[3], NULL, take, &got[1]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert((got[0] == &a && got[1] == &b) || (got[0] == &b && got[1] == &a));
    return 0;
}
