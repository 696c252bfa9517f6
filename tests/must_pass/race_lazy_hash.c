/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The field is a relaxed atomic: computing it twice is harmless.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct name {
    const char *text;
    atomic_uint hash; /* 0: not yet computed */
};

static struct name name = { "burl", 0 };

static unsigned
hash_of(struct name *n)
{
    unsigned h = atomic_load_explicit(&n->hash, memory_order_relaxed);

    if (h == 0) {
        h = 5381;
        for (const char *p = n->text; *p != '\0'; p++)
            h = h * 33 + (unsigned char)*p;
        atomic_store_explicit(&n->hash, h, memory_order_relaxed);
    }
    return h;
}

static void *
look_up(void *arg)
{
    return hash_of(&name) != 0 ? NULL : arg;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, look_up, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return hash_of(&name) != 0 ? 0 : 1;
}
