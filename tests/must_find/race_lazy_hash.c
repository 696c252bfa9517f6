/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The hash of an immutable string is computed at first use and kept in a plain field:
 *   every thread would store the same value, and it is a data race nevertheless.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct name {
    const char *text;
    unsigned hash; /* 0: not yet computed */
};

static struct name name = { "burl", 0 };

static unsigned
hash_of(struct name *n)
{
    unsigned h = n->hash;

    if (h == 0) {
        h = 5381;
        for (const char *p = n->text; *p != '\0'; p++)
            h = h * 33 + (unsigned char)*p;
        n->hash = h;
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
