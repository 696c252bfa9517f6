/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbox.c - a queue of messages, and tests of it: ./inbox NAME. In version 2, inbox_size() does not
 * take the lock any more.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    int messages[16];
    int n;
} inbox = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
inbox_put(int message)
{
    pthread_mutex_lock(&inbox.lock);
    inbox.messages[inbox.n++] = message;
    pthread_mutex_unlock(&inbox.lock);
}

static int
inbox_take(void)
{
    int message = -1;

    pthread_mutex_lock(&inbox.lock);
    if (inbox.n > 0)
        message = inbox.messages[--inbox.n];
    pthread_mutex_unlock(&inbox.lock);
    return message;
}

static int
inbox_size(void)
{
#if VERSION >= 2
    return inbox.n;
#else
    pthread_mutex_lock(&inbox.lock);
    int n = inbox.n;
    pthread_mutex_unlock(&inbox.lock);
    return n;
#endif
}

static void *
sender(void *arg)
{
    inbox_put(1);
    return arg;
}

int
main(int argc, char **argv)
{
    pthread_t t;

    assert(argc == 2);
    pthread_create(&t, NULL, sender, NULL);
    if (strcmp(argv[1], "put-put") == 0)
        inbox_put(2);
    else if (strcmp(argv[1], "put-take") == 0)
        inbox_take();
    else if (strcmp(argv[1], "put-size") == 0)
        assert(inbox_size() <= 1);
    pthread_join(t, NULL);
    if (strcmp(argv[1], "put-then-size") == 0)
        assert(inbox_size() == 1);
    return 0;
}
