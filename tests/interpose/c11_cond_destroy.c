/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: cnd_destroy
 * BURL-KIND: misuse.use-destroyed
 * BURL-NATIVE: no
 */
#include <assert.h>
#include <threads.h>

int
main(void)
{
    cnd_t c;

    assert(cnd_init(&c) == thrd_success);
    cnd_destroy(&c);
    cnd_signal(&c);
    return 0;
}
