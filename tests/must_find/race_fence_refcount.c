/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|memory.use-after-free
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The reference count is dropped with release, as shared pointers do, but the acquire
 *   fence before the destruction is missing.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct buffer {
    atomic_int refs;
    int used;
};

static int final_use;

static void
put(struct buffer *b)
{
    if (atomic_fetch_sub_explicit(&b->refs, 1, memory_order_release) == 1) {
        final_use = b->used;
        free(b);
    }
}

static void *
write_log(void *arg)
{
    struct buffer *b = arg;

    b->used = 12;
    put(b);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    struct buffer *b = calloc(1, sizeof *b);

    atomic_init(&b->refs, 2);
    pthread_create(&thread, NULL, write_log, b);
    put(b);
    pthread_join(thread, NULL);
    return final_use == 12 ? 0 : 1;
}
