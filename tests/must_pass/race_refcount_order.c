/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: References are dropped with acq_rel: the thread that takes the last one has seen all
 *   the others did.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { N_OWNERS = 3 };

struct document {
    atomic_int refs;
    int words[N_OWNERS];
};

static int total;

static void
release(struct document *doc)
{
    if (atomic_fetch_sub_explicit(&doc->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int i = 0; i < N_OWNERS; i++)
        total += doc->words[i];
    free(doc);
}

struct owner {
    struct document *doc;
    int index;
};

static void *
edit(void *arg)
{
    struct owner *o = arg;

    o->doc->words[o->index] = 10 + o->index;
    release(o->doc);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_OWNERS];
    struct owner owners[N_OWNERS];
    struct document *doc = calloc(1, sizeof *doc);

    atomic_init(&doc->refs, N_OWNERS);
    for (int i = 0; i < N_OWNERS; i++) {
        owners[i].doc = doc;
        owners[i].index = i;
        pthread_create(&threads[i], NULL, edit, &owners[i]);
    }
    for (int i = 0; i < N_OWNERS; i++)
        pthread_join(threads[i], NULL);
    return total == 33 ? 0 : 1;
}
