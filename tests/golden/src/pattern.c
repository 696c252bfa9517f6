/* SPDX-License-Identifier: Apache-2.0; lines for test_pattern.c, never compiled */
/* clang-format off */
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
    signal_more(&c);
    out = in + 1;
    in = 41;
    table[i].state = 1;
    sum = part[0] + part[k];
    accounts_[who] = n;
    return ok ? *value : 0;
    c_.wait(g);
    accounts_[who].n = 2;
}
