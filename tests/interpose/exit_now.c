/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: _exit
 * BURL-WHY: ends the execution, handlers do not run, other threads may be anywhere.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void
wrong(void)
{
    abort();
}

static void *
run(void *arg)
{
    for (;;)
        sleep(1);
    return arg;
}

int
main(void)
{
    pthread_t t;

    if (atexit(wrong) != 0 || pthread_create(&t, NULL, run, NULL) != 0)
        return 1;
    _exit(0);
}
