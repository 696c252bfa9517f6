/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executive.c - walks through a plan.
 */
#include "rover.h"

/* Energy is taken from the battery, and the power unit brings it back. */
static int
use_energy(struct rover *r, const struct node *n)
{
    int energy = 4 + n->argument;

    database_add(&r->database, "battery", -energy);
    device_order(&r->devices[POWER], (struct command){ .node = n->number, .argument = energy });
    return energy;
}

static void *
execute(void *executive)
{
    struct executive *x = executive;
    struct rover *r = x->rover;

    for (unsigned i = 0; i < x->plan->n; i++) {
        struct node *n = &x->plan->nodes[i];

        for (unsigned k = 0; k < n->n_start; k++)
            watches_await(&r->watches, &r->database, &n->start[k]);
        x->energy += use_energy(r, n);
        device_order(&r->devices[n->device],
                     (struct command){ .node = n->number, .argument = n->argument });
        watches_await(&r->watches, &r->database, &n->end);
        n->done = true;
        x->n_done++;
    }
    return NULL;
}

void
executive_start(struct executive *x, struct rover *r, struct plan *p)
{
    memset(x, 0, sizeof *x);
    x->rover = r;
    x->plan = p;
    start_thread(&x->thread, execute, x);
}

void
executive_join(struct executive *x)
{
    pthread_join(x->thread, NULL);
}
