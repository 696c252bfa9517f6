/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_self thrd_current
 * pthread_self() is the id that the creator got.
 */
#include <assert.h>
#include <pthread.h>
#include <threads.h>

static pthread_t seen[2];
static thrd_t seen_c11;

static void *
note_self(void *arg)
{
    *(pthread_t *)arg = pthread_self();
    assert(pthread_equal(*(pthread_t *)arg, pthread_self()));
    return NULL;
}

static int
note_current(void *arg)
{
    *(thrd_t *)arg = thrd_current();
    assert(thrd_equal(*(thrd_t *)arg, (thrd_t)pthread_self()));
    return 0;
}

int
main(void)
{
    pthread_t t[2];
    thrd_t c11;

    for (int i = 0; i < 2; i++)
        assert(pthread_create(&t[i], NULL, note_self, &seen[i]) == 0);
    for (int i = 0; i < 2; i++) {
        assert(pthread_join(t[i], NULL) == 0);
        assert(pthread_equal(t[i], seen[i]));
    }
    assert(!pthread_equal(seen[0], seen[1]));
    assert(!pthread_equal(seen[0], pthread_self()));
    assert(thrd_create(&c11, note_current, &seen_c11) == thrd_success);
    assert(thrd_join(c11, NULL) == thrd_success);
    assert(thrd_equal(c11, seen_c11));
    return 0;
}
