/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h - ck_ring of Concurrency Kit as an object: a bounded queue of numbers.
 *
 * ck_ring hands out no object: the caller owns the slots and passes them to each call. That is all
 * this adds. Three families, by callers at the same time: _mpmc all, _spsc one producer and one
 * consumer. _alone are the _spsc calls kept to that rule by a lock for each side, as a program
 * would that has several threads on each.
 */
#ifndef RING_H
#define RING_H

#include <stdbool.h>

struct ring;

/* Room for 3 numbers; ck_ring keeps one slot empty. */
struct ring *ring_new(void);
void ring_free(struct ring *r);

bool ring_enqueue_mpmc(struct ring *r, int value);
/* `size`: how many were in there before. */
bool ring_enqueue_mpmc_size(struct ring *r, int value, unsigned *size);
bool ring_dequeue_mpmc(struct ring *r, int *value);
bool ring_trydequeue_mpmc(struct ring *r, int *value);

bool ring_enqueue_spsc(struct ring *r, int value);
bool ring_dequeue_spsc(struct ring *r, int *value);

bool ring_enqueue_alone(struct ring *r, int value);
bool ring_dequeue_alone(struct ring *r, int *value);

unsigned ring_size(const struct ring *r);
unsigned ring_capacity(const struct ring *r);
bool ring_valid(const struct ring *r);
bool ring_repair(struct ring *r);

#endif
