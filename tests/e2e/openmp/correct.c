/* SPDX-License-Identifier: Apache-2.0 */
/* Correct OpenMP programs, one for each case: the first argument chooses. Silent, exit code 0. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64
#define T 3

static int a[N], b[N];
static long sum;

static void
barrier_implicit(void)
{
#pragma omp parallel num_threads(T)
    {
#pragma omp for
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp for
        for (int i = 0; i < N; i++)
            b[i] = a[N - 1 - i];
    }
}

static void
barrier_explicit(void)
{
#pragma omp parallel num_threads(T)
    {
        int me = omp_get_thread_num();
        for (int round = 0; round < 4; round++) {
            a[me] = round;
#pragma omp barrier
            b[me] += a[(me + 1) % omp_get_num_threads()];
#pragma omp barrier
        }
    }
}

static void
regions(void)
{
    for (int round = 0; round < 4; round++) {
#pragma omp parallel for num_threads(T)
        for (int i = 0; i < N; i++)
            a[i] += round;
        for (int i = 0; i < N; i++)
            sum += a[i];
    }
}

static void
reduction_one(void)
{
    for (int round = 0; round < 3; round++) {
        long s = 0;
#pragma omp parallel for reduction(+ : s) num_threads(T)
        for (int i = 0; i < N; i++)
            s += i;
        sum = s;
    }
    if (sum != N * (N - 1) / 2)
        exit(3);
}

struct pair {
    double lo, hi;
};
#pragma omp declare reduction(range:struct pair : omp_out.lo =                       \
                                  omp_in.lo < omp_out.lo ? omp_in.lo : omp_out.lo,   \
                                  omp_out.hi = omp_in.hi > omp_out.hi ? omp_in.hi    \
                                                                      : omp_out.hi) \
    initializer(omp_priv = { 1e9, -1e9 })

/* No atomic operation does this: the library combines copies in a lock or in a tree. */
static void
reduction_user(void)
{
    struct pair p = { 1e9, -1e9 };
    long s[4] = { 0 };

#pragma omp parallel for reduction(range : p) reduction(+ : s) num_threads(4)
    for (int i = 0; i < N; i++) {
        p.lo = i < p.lo ? i : p.lo;
        p.hi = i > p.hi ? i : p.hi;
        s[i % 4] += i;
    }
    sum = (long)p.hi + (long)p.lo + s[1];
}

static void
reduction_used(void)
{
    long s = 0, top = 0;

#pragma omp parallel num_threads(T)
    {
#pragma omp for reduction(+ : s) reduction(max : top)
        for (int i = 0; i < N; i++) {
            s += i;
            top = top > i ? top : i;
        }
        a[omp_get_thread_num()] = (int)(s + top); /* after the barrier of the loop */
#pragma omp barrier
#pragma omp for reduction(- : s) nowait
        for (int i = 0; i < N; i++)
            s -= 1;
    }
    sum = s;
}

static void
critical_unnamed(void)
{
#pragma omp parallel num_threads(T)
    for (int i = 0; i < 8; i++) {
#pragma omp critical
        sum++;
    }
}

static void
critical_named(void)
{
#pragma omp parallel num_threads(T)
    for (int i = 0; i < 8; i++) {
#pragma omp critical(one)
        sum++;
#pragma omp critical(two) hint(omp_sync_hint_contended)
        a[0]++;
    }
}

static void
atomic_all(void)
{
    int seen = 0;
    double d = 0;

#pragma omp parallel num_threads(T)
    for (int i = 0; i < 8; i++) {
        int got;
#pragma omp atomic
        sum++;
#pragma omp atomic
        d += 0.5;
#pragma omp atomic capture
        got = seen++;
#pragma omp atomic read
        got = seen;
#pragma omp atomic write
        a[0] = got;
    }
    if (sum != 8 * T && omp_get_max_threads() >= T)
        exit(3);
}

