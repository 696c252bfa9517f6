/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/foreign.h - code that was not instrumented: what a search of all schedules cannot
 * see.
 */
#ifndef BURL_ENGINE_FOREIGN_H
#define BURL_ENGINE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/control.h"

struct burl_elf;

/* linked.c: does a file that burl built contain functions that burl did not? `why` names one. */
bool burl__linked_foreign(const struct burl_elf *e, char *why, size_t why_b);

/* foreign.c */
bool burl__foreign_is_libc(const char *path); /* of the C implementation, or the runtime */
/* Has the process uninstrumented code, apart from the system's own? `why` is a clause. */
bool burl__foreign_code(const struct burl_wire_ctl *ctl, char *why, size_t why_b);
/* Is the function that is called at this site in an instrumented object? */
bool burl__foreign_is_own(const struct burl_wire_ctl *ctl, uint32_t site);
/* The function that is called at this site, demangled. */
void burl__foreign_callee(const struct burl_wire_ctl *ctl, uint32_t site, char *name,
                          size_t name_b);

#endif
