/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The reader blocks until the event has come: the result was written before.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event;
static int result;

static void *
work(void *arg)
{
    uint64_t one = 1;

    (void)arg;
    result = 9;
    if (write(event, &one, sizeof one) != sizeof one)
        return NULL;
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    uint64_t n = 0;
    int seen;

    event = eventfd(0, 0);
    pthread_create(&thread, NULL, work, NULL);
    if (read(event, &n, sizeof n) != sizeof n)
        n = 0;
    seen = result;
    pthread_join(thread, NULL);
    close(event);
    return seen == 9 || seen == 0 ? 0 : 1;
}
