/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/scope.h - functions that were inlined, in the copies for free mode (instr/scopes.c).
 *
 * A small function that was inlined has no entry on the thread's stack. While it is executed the
 * thread names the record of this place: which function it is, and which one around it has none
 * either. Records are constants of the program.
 */
#ifndef BURL_WIRE_SCOPE_H
#define BURL_WIRE_SCOPE_H

#include <assert.h>

#include "wire/site.h"

struct burl_wire_scope {
    const struct burl_wire_site *site; /* FUNC */
    const struct burl_wire_scope *outer;
};

static_assert(sizeof(struct burl_wire_scope) == 16, "compiled into programs");

/* In the thread's structure __burl_hot of each object (struct burl_hot of the runtime): pointer to
 * where the scope goes, never NULL. */
#define BURL_WIRE_HOT_SCOPE 80u
#define BURL_WIRE_MAX_SCOPES 16u /* one in the other */

#endif
