/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.c - SCTBench CS/stack: one thread pushes, one pops when a flag says that there is some.
 *
 * The flag is set by the first push and never reset: a popper that is faster than the pusher takes
 * from an empty stack. FIXED: it looks at the height.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { SIZE = 10 };

static int elements[SIZE];
static int height;
static bool filled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
push(int x)
{
    assert(height < SIZE);
    elements[height++] = x;
}

static int
pop(void)
{
    assert(height > 0);
    return elements[--height];
}

static bool
something_there(void)
{
#ifdef FIXED
    return height > 0;
#else
    return filled;
#endif
}

static void *
pusher(void *arg)
{
    (void)arg;
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        push(i % 3);
        filled = true;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *
popper(void *arg)
{
    (void)arg;
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        if (something_there())
            (void)pop();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, pusher, NULL);
    pthread_create(&threads[1], NULL, popper, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
