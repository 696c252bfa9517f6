/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-WHY: A request and its answer travel over a socket pair; each side blocks only for data
 *   that will come.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

enum { N_REQUESTS = 3 };

static void *
serve(void *arg)
{
    int fd = *(int *)arg;
    int x;

    while (recv(fd, &x, sizeof x, MSG_WAITALL) == (ssize_t)sizeof x) {
        x *= x;
        assert(send(fd, &x, sizeof x, 0) == (ssize_t)sizeof x);
    }
    close(fd);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return 2;
    pthread_create(&thread, NULL, serve, &fds[1]);
    for (int i = 1; i <= N_REQUESTS; i++) {
        int x = i;
        ssize_t n = send(fds[0], &x, sizeof x, 0);

        assert(n == (ssize_t)sizeof x);
        n = recv(fds[0], &x, sizeof x, MSG_WAITALL);
        assert(n == (ssize_t)sizeof x);
        assert(x == i * i);
    }
    shutdown(fds[0], SHUT_WR);
    pthread_join(thread, NULL);
    close(fds[0]);
    return 0;
}
