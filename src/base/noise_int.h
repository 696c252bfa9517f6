/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/noise_int.h - what reading and writing noise settings share.
 */
#ifndef BURL_BASE_NOISE_INT_H
#define BURL_BASE_NOISE_INT_H

#include <stdint.h>

/* The word of a seeding; of an unknown one: the first. */
const char *burl__noise_seeding(uint32_t seeding);

#endif
