/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/copy.h - what each object of the program has of every thread, for its hooks.
 */
#ifndef BURL_RT_FREE_COPY_H
#define BURL_RT_FREE_COPY_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/history.h"
#include "wire/scope.h"

struct burl_free_thread;

/* A copy of burl_free_self and burl_free_me of one thread, for the hooks of one object:
 * hooks/hot.c. While location pairs are asked for `pairs` stands in for `self`, which is NULL then:
 * so the other case does not pay for the question. Without a supervisor `seen` says what to do: 0
 * not known yet, BURL_HOT_IDLE nothing, else the program records its history (rt/history): the byte
 * of a site is at seen + site / 8. */
struct burl_hot {
    struct burl_free_thread *self;
    struct burl_free_thread *me;
    struct burl_free_thread *pairs;
    const struct burl_wire_site **call; /* where the site of a call goes; never NULL */
    intptr_t delta;                     /* what the record profile adds to the address of a mark */
    uintptr_t seen;
    const struct burl_wire_site *first; /* the sites of the object; NULL: it has none */
    const struct burl_wire_site *end;
    uint8_t *first_mark; /* its memory for marks; NULL: it has none */
    uint8_t *end_mark;
    const struct burl_wire_scope **scope; /* where the scope goes; never NULL */
};

static_assert(offsetof(struct burl_hot, call) == BURL_WIRE_HOT_CALL, "compiled into programs");
static_assert(offsetof(struct burl_hot, delta) == BURL_WIRE_HOT_DELTA, "compiled into programs");
static_assert(offsetof(struct burl_hot, scope) == BURL_WIRE_HOT_SCOPE, "compiled into programs");
static_assert(sizeof(struct burl_hot) == BURL_WIRE_HOT_B, "compiled into programs");

#define BURL_HOT_IDLE 1u

#endif
