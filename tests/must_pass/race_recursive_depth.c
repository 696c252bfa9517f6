/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The outermost unlock comes last.
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
    n = count;
    pthread_mutex_unlock(&mutex);
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
