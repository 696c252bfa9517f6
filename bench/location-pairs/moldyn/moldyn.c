/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moldyn.c - particles that attract and repel each other, after the Java Grande benchmark.
 *
 * Every thread moves its own copies of all particles, so that only forces and energies are shared.
 * Forces: each thread adds up its share of all pairs into its own column, thread 0 makes the sum
 * and scales it, and all threads read it; a barrier between any two of these. At the end all copies
 * must be the same.
 */
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define PARTICLES 5
#define THREADS 3
#define MOVES 2
#define SIDE 4.0
#define CUTOFF 1.9
#define STEP 0.02

struct particle {
    double at[3];
    double speed[3];
};

static pthread_barrier_t barrier;
static double sh_force[3][PARTICLES];
static double sh_force2[3][THREADS][PARTICLES];
static double epot[THREADS];
static double ekin[THREADS];
static double total_energy; /* thread 0 writes it, main reads it at the end */

static double
wrap(double x)
{
    if (x < 0)
        return x + SIDE;
    return x > SIDE ? x - SIDE : x;
}

static void
place(struct particle *p)
{
    for (int i = 0; i < PARTICLES; i++) {
        for (int k = 0; k < 3; k++) {
            p[i].at[k] = 0.4 + 1.2 * ((i >> k) & 1) + 0.05 * i;
            p[i].speed[k] = 0.1 * ((i + k) % 3 - 1);
        }
    }
}

static void
move_particles(struct particle *p)
{
    for (int i = 0; i < PARTICLES; i++) {
        for (int k = 0; k < 3; k++) {
            p[i].at[k] = wrap(p[i].at[k] + p[i].speed[k] + sh_force[k][i]);
            p[i].speed[k] += sh_force[k][i];
        }
    }
}

/* The force between i and everything after it, into this thread's column. */
static void
add_forces(const struct particle *p, int i, int id)
{
    for (int j = i + 1; j < PARTICLES; j++) {
        double d[3], r2 = 0, f;

        for (int k = 0; k < 3; k++) {
            d[k] = p[i].at[k] - p[j].at[k];
            r2 += d[k] * d[k];
        }
        if (r2 > CUTOFF * CUTOFF || r2 < 1e-6)
            continue;
        f = 1.0 / (r2 * r2 * r2) - 0.5 / (r2 * r2);
        epot[id] += f;
        for (int k = 0; k < 3; k++) {
            sh_force2[k][id][i] += f * d[k];
            sh_force2[k][id][j] -= f * d[k];
        }
    }
}

static void
sum_forces(void)
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < PARTICLES; i++) {
            for (int t = 0; t < THREADS; t++) {
                sh_force[k][i] += sh_force2[k][t][i];
                sh_force2[k][t][i] = 0;
            }
        }
    }
}

static void
scale_forces(void)
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < PARTICLES; i++)
            sh_force[k][i] = sh_force[k][i] * STEP * STEP;
    }
}

static double
kinetic(struct particle *p, int id)
{
    double sum = 0;

    for (int i = id; i < PARTICLES; i += THREADS) {
        const double x = p[i].speed[0] + sh_force[0][i];
        const double y = p[i].speed[1] + sh_force[1][i];
        const double z = p[i].speed[2] + sh_force[2][i];

        sum += x * x + y * y + z * z;
    }
    return sum;
}

/* Of the last bit of every position and speed: the threads must agree on them. */
static uintptr_t
fingerprint(const struct particle *p)
{
    uint64_t h = 1;

    for (int i = 0; i < PARTICLES; i++) {
        for (int k = 0; k < 3; k++) {
            uint64_t bits[2];

            memcpy(&bits[0], &p[i].at[k], sizeof bits[0]);
            memcpy(&bits[1], &p[i].speed[k], sizeof bits[1]);
            h = (h ^ bits[0]) * 0x100000001b3ull;
            h = (h ^ bits[1]) * 0x100000001b3ull;
        }
    }
    return (uintptr_t)h;
}

static void *
simulate(void *arg)
{
    const int id = (int)(intptr_t)arg;
    struct particle mine[PARTICLES];

    place(mine);
    for (int m = 0; m < MOVES; m++) {
        move_particles(mine);
        pthread_barrier_wait(&barrier);
        if (id == 0) {
            for (int k = 0; k < 3; k++) {
                for (int i = 0; i < PARTICLES; i++)
                    sh_force[k][i] = 0;
            }
        }
        epot[id] = 0;
        for (int i = id; i < PARTICLES; i += THREADS)
            add_forces(mine, i, id);
        pthread_barrier_wait(&barrier);
        if (id == 0) {
            sum_forces();
            scale_forces();
        }
        pthread_barrier_wait(&barrier);
        ekin[id] = kinetic(mine, id);
        pthread_barrier_wait(&barrier);
        if (id == 0) {
            double sum = 0;

            for (int t = 0; t < THREADS; t++)
                sum += ekin[t] + epot[t];
            total_energy = sum;
        }
        pthread_barrier_wait(&barrier);
    }
    return (void *)fingerprint(mine);
}

int
main(void)
{
    pthread_t threads[THREADS];
    uintptr_t copies[THREADS];

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, simulate, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) {
        void *copy;

        pthread_join(threads[i], &copy);
        copies[i] = (uintptr_t)copy;
        assert(copies[i] == copies[0]);
    }
    assert(isfinite(total_energy));
    for (int k = 0; k < 3; k++) {
        /* To every force there is one the other way. */
        assert(fabs(sh_force[k][0] + sh_force[k][1] + sh_force[k][2] + sh_force[k][3] +
                    sh_force[k][4]) < 1e-12);
    }
    return 0;
}
