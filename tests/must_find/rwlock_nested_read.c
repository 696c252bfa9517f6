/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle | deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The lock prefers writers. A reader that takes the read lock a second time queues
 *   behind the waiting writer, which waits for the reader's first lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock; /* guards the two values; prefers writers */
static int width = 2;
static int height = 3;

static int
get_width(void)
{
    int w;

    pthread_rwlock_rdlock(&lock);
    w = width;
    pthread_rwlock_unlock(&lock);
    return w;
}

static int
get_area(void)
{
    int area;

    pthread_rwlock_rdlock(&lock);
    area = get_width() * height;
    pthread_rwlock_unlock(&lock);
    return area;
}

static void *
measure(void *arg)
{
    *(int *)arg = get_area();
    return NULL;
}

static void *
resize(void *arg)
{
    (void)arg;
    pthread_rwlock_wrlock(&lock);
    width = 3;
    height = 4;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_rwlockattr_t attr;
    pthread_t reader;
    pthread_t writer;
    int area = 0;

    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attr);
    pthread_rwlockattr_destroy(&attr);
    pthread_create(&reader, NULL, measure, &area);
    pthread_create(&writer, NULL, resize, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    assert(area == 6 || area == 12);
    pthread_rwlock_destroy(&lock);
    return 0;
}
