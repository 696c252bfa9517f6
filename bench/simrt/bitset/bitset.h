/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitset.h - a growing set of small numbers, one bit each.
 *
 * All functions may be called by several threads at once, except bitset_free(). Each takes effect
 * at once, those on two sets on both.
 */
#ifndef SIMRT_BITSET_H
#define SIMRT_BITSET_H

#include <stdbool.h>
#include <stddef.h>

struct bitset;

struct bitset *bitset_new(void);
void bitset_free(struct bitset *b);

void bitset_set(struct bitset *b, size_t bit);
void bitset_unset(struct bitset *b, size_t bit);
void bitset_flip(struct bitset *b, size_t bit);
/* Sets from ... to - 1. */
void bitset_set_range(struct bitset *b, size_t from, size_t to);
/* Returns what the bit was before. */
bool bitset_test_and_set(struct bitset *b, size_t bit);
void bitset_clear(struct bitset *b);

bool bitset_get(struct bitset *b, size_t bit);
size_t bitset_cardinality(struct bitset *b);
/* The greatest number in the set + 1. */
size_t bitset_length(struct bitset *b);
/* The first one not less than `from`; -1 if there is none. */
long bitset_next_set(struct bitset *b, size_t from);
long bitset_next_unset(struct bitset *b, size_t from);
/* "{1, 5}", cut if long. Valid until the calling thread calls it again. */
const char *bitset_text(struct bitset *b);
/* True if the lower half of the words has more bits set; threads of its own count. */
bool bitset_leans_low(struct bitset *b);

/* Two sets; the first one gets the result. */
void bitset_and(struct bitset *b, struct bitset *other);
void bitset_or(struct bitset *b, struct bitset *other);
void bitset_xor(struct bitset *b, struct bitset *other);
bool bitset_intersects(struct bitset *b, struct bitset *other);

/* Makes the present state the one that bitset_was_set() sees, which takes no lock. */
void bitset_publish(struct bitset *b);
bool bitset_was_set(struct bitset *b, size_t bit);

/* How many sets were made. */
unsigned long bitset_made(void);

#endif
