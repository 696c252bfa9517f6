/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-WHY: An event loop waits in poll() for two pipes that two threads write to; a poll that
 *   times out is simply repeated.
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { N_SOURCES = 2, N_BYTES = 2 };

static int ends[N_SOURCES][2];

static void *
source(void *arg)
{
    const int *pair = arg;

    for (int i = 0; i < N_BYTES; i++) {
        ssize_t n = write(pair[1], "x", 1);

        assert(n == 1);
    }
    close(pair[1]);
    return NULL;
}

int
main(void)
{
    struct pollfd fds[N_SOURCES];
    pthread_t threads[N_SOURCES];
    int n_bytes = 0;
    int n_open = N_SOURCES;

    for (int i = 0; i < N_SOURCES; i++) {
        if (pipe(ends[i]) != 0)
            return 2;
        fds[i] = (struct pollfd){ .fd = ends[i][0], .events = POLLIN };
    }
    for (int i = 0; i < N_SOURCES; i++)
        pthread_create(&threads[i], NULL, source, ends[i]);
    while (n_open > 0) {
        int n_ready = poll(fds, N_SOURCES, 1000);

        assert(n_ready >= 0);
        for (int i = 0; i < N_SOURCES; i++) {
            char c;

            if (fds[i].fd < 0 || (fds[i].revents & (POLLIN | POLLHUP)) == 0)
                continue;
            if (read(fds[i].fd, &c, 1) == 1) {
                n_bytes++;
            } else {
                close(fds[i].fd);
                fds[i].fd = -1;
                n_open--;
            }
        }
    }
    for (int i = 0; i < N_SOURCES; i++)
        pthread_join(threads[i], NULL);
    assert(n_bytes == N_SOURCES * N_BYTES);
    return 0;
}
