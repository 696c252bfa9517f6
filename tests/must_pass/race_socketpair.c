/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The pointer travels through a socket and the object with it; the sender lets go of
 *   it.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct answer {
    int code;
    int length;
};

static int ends[2];

static void *
reply(void *arg)
{
    struct answer *a = arg;

    a->code = 200;
    a->length = 11;
    if (write(ends[1], &a, sizeof a) != (ssize_t)sizeof a)
        return NULL;
    return NULL;
}

int
main(void)
{
    struct answer *own = calloc(1, sizeof *own);
    struct answer *got = NULL;
    pthread_t thread;
    int sum = 0;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 2;
    pthread_create(&thread, NULL, reply, own);
    if (read(ends[0], &got, sizeof got) == (ssize_t)sizeof got)
        sum = got->code + got->length;
    pthread_join(thread, NULL);
    free(own);
    close(ends[0]);
    close(ends[1]);
    return sum == 200 || sum == 211 ? 0 : 1;
}
