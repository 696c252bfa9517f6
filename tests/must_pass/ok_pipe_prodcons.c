/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: A producer and a consumer talk over a pipe with plain read and write; closing the
 *   writing end ends the stream.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { N_NUMBERS = 4 };

static int ends[2];

static void *
produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= N_NUMBERS; i++) {
        ssize_t n = write(ends[1], &i, sizeof i);

        assert(n == (ssize_t)sizeof i);
    }
    close(ends[1]);
    return NULL;
}

static void *
consume(void *arg)
{
    int *sum = arg;

    for (;;) {
        int value = 0;
        ssize_t n = read(ends[0], &value, sizeof value);

        if (n == 0)
            break;
        assert(n == (ssize_t)sizeof value);
        *sum += value;
    }
    close(ends[0]);
    return NULL;
}

int
main(void)
{
    pthread_t p;
    pthread_t c;
    int sum = 0;

    if (pipe(ends) != 0)
        return 2;
    pthread_create(&c, NULL, consume, &sum);
    pthread_create(&p, NULL, produce, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    assert(sum == 10);
    return 0;
}
