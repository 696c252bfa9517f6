/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sha256.h - SHA-256 (FIPS 180-4), where others check a hash: in the policy of an HTML page.
 *
 * Within burl, base/hash.h is faster and enough.
 */
#ifndef BURL_BASE_SHA256_H
#define BURL_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define BURL_SHA256_B 32

void burl_sha256(const void *p, size_t n, uint8_t hash[BURL_SHA256_B]);

#endif
