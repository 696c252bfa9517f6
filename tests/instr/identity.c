/* SPDX-License-Identifier: Apache-2.0 */
/* One visible operation per line, in the order they are executed; each line ends with what the
 * runtime must be told there: TRACE <hook> <variable>. Read by test_instr.sh. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct pair {
    int  first;
    long second;
};

struct pair shared;
volatile int ready;
_Atomic int counter;
char text[32];
static struct pair *where = &shared;

__attribute__((noinline)) static void
update(struct pair *p, long by)
{
    p->second = by;                                /* TRACE write p->second */
    p->first = (int)by;                            /* TRACE write p->first */
}

__attribute__((noinline)) static int
rmw(void)
{
    int expected = 7;

    atomic_fetch_add(&counter, 7);                 /* TRACE atomic_pre counter */
    return atomic_compare_exchange_strong(&counter, &expected, 8); /* TRACE atomic_pre counter */
}

int
main(int argc, char **argv)
{
    struct pair *p;

    ready = argc;                                  /* TRACE atomic_pre ready */
    update(&shared, ready);                        /* TRACE atomic_pre ready */
    p = where;
    rmw();
    atomic_store(&counter, 1);                     /* TRACE atomic_pre counter */
    strcpy(text, argv[argc] ? "never" : "text");   /* TRACE read argv[] */
    puts(text);                                    /* TRACE call puts */
    return p->first == 0;                          /* TRACE read p->first */
}
