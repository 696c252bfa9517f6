/* SPDX-License-Identifier: Apache-2.0 */
/* Variables on stacks that other threads write; frames that begin a new life at the same place, and
 * threads whose stacks were another's. */
#include "turn.h"

static void *
fill(void *arg)
{
    int *v = arg;

    for (int i = 0; i < 4; i++)
        v[i] += i;
    return NULL;
}

static int __attribute__((noinline))
once(int from)
{
    int v[4] = { from };

    run_alone(fill, v);
    v[1]++;
    run_alone(fill, v);
    return v[0] + v[1] + v[3];
}

static int __attribute__((noinline))
deeper(int from, int depth)
{
    int v[4] = { from, depth };
    int sum = depth > 0 ? deeper(from + 1, depth - 1) : once(from);

    fill(v);
    return sum + v[2];
}

static void *
nested(void *arg)
{
    *(int *)arg += once(1) + once(2);
    return NULL;
}

int
main(void)
{
    int result = 0;

    result += once(1);
    result += once(2);
    result += deeper(3, 3);
    result += once(3);
    run_alone(nested, &result);
    run_alone(nested, &result);
    return result == 0;
}
