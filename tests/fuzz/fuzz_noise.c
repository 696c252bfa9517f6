/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz_noise.c - the readers of noise settings take any bytes: a line and a file.
 *
 * Beyond not crashing: a setting that was accepted is within the bounds, and is the same when it is
 * written and read again.
 */
#include "fuzz.h"

#include "base/mem.h"
#include "base/noise.h"

const char *const burl_fuzz_seeds[] = {
    "sleep:freq=200,strength=5,place=shared+random,halt,tamper,seed=1",
    "# found for server\nseeding = sleep\nfreq = 200\r\nplace = one + adaptive # why\nhalt = on\n",
    "mixed:place=suspects+pairs,variable=7",
    "freq=1000,strength=100,place=coverage",
    NULL,
};

const char *const burl_fuzz_words[] = {
    "yield",  "sleep",    "wait",      "busyWait", "synchYield", "mixed",    "freq=",
    "place=", "seed=",    "strength=", "halt",     "tamper",     "=on",      "=off",
    "random", "shared",   "one",       "coverage", "adaptive",   "suspects", "pairs",
    "+",      ",",        ":",         " = ",      "# ",         "\n",       "\r\n",
    "1000",   "seeding=", "variable=", "0",        "4294967296", "\xff\x00", NULL,
};

static void
check_setting(const struct burl_wire_noise *n)
{
    struct burl_buf text = BURL_BUF_INIT;
    struct burl_wire_noise again;

    BURL_ASSERT(n->freq <= BURL_NOISE_MAX_FREQ && n->strength >= 1 &&
                n->strength <= BURL_NOISE_MAX_STRENGTH && n->seeding < BURL_NOISE_SEEDING__N &&
                n->shared <= BURL_NOISE_SHARED_NONE && n->cover < BURL_NOISE_COVER__N &&
                n->halt <= 1 && n->tamper <= 1);
    burl_noise_write_line(&text, n);
    BURL_ASSERT(burl_noise_parse(&again, burl_buf_str(&text), NULL) == BURL_OK);
    BURL_ASSERT(memcmp(&again, n, sizeof again) == 0);
    burl_buf_clear(&text);
    burl_noise_write_words(&text, n);
    burl_buf_deinit(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = burl_xmalloc(size + 1);
    struct burl_wire_noise n;
    struct burl_err err;

    if (burl_noise_parse_file(&n, "fuzz", (const char *)data, size, &err) == BURL_OK)
        check_setting(&n);
    memcpy(line, data, size);
    line[size] = '\0';
    if (burl_noise_parse(&n, line, &err) == BURL_OK)
        check_setting(&n);
    free(line);
    return 0;
}
