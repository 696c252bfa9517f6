/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The test is repeated after every wakeup.
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

enum { N_TAKERS = 2 };

struct tokens {
    mtx_t mutex; /* guards left */
    cnd_t added;
    int left;
};

static struct tokens tokens;

static int
take(void *arg)
{
    struct tokens *t = arg;

    mtx_lock(&t->mutex);
    while (t->left == 0)
        cnd_wait(&t->added, &t->mutex);
    assert(t->left > 0);
    t->left--;
    mtx_unlock(&t->mutex);
    return 0;
}

static void
add(struct tokens *t)
{
    mtx_lock(&t->mutex);
    t->left++;
    cnd_broadcast(&t->added);
    mtx_unlock(&t->mutex);
}

int
main(void)
{
    thrd_t threads[N_TAKERS];

    mtx_init(&tokens.mutex, mtx_plain);
    cnd_init(&tokens.added);
    for (int i = 0; i < N_TAKERS; i++)
        thrd_create(&threads[i], take, &tokens);
    for (int i = 0; i < N_TAKERS; i++)
        add(&tokens);
    for (int i = 0; i < N_TAKERS; i++)
        thrd_join(threads[i], NULL);
    assert(tokens.left == 0);
    cnd_destroy(&tokens.added);
    mtx_destroy(&tokens.mutex);
    return 0;
}
