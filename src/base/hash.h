/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/hash.h - 64-bit hashes: stable across runs, machines and versions.
 *
 * Fingerprints and build ids written into stores come from here, so the
 * functions are formats: a better one gets a new name. Not for adversaries.
 * FNV-1a over the bytes, finished with splitmix64's mixer, because plain FNV-1a
 * has weak high bits on short input.
 */
#ifndef BURL_BASE_HASH_H
#define BURL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Incremental use: h = begin; h = bytes(h, ...) repeatedly; result = end(h). */
#define BURL_HASH_BEGIN 0xcbf29ce484222325ull
uint64_t burl_hash_bytes(uint64_t h, const void *p, size_t n);
/* With the terminating NUL, so that "ab","c" and "a","bc" differ. */
uint64_t burl_hash_str(uint64_t h, const char *s);
/* As 8 bytes little endian. */
uint64_t burl_hash_u64(uint64_t h, uint64_t x);
uint64_t burl_hash_end(uint64_t h);

/* All at once. */
uint64_t burl_hash(const void *p, size_t n);

#endif
