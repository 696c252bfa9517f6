/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=30
 * BURL-WHY: Ten thousand nested calls in two threads fit into an ordinary stack.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { DEPTH = 10000 };

struct link {
    const struct link *outer;
    int depth;
};

static int
descend(const struct link *outer, int depth)
{
    struct link here = { outer, depth };

    if (depth == DEPTH)
        return here.outer->depth + 1;
    return descend(&here, depth + 1) - (here.outer == NULL ? 0 : here.depth - outer->depth - 1);
}

static void *
work(void *arg)
{
    *(int *)arg = descend(NULL, 0);
    return NULL;
}

int
main(void)
{
    int results[2] = { 0 };
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &results[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(results[0] == DEPTH && results[1] == DEPTH);
    return 0;
}
