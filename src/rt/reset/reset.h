/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reset/reset.h - what undoes an execution: memory (snapshot.c, guard.c) and what the kernel keeps
 * (kernel.c).
 */
#ifndef BURL_RT_RESET_H
#define BURL_RT_RESET_H

#include "rt/core/rt.h"
#include "rt/core/upcalls.h"

/* Memory from start to before end. */
struct range {
    uintptr_t start;
    uintptr_t end;
};

/* reset/snapshot.c */
bool burl__snapshot_take(void);          /* false: cannot (result text says why) */
void burl__snapshot_restore(bool clean); /* clean: what burl__guard_end() said */
/* Takes writing away from, or gives it back to, all pages that no execution has changed. */
void burl__snapshot_protect(bool on);
/* Gives writing back to the page of addr, which counts as changed; false: it was not taken away. */
bool burl__snapshot_open(uintptr_t addr);

/* reset/guard.c; around the program's part of an execution */
void burl__guard_begin(void);
bool burl__guard_end(void);  /* true: no system call, no write to a page not always copied */
void burl__guard_down(void); /* until further notice nothing is protected */

/* reset/kernel.c: descriptors and mappings */
void burl__kernel_mark(void);
void burl__kernel_reset_files(void); /* the program's output is emptied, its input rewound */
bool burl__kernel_restore(void);     /* false: something cannot be undone (text set) */
void burl__kernel_note_map(uintptr_t addr, size_t n);
void burl__kernel_note_unmap(uintptr_t addr, size_t n);
bool burl__kernel_made(uintptr_t addr, size_t n); /* wholly a mapping of this execution */

#endif
