/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io.c - reading, writing, sending, receiving, connecting: calls that may block on one descriptor.
 *
 * See fds.c for the method. Regular files never block and go straight to the kernel, as do
 * descriptors in non-blocking mode after a scheduling point. Writes imitate the kernel's blocking
 * write: everything is written, in portions when there is no room for all. The inherited stdout and
 * stderr go straight too: their readers are not part of the program.
 *
 * Not seen: stdio's own reads and writes, which libc makes inside itself, and open() of a FIFO,
 * sendfile, splice (docs/explain/limits.md).
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "interpose_int.h"

#define PIPE_ATOMIC 4096u /* the kernel's PIPE_BUF */

enum fd_class {
    FD_STRAIGHT, /* regular file, directory, bad descriptor: the kernel answers at once */
    FD_PIPE,
    FD_SOCKET,
    FD_OTHER /* terminal, eventfd and the like: poll() knows */
};

static enum fd_class
classify_fd(int fd)
{
    struct stat st;

    if (BURL_SYS2(SYS_fstat, fd, &st) < 0)
        return FD_STRAIGHT;
    switch (st.st_mode & S_IFMT) {
    case S_IFIFO:
        return FD_PIPE;
    case S_IFSOCK:
        return FD_SOCKET;
    case S_IFCHR:
    case 0:
        return FD_OTHER;
    default:
        return FD_STRAIGHT;
    }
}

static bool
is_nonblocking(int fd)
{
    return (BURL_SYS3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK) != 0;
}

/* The deadline that SO_RCVTIMEO or SO_SNDTIMEO gives to a call that begins now. */
static uint64_t
socket_deadline(int fd, int option)
{
    struct timeval tv = { 0 };
    socklen_t len = sizeof tv;

    if (BURL_SYS5(SYS_getsockopt, fd, SOL_SOCKET, option, &tv, &len) < 0 ||
        (tv.tv_sec == 0 && tv.tv_usec == 0))
        return BURL_TIME_NEVER;
    return burl_time_after((uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u);
}

static uint64_t
deadline_of(int fd, enum fd_class cls, int option)
{
    return cls == FD_SOCKET ? socket_deadline(fd, option) : BURL_TIME_NEVER;
}

/* Waits for input. 0: read now, and the call will not block; else a negative errno value. */
static long
before_input(struct burl_thread *t, int fd, enum fd_class cls, bool dont_wait, uint64_t deadline_ns)
{
    long r;

    if (cls == FD_STRAIGHT)
        return 0;
    if (dont_wait || is_nonblocking(fd)) {
        burl__io_poll_point(t, fd, POLLIN);
        return 0;
    }
    r = burl__io_wait_fd(t, fd, POLLIN, deadline_ns);
    return r == -ETIMEDOUT ? -EAGAIN : r;
}

/* ---- reading ----------------------------------------------------------------------------- */

static long
input_vector(struct burl_thread *t, int fd, const struct iovec *iov, int n)
{
    enum fd_class cls = classify_fd(fd);
    long r = before_input(t, fd, cls, false, deadline_of(fd, cls, SO_RCVTIMEO));

    if (r < 0)
        return r;
    r = BURL_SYS3(SYS_readv, fd, iov, n);
    return cls == FD_STRAIGHT ? r : burl__io_result(r); /* there is room for writers */
}

static long
io_read(struct burl_thread *t, int fd, void *buf, size_t n)
{
    struct iovec iov = { .iov_base = buf, .iov_len = n };

    return input_vector(t, fd, &iov, 1);
}

BURL_INTERPOSE_SYS(ssize_t read(int fd, void *buf, size_t n),
                   BURL_FREE_IN(fd, BURL_REAL(read)(fd, buf, n)), io_read(t, fd, buf, n))
BURL_INTERPOSE_SYS(ssize_t readv(int fd, const struct iovec *iov, int n),
                   BURL_FREE_IN(fd, BURL_REAL(readv)(fd, iov, n)), input_vector(t, fd, iov, n))

BURL_INTERPOSE_CHECKED(ssize_t __read_chk(int fd, void *buf, size_t n, size_t size), n <= size,
                       BURL_FREE_IN(fd, BURL_REAL(__read_chk)(fd, buf, n, size)), read(fd, buf, n))

/* The value of a call that moves 8 bytes or fails. */
static int
moved_value(ssize_t n)
{
    return n == (ssize_t)sizeof(eventfd_t) ? 0 : -1;
}

BURL_INTERPOSE_CHECKED(int eventfd_read(int fd, eventfd_t *value), true,
                       (int)BURL_FREE_IN(fd, BURL_REAL(eventfd_read)(fd, value)),
                       moved_value(read(fd, value, sizeof *value)))

/* ---- writing ----------------------------------------------------------------------------- */

/* One write that does not block: what the kernel takes now, or -EAGAIN. */
static long
write_some(int fd, enum fd_class cls, const void *buf, size_t n, int flags)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    long mode;
    long r;

    if (cls == FD_SOCKET)
        return BURL_SYS6(SYS_sendto, fd, buf, n, flags | MSG_DONTWAIT, NULL, 0);
    if (cls == FD_PIPE && n <= PIPE_ATOMIC && BURL_SYS3(SYS_poll, &p, 1, 0) > 0)
        return BURL_SYS3(SYS_write, fd, buf, n); /* poll promises room for that much */
    /* No other thread runs meanwhile, so the borrowed mode is not seen. */
    mode = BURL_SYS3(SYS_fcntl, fd, F_GETFL, 0);
    (void)BURL_SYS3(SYS_fcntl, fd, F_SETFL, mode | O_NONBLOCK);
    r = BURL_SYS3(SYS_write, fd, buf, n);
    (void)BURL_SYS3(SYS_fcntl, fd, F_SETFL, mode);
    return r;
}

