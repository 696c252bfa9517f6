/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: Thread-local variables and errno belong to their thread, whichever runs in between.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

static _Thread_local int counter = 5;
static _Thread_local int *self_pointer;
static pthread_key_t key;

static void *
work(void *arg)
{
    int id = *(int *)arg;

    assert(counter == 5 && self_pointer == NULL);
    self_pointer = &counter;
    pthread_setspecific(key, arg);
    for (int i = 0; i < 3; i++) {
        counter += id;
        errno = id;
        sched_yield();
        assert(errno == id);
        assert(self_pointer == &counter);
        assert(*self_pointer == 5 + id * (i + 1));
        assert(pthread_getspecific(key) == arg);
    }
    assert(close(-1) == -1 && errno == EBADF);
    return NULL;
}

int
main(void)
{
    int ids[2] = { 1, 2 };
    pthread_t threads[2];

    pthread_key_create(&key, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 5 && self_pointer == NULL);
    pthread_key_delete(key);
    return 0;
}
