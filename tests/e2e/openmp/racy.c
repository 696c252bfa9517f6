/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP programs with a data race each: the first argument chooses. `burl run` must find it. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define N 256
#define T 3

static int a[N], b[N];
static long sum;

static void
no_reduction(void)
{
#pragma omp parallel for num_threads(T)
    for (int i = 0; i < N; i++)
        sum += i;
}

static void
nowait_loop(void)
{
#pragma omp parallel num_threads(T)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++)
            b[i] = a[N - 1 - i];
    }
}

static void
no_critical(void)
{
#pragma omp parallel num_threads(T)
    for (int i = 0; i < 50; i++) {
        if (omp_get_thread_num() == 0) {
            sum++;
        } else {
#pragma omp critical
            sum++;
        }
    }
}

static void
two_names(void)
{
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 50; i++) {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
            sum++;
        } else {
#pragma omp critical(two)
            sum++;
        }
    }
}

static void
shared_temp(void)
{
    int temp;

#pragma omp parallel for num_threads(T)
    for (int i = 0; i < N; i++) {
        temp = i * 2;
        a[i] = temp;
    }
}

static void
no_taskwait(void)
{
#pragma omp parallel num_threads(T)
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task
            sum++;
        }
    }
}

static void
no_depend(void)
{
    int x = 0;

#pragma omp parallel num_threads(T)
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(x) depend(out : x)
        x = i;
#pragma omp task shared(x)
        a[i] = x;
    }
}

static void
master_no_barrier(void)
{
#pragma omp parallel num_threads(T)
    {
#pragma omp master
        a[0] = 1;
        b[omp_get_thread_num()] = a[0];
    }
}

static void
half_atomic(void)
{
#pragma omp parallel num_threads(T)
    for (int i = 0; i < 50; i++) {
        if (omp_get_thread_num() == 0) {
            sum++;
        } else {
#pragma omp atomic
            sum++;
        }
    }
}

static void
wrong_lock(void)
{
    omp_lock_t l[2];

    omp_init_lock(&l[0]);
    omp_init_lock(&l[1]);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 50; i++) {
        omp_set_lock(&l[omp_get_thread_num()]);
        sum++;
        omp_unset_lock(&l[omp_get_thread_num()]);
    }
}

static void
after_reduction(void)
{
    long s = 0;

#pragma omp parallel num_threads(T)
    {
#pragma omp for reduction(+ : s) nowait
        for (int i = 0; i < N; i++)
            s += i;
        a[omp_get_thread_num()] = (int)s; /* others may still add */
    }
}

#define CASE(f) { #f, f }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(no_reduction), CASE(nowait_loop), CASE(no_critical), CASE(two_names), CASE(shared_temp),
    CASE(no_taskwait), CASE(no_depend), CASE(master_no_barrier), CASE(half_atomic),
    CASE(wrong_lock), CASE(after_reduction),
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
