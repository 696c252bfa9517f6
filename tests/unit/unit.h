/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/unit.h - what every unit test includes.
 *
 * cmocka wants its four standard headers first. Test names say the law they
 * check. Random tests print nothing when they pass and take their seed from
 * BURL_UNIT_SEED, so that a failure can be repeated.
 */
#ifndef BURL_TESTS_UNIT_H
#define BURL_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"

/* Fails with the message of the error when a call did not succeed. */
#define EXPECT_OK(call, err)                                             \
    do {                                                                 \
        if ((call) != BURL_OK)                                           \
            fail_msg("%s: %s", #call, (err)->msg);                       \
    } while (0)

/* Fails unless the call gives this status; shows the message otherwise. */
#define EXPECT_STATUS(call, want, err)                                   \
    do {                                                                 \
        enum burl_status got_ = (call);                                  \
        if (got_ != (want))                                              \
            fail_msg("%s gave %d, not %s: %s", #call, (int)got_, #want, (err)->msg); \
    } while (0)

#define EXPECT_CONTAINS(text, part)                                      \
    do {                                                                 \
        if (!strstr((text), (part)))                                     \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part));  \
    } while (0)

static inline uint64_t
unit_seed(void)
{
    const char *text = getenv("BURL_UNIT_SEED");

    return text ? strtoull(text, NULL, 0) : 20240607;
}

/* A fresh directory; the caller removes it with unit_rmdir(). */
static inline char *
unit_mkdir(void)
{
    const char *base = getenv("TMPDIR");
    char *path = burl_xasprintf("%s/burl-unit-XXXXXX", base && *base ? base : "/tmp");

    if (!mkdtemp(path))
        fail_msg("cannot make %s", path);
    return path;
}

static inline void
unit_rmdir(char *path_owned)
{
    struct burl_err err = { 0 };

    EXPECT_OK(burl_fs_remove_tree(path_owned, &err), &err);
    free(path_owned);
}

/* CPU time of the process: a limit on it holds on a loaded machine too. */
static inline int64_t
unit_cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
