/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The mapping is unmapped and mapped anew by the next thread, which may get the same
 *   address.
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

enum { SIZE = 4096 };

static void *
use(void *arg)
{
    int id = *(int *)arg;
    int *own = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (int i = 0; i < 3; i++)
        own[i] = id;
    munmap(own, SIZE);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int ids[2] = { 1, 2 };

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
