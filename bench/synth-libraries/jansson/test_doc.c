/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_doc.c - a sequential test of doc.h.
 */
#include "doc.h"

#include <stdlib.h>

#define CHECK(x)     \
    do {             \
        if (!(x))    \
            abort(); \
    } while (0)

int
main(void)
{
    struct doc *d = doc_new();

    CHECK(doc_get(d, "a") == -1 && doc_set(d, "a", 3) == 0 && doc_get(d, "a") == 3);
    CHECK(doc_set_default(d, "b", 7) == 1 && doc_set_default(d, "b", 8) == 0);
    CHECK(doc_add(d, "a", 4) == 7 && doc_size(d) == 2);
    CHECK(doc_delete(d, "a") == 0 && doc_size(d) == 1);
    doc_free(d);
    return 0;
}
