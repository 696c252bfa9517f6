/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: Threads print many lines to one stream, which locks itself; every line arrives
 *   whole.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 3, N_LINES = 20 };

static FILE *stream;
static int ids[N_THREADS] = { 0, 1, 2 };

static void *
chat(void *arg)
{
    int id = *(int *)arg;

    for (int i = 0; i < N_LINES; i++) {
        fprintf(stream, "thread %d says %d\n", id, i);
        printf("%d: line %d\n", id, i);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];
    int next[N_THREADS] = { 0 };
    char *text = NULL;
    char *line = NULL;
    size_t size = 0;
    size_t room = 0;
    int n_lines = 0;
    FILE *in;

    stream = open_memstream(&text, &size);
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, chat, &ids[i]);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    fclose(stream);

    in = fmemopen(text, size, "r");
    while (getline(&line, &room, in) > 0) {
        int id = -1;
        int number = -1;

        assert(sscanf(line, "thread %d says %d", &id, &number) == 2);
        assert(id >= 0 && id < N_THREADS && number == next[id]);
        next[id]++;
        n_lines++;
    }
    assert(n_lines == N_THREADS * N_LINES);
    fclose(in);
    free(line);
    free(text);
    return 0;
}
