/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: strtok keeps where it stopped in one place for all threads: the second word comes out
 *   of the other thread's line. Nothing in the program itself is shared.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *
split(void *arg)
{
    char line[] = "one two";
    char *word;

    (void)arg;
    strtok(line, " ");
    word = strtok(NULL, " ");
    assert(word == line + 4);
    return NULL;
}

int
main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, split, NULL);
    pthread_create(&b, NULL, split, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
