/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: __assert_fail
 * BURL-KIND: crash.abort
 */
#include <assert.h>

int
main(int argc, char **argv)
{
    (void)argv;
    assert(argc == 1000);
    return 0;
}
