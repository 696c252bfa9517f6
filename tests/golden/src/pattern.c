/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for tests/unit/test_pattern.c: never compiled. */
void worker(void)
{
    if (len > 0)
        use(buf[len]);
    len = 0;
    count = count + 1;
    a = 1;
    b = 1;
    sum(a, b);
    p = make();
    p->x = 1;
    old = atomic_load(&top);
    compare_exchange(&top, old);
    atomic_store(&top, other);
    atomic_store(&top, again);
    if (full == 0)
        wait_on(&c);
    full--;
    full = 1;
    signal_it(&c);
    full = 0;
    lock(&m1);
    lock(&m2);
    free(p);
    copy = len;
    later = len;
}
