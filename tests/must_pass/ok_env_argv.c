/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-PROG-ARGS: --name=burl 42
 * BURL-WHY: The arguments and the environment are as the user gave them, in every execution.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static char **args;

static void *
work(void *arg)
{
    (void)arg;
    assert(strcmp(args[1], "--name=burl") == 0);
    assert(strtol(args[2], NULL, 10) == 42);
    assert(getenv("PATH") != NULL);
    assert(strstr(args[0], program_invocation_short_name) != NULL);
    return NULL;
}

int
main(int argc, char **argv)
{
    pthread_t threads[2];

    assert(argc == 3);
    assert(argv[3] == NULL);
    assert(getenv("OK_ENV_ARGV_MARK") == NULL);
    setenv("OK_ENV_ARGV_MARK", "1", 1);
    args = argv;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
