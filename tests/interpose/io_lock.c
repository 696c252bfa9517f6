/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: flock fcntl
 * BURL-WHY: two open files of one process exclude each other, and the one that waits must not
 *   stop the one that has the lock.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of the descriptor in /proc: the file has no name, so no execution leaves one behind. */
static char path[40];
static int inside;

static void *
by_flock(void *arg)
{
    int fd = open(path, O_RDWR);

    assert(fd >= 0);
    for (int i = 0; i < 2; i++) {
        assert(flock(fd, LOCK_EX) == 0);
        assert(++inside == 1);
        sched_yield();
        inside--;
        assert(flock(fd, LOCK_UN) == 0);
    }
    assert(close(fd) == 0);
    return arg;
}

static void *
by_record(void *arg)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = open(path, O_RDWR);

    assert(fd >= 0);
    assert(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
    assert(++inside == 1);
    sched_yield();
    inside--;
    lock.l_type = F_UNLCK;
    assert(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
    assert(close(fd) == 0);
    return arg;
}

static void
two_of(void *(*start)(void *))
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        assert(pthread_create(&t[i], NULL, start, NULL) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(t[i], NULL) == 0);
}

int
main(void)
{
    int fd = memfd_create("lock", 0);
    int other;

    assert(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert(flock(fd, LOCK_EX) == 0);
    other = open(path, O_RDWR);
    assert(flock(other, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    assert(close(other) == 0);
    assert(flock(fd, LOCK_UN) == 0);
    two_of(by_flock);
    two_of(by_record);
    assert(close(fd) == 0);
    return 0;
}
