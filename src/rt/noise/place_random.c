/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/place_random.c - random placement: every point, unless the placement at shared variables
 * excludes it.
 */
#include "noise_int.h"

bool
burl__noise_place_random(const struct burl_noise_point *p)
{
    (void)p;
    return burl__noise.shared == BURL_NOISE_SHARED_OFF ||
           burl__noise.shared == BURL_NOISE_SHARED_ALL_RANDOM ||
           burl__noise.shared == BURL_NOISE_SHARED_ONE_RANDOM;
}
