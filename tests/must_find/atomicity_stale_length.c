/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.overflow|crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-NEVER: race.data
 * BURL-WHY: The room left in the buffer is computed under the lock and used under the lock, but
 *   not the same time it is held (R-W-W over two critical sections).
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards text and used */
static char *text;
static size_t used;

static void
append(const char *s)
{
    size_t n = strlen(s);
    size_t at;

    pthread_mutex_lock(&mutex);
    at = used;
    pthread_mutex_unlock(&mutex);
    if (at + n > SIZE)
        return;
    pthread_mutex_lock(&mutex);
    memcpy(text + used, s, n);
    used += n;
    pthread_mutex_unlock(&mutex);
}

static void *
write_word(void *arg)
{
    append(arg);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    text = malloc(SIZE);
    pthread_create(&threads[0], NULL, write_word, "hello");
    pthread_create(&threads[1], NULL, write_word, "world");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(used <= SIZE);
    free(text);
    return 0;
}
