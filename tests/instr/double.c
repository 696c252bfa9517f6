/* SPDX-License-Identifier: Apache-2.0 */
/* Two loads of one variable: one of them would be gone after an optimizer. */
int g = 3;

__attribute__((noinline)) static int
twice(void)
{
    int a = g;
    int b = g;
    return a * 10 + b;
}

int
main(void)
{
    return twice() != 33;
}
