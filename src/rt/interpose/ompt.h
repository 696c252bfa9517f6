/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ompt.h - what the two halves of OpenMP share: ompt.c follows regions and tasks, openmp.c the
 * functions that compiled code calls.
 */
#ifndef BURL_RT_INTERPOSE_OMPT_H
#define BURL_RT_INTERPOSE_OMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* hooks/annotate.c: happens-before edges that every schedule has, as those of create and join. */
void burl__order_before(const volatile void *obj);
void burl__order_after(const volatile void *obj);

/* Objects that order the threads of the calling thread's team. */
enum burl__omp_order { BURL__OMP_ORDERED, BURL__OMP_REDUCTION, BURL__OMP_ORDER__N };

const volatile void *burl__omp_team_object(enum burl__omp_order which);
/* The same for one iteration of a loop with `ordered(n)`; several share one. */
const volatile void *burl__omp_iteration_object(const int64_t *index, uint32_t n);

/* Has the calling thread's task children, or its innermost group members, that are not complete? */
enum burl__omp_wait { BURL__OMP_CHILDREN, BURL__OMP_GROUP };

bool burl__omp_is_waiting(enum burl__omp_wait what);

/* [p, p + n) was handed out by the OpenMP library, which uses its memory again: what other threads
 * did there before is nothing to the new owner. */
void burl__omp_new_memory(const volatile void *p, size_t n);

void burl__omp_reset(void);
void burl__omp_mark_start(void);

#endif
