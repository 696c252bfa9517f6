/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/hash.c - FNV-1a with a finishing mixer; see hash.h.
 *
 * Runs in the host and in the instrumenter.
 */
#include "base/hash.h"

#include <string.h>

#include "base/rng.h"

uint64_t
burl_hash_bytes(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = p;

    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * 0x100000001b3ull;
    return h;
}

uint64_t
burl_hash_str(uint64_t h, const char *s)
{
    return burl_hash_bytes(h, s, strlen(s) + 1);
}

uint64_t
burl_hash_u64(uint64_t h, uint64_t x)
{
    for (int i = 0; i < 8; i++) {
        h = (h ^ (x & 0xff)) * 0x100000001b3ull;
        x >>= 8;
    }
    return h;
}

uint64_t
burl_hash_end(uint64_t h)
{
    return burl_rng_splitmix(&h);
}

uint64_t
burl_hash(const void *p, size_t n)
{
    return burl_hash_end(burl_hash_bytes(BURL_HASH_BEGIN, p, n));
}
