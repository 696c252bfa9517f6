/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2009_3547.c - ConVul: a pipe is opened through its inode while its last user closes it.
 *
 * The open takes the lock of the inode, but does not look whether the pipe is still there: a null
 * dereference. FIXED: it looks.
 */
#include <pthread.h>
#include <stdlib.h>

struct pipe {
    int readers;
    int writers;
};

static struct {
    pthread_mutex_t lock;
    struct pipe *pipe;
} inode = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *
open_again(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&inode.lock);
#ifdef FIXED
    if (inode.pipe == NULL) {
        pthread_mutex_unlock(&inode.lock);
        return NULL;
    }
#endif
    inode.pipe->readers++;
    inode.pipe->readers--;
    pthread_mutex_unlock(&inode.lock);
    return NULL;
}

static void *
release(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&inode.lock);
    inode.pipe->readers--;
    if (inode.pipe->readers == 0 && inode.pipe->writers == 0) {
        free(inode.pipe);
        inode.pipe = NULL;
    }
    pthread_mutex_unlock(&inode.lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    inode.pipe = calloc(1, sizeof *inode.pipe);
    inode.pipe->readers = 1;
    pthread_create(&threads[0], NULL, open_again, NULL);
    pthread_create(&threads[1], NULL, release, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
