/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pipe pipe2 read write readv writev close dup dup2 dup3 fcntl fcntl64
 * BURL-WHY: a read that needs another thread to write, and a write that needs another thread to
 *   make room: each would stop every fiber if it reached the kernel.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define BIG (300 * 1000)
#define PIECE 7000
#define PERIOD 251 /* of the bytes sent; a prime, so that a piece in the wrong place is seen */

static int p[2];
static int back[2];
static char big[BIG];

static void *
echo(void *arg)
{
    char buf[3];

    (void)arg;
    assert(read(p[0], buf, 3) == 3);
    assert(memcmp(buf, "abc", 3) == 0);
    assert(write(back[1], "de", 2) == 2);
    return NULL;
}

static void
ping_pong(void)
{
    char a[1];
    char b[1];
    struct iovec out[2] = { { "a", 1 }, { "bc", 2 } };
    struct iovec in[2] = { { a, 1 }, { b, 1 } };
    pthread_t t;

    assert(pthread_create(&t, NULL, echo, NULL) == 0);
    assert(writev(p[1], out, 2) == 3);
    assert(readv(back[0], in, 2) == 2);
    assert(a[0] == 'd' && b[0] == 'e');
    assert(pthread_join(t, NULL) == 0);
}

static void *
drain(void *arg)
{
    static char buf[PIECE];
    size_t n = 0;
    ssize_t r;

    while ((r = read(p[0], buf, sizeof buf)) > 0) {
        assert(memcmp(buf, big + n % PERIOD, (size_t)r) == 0);
        n += (size_t)r;
    }
    assert(r == 0);
    *(size_t *)arg = n;
    return NULL;
}

static void
larger_than_the_pipe(void)
{
    struct iovec out[2] = { { big, BIG / 2 }, { big + BIG / 2, BIG - BIG / 2 } };
    size_t n = 0;
    pthread_t t;

    for (size_t i = 0; i < PERIOD; i++)
        big[i] = (char)i;
    /* Whole pieces and not bytes: each byte would be a step, six hundred thousand of them. */
    for (size_t n_set = PERIOD; n_set < sizeof big; n_set += PERIOD)
        memcpy(big + n_set, big, sizeof big - n_set < PERIOD ? sizeof big - n_set : PERIOD);
    assert(pthread_create(&t, NULL, drain, &n) == 0);
    assert(writev(p[1], out, 2) == BIG);
    assert(close(p[1]) == 0); /* ends the reader */
    assert(pthread_join(t, NULL) == 0);
    assert(n == BIG);
}

static void
copies(void)
{
    int q[2];
    int d[3];
    char c;

    assert(pipe2(q, O_NONBLOCK | O_CLOEXEC) == 0);
    assert(read(q[0], &c, 1) == -1 && errno == EAGAIN);
    d[0] = dup(q[1]);
    d[1] = dup2(q[1], 50);
    d[2] = dup3(q[1], 51, O_CLOEXEC);
    assert(d[0] > 2 && d[1] == 50 && d[2] == 51);
    assert(fcntl(51, F_GETFD) == FD_CLOEXEC);
    assert(fcntl(q[1], F_DUPFD, 60) >= 60);
    assert((fcntl64(q[1], F_GETFL) & O_NONBLOCK) != 0);
    for (int i = 0; i < 3; i++)
        assert(write(d[i], "x", 1) == 1);
    for (int i = 0; i < 3; i++)
        assert(read(q[0], &c, 1) == 1);
    assert(close(q[0]) == 0);
    assert(write(q[1], "x", 1) == -1 && errno == EPIPE);
    assert(close(1000000) == -1 && errno == EBADF);
}

int
main(void)
{
    signal(SIGPIPE, SIG_IGN);
    assert(pipe(p) == 0 && pipe2(back, O_CLOEXEC) == 0);
    ping_pong();
    larger_than_the_pipe();
    copies();
    return 0;
}
