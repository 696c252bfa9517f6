/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-WHY: A named semaphore, opened by both sides and unlinked at once, carries the hand-over.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static sem_t *ready;
static int message;

static void *
receive(void *arg)
{
    int value;

    (void)arg;
    sem_wait(ready);
    assert(message == 17);
    sem_getvalue(ready, &value);
    assert(value == 0);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    char name[64];

    snprintf(name, sizeof name, "/burl-test-%ld", (long)getpid());
    ready = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    if (ready == SEM_FAILED) {
        perror("sem_open");
        return 2;
    }
    sem_unlink(name);
    pthread_create(&thread, NULL, receive, NULL);
    message = 17;
    sem_post(ready);
    pthread_join(thread, NULL);
    sem_close(ready);
    return 0;
}
