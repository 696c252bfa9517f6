/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: __stack_chk_fail
 * BURL-KIND: crash.abort
 * BURL-WHY: what the compiler calls when a function's canary was overwritten.
 */
void __stack_chk_fail(void);

int
main(void)
{
    __stack_chk_fail();
    return 0;
}
