/* SPDX-License-Identifier: Apache-2.0 */
/*
 * descr.c - making, copying and closing descriptors, and locks on files.
 *
 * Keeps the table of fds.c up to date: which descriptors have both ends in this process. Closing is
 * an operation that others may wait for (end of file, broken pipe). Blocking file locks are taken
 * in their non-blocking form when they are free.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "interpose_int.h"

static long
internal_pair(long r, const int *fds)
{
    if (r == 0) {
        burl__fd_set_internal(fds[0], true);
        burl__fd_set_internal(fds[1], true);
    }
    return r;
}

static long
internal_one(long r)
{
    if (r >= 0)
        burl__fd_set_internal((int)r, true);
    return r;
}

BURL_INTERPOSE_SYS(int pipe2(int fds[2], int flags), BURL_REAL(pipe2)(fds, flags),
                   internal_pair(BURL_SYS2(SYS_pipe2, fds, flags), fds))
BURL_INTERPOSE_SYS(int pipe(int fds[2]), BURL_REAL(pipe)(fds),
                   internal_pair(BURL_SYS2(SYS_pipe2, fds, 0), fds))
BURL_INTERPOSE_SYS(int socketpair(int domain, int type, int protocol, int fds[2]),
                   BURL_REAL(socketpair)(domain, type, protocol, fds),
                   internal_pair(BURL_SYS4(SYS_socketpair, domain, type, protocol, fds), fds))
BURL_INTERPOSE_SYS(int eventfd(unsigned int value, int flags), BURL_REAL(eventfd)(value, flags),
                   internal_one(BURL_SYS2(SYS_eventfd2, value, flags)))

/* ---- copying and closing ----------------------------------------------------------------- */

static long
copy_result(long r, int from)
{
    if (r >= 0)
        burl__fd_set_internal((int)r, burl__fd_internal(from));
    return r;
}

static long
close_fd(struct burl_thread *t, int fd)
{
    struct burl_op op = burl__io_op(t, fd, 0);
    long r;

    if (burl__fd_internal(fd))
        burl_sched_point(t, &op);
    r = BURL_SYS1(SYS_close, fd);
    burl__fd_set_internal(fd, false);
    return burl__io_result(r);
}

BURL_INTERPOSE_SYS(int dup(int fd), BURL_REAL(dup)(fd), copy_result(BURL_SYS1(SYS_dup, fd), fd))
/* What the new number was is closed. */
BURL_INTERPOSE_SYS(int dup2(int fd, int to), BURL_REAL(dup2)(fd, to),
                   burl__io_result(copy_result(BURL_SYS2(SYS_dup2, fd, to), fd)))
BURL_INTERPOSE_SYS(int dup3(int fd, int to, int flags), BURL_REAL(dup3)(fd, to, flags),
                   burl__io_result(copy_result(BURL_SYS3(SYS_dup3, fd, to, flags), fd)))
BURL_INTERPOSE_SYS(int close(int fd), BURL_FREE_OUT(fd, BURL_REAL(close)(fd)), close_fd(t, fd))

/* ---- locks on files ---------------------------------------------------------------------- */

/* The kernel cannot say whether the lock is free; it can only be tried. The result of the attempt,
 * in arg[2], is the waiter's, as when it had slept in the kernel. */
static bool
check_flock(struct burl__io_wait *w)
{
    if (w->arg[2] == -EWOULDBLOCK)
        w->arg[2] = BURL_SYS2(SYS_flock, w->arg[0], w->arg[1] | LOCK_NB);
    return w->arg[2] != -EWOULDBLOCK;
}

static long
lock_file(struct burl_thread *t, int fd, int what)
{
    struct burl__io_wait w = { .check = check_flock,
                               .external = true,
                               .arg = { fd, what, -EWOULDBLOCK } };
    struct burl_op op = burl__io_op(t, fd, 0);
    long r;

    if ((what & (LOCK_NB | LOCK_UN)) != 0) {
        burl__poll_point(t, &op);
        r = BURL_SYS2(SYS_flock, fd, what);
    } else {
        r = burl__io_wait(t, &w, &op, BURL_TIME_NEVER);
        if (r == 0)
            r = w.arg[2];
    }
    return burl__io_result(r);
}

BURL_INTERPOSE_SYS(int flock(int fd, int what),
                   (what & LOCK_UN) != 0 ? BURL_FREE_OUT(fd, BURL_REAL(flock)(fd, what))
                                         : BURL_FREE_IN(fd, BURL_REAL(flock)(fd, what)),
                   lock_file(t, fd, what))

static bool
check_record_lock(struct burl__io_wait *w)
{
    struct flock probe = *(const struct flock *)w->arg[1];
    bool ofd = w->arg[2] == F_OFD_SETLKW;

    return BURL_SYS3(SYS_fcntl, w->arg[0], ofd ? F_OFD_GETLK : F_GETLK, &probe) < 0 ||
           probe.l_type == F_UNLCK;
}

static long
record_lock(struct burl_thread *t, int fd, int cmd, const struct flock *lock)
{
    struct burl__io_wait w = { .check = check_record_lock,
                               .external = true,
                               .arg = { fd, (long)lock, cmd } };
    struct burl_op op = burl__io_op(t, fd, 0);
    long r;

    if (lock->l_type == F_UNLCK)
        burl_sched_point(t, &op);
    do {
        if (lock->l_type != F_UNLCK) {
            r = burl__io_wait(t, &w, &op, BURL_TIME_NEVER);
            if (r < 0)
                return r;
        }
        r = BURL_SYS3(SYS_fcntl, fd, cmd == F_SETLKW ? F_SETLK : F_OFD_SETLK, lock);
    } while (r == -EAGAIN || r == -EACCES);
    return burl__io_result(r);
}

static long
control_free(int fd, int cmd, long arg)
{
    bool locks = cmd == F_SETLK || cmd == F_SETLKW || cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW;
    long r;

    if (locks && ((const struct flock *)arg)->l_type == F_UNLCK)
        burl_free_fd_out(fd);
    r = BURL_SYS3(SYS_fcntl, fd, cmd, arg);
    if (locks && r == 0)
        burl_free_fd_in(fd);
    return burl__result(r);
}

static long
control_fd(struct burl_thread *t, int fd, int cmd, long arg)
{
    switch (cmd) {
    case F_SETLKW:
    case F_OFD_SETLKW:
        return record_lock(t, fd, cmd, (const struct flock *)arg);
    case F_SETLK:
    case F_OFD_SETLK:
        burl__io_poll_point(t, fd, 0);
        return burl__io_result(BURL_SYS3(SYS_fcntl, fd, cmd, arg));
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        return copy_result(BURL_SYS3(SYS_fcntl, fd, cmd, arg), fd);
    default:
        return BURL_SYS3(SYS_fcntl, fd, cmd, arg);
    }
}

/* libc's own fcntl does nothing else in the uncontrolled case, save being a cancellation point
 * for lock waits, so that there is no need for the original. */
BURL_EXPORT int
fcntl(int fd, int cmd, ...)
{
    struct burl_thread *t = burl_rt_enter();
    va_list ap;
    long arg;
    long r;

    va_start(ap, cmd);
    arg = va_arg(ap, long);
    va_end(ap);
    if (t == NULL)
        return (int)control_free(fd, cmd, arg);
    r = control_fd(t, fd, cmd, arg);
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int fcntl64(int fd, int cmd, ...) __attribute__((alias("fcntl")));
