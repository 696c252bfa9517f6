/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: add_all() touches the list after the unlock that matches the outermost lock: the
 *   inner function kept nothing locked for it.
 */
#include <pthread.h>
#include <stddef.h>

enum { MAX = 8 };

static pthread_mutex_t mutex; /* recursive; guards list and count */
static int list[MAX];
static int count;

static void
add(int x)
{
    pthread_mutex_lock(&mutex);
    if (count < MAX)
        list[count++] = x;
    pthread_mutex_unlock(&mutex);
}

static int
add_all(int a, int b)
{
    int n;

    pthread_mutex_lock(&mutex);
    add(a);
    add(b);
    pthread_mutex_unlock(&mutex);
    n = count;
    return n;
}

static void *
run(void *arg)
{
    int n = add_all(1, 2);

    (void)arg;
    return n >= 2 ? NULL : arg;
}

int
main(void)
{
    pthread_mutexattr_t attr;
    pthread_t threads[2];

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attr);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&mutex);
    return count == 4 ? 0 : 1;
}
