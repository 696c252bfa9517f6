/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc.c - message queues, POSIX and System V, and System V semaphores.
 *
 * Runs in the tested program. These objects belong to the kernel, and other processes may use them:
 * a wait for one may end from outside. The queues of POSIX are descriptors that poll() knows. The
 * kernel cannot say whether a System V call would block, so it is tried without waiting
 * (IPC_NOWAIT) until it succeeds. What they hold is not undone between executions
 * (docs/explain/limits.md).
 */
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>

#include "interpose_int.h"

/* No descriptor: all System V objects are one channel. */
#define NO_FD (-1)

/* ---- POSIX -------------------------------------------------------------------------------- */

/* Until the call on the queue would not block, or at once in non-blocking mode. 0 or -errno. */
static long
await_queue(struct burl_thread *t, mqd_t q, short events, const struct timespec *abstime)
{
    uint64_t deadline_ns = BURL_TIME_NEVER;

    if ((BURL_SYS3(SYS_fcntl, q, F_GETFL, 0) & O_NONBLOCK) != 0) {
        burl__io_poll_point(t, q, events);
        return 0;
    }
    if (abstime != NULL)
        deadline_ns = burl__deadline(CLOCK_REALTIME, abstime);
    return deadline_ns == BURL__TIME_INVALID ? -EINVAL
                                             : burl__io_wait_fd(t, q, events, deadline_ns);
}

static long
send_queue(struct burl_thread *t, mqd_t q, const char *p, size_t n, unsigned priority,
           const struct timespec *abstime)
{
    long r = await_queue(t, q, POLLOUT, abstime);

    return r < 0 ? r : burl__io_result(BURL_SYS5(SYS_mq_timedsend, q, p, n, priority, NULL));
}

static long
receive_queue(struct burl_thread *t, mqd_t q, char *p, size_t n, unsigned *priority,
              const struct timespec *abstime)
{
    long r = await_queue(t, q, POLLIN, abstime);

    return r < 0 ? r : burl__io_result(BURL_SYS5(SYS_mq_timedreceive, q, p, n, priority, NULL));
}

BURL_INTERPOSE_SYS(int mq_send(mqd_t q, const char *p, size_t n, unsigned priority),
                   BURL_FREE_OUT(q, BURL_REAL(mq_send)(q, p, n, priority)),
                   send_queue(t, q, p, n, priority, NULL))
BURL_INTERPOSE_SYS(int mq_timedsend(mqd_t q, const char *p, size_t n, unsigned priority,
                                    const struct timespec *abstime),
                   BURL_FREE_OUT(q, BURL_REAL(mq_timedsend)(q, p, n, priority, abstime)),
                   send_queue(t, q, p, n, priority, abstime))
BURL_INTERPOSE_SYS(ssize_t mq_receive(mqd_t q, char *p, size_t n, unsigned *priority),
                   BURL_FREE_IN(q, BURL_REAL(mq_receive)(q, p, n, priority)),
                   receive_queue(t, q, p, n, priority, NULL))
BURL_INTERPOSE_SYS(ssize_t mq_timedreceive(mqd_t q, char *restrict p, size_t n,
                                           unsigned *restrict priority,
                                           const struct timespec *restrict abstime),
                   BURL_FREE_IN(q, BURL_REAL(mq_timedreceive)(q, p, n, priority, abstime)),
                   receive_queue(t, q, p, n, priority, abstime))

/* ---- System V ----------------------------------------------------------------------------- */

/* A call that may block, with the flag against it. */
struct attempt {
    struct burl__io_wait wait; /* first */
    long (*call)(struct attempt *a);
    long would_block; /* what the call returns then */
    long result;
    int id;
    void *p;
    size_t n;
    long type;
    int flags;
};

static bool
check_attempt(struct burl__io_wait *w)
{
    struct attempt *a = (struct attempt *)w;

    if (a->result == a->would_block)
        a->result = a->call(a);
    return a->result != a->would_block;
}

