/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: exit
 * BURL-KIND: exit.nonzero
 * BURL-WHY: a thread ends the process with a code; err() ends it from inside libc.
 */
#include <err.h>
#include <pthread.h>
#include <stdlib.h>

static void *
run(void *arg)
{
    errx(3, "from a thread");
    return arg;
}

int
main(void)
{
    pthread_t t;

    if (pthread_create(&t, NULL, run, NULL) != 0)
        return 0;
    pthread_join(t, NULL);
    return 0;
}
