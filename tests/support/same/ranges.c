/* SPDX-License-Identifier: Apache-2.0 */
/* Whole ranges at a time, aligned and not, longer than what some metrics look at. */
#include <string.h>

#include "turn.h"

struct pair {
    long a, b, c;
    char text[13];
};

static char buffer[10000];
static char copy[10000];
static char large[70000];
static struct pair one, two;

static void *
fill(void *arg)
{
    memset(buffer, *(int *)arg, sizeof buffer);
    memcpy(copy + 3, buffer + 1, 5000);
    memset(large, 1, sizeof large);
    one = two;
    return NULL;
}

static void *
move(void *arg)
{
    (void)arg;
    memmove(buffer + 5, buffer, 33);
    memcpy(copy + 4090, buffer + 2, 17);
    strcpy(one.text, "some text");
    two.b = (long)strlen(one.text);
    large[65535] = large[65536] = large[69999] = 2;
    return NULL;
}

static void *
look(void *arg)
{
    *(int *)arg += memcmp(buffer, copy, 100) != 0;
    *(int *)arg += copy[4100] + large[65535] + large[65536] + large[69999];
    two = one;
    return NULL;
}

int
main(void)
{
    int arg = 3;

    run_alone(fill, &arg);
    run_alone(move, &arg);
    run_alone(look, &arg);
    run_alone(fill, &arg);
    run_alone(look, &arg);
    return arg == 0;
}