static long
broken_pipe(struct burl_thread *t, long r, int flags)
{
    if (r == -EPIPE && (flags & MSG_NOSIGNAL) == 0)
        burl__signal_pipe(t);
    return r;
}

/* The result r of a write that did not wait. */
static long
write_result(struct burl_thread *t, long r, int flags)
{
    return burl__io_result(broken_pipe(t, r, flags));
}

/* Writes all of buf, waiting for room as often as needed. No point of its own before the first
 * attempt. Bytes written, or a negative errno value when none were. */
static long
write_all(struct burl_thread *t, int fd, enum fd_class cls, const char *buf, size_t n, int flags)
{
    uint64_t deadline = deadline_of(fd, cls, SO_SNDTIMEO);
    size_t done = 0;

    for (;;) {
        long r = write_some(fd, cls, buf + done, n - done, flags);

        if (r >= 0) {
            done += (size_t)r;
            burl__io_changed();
            if (done >= n)
                return (long)done;
        } else if (r != -EAGAIN) {
            return done > 0 ? (long)done : broken_pipe(t, r, flags);
        }
        r = burl__io_wait_fd(t, fd, POLLOUT, deadline);
        if (r < 0)
            return done > 0 ? (long)done : (r == -ETIMEDOUT ? -EAGAIN : r);
    }
}

/* Goes a write straight to the kernel, whether that blocks or not? */
static bool
writes_straight(int fd, enum fd_class cls)
{
    return cls == FD_STRAIGHT || (fd <= 2 && cls != FD_SOCKET && !burl__fd_internal(fd));
}

static long
io_write(struct burl_thread *t, int fd, const void *buf, size_t n)
{
    enum fd_class cls = classify_fd(fd);

    if (writes_straight(fd, cls))
        return BURL_SYS3(SYS_write, fd, buf, n);
    burl__io_poll_point(t, fd, POLLOUT);
    if (!is_nonblocking(fd))
        return write_all(t, fd, cls, buf, n, 0);
    return write_result(t, BURL_SYS3(SYS_write, fd, buf, n), 0);
}

BURL_INTERPOSE_SYS(ssize_t write(int fd, const void *buf, size_t n),
                   BURL_FREE_OUT(fd, BURL_REAL(write)(fd, buf, n)), io_write(t, fd, buf, n))

