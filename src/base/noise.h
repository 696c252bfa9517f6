/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/noise.h - noise settings as text, docs/formats/noise.md.
 *
 * One line, as `burl run --noise=` takes it:
 *     sleep:freq=200,strength=5,place=shared+random,halt,tamper,seed=1
 * or a file with the same keys, one `key = value` per line, `#` comments, and `seeding = sleep`.
 * A place is a list joined by +: random, shared, one, coverage, adaptive, suspects, pairs. coverage
 * and adaptive without random, shared or one: BURL_NOISE_SHARED_NONE. suspects and pairs restrict.
 */
#ifndef BURL_BASE_NOISE_H
#define BURL_BASE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "wire/noise.h"

/* yield, frequency 100, strength 5, random placement, seed 1. */
void burl_noise_default(struct burl_wire_noise *n);
/* A setting in one line. BURL_E_USAGE: what is wrong, with the word that is wrong and those that
 * are allowed. */
BURL_MUST_CHECK enum burl_status burl_noise_parse(struct burl_wire_noise *n, const char *text,
                                                  struct burl_err *err);
/* The content of a file; messages have `name` and the line. */
BURL_MUST_CHECK enum burl_status burl_noise_parse_file(struct burl_wire_noise *n, const char *name,
                                                       const char *content, size_t content_b,
                                                       struct burl_err *err);
/* The value of an option, which messages name: a file if there is one of this name, else a setting
 * in one line. */
BURL_MUST_CHECK enum burl_status burl_noise_read(struct burl_wire_noise *n, const char *option,
                                                 const char *value, struct burl_err *err);
/* Both can be read back to the same setting. */
void burl_noise_write_line(struct burl_buf *out, const struct burl_wire_noise *n);
void burl_noise_write_file(struct burl_buf *out, const struct burl_wire_noise *n);
/* What the setting does, one sentence per gene, for people. */
void burl_noise_write_words(struct burl_buf *out, const struct burl_wire_noise *n);

#endif
