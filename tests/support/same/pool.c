/* SPDX-License-Identifier: Apache-2.0 */
/* A pool: main queues jobs, each worker takes one when its turn comes, under the lock of the queue;
 * results are summed up. More threads follow in the places of those that ended. */
#include <stdlib.h>

#include "turn.h"

struct job {
    struct job *next;
    int n;
    int result;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *queue;
static struct job *done;
static int n_done;

static struct job *
take(void)
{
    struct job *j;

    pthread_mutex_lock(&lock);
    j = queue;
    if (j != NULL)
        queue = j->next;
    pthread_mutex_unlock(&lock);
    return j;
}

static void
finish(struct job *j)
{
    pthread_mutex_lock(&lock);
    j->next = done;
    done = j;
    n_done++;
    pthread_mutex_unlock(&lock);
}

static void *
worker(void *arg)
{
    int me = *(int *)arg;
    struct job *j;

    await_turn(me);
    for (int i = 0; i < 2 && (j = take()) != NULL; i++) {
        for (int k = 0; k < j->n; k++)
            j->result += k;
        finish(j);
    }
    give_turn(me + 1);
    return NULL;
}

static void *
late(void *arg)
{
    struct job *j = take();

    if (j != NULL) {
        j->result = *(int *)arg;
        finish(j);
    }
    return NULL;
}

int
main(void)
{
    pthread_t t[3];
    int me[3];
    int sum = 0;

    turns_init();
    for (int i = 0; i < 8; i++) {
        struct job *j = calloc(1, sizeof *j);

        j->n = i;
        j->next = queue;
        queue = j;
    }
    for (int i = 0; i < 3; i++) {
        me[i] = i;
        pthread_create(&t[i], NULL, worker, &me[i]);
    }
    give_turn(0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 3; i++)
        run_alone(late, &me[i]);
    for (struct job *j = done; j != NULL; j = j->next)
        sum += j->result;
    return sum + n_done == 0;
}
