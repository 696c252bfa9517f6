/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Main takes the locks in one order while a thread takes them in the other.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void
a_then_b(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}

static void
b_then_a(void)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    n++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
}

static void *
work(void *arg)
{
    (void)arg;
    a_then_b();
    return NULL;
}

int
main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    b_then_a();
    pthread_join(thread, NULL);
    return n >= 2 ? 0 : 1;
}
