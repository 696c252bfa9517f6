/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: mtx_destroy
 * BURL-KIND: misuse.destroy-busy
 * BURL-NATIVE: no
 */
#include <assert.h>
#include <threads.h>

int
main(void)
{
    mtx_t m;

    assert(mtx_init(&m, mtx_plain) == thrd_success);
    assert(mtx_lock(&m) == thrd_success);
    mtx_destroy(&m);
    return 0;
}
