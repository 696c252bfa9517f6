/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/places.h - the places of an execution of an enumeration (places.c).
 */
#ifndef BURL_RT_PLACES_H
#define BURL_RT_PLACES_H

#include <stdbool.h>
#include <stdint.h>

void burl_places_begin(void);
/* Is the decision at hand one of them (once more)? */
bool burl_places_here(uint32_t *other);
void burl_places_next(void); /* the decision is made */

#endif
