/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The scratch memory on main's stack is wiped while the thread still reads it.
 */
#include <alloca.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct work {
    const char *text;
    size_t n;
    int sum;
};

static void *
checksum(void *arg)
{
    struct work *w = arg;

    for (size_t i = 0; i < w->n; i++)
        w->sum += w->text[i];
    return NULL;
}

static int
run(size_t n)
{
    char *buffer = alloca(n);
    struct work w = { buffer, n, 0 };
    pthread_t thread;

    memset(buffer, 1, n);
    pthread_create(&thread, NULL, checksum, &w);
    memset(buffer, 0, n);
    pthread_join(thread, NULL);
    return w.sum;
}

int
main(void)
{
    return run(10) <= 10 ? 0 : 1;
}
