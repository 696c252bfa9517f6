/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.c - ck_stack as a stack of numbers; see stack.h.
 *
 * Entries that were popped are kept until the process ends rather than in a list of the stack's,
 * which would need synchronization of its own and so hide what ck_stack lacks.
 */
#include "stack.h"

#include <ck_pr.h>
#include <ck_stack.h>
#include <stdlib.h>

struct stack {
    ck_stack_t stack;
};

struct entry {
    ck_stack_entry_t link;
    int value;
};

CK_STACK_CONTAINER(struct entry, link, entry_of)

static ck_stack_entry_t *
new_entry(int value)
{
    struct entry *e = malloc(sizeof *e);

    if (e == NULL)
        abort();
    e->value = value;
    return &e->link;
}

static bool
value_of(ck_stack_entry_t *link, int *value)
{
    *value = link != NULL ? entry_of(link)->value : 0;
    return link != NULL;
}

struct stack *
stack_new(void)
{
    /* The double-word operations want it aligned to its size. */
    struct stack *s = aligned_alloc(16, 16);

    if (s != NULL)
        ck_stack_init(&s->stack);
    return s;
}

void
stack_free(struct stack *s)
{
    free(s);
}

void
stack_push_upmc(struct stack *s, int value)
{
    ck_stack_push_upmc(&s->stack, new_entry(value));
}

bool
stack_trypush_upmc(struct stack *s, int value)
{
    return ck_stack_trypush_upmc(&s->stack, new_entry(value));
}

bool
stack_pop_upmc(struct stack *s, int *value)
{
    return value_of(ck_stack_pop_upmc(&s->stack), value);
}

bool
stack_trypop_upmc(struct stack *s, int *value)
{
    ck_stack_entry_t *link = NULL;

    return value_of(ck_stack_trypop_upmc(&s->stack, &link) ? link : NULL, value);
}

void
stack_push_mpmc(struct stack *s, int value)
{
    ck_stack_push_mpmc(&s->stack, new_entry(value));
}

bool
stack_pop_mpmc(struct stack *s, int *value)
{
    return value_of(ck_stack_pop_mpmc(&s->stack), value);
}

bool
stack_trypop_mpmc(struct stack *s, int *value)
{
    ck_stack_entry_t *link = NULL;

    return value_of(ck_stack_trypop_mpmc(&s->stack, &link) ? link : NULL, value);
}

int
stack_take_all(struct stack *s, int *n)
{
    int sum = 0;

    *n = 0;
    for (ck_stack_entry_t *l = ck_stack_batch_pop_mpmc(&s->stack); l != NULL; l = l->next) {
        sum += entry_of(l)->value % 1000;
        ++*n;
    }
    return sum;
}

bool
stack_is_empty(const struct stack *s)
{
    return ck_pr_load_ptr(&s->stack.head) == NULL;
}

void
stack_push_spnc(struct stack *s, int value)
{
    ck_stack_push_spnc(&s->stack, new_entry(value));
}

bool
stack_pop_npsc(struct stack *s, int *value)
{
    return value_of(ck_stack_pop_npsc(&s->stack), value);
}

bool
stack_pop_and_free(struct stack *s, int *value)
{
    ck_stack_entry_t *link = ck_stack_pop_mpmc(&s->stack);
    const bool got = value_of(link, value);

    free(got ? entry_of(link) : NULL);
    return got;
}
