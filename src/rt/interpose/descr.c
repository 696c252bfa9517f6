/* SPDX-License-Identifier: Apache-2.0 */
/*
 * descr.c - making, copying and closing descriptors, and locks on files.
 *
 * Runs in the target. Keeps the table of fds.c up to date: which descriptors have both ends in
 * this process. Closing is an operation that others may wait for (end of file, broken pipe).
 * Blocking file locks are taken in their non-blocking form when they are free.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "interpose_int.h"
#include "process_int.h"
#include "rt/core/sys.h"
#include "rt/free/calls.h"

static long
internal_pair(long r, const int *fds)
{
    if (r == 0) {
        burl__fd_set_internal(fds[0], true);
        burl__fd_set_internal(fds[1], true);
    }
    return r;
}

BURL_EXPORT int
pipe2(int fds[2], int flags)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_REAL(pipe2)(fds, flags);
    r = internal_pair(BURL_SYS2(SYS_pipe2, fds, flags), fds);
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
pipe(int fds[2])
{
    if (burl_self == NULL)
        return BURL_REAL(pipe)(fds);
    return pipe2(fds, 0);
}

BURL_EXPORT int
socketpair(int domain, int type, int protocol, int fds[2])
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_REAL(socketpair)(domain, type, protocol, fds);
    r = internal_pair(BURL_SYS4(SYS_socketpair, domain, type, protocol, fds), fds);
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
eventfd(unsigned int value, int flags)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_REAL(eventfd)(value, flags);
    r = BURL_SYS2(SYS_eventfd2, value, flags);
    if (r >= 0)
        burl__fd_set_internal((int)r, true);
    burl_rt_leave(t);
    return (int)burl__result(r);
}

/* ---- copying and closing ----------------------------------------------------------------- */

static long
copied(long r, int from)
{
    if (r >= 0)
        burl__fd_set_internal((int)r, burl__fd_internal(from));
    return r;
}

BURL_EXPORT int
dup(int fd)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_REAL(dup)(fd);
    r = copied(BURL_SYS1(SYS_dup, fd), fd);
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
dup2(int fd, int to)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_REAL(dup2)(fd, to);
    r = copied(BURL_SYS2(SYS_dup2, fd, to), fd);
    burl__io_changed(); /* what `to` was is closed */
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
dup3(int fd, int to, int flags)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_REAL(dup3)(fd, to, flags);
    r = copied(BURL_SYS3(SYS_dup3, fd, to, flags), fd);
    burl__io_changed();
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
close(int fd)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_FREE_OUT(fd, BURL_REAL(close)(fd));
    if (burl__fd_internal(fd))
        burl__point(t, BURL_OP_IO, (void *)(uintptr_t)(unsigned)fd, 0);
    r = BURL_SYS1(SYS_close, fd);
    burl__fd_set_internal(fd, false);
    burl__io_changed();
    burl_rt_leave(t);
    return (int)burl__result(r);
}

/* ---- locks on files ---------------------------------------------------------------------- */

/* The lock cannot be asked about, only asked for; what the kernel then gives belongs to the waiter,
 * as when it had slept in the kernel. */
static bool
check_flock(struct burl__io_wait *w)
{
    if (!w->granted) {
        w->arg[2] = BURL_SYS2(SYS_flock, w->arg[0], w->arg[1] | LOCK_NB);
        w->granted = w->arg[2] != -EWOULDBLOCK;
    }
    return w->granted;
}

BURL_EXPORT int
flock(int fd, int what)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl__io_wait w = { .check = check_flock, .external = true };
    struct burl_op op;
    long r;

    if (t == NULL) {
        if ((what & LOCK_UN) != 0)
            return BURL_FREE_OUT(fd, BURL_REAL(flock)(fd, what));
        return (int)BURL_FREE_IN(fd, BURL_REAL(flock)(fd, what));
    }
    op = burl__op(t, BURL_OP_IO, (void *)(uintptr_t)(unsigned)fd, 0);
    if ((what & (LOCK_NB | LOCK_UN)) != 0) {
        burl__poll_point(t, &op);
        r = BURL_SYS2(SYS_flock, fd, what);
    } else {
        w.arg[0] = fd;
        w.arg[1] = what;
        r = burl__io_wait(t, &w, &op, BURL_TIME_NEVER);
        if (r == 0)
            r = w.arg[2];
    }
    burl__io_changed();
    burl_rt_leave(t);
    return (int)burl__result(r);
}

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
    struct burl_op op = burl__op(t, BURL_OP_IO, (void *)(uintptr_t)(unsigned)fd, 0);
    long r;

    if (lock->l_type == F_UNLCK)
        burl__point(t, BURL_OP_IO, (void *)(uintptr_t)(unsigned)fd, 0);
    do {
        if (lock->l_type != F_UNLCK) {
            r = burl__io_wait(t, &w, &op, BURL_TIME_NEVER);
            if (r < 0)
                return r;
        }
        r = BURL_SYS3(SYS_fcntl, fd, cmd == F_SETLKW ? F_SETLK : F_OFD_SETLK, lock);
    } while (r == -EAGAIN || r == -EACCES);
    burl__io_changed();
    return r;
}

static int
control_free(int fd, int cmd, long arg)
{
    bool locks = cmd == F_SETLK || cmd == F_SETLKW || cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW;
    long r;

    if (locks && ((const struct flock *)arg)->l_type == F_UNLCK)
        burl_free_fd_out(fd);
    r = BURL_SYS3(SYS_fcntl, fd, cmd, arg);
    if (locks && r == 0)
        burl_free_fd_in(fd);
    return (int)burl__result(r);
}

static int
control(int fd, int cmd, long arg)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_op op;
    long r;

    if (t == NULL)
        return control_free(fd, cmd, arg);
    switch (cmd) {
    case F_SETLKW:
    case F_OFD_SETLKW:
        r = record_lock(t, fd, cmd, (const struct flock *)arg);
        break;
    case F_SETLK:
    case F_OFD_SETLK:
        op = burl__op(t, BURL_OP_IO, (void *)(uintptr_t)(unsigned)fd, 0);
        burl__poll_point(t, &op);
        r = BURL_SYS3(SYS_fcntl, fd, cmd, arg);
        burl__io_changed();
        break;
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        r = copied(BURL_SYS3(SYS_fcntl, fd, cmd, arg), fd);
        break;
    default:
        r = BURL_SYS3(SYS_fcntl, fd, cmd, arg);
    }
    burl_rt_leave(t);
    return (int)burl__result(r);
}

/* libc's own fcntl does nothing else in the uncontrolled case, save being a cancellation point
 * for lock waits, so that there is no need for the original. */
BURL_EXPORT int
fcntl(int fd, int cmd, ...)
{
    va_list ap;
    long arg;

    va_start(ap, cmd);
    arg = va_arg(ap, long);
    va_end(ap);
    return control(fd, cmd, arg);
}

BURL_EXPORT int
fcntl64(int fd, int cmd, ...)
{
    va_list ap;
    long arg;

    va_start(ap, cmd);
    arg = va_arg(ap, long);
    va_end(ap);
    return control(fd, cmd, arg);
}
