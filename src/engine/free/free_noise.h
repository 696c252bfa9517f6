/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/free_noise.h - noise of a free run: the setting into the block, its results out of
 * it. Within engine/free only.
 */
#ifndef BURL_ENGINE_FREE_NOISE_H
#define BURL_ENGINE_FREE_NOISE_H

#include "engine/free/free.h"
#include "engine/target/door.h"

/* Does nothing without opts->noise. */
void burl__free_noise_put(struct burl_block *b, const struct burl_free_opts *opts);
void burl__free_noise_take(struct burl_free_result *out, const struct burl_block *b,
                           const struct burl_free_opts *opts);

#endif
