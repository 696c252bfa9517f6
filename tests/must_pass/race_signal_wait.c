/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: What is written before a signal is sent is there for the thread that waits for it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int told[3];

static sigset_t
only(int sig)
{
    sigset_t s;

    sigemptyset(&s);
    sigaddset(&s, sig);
    return s;
}

static void *
listen(void *arg)
{
    const struct timespec long_enough = { 1000, 0 };
    const sigset_t first = only(SIGUSR1);
    const sigset_t second = only(SIGUSR2);
    const sigset_t third = only(SIGHUP);
    int sig;

    if (sigwait(&first, &sig) != 0 || told[0] != 1)
        abort();
    if (sigwaitinfo(&second, NULL) != SIGUSR2 || told[1] != 1)
        abort();
    if (sigtimedwait(&third, NULL, &long_enough) != SIGHUP || told[2] != 1)
        abort();
    return arg;
}

int
main(void)
{
    pthread_t t;
    sigset_t all = only(SIGUSR1);

    sigaddset(&all, SIGUSR2);
    sigaddset(&all, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_create(&t, NULL, listen, NULL);
    told[0] = 1;
    pthread_kill(t, SIGUSR1);
    told[1] = 1;
    kill(getpid(), SIGUSR2);
    told[2] = 1;
    pthread_kill(t, SIGHUP);
    pthread_join(t, NULL);
    return 0;
}
