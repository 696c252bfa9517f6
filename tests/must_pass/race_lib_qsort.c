/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Sorting is over before the search begins.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static int numbers[5] = { 5, 3, 4, 1, 2 };

static int
compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void *
sort(void *arg)
{
    (void)arg;
    qsort(numbers, 5, sizeof *numbers, compare);
    return NULL;
}

static int
contains(int x)
{
    for (int i = 0; i < 5; i++) {
        if (numbers[i] == x)
            return 1;
    }
    return 0;
}

int
main(void)
{
    pthread_t thread;
    int found;

    pthread_create(&thread, NULL, sort, NULL);
    pthread_join(thread, NULL);
    found = contains(3);
    return found <= 1 ? 0 : 1;
}
