/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: __assert_perror_fail
 * BURL-KIND: crash.abort
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>

int
main(void)
{
    assert_perror(0);
    assert_perror(ENOENT);
    return 0;
}