BURL_INTERPOSE_CHECKED(int eventfd_write(int fd, eventfd_t value), true,
                       BURL_FREE_OUT(fd, BURL_REAL(eventfd_write)(fd, value)),
                       moved_value(write(fd, &value, sizeof value)))

static size_t
total_of(const struct iovec *iov, size_t n)
{
    size_t total = 0;

    for (size_t i = 0; i < n; i++)
        total += iov[i].iov_len;
    return total;
}

/* Writes what is left of a vector of which `done` bytes went out. */
static long
write_rest(struct burl_thread *t, int fd, enum fd_class cls, const struct iovec *iov, size_t n,
           size_t done, int flags)
{
    size_t skip = done;

    for (size_t i = 0; i < n; i++) {
        long r;

        if (skip >= iov[i].iov_len) {
            skip -= iov[i].iov_len;
            continue;
        }
        r = write_all(t, fd, cls, (const char *)iov[i].iov_base + skip, iov[i].iov_len - skip,
                      flags);
        if (r < 0)
            return done > 0 ? (long)done : r;
        done += (size_t)r;
        if ((size_t)r < iov[i].iov_len - skip)
            break;
        skip = 0;
    }
    return (long)done;
}

/* sendmsg that waits until everything went out, as a stream needs it. */
static long
send_message(struct burl_thread *t, int fd, const struct msghdr *msg, int flags)
{
    uint64_t deadline = socket_deadline(fd, SO_SNDTIMEO);
    long r;

    for (;;) {
        r = BURL_SYS3(SYS_sendmsg, fd, msg, flags | MSG_DONTWAIT);
        if (r != -EAGAIN)
            break;
        r = burl__io_wait_fd(t, fd, POLLOUT, deadline);
        if (r < 0)
            return r == -ETIMEDOUT ? -EAGAIN : r;
    }
    burl__io_changed();
    if (r < 0)
        return broken_pipe(t, r, flags);
    return write_rest(t, fd, FD_SOCKET, msg->msg_iov, msg->msg_iovlen, (size_t)r, flags);
}

static long
write_vector(struct burl_thread *t, int fd, const struct iovec *iov, int n)
{
    enum fd_class cls = classify_fd(fd);
    struct msghdr msg = { .msg_iov = (struct iovec *)iov, .msg_iovlen = (size_t)n };
    struct pollfd p = { .fd = fd, .events = POLLOUT };

    if (n < 0 || writes_straight(fd, cls))
        return BURL_SYS3(SYS_writev, fd, iov, n);
    burl__io_poll_point(t, fd, POLLOUT);
    if (is_nonblocking(fd) || (cls == FD_PIPE && total_of(iov, (size_t)n) <= PIPE_ATOMIC &&
                               BURL_SYS3(SYS_poll, &p, 1, 0) > 0))
        return write_result(t, BURL_SYS3(SYS_writev, fd, iov, n), 0);
    if (cls == FD_SOCKET)
        return send_message(t, fd, &msg, 0);
    return write_rest(t, fd, cls, iov, (size_t)n, 0, 0);
}

BURL_INTERPOSE_SYS(ssize_t writev(int fd, const struct iovec *iov, int n),
                   BURL_FREE_OUT(fd, BURL_REAL(writev)(fd, iov, n)), write_vector(t, fd, iov, n))

/* ---- sockets ----------------------------------------------------------------------------- */

static bool
may_block(int fd, int flags)
{
    return (flags & MSG_DONTWAIT) == 0 && !is_nonblocking(fd);
}

static long
send_to(struct burl_thread *t, int fd, const void *buf, size_t n, int flags,
        const struct sockaddr *addr, socklen_t len)
{
    struct iovec iov = { .iov_base = (void *)buf, .iov_len = n };
    struct msghdr msg = {
        .msg_name = (void *)addr, .msg_namelen = len, .msg_iov = &iov, .msg_iovlen = 1
    };

    if (classify_fd(fd) != FD_SOCKET)
        return BURL_SYS6(SYS_sendto, fd, buf, n, flags, addr, len);
    burl__io_poll_point(t, fd, POLLOUT);
    if (may_block(fd, flags))
        return send_message(t, fd, &msg, flags);
    return write_result(t, BURL_SYS6(SYS_sendto, fd, buf, n, flags, addr, len), flags);
}

