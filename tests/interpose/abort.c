/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: abort
 * BURL-KIND: crash.abort
 */
#include <stdlib.h>

int
main(void)
{
    abort();
}
