/* SPDX-License-Identifier: Apache-2.0 */
/* Threads one after the other, kept apart by joins alone; main between them. */
#include "turn.h"

static int shared;
static int other;
static long table[100];

static void *
first(void *arg)
{
    shared = 1;
    other += shared;
    for (int i = 0; i < 100; i += 3)
        table[i] += *(int *)arg;
    return NULL;
}

static void *
second(void *arg)
{
    int v = shared;

    shared = v + *(int *)arg;
    table[3] = shared;
    return NULL;
}

int
main(void)
{
    int arg = 2;
    long sum = 0;

    shared = 5;
    run_alone(first, &arg);
    sum += shared;
    run_alone(second, &arg);
    run_alone(first, &arg);
    shared++;
    run_alone(second, &arg);
    for (int i = 0; i < 100; i++)
        sum += table[i];
    return sum + other + shared == 0;
}