static void
single_master(void)
{
#pragma omp parallel num_threads(T)
    {
#pragma omp single
        a[0] = 1;
        b[omp_get_thread_num()] = a[0];
#pragma omp master
        a[1] = 2;
#pragma omp barrier
        b[omp_get_thread_num()] += a[1];
    }
}

static void
single_copyprivate(void)
{
#pragma omp parallel num_threads(T)
    {
        int mine;
#pragma omp single copyprivate(mine)
        mine = 7;
        b[omp_get_thread_num()] = mine;
    }
}

static void
ordered_loop(void)
{
#pragma omp parallel for ordered schedule(dynamic) num_threads(T)
    for (int i = 0; i < 16; i++) {
#pragma omp ordered
        {
            a[sum] = i;
            sum++;
        }
    }
}

static void
doacross(void)
{
#pragma omp parallel for ordered(1) schedule(dynamic) num_threads(T)
    for (int i = 1; i < 16; i++) {
#pragma omp ordered depend(sink : i - 1)
        a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    if (a[15] != 15)
        exit(3);
}

static void
sections(void)
{
#pragma omp parallel num_threads(T)
    {
#pragma omp sections
        {
#pragma omp section
            a[0] = 1;
#pragma omp section
            a[1] = 2;
#pragma omp section
            a[2] = 3;
        }
        b[omp_get_thread_num()] = a[0] + a[1] + a[2];
    }
}

static long
fib(int n)
{
    long x, y;

    if (n < 2)
        return n;
#pragma omp task shared(x)
    x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static void
tasks(void)
{
#pragma omp parallel num_threads(T)
#pragma omp single
    sum = fib(7);
    if (sum != 13)
        exit(3);
}

static void
tasks_barrier(void)
{
#pragma omp parallel num_threads(T)
    {
#pragma omp single nowait
        for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
            a[i] = i;
        }
#pragma omp barrier
        b[omp_get_thread_num()] = a[15];
    }
    for (int i = 0; i < 16; i++)
        sum += a[i];
}

static void
taskgroup(void)
{
#pragma omp parallel num_threads(T)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                a[0] = 1;
                a[1] = 1;
            }
        }
        sum = a[0] + a[1];
    }
}

static void
taskgroup_reduction(void)
{
    long s = 0;

#pragma omp parallel num_threads(T)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : s)
        for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : s) firstprivate(i)
            s += i;
        }
        sum = s;
    }
}

static void
depend(void)
{
    int x = 0, y = 0, z = 0;

#pragma omp parallel num_threads(T)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(out : y)
        y = 2;
#pragma omp task depend(in : x, y) depend(out : z)
        z = x + y;
#pragma omp task depend(in : x)
        a[0] = x;
#pragma omp task depend(inout : x)
        x++;
#pragma omp taskwait depend(in : z)
        sum = z;
    }
    if (sum != 3 || x != 2)
        exit(3);
}

static void
taskloops(void)
{
    for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(T)
#pragma omp single
        {
#pragma omp taskloop grainsize(2)
            for (int i = 0; i < N; i++)
                a[i] += i;
            for (int i = 0; i < N; i++)
                sum += a[i];
        }
    }
}

static void
tasks_undeferred(void)
{
#pragma omp parallel num_threads(T)
#pragma omp single
    {
        int x = 0;
#pragma omp task shared(x) if (0)
        x = 1;
        x++;
#pragma omp task shared(x) depend(out : x)
        x = 5;
#pragma omp task shared(x) depend(in : x) if (0)
        a[0] = x;
        sum = x;
    }
}

static void
locks(void)
{
    omp_lock_t l;

    omp_init_lock(&l);
#pragma omp parallel num_threads(T)
    for (int i = 0; i < 8; i++) {
        if (i % 2 == 0) {
            omp_set_lock(&l);
        } else {
            while (!omp_test_lock(&l))
                ;
        }
        sum++;
        omp_unset_lock(&l);
    }
    omp_destroy_lock(&l);
}

