/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_roster.c - a sequential test of roster.h.
 */
#include "roster.h"

#include <stdlib.h>

#define CHECK(x)     \
    do {             \
        if (!(x))    \
            abort(); \
    } while (0)

int
main(void)
{
    struct roster *a = roster_new();
    struct roster *b = roster_new();

    CHECK(roster_add(a, "ann", 3) && !roster_add(a, "ann", 4));
    CHECK(roster_add(b, "bob", 5) && roster_add(b, "cid", 6));
    CHECK(roster_raise(b, "bob", 2) == 7 && roster_score(b, "bob") == 7);
    CHECK(roster_merge(a, b) == 2 && roster_size(a) == 3 && roster_total(a) == 16);
    CHECK(roster_has(a, "cid") && roster_remove(a, "cid") && !roster_has(a, "cid"));
    CHECK(roster_remove(b, "bob") && roster_size(b) == 1);
    roster_free(a);
    roster_free(b);
    return 0;
}
