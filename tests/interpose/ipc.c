/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: mq_send mq_receive mq_timedsend mq_timedreceive msgsnd msgrcv semop semtimedop
 * BURL-WHY: main waits in the kernel for what a thread sends that has not run yet; the thread must
 *   run meanwhile, and time-outs are virtual. What was written before a send is read after it was
 *   received.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

static mqd_t queue;
static int messages, semaphores, data;
static const struct timespec far = { 4000000000, 0 };

static void *
by_queue(void *arg)
{
    data = 1;
    if (arg != NULL)
        assert(mq_timedsend(queue, "x", 1, 0, &far) == 0);
    else
        assert(mq_send(queue, "x", 1, 0) == 0);
    return NULL;
}

static void *
by_message(void *arg)
{
    struct {
        long type;
        char text[1];
    } m = { 5, "x" };

    data = 2;
    assert(msgsnd(messages, &m, 1, 0) == 0);
    return arg;
}

static void *
by_semaphore(void *arg)
{
    struct sembuf up = { 0, 1, 0 };

    data = 3;
    assert(semop(semaphores, &up, 1) == 0);
    return arg;
}

static pthread_t
start(void *(*body)(void *), void *arg)
{
    pthread_t t;

    assert(pthread_create(&t, NULL, body, arg) == 0);
    return t;
}

static void
test_queue(void)
{
    struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
    struct timespec soon;
    char name[40], in[8];

    snprintf(name, sizeof name, "/interpose-%d", (int)getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
    if (queue < 0)
        return; /* a kernel without them */
    mq_unlink(name);
    for (long timed = 0; timed < 2; timed++) {
        pthread_t t = start(by_queue, (void *)timed);

        if (timed)
            assert(mq_timedreceive(queue, in, sizeof in, NULL, &far) == 1);
        else
            assert(mq_receive(queue, in, sizeof in, NULL) == 1);
        assert(data == 1);
        pthread_join(t, NULL);
    }
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    assert(mq_timedreceive(queue, in, sizeof in, NULL, &soon) == -1 && errno == ETIMEDOUT);
    mq_close(queue);
}

static void
test_messages(void)
{
    struct {
        long type;
        char text[8];
    } m;
    pthread_t t;

    messages = msgget(IPC_PRIVATE, 0600);
    if (messages < 0)
        return;
    t = start(by_message, NULL);
    assert(msgrcv(messages, &m, sizeof m.text, 5, 0) == 1 && m.text[0] == 'x');
    assert(data == 2);
    assert(msgrcv(messages, &m, sizeof m.text, 5, IPC_NOWAIT) == -1 && errno == ENOMSG);
    pthread_join(t, NULL);
    msgctl(messages, IPC_RMID, NULL);
}

static void
test_semaphores(void)
{
    const struct timespec second = { 1, 0 };
    struct sembuf down = { 0, -1, 0 };
    pthread_t t;

    semaphores = semget(IPC_PRIVATE, 1, 0600);
    if (semaphores < 0)
        return;
    t = start(by_semaphore, NULL);
    assert(semop(semaphores, &down, 1) == 0);
    assert(data == 3);
    assert(semtimedop(semaphores, &down, 1, &second) == -1 && errno == EAGAIN);
    pthread_join(t, NULL);
    semctl(semaphores, 0, IPC_RMID);
}

int
main(void)
{
    test_queue();
    test_messages();
    test_semaphores();
    return 0;
}