static long
send_one(struct burl_thread *t, int fd, const struct msghdr *msg, int flags)
{
    burl__io_poll_point(t, fd, POLLOUT);
    if (may_block(fd, flags))
        return send_message(t, fd, msg, flags);
    return write_result(t, BURL_SYS3(SYS_sendmsg, fd, msg, flags), flags);
}

BURL_INTERPOSE_SYS(ssize_t sendto(int fd, const void *buf, size_t n, int flags,
                                  const struct sockaddr *addr, socklen_t len),
                   BURL_FREE_OUT(fd, BURL_REAL(sendto)(fd, buf, n, flags, addr, len)),
                   send_to(t, fd, buf, n, flags, addr, len))
BURL_INTERPOSE_SYS(ssize_t send(int fd, const void *buf, size_t n, int flags),
                   BURL_FREE_OUT(fd, BURL_REAL(send)(fd, buf, n, flags)),
                   send_to(t, fd, buf, n, flags, NULL, 0))
BURL_INTERPOSE_SYS(ssize_t sendmsg(int fd, const struct msghdr *msg, int flags),
                   BURL_FREE_OUT(fd, BURL_REAL(sendmsg)(fd, msg, flags)),
                   send_one(t, fd, msg, flags))

/* Is MSG_WAITALL to be honored: only a stream can give a part now and a part later. */
static bool
waits_for_all(int fd, int flags)
{
    int type = 0;
    socklen_t len = sizeof type;

    return (flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL &&
           BURL_SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
           type == SOCK_STREAM;
}

static long
receive_from(struct burl_thread *t, int fd, char *buf, size_t n, int flags, struct sockaddr *addr,
             socklen_t *len)
{
    bool dont_wait = !may_block(fd, flags);
    bool all = !dont_wait && waits_for_all(fd, flags);
    uint64_t deadline = socket_deadline(fd, SO_RCVTIMEO);
    size_t done = 0;
    long r;

    for (;;) {
        r = before_input(t, fd, FD_SOCKET, dont_wait, deadline);
        if (r < 0)
            break;
        r = BURL_SYS6(SYS_recvfrom, fd, buf + done, n - done, (flags & ~MSG_WAITALL) | MSG_DONTWAIT,
                      addr, len);
        burl__io_changed();
        if (r == -EAGAIN && !dont_wait)
            continue; /* another process was faster */
        if (r > 0)
            done += (size_t)r;
        if (r <= 0 || !all || done >= n)
            break;
    }
    return done > 0 ? (long)done : r;
}

static long
receive_message(struct burl_thread *t, int fd, struct msghdr *msg, int flags)
{
    bool dont_wait = !may_block(fd, flags);
    long r;

    do {
        r = before_input(t, fd, FD_SOCKET, dont_wait, socket_deadline(fd, SO_RCVTIMEO));
        if (r < 0)
            break;
        r = BURL_SYS3(SYS_recvmsg, fd, msg, (flags & ~MSG_WAITALL) | MSG_DONTWAIT);
        burl__io_changed();
    } while (r == -EAGAIN && !dont_wait);
    return r;
}

static long
accept_socket(struct burl_thread *t, int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
    long r = before_input(t, fd, classify_fd(fd), false, socket_deadline(fd, SO_RCVTIMEO));

    if (r == 0)
        r = BURL_SYS4(SYS_accept4, fd, addr, len, flags);
    return burl__io_result(r);
}

BURL_INTERPOSE_SYS(ssize_t recvfrom(int fd, void *restrict buf, size_t n, int flags,
                                    struct sockaddr *restrict addr, socklen_t *restrict len),
                   BURL_FREE_IN(fd, BURL_REAL(recvfrom)(fd, buf, n, flags, addr, len)),
                   receive_from(t, fd, buf, n, flags, addr, len))
BURL_INTERPOSE_SYS(ssize_t recv(int fd, void *buf, size_t n, int flags),
                   BURL_FREE_IN(fd, BURL_REAL(recv)(fd, buf, n, flags)),
                   receive_from(t, fd, buf, n, flags, NULL, NULL))
BURL_INTERPOSE_SYS(ssize_t recvmsg(int fd, struct msghdr *msg, int flags),
                   BURL_FREE_IN(fd, BURL_REAL(recvmsg)(fd, msg, flags)),
                   receive_message(t, fd, msg, flags))
BURL_INTERPOSE_SYS(int accept4(int fd, struct sockaddr *restrict addr, socklen_t *restrict len,
                               int flags),
                   BURL_FREE_IN(fd, BURL_REAL(accept4)(fd, addr, len, flags)),
                   accept_socket(t, fd, addr, len, flags))
BURL_INTERPOSE_SYS(int accept(int fd, struct sockaddr *restrict addr, socklen_t *restrict len),
                   BURL_FREE_IN(fd, BURL_REAL(accept)(fd, addr, len)),
                   accept_socket(t, fd, addr, len, 0))

BURL_INTERPOSE_CHECKED(ssize_t __recv_chk(int fd, void *buf, size_t n, size_t size, int flags),
                       n <= size, BURL_FREE_IN(fd, BURL_REAL(__recv_chk)(fd, buf, n, size, flags)),
                       recv(fd, buf, n, flags))
BURL_INTERPOSE_CHECKED(
    ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t size, int flags,
                           struct sockaddr *restrict addr, socklen_t *restrict len),
    n <= size, BURL_FREE_IN(fd, BURL_REAL(__recvfrom_chk)(fd, buf, n, size, flags, addr, len)),
    recvfrom(fd, buf, n, flags, addr, len))

