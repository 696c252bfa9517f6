/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.c - ck_ring as an object; see ring.h. Nothing here but ck_ring touches the slots.
 *
 * A number is handed over as the pointer of that value: ck_ring never looks into its entries.
 */
#include "ring.h"

#include <ck_ring.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define N_SLOTS 4

struct ring {
    ck_ring_t ring;
    ck_ring_buffer_t slots[N_SLOTS];
    pthread_mutex_t producing;
    pthread_mutex_t consuming;
};

static const void *
to_entry(int value)
{
    return (const void *)(intptr_t)value;
}

static bool
from_entry(bool got, void *entry, int *value)
{
    *value = got ? (int)(intptr_t)entry : 0;
    return got;
}

struct ring *
ring_new(void)
{
    struct ring *r = calloc(1, sizeof *r);

    if (r == NULL)
        return NULL;
    ck_ring_init(&r->ring, N_SLOTS);
    pthread_mutex_init(&r->producing, NULL);
    pthread_mutex_init(&r->consuming, NULL);
    return r;
}

void
ring_free(struct ring *r)
{
    pthread_mutex_destroy(&r->producing);
    pthread_mutex_destroy(&r->consuming);
    free(r);
}

bool
ring_enqueue_mpmc(struct ring *r, int value)
{
    return ck_ring_enqueue_mpmc(&r->ring, r->slots, to_entry(value));
}

bool
ring_enqueue_mpmc_size(struct ring *r, int value, unsigned *size)
{
    return ck_ring_enqueue_mpmc_size(&r->ring, r->slots, to_entry(value), size);
}

bool
ring_dequeue_mpmc(struct ring *r, int *value)
{
    void *entry = NULL;

    return from_entry(ck_ring_dequeue_mpmc(&r->ring, r->slots, &entry), entry, value);
}

bool
ring_trydequeue_mpmc(struct ring *r, int *value)
{
    void *entry = NULL;

    return from_entry(ck_ring_trydequeue_mpmc(&r->ring, r->slots, &entry), entry, value);
}

bool
ring_enqueue_spsc(struct ring *r, int value)
{
    return ck_ring_enqueue_spsc(&r->ring, r->slots, to_entry(value));
}

bool
ring_dequeue_spsc(struct ring *r, int *value)
{
    void *entry = NULL;

    return from_entry(ck_ring_dequeue_spsc(&r->ring, r->slots, &entry), entry, value);
}

bool
ring_enqueue_alone(struct ring *r, int value)
{
    bool put;

    pthread_mutex_lock(&r->producing);
    put = ring_enqueue_spsc(r, value);
    pthread_mutex_unlock(&r->producing);
    return put;
}

bool
ring_dequeue_alone(struct ring *r, int *value)
{
    bool got;

    pthread_mutex_lock(&r->consuming);
    got = ring_dequeue_spsc(r, value);
    pthread_mutex_unlock(&r->consuming);
    return got;
}

unsigned
ring_size(const struct ring *r)
{
    return ck_ring_size(&r->ring);
}

unsigned
ring_capacity(const struct ring *r)
{
    return ck_ring_capacity(&r->ring);
}

bool
ring_valid(const struct ring *r)
{
    return ck_ring_valid(&r->ring);
}

bool
ring_repair(struct ring *r)
{
    return ck_ring_repair(&r->ring);
}
