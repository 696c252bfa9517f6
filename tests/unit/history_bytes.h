/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/history_bytes.h - files as a recording process writes them, for tests and fuzzers.
 */
#ifndef BURL_TESTS_HISTORY_BYTES_H
#define BURL_TESTS_HISTORY_BYTES_H

#include <string.h>

#include "base/buf.h"
#include "wire/history.h"
#include "wire/version.h"

/* Appends a record with a string and zero bytes behind it; gives its offset. */
static uint32_t
put_record(struct burl_buf *b, enum burl_wire_hist_kind kind, const void *fixed, size_t fixed_b,
           const char *text, size_t extra)
{
    static const char zeros[64];
    const uint32_t off = (uint32_t)b->n;
    struct burl_wire_hist_rec rec = { .kind = (uint32_t)kind };

    burl_buf_append(b, fixed, fixed_b);
    if (text)
        burl_buf_append(b, text, strlen(text) + 1);
    for (; extra > 0; extra--)
        burl_buf_append(b, zeros, 1);
    burl_buf_append(b, zeros, (8 - b->n % 8) % 8);
    rec.bytes = (uint32_t)b->n - off;
    memcpy(b->p + off, &rec, sizeof rec);
    return off;
}

static void
put_head(struct burl_buf *b, const char *program)
{
    struct burl_wire_hist_head h = {
        .magic = BURL_WIRE_HIST_MAGIC,
        .version = BURL_WIRE_HIST_VERSION,
        .wire_version = BURL_WIRE_VERSION,
        .pid = 7,
        .head_b = sizeof h,
    };

    strncpy(h.program, program, sizeof h.program - 1);
    burl_buf_append(b, &h, sizeof h);
}

static void
put_used(struct burl_buf *b)
{
    const uint64_t used = b->n;

    memcpy(b->p + offsetof(struct burl_wire_hist_head, used_b), &used, sizeof used);
}

/* Main and one worker, which overlap; one segment with two modules; main executed site 1 alone. */
static void
put_sample(struct burl_buf *b)
{
    struct burl_wire_hist_segment seg = { .first = 0x1000, .n_sites = 12 };
    struct burl_wire_hist_role role = { .flags = BURL_HIST_ROLE_MAIN, .create_site = UINT32_MAX };
    struct burl_wire_hist_module mod = { .hash = 11, .sites = 0x1000, .n_sites = 8 };
    struct burl_wire_hist_chunk chunk = { .alone = 1, .n_sites = 12 };
    struct burl_wire_hist_overlap over = { 0 };

    put_head(b, "/no/such/program");
    over.a = chunk.role = put_record(b, BURL_HIST_ROLE, &role, sizeof role, "", 0);
    mod.segment = chunk.segment =
        put_record(b, BURL_HIST_SEGMENT, &seg, sizeof seg, "/no/such/file.so", 0);
    (void)put_record(b, BURL_HIST_MODULE, &mod, sizeof mod, "a.c", 0);
    mod = (struct burl_wire_hist_module){ .hash = 12, .sites = 0x1040, .n_sites = 4,
                                          .segment = chunk.segment };
    (void)put_record(b, BURL_HIST_MODULE, &mod, sizeof mod, "b.c", 0);
    role = (struct burl_wire_hist_role){ .start = 0x10, .create_module = 11, .create_site = 3 };
    over.b = put_record(b, BURL_HIST_ROLE, &role, sizeof role, "", 0);
    (void)put_record(b, BURL_HIST_OVERLAP, &over, sizeof over, NULL, 0);
    b->p[put_record(b, BURL_HIST_CHUNK, &chunk, sizeof chunk, NULL, 12) + sizeof chunk + 1] = 1;
    put_used(b);
}

#endif
