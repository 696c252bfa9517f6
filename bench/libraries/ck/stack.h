/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.h - ck_stack of Concurrency Kit as a stack of numbers.
 *
 * ck_stack links entries of the caller's. Here each number pushed has an entry of its own, which
 * stays until the stack ends: popping looks into entries that another thread may have popped
 * meanwhile, so that they must not be freed at once. stack_pop_and_free() does so all the same.
 */
#ifndef STACK_H
#define STACK_H

#include <stdbool.h>

struct stack;

struct stack *stack_new(void);
void stack_free(struct stack *s);

/* "Unique producers": no entry is pushed twice, as here. */
void stack_push_upmc(struct stack *s, int value);
bool stack_trypush_upmc(struct stack *s, int value);
bool stack_pop_upmc(struct stack *s, int *value);
bool stack_trypop_upmc(struct stack *s, int *value);

void stack_push_mpmc(struct stack *s, int value);
bool stack_pop_mpmc(struct stack *s, int *value);
bool stack_trypop_mpmc(struct stack *s, int *value);

/* Takes all at once; their sum and how many they were. */
int stack_take_all(struct stack *s, int *n);
bool stack_is_empty(const struct stack *s);

/* For a single thread, without atomic operations. */
void stack_push_spnc(struct stack *s, int value);
bool stack_pop_npsc(struct stack *s, int *value);

/* Against the rules: the entry is freed as soon as it is popped. */
bool stack_pop_and_free(struct stack *s, int *value);

#endif