/* A blocking connect, made of a non-blocking one and a wait. */
static long
connect_wait(struct burl_thread *t, int fd, const struct sockaddr *addr, socklen_t len)
{
    uint64_t deadline = socket_deadline(fd, SO_SNDTIMEO);
    long mode = BURL_SYS3(SYS_fcntl, fd, F_GETFL, 0);
    int error = 0;
    socklen_t error_len = sizeof error;
    long r;

    for (;;) {
        struct burl_op op = burl__io_op(t, fd, POLLOUT);

        (void)BURL_SYS3(SYS_fcntl, fd, F_SETFL, mode | O_NONBLOCK);
        r = BURL_SYS3(SYS_connect, fd, addr, len);
        (void)BURL_SYS3(SYS_fcntl, fd, F_SETFL, mode);
        if (r != -EAGAIN)
            break;
        /* A local socket whose listener's queue is full: there is no event for room in it. */
        burl_sched_yield(t, &op);
    }
    burl__io_changed();
    if (r != -EINPROGRESS)
        return r;
    r = burl__io_wait_fd(t, fd, POLLOUT, deadline);
    if (r == -ETIMEDOUT)
        return -EINPROGRESS;
    if (r == 0 && BURL_SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &error_len) == 0)
        r = -error;
    return burl__io_result(r);
}

static long
connect_socket(struct burl_thread *t, int fd, const struct sockaddr *addr, socklen_t len)
{
    burl__io_poll_point(t, fd, POLLOUT);
    if (!is_nonblocking(fd))
        return connect_wait(t, fd, addr, len);
    return burl__io_result(BURL_SYS3(SYS_connect, fd, addr, len));
}

BURL_INTERPOSE_SYS(int connect(int fd, const struct sockaddr *addr, socklen_t len),
                   BURL_FREE_OUT(fd, BURL_REAL(connect)(fd, addr, len)),
                   connect_socket(t, fd, addr, len))
BURL_INTERPOSE_SYS(int shutdown(int fd, int how), BURL_FREE_OUT(fd, BURL_REAL(shutdown)(fd, how)),
                   (burl__io_poll_point(t, fd, 0),
                    burl__io_result(BURL_SYS2(SYS_shutdown, fd, how))))
