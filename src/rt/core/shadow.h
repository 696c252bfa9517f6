/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/shadow.h - functions on the stack of a thread, and where each of them is in a call.
 *
 * A function of the user's code has a word in its own frame that says which of its calls is under
 * way (wire/site.h). It costs one store per call, and is read when a report needs it. A function
 * that longjmp() has left may still count as live: its word may be anything, or not be there.
 */
#ifndef BURL_RT_SHADOW_H
#define BURL_RT_SHADOW_H

#include "rt.h"

/* Where a live function is in a call, by its word: a CALL or PLACE site, or its FUNC site when that
 * is not known. */
uint32_t burl__shadow_place(uint32_t func, uint32_t call);
/* The functions of t, innermost first: the FUNC site of the first, where they are in a call of the
 * others. The rest of `out` is 0. */
void burl__shadow_fill(const struct burl_thread *t, uint32_t *out, uint32_t n);
/* Where the user's code called the library functions that are innermost; 0: none is. */
uint32_t burl__shadow_user(const struct burl_thread *t);
/* Where the innermost function is, or was last, in a call; 0 unknown. */
uint32_t burl__shadow_top(const struct burl_thread *t);
/* Where the function that is entered now was called; `depth` are live. 0 unknown. */
uint32_t burl__shadow_caller(const struct burl_thread *t, uint32_t depth);

#endif