static void
nest_locks(void)
{
    omp_nest_lock_t l;

    omp_init_nest_lock(&l);
#pragma omp parallel num_threads(T)
    for (int i = 0; i < 8; i++) {
        omp_set_nest_lock(&l);
        sum++;
        omp_set_nest_lock(&l);
        sum++;
        omp_unset_nest_lock(&l);
        sum++;
        omp_unset_nest_lock(&l);
    }
    omp_destroy_nest_lock(&l);
}

static int mine = 5;
#pragma omp threadprivate(mine)

static void
threadprivates(void)
{
    mine = 9;
#pragma omp parallel num_threads(T) copyin(mine)
    {
        mine += omp_get_thread_num();
#pragma omp critical
        sum += mine;
    }
#pragma omp parallel num_threads(T)
    {
        mine++;
#pragma omp critical
        sum += mine;
    }
}

static void
schedules(void)
{
#pragma omp parallel num_threads(T)
    {
#pragma omp for schedule(static, 3)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp for schedule(dynamic, 2)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma omp for schedule(guided)
        for (int i = 0; i < N; i++)
            a[i] = b[N - 1 - i];
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < N; i++)
            b[i] = i;
    }
}

static void
private_clauses(void)
{
    int last = 0, first = 3, temp;

#pragma omp parallel for private(temp) firstprivate(first) lastprivate(last) num_threads(T)
    for (int i = 0; i < N; i++) {
        temp = first + i;
        last = temp;
        a[i] = temp;
    }
    sum = last;
}

static void
nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
        long s = 0;
#pragma omp parallel for num_threads(2) reduction(+ : s)
        for (int i = 0; i < 8; i++)
            s += i;
        a[outer] = (int)s;
    }
    sum = a[0] + a[1];
}

static void
simd(void)
{
    long s = 0;

#pragma omp parallel for simd num_threads(T) reduction(+ : s)
    for (int i = 0; i < N; i++) {
        a[i] = i * 2;
        s += i;
    }
#pragma omp simd
    for (int i = 0; i < N; i++)
        b[i] = a[i];
    sum = s;
}

static void
flushed_flag(void)
{
    int flag = 0, data = 0;

#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 42;
#pragma omp flush
#pragma omp atomic write
            flag = 1;
        } else {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read
                seen = flag;
            }
#pragma omp flush
            a[0] = data;
        }
    }
}

static void
allocated(void)
{
#pragma omp parallel num_threads(T)
    for (int i = 0; i < 4; i++) {
        int *p = omp_alloc(64, omp_default_mem_alloc);
        p[0] = i;
        p[8] = p[0];
        omp_free(p, omp_default_mem_alloc);
    }
}

static void
canceled(void)
{
#pragma omp parallel num_threads(T)
    {
#pragma omp for
        for (int i = 0; i < N; i++) {
            a[i] = i;
#pragma omp cancel for if (i == 5)
        }
    }
    sum = a[0];
}

#define CASE(f) { #f, f }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(barrier_implicit), CASE(barrier_explicit), CASE(regions), CASE(reduction_one),
    CASE(reduction_user), CASE(reduction_used), CASE(critical_unnamed), CASE(critical_named),
    CASE(atomic_all), CASE(single_master), CASE(single_copyprivate), CASE(ordered_loop),
    CASE(doacross), CASE(sections), CASE(tasks), CASE(tasks_barrier), CASE(taskgroup),
    CASE(taskgroup_reduction), CASE(depend), CASE(taskloops), CASE(tasks_undeferred), CASE(locks),
    CASE(nest_locks), CASE(threadprivates), CASE(schedules), CASE(private_clauses), CASE(nested),
    CASE(simd), CASE(flushed_flag), CASE(allocated), CASE(canceled),
};

int
main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (argc < 2)
            puts(cases[i].name);
        else if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    }
    return 0;
}
