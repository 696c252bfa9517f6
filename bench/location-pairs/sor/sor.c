/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sor.c - successive over-relaxation of a grid, after the Java Grande benchmark, in small.
 *
 * Rows take turns by parity, so a half sweep reads only rows that do not change in it. Each thread
 * has a band of rows and waits for its two neighbors only, by counters instead of a barrier. The
 * result must be that of one thread.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define N 9
#define THREADS 3
#define HALF_SWEEPS 4
#define OMEGA 1.25

static double grid[N][N];
static double expected[N][N];
static atomic_int half_sweeps_done[THREADS];

static void
fill(double g[N][N])
{
    uint32_t state = 12345;

    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            state = state * 1664525u + 1013904223u;
            g[i][j] = (double)(state >> 16) * 1e-6;
        }
    }
}

static void
relax_row(double *row, const double *above, const double *below)
{
    for (int j = 1; j < N - 1; j++)
        row[j] =
            OMEGA * 0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]) + (1.0 - OMEGA) * row[j];
}

static void
relax_rows(double g[N][N], int low, int high, int parity)
{
    for (int i = low; i < high; i++) {
        if (i % 2 == parity)
            relax_row(g[i], g[i - 1], g[i + 1]);
    }
}

static void
wait_for(int neighbor, int done)
{
    if (neighbor < 0 || neighbor >= THREADS)
        return;
    while (atomic_load(&half_sweeps_done[neighbor]) < done)
        sched_yield();
}

static void *
relax_band(void *arg)
{
    const int id = (int)(intptr_t)arg;
    const int low = 1 + id * (N - 2) / THREADS;
    const int high = 1 + (id + 1) * (N - 2) / THREADS;

    for (int s = 0; s < HALF_SWEEPS; s++) {
        relax_rows(grid, low, high, s % 2);
        atomic_store(&half_sweeps_done[id], s + 1);
        wait_for(id - 1, s + 1);
        wait_for(id + 1, s + 1);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[THREADS];

    fill(grid);
    fill(expected);
    for (int s = 0; s < HALF_SWEEPS; s++)
        relax_rows(expected, 1, N - 1, s % 2);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, relax_band, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            assert(grid[i][j] == expected[i][j]);
    }
    return 0;
}
