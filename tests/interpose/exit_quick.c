/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: quick_exit __cxa_at_quick_exit
 */
#include <stdlib.h>
#include <unistd.h>

static int order;

static void
wrong(void)
{
    abort();
}

static void
second(void)
{
    if (++order != 2)
        _exit(3);
    _exit(0); /* seen only if the handlers run */
}

static void
first(void)
{
    if (++order != 1)
        _exit(4);
}

int
main(void)
{
    if (atexit(wrong) != 0 || at_quick_exit(second) != 0 || at_quick_exit(first) != 0)
        return 1;
    quick_exit(5);
}
