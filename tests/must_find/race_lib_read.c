/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The kernel writes into the buffer, at the command of one thread, while another looks
 *   at it.
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static char buffer[8];

static void *
receive(void *arg)
{
    char *own = buffer;

    if (read(ends[0], own, 4) != 4)
        return arg;
    return own[0] == 'd' ? NULL : arg;
}

static void *
look(void *arg)
{
    int *first = arg;

    *first = buffer[0];
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int first = 0;

    if (pipe(ends) != 0 || write(ends[1], "data", 4) != 4)
        return 2;
    pthread_create(&threads[0], NULL, receive, NULL);
    pthread_create(&threads[1], NULL, look, &first);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    close(ends[0]);
    close(ends[1]);
    return first == 0 || first == 'd' ? 0 : 1;
}
