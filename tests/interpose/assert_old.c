/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: __assert
 * BURL-KIND: crash.abort
 */
void __assert(const char *expr, const char *file, int line);

int
main(void)
{
    __assert("one == two", __FILE__, __LINE__);
    return 0;
}
