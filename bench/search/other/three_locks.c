/* SPDX-License-Identifier: Apache-2.0 */
/*
 * three_locks.c - parent, child and sibling of a tree of windows lock each other in a cycle
 * of three, one step each, and each pair of them has an order that is right. Deep inside
 * other work under a common lock. FIXED: the third follows the order too.
 */
#include <pthread.h>
#include <stddef.h>

enum { ROUNDS = 3 };

static pthread_mutex_t window[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t screen = PTHREAD_MUTEX_INITIALIZER;
static int drawn;

static void
draw(void)
{
    pthread_mutex_lock(&screen);
    drawn++;
    pthread_mutex_unlock(&screen);
}

static void
move_together(int a, int b)
{
    pthread_mutex_lock(&window[a]);
    draw();
    pthread_mutex_lock(&window[b]);
    draw();
    pthread_mutex_unlock(&window[b]);
    pthread_mutex_unlock(&window[a]);
}

static void *
mover(void *arg)
{
    int me = *(int *)arg;

    for (int i = 0; i < ROUNDS; i++) {
        draw();
        if (me < 2)
            move_together(me, me + 1);
        else if (i == ROUNDS - 1)
#ifdef FIXED
            move_together(0, 2);
#else
            move_together(2, 0);
#endif
    }
    return NULL;
}

int
main(void)
{
    static int names[3] = { 0, 1, 2 };
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, mover, &names[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return drawn > 0 ? 0 : 1;
}
