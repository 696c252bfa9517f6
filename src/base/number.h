/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/number.h - numbers for people: the one format of every text.
 */
#ifndef BURL_BASE_NUMBER_H
#define BURL_BASE_NUMBER_H

#include <stdint.h>

#define BURL_NUMBER_B 32u /* the largest number has 26 characters */

#define BURL_COUNT_B 64u  /* with a short noun */

/* "1,234,567", in `buf`, which is returned. */
const char *burl_number(uint64_t n, char buf[BURL_NUMBER_B]);
/* "1 byte", "2,000 bytes", for nouns with a regular plural. */
const char *burl_count(uint64_t n, const char *noun, char buf[BURL_COUNT_B]);

#endif
