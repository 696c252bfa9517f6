/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wfcq.h - wfcqueue of liburcu as a queue of numbers.
 *
 * A number has a node of its own, which is freed as soon as it is taken out: wfcqueue allows that.
 * Functions that end in _unlocked leave out the dequeue lock, which wfcqueue demands of the caller.
 */
#ifndef WFCQ_H
#define WFCQ_H

#include <stdbool.h>

struct wfcq;

struct wfcq *wfcq_new(void);
void wfcq_free(struct wfcq *q);

/* True: the queue was not empty. */
bool wfcq_enqueue(struct wfcq *q, int value);
bool wfcq_dequeue(struct wfcq *q, int *value);
/* `last`: it was the last one. */
bool wfcq_dequeue_with_state(struct wfcq *q, int *value, int *last);
bool wfcq_empty(struct wfcq *q);
/* Takes all out; their sum and how many they were. */
int wfcq_splice(struct wfcq *q, int *n);
/* Looks at all of them. */
int wfcq_sum(struct wfcq *q, int *n);

bool wfcq_dequeue_unlocked(struct wfcq *q, int *value);
int wfcq_sum_unlocked(struct wfcq *q, int *n);

#endif
