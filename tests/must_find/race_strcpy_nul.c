/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Names fill their eight columns exactly; strcpy puts its terminating zero into the
 *   first column of the next name, which another thread writes.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { COLUMN = 8 };

static char row[3 * COLUMN];

struct cell {
    int column;
    const char *text;
};

static void *
print_cell(void *arg)
{
    struct cell *c = arg;

    strcpy(row + c->column * COLUMN, c->text);
    return NULL;
}

int
main(void)
{
    struct cell cells[2] = { { 0, "Longyear" }, { 1, "Reykjavk" } };
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, print_cell, &cells[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return row[0] == 'L' ? 0 : 1;
}
