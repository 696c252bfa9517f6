/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: strtok_r keeps where it stopped in a place of the caller's own.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *
split(void *arg)
{
    char line[] = "one two";
    char *rest;
    char *word;

    (void)arg;
    strtok_r(line, " ", &rest);
    word = strtok_r(NULL, " ", &rest);
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
