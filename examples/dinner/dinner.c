/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dinner.c - the dining philosophers.
 *
 * An example for burl: three philosophers, three forks, and two forks are needed to eat.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

enum { N_SEATS = 3, N_MEALS = 2 };

struct fork {
    pthread_mutex_t mutex; /* held by the philosopher that has the fork */
    int n_uses;            /* guarded by mutex */
};

struct philosopher {
    pthread_t thread;
    const char *name;
    struct fork *left;
    struct fork *right;
    int n_meals;
};

static struct fork forks[N_SEATS];
static struct philosopher table[N_SEATS] = {
    { .name = "Hypatia" },
    { .name = "Zeno" },
    { .name = "Diogenes" },
};

static void
pick_up(struct fork *f)
{
    pthread_mutex_lock(&f->mutex);
    f->n_uses++;
}

static void
put_down(struct fork *f)
{
    pthread_mutex_unlock(&f->mutex);
}

static void *
dine(void *arg)
{
    struct philosopher *p = arg;

    for (int i = 0; i < N_MEALS; i++) {
        pick_up(p->left);
        pick_up(p->right);
        p->n_meals++;
        put_down(p->right);
        put_down(p->left);
    }
    return NULL;
}

int
main(void)
{
    int n_meals = 0;

    for (int i = 0; i < N_SEATS; i++) {
        pthread_mutex_init(&forks[i].mutex, NULL);
        table[i].left = &forks[i];
        table[i].right = &forks[(i + 1) % N_SEATS];
    }
    for (int i = 0; i < N_SEATS; i++)
        pthread_create(&table[i].thread, NULL, dine, &table[i]);
    for (int i = 0; i < N_SEATS; i++) {
        pthread_join(table[i].thread, NULL);
        printf("%s ate %d times\n", table[i].name, table[i].n_meals);
        n_meals += table[i].n_meals;
    }
    return n_meals == N_SEATS * N_MEALS ? 0 : 1;
}
