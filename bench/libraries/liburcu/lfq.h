/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lfq.h - rculfqueue of liburcu as a queue of numbers.
 *
 * Nodes taken out may be looked at by other threads until a grace period has passed. Here none
 * passes before the process ends, so that no thread needs a read-side critical section; all that is
 * left of the queue is its own algorithm. lfq_dequeue_and_free() frees at once, against the rules.
 */
#ifndef LFQ_H
#define LFQ_H

#include <stdbool.h>

struct lfq;

struct lfq *lfq_new(void);
void lfq_free(struct lfq *q);

void lfq_enqueue(struct lfq *q, int value);
bool lfq_dequeue(struct lfq *q, int *value);

bool lfq_dequeue_and_free(struct lfq *q, int *value);

#endif
