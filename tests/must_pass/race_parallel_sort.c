/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The halves are disjoint.
 */
#include <pthread.h>
#include <stddef.h>

struct part {
    int *from;
    int n;
};

static void *
sort_part(void *arg)
{
    struct part *p = arg;

    for (int i = 1; i < p->n; i++) {
        for (int j = i; j > 0 && p->from[j - 1] > p->from[j]; j--) {
            int t = p->from[j];

            p->from[j] = p->from[j - 1];
            p->from[j - 1] = t;
        }
    }
    return NULL;
}

int
main(void)
{
    int numbers[8] = { 8, 6, 7, 5, 3, 0, 9, 1 };
    struct part parts[2] = { { numbers, 4 }, { numbers + 4, 4 } };
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sort_part, &parts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return numbers[0] <= numbers[1] ? 0 : 1;
}