/* `wait`: the program asked for a call that blocks. */
static long
make_attempt(struct burl_thread *t, struct attempt *a, bool wait, uint64_t deadline_ns)
{
    struct burl_op op = burl__io_op(t, NO_FD, 0);
    long r = 0;

    a->wait.check = check_attempt;
    a->wait.external = true;
    a->wait.no_restart = true;
    /* The operation is announced before the first attempt: a check is made while other threads are
     * being chosen, and a message that it sent could be received before the order is recorded. */
    if (wait)
        burl_sched_point(t, &op);
    else
        burl__poll_point(t, &op);
    a->result = a->call(a);
    if (wait && a->result == a->would_block)
        r = burl__io_wait(t, &a->wait, &op, deadline_ns);
    if (r == -ETIMEDOUT)
        r = a->would_block;
    return burl__io_result(r != 0 ? r : a->result);
}

static long
call_msgsnd(struct attempt *a)
{
    return BURL_SYS4(SYS_msgsnd, a->id, a->p, a->n, a->flags | IPC_NOWAIT);
}

static long
call_msgrcv(struct attempt *a)
{
    return BURL_SYS5(SYS_msgrcv, a->id, a->p, a->n, a->type, a->flags | IPC_NOWAIT);
}

static long
send_message(struct burl_thread *t, int id, const void *p, size_t n, int flags)
{
    struct attempt a = { .call = call_msgsnd,
                         .would_block = -EAGAIN,
                         .id = id,
                         .p = (void *)p,
                         .n = n,
                         .flags = flags };

    return make_attempt(t, &a, (flags & IPC_NOWAIT) == 0, BURL_TIME_NEVER);
}

static long
receive_message(struct burl_thread *t, int id, void *p, size_t n, long type, int flags)
{
    struct attempt a = { .call = call_msgrcv,
                         .would_block = -ENOMSG,
                         .id = id,
                         .p = p,
                         .n = n,
                         .type = type,
                         .flags = flags };

    return make_attempt(t, &a, (flags & IPC_NOWAIT) == 0, BURL_TIME_NEVER);
}

/* As semtimedop() takes them; without its flag, so that a copy has it. */
#define MAX_OPS 64u

static long
call_semop(struct attempt *a)
{
    struct sembuf ops[MAX_OPS];
    const struct sembuf *from = a->p;

    for (size_t i = 0; i < a->n; i++) {
        ops[i] = from[i];
        ops[i].sem_flg |= IPC_NOWAIT;
    }
    return BURL_SYS4(SYS_semtimedop, a->id, ops, a->n, NULL);
}

static bool
never_waits(const struct sembuf *ops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((ops[i].sem_flg & IPC_NOWAIT) == 0)
            return false;
    }
    return true;
}

static long
operate(struct burl_thread *t, int id, struct sembuf *ops, size_t n, const struct timespec *timeout)
{
    struct attempt a = { .call = call_semop, .would_block = -EAGAIN, .id = id, .p = ops, .n = n };
    uint64_t deadline_ns = BURL_TIME_NEVER;

    if (n == 0 || n > MAX_OPS || (timeout != NULL && !burl__timespec_ok(timeout)))
        return n > MAX_OPS ? -E2BIG : -EINVAL;
    if (timeout != NULL)
        deadline_ns = burl_time_after(burl__timespec_ns(timeout));
    return make_attempt(t, &a, !never_waits(ops, n), deadline_ns);
}

BURL_INTERPOSE_SYS(int msgsnd(int id, const void *p, size_t n, int flags),
                   BURL_FREE_OUT(NO_FD, BURL_REAL(msgsnd)(id, p, n, flags)),
                   send_message(t, id, p, n, flags))
BURL_INTERPOSE_SYS(ssize_t msgrcv(int id, void *p, size_t n, long type, int flags),
                   BURL_FREE_IN(NO_FD, BURL_REAL(msgrcv)(id, p, n, type, flags)),
                   receive_message(t, id, p, n, type, flags))
/* An operation may release and acquire at once. */
BURL_INTERPOSE_SYS(int semop(int id, struct sembuf *ops, size_t n),
                   (int)BURL_FREE_OUT(NO_FD, BURL_FREE_IN(NO_FD, BURL_REAL(semop)(id, ops, n))),
                   operate(t, id, ops, n, NULL))
BURL_INTERPOSE_SYS(
    int semtimedop(int id, struct sembuf *ops, size_t n, const struct timespec *timeout),
    (int)BURL_FREE_OUT(NO_FD, BURL_FREE_IN(NO_FD, BURL_REAL(semtimedop)(id, ops, n, timeout))),
    operate(t, id, ops, n, timeout))
