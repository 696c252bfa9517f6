/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Dropping a reference releases; only the last owner pays for an acquire fence, then
 *   destroys.
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
        atomic_thread_fence(memory_order_acquire);
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
