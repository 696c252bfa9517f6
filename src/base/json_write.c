/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/json_write.c - the streaming JSON writer; contract in json.h.
 *
 * Runs in the host. Output goes to a burl_buf, whose sticky limit is the only
 * way to fail. Every value passes through begin_value(), which is where commas,
 * newlines and the "key first" rule live.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/printable.h"

void
burl_json_writer_init(struct burl_json_writer *w, struct burl_buf *out, int indent)
{
    *w = (struct burl_json_writer){ .out = out, .indent = indent };
}

void
burl_json_writer_finish(struct burl_json_writer *w)
{
    BURL_ASSERT(w->depth == 0 && w->count[0] == 1 && !w->have_key);
    burl_buf_char(w->out, '\n');
}

static void
write_newline(struct burl_json_writer *w)
{
    if (w->indent == 0)
        return;
    burl_buf_char(w->out, '\n');
    burl_buf_printf(w->out, "%*s", w->indent * w->depth, "");
}

static void
begin_element(struct burl_json_writer *w)
{
    if (w->depth == 0)
        BURL_ASSERT(w->count[0] == 0); /* one document, one value */
    if (w->count[w->depth]++ > 0)
        burl_buf_char(w->out, ',');
    if (w->depth > 0)
        write_newline(w);
}

static void
begin_value(struct burl_json_writer *w)
{
    if (w->is_object[w->depth]) {
        BURL_ASSERT(w->have_key);
        w->have_key = false;
        return;
    }
    begin_element(w);
}

static void
open_container(struct burl_json_writer *w, char c, bool is_object)
{
    begin_value(w);
    burl_buf_char(w->out, c);
    w->depth++;
    BURL_ASSERT(w->depth < BURL_JSON_MAX_DEPTH);
    w->is_object[w->depth] = is_object;
    w->count[w->depth] = 0;
}

static void
close_container(struct burl_json_writer *w, char c, bool is_object)
{
    bool any;

    BURL_ASSERT(w->depth > 0 && w->is_object[w->depth] == is_object && !w->have_key);
    any = w->count[w->depth] > 0;
    w->depth--;
    if (any)
        write_newline(w);
    burl_buf_char(w->out, c);
}

void
burl_json_object_begin(struct burl_json_writer *w)
{
    open_container(w, '{', true);
}

void
burl_json_object_end(struct burl_json_writer *w)
{
    close_container(w, '}', true);
}

void
burl_json_array_begin(struct burl_json_writer *w)
{
    open_container(w, '[', false);
}

void
burl_json_array_end(struct burl_json_writer *w)
{
    close_container(w, ']', false);
}

static void
write_string(struct burl_json_writer *w, const char *s, size_t n)
{
    static const char escaped[] = "\"\\\n\r\t\b\f";
    static const char letters[] = "\"\\nrtbf";
    const unsigned char *u = (const unsigned char *)s;

    burl_buf_char(w->out, '"');
    for (size_t i = 0; i < n;) {
        size_t len = burl_utf8_length(u + i, n - i);
        const char *at = u[i] != 0 ? strchr(escaped, u[i]) : NULL;

        if (len == 0) {
            burl_buf_str_append(w->out, "\\ufffd");
            len = 1;
        } else if (at) {
            burl_buf_printf(w->out, "\\%c", letters[at - escaped]);
        } else if (u[i] < 0x20 || u[i] == 0x7f) {
            burl_buf_printf(w->out, "\\u%04x", u[i]);
        } else {
            burl_buf_append(w->out, u + i, len);
        }
        i += len;
    }
    burl_buf_char(w->out, '"');
}

void
burl_json_key(struct burl_json_writer *w, const char *key)
{
    BURL_ASSERT(w->is_object[w->depth] && !w->have_key);
    begin_element(w);
    write_string(w, key, strlen(key));
    burl_buf_str_append(w->out, w->indent ? ": " : ":");
    w->have_key = true;
}

void
burl_json_strn(struct burl_json_writer *w, const char *s, size_t n)
{
    begin_value(w);
    write_string(w, s, n);
}

void
burl_json_str(struct burl_json_writer *w, const char *s)
{
    if (s)
        burl_json_strn(w, s, strlen(s));
    else
        burl_json_null(w);
}

void
burl_json_raw(struct burl_json_writer *w, const char *text)
{
    begin_value(w);
    burl_buf_str_append(w->out, text);
}

void
burl_json_u64(struct burl_json_writer *w, uint64_t x)
{
    begin_value(w);
    burl_buf_printf(w->out, "%" PRIu64, x);
}

void
burl_json_i64(struct burl_json_writer *w, int64_t x)
{
    begin_value(w);
    burl_buf_printf(w->out, "%" PRId64, x);
}

void
burl_json_bool(struct burl_json_writer *w, bool x)
{
    burl_json_raw(w, x ? "true" : "false");
}

void
burl_json_null(struct burl_json_writer *w)
{
    burl_json_raw(w, "null");
}

void
burl_json_kv_str(struct burl_json_writer *w, const char *key, const char *s)
{
    burl_json_key(w, key);
    burl_json_str(w, s);
}

void
burl_json_kv_u64(struct burl_json_writer *w, const char *key, uint64_t x)
{
    burl_json_key(w, key);
    burl_json_u64(w, x);
}

void
burl_json_kv_i64(struct burl_json_writer *w, const char *key, int64_t x)
{
    burl_json_key(w, key);
    burl_json_i64(w, x);
}

void
burl_json_kv_bool(struct burl_json_writer *w, const char *key, bool x)
{
    burl_json_key(w, key);
    burl_json_bool(w, x);
}

void
burl_json_kv_hex(struct burl_json_writer *w, const char *key, uint64_t x)
{
    burl_json_key(w, key);
    begin_value(w);
    burl_buf_printf(w->out, "\"0x%" PRIx64 "\"", x);
}

void
burl_json_kv_array(struct burl_json_writer *w, const char *key)
{
    burl_json_key(w, key);
    burl_json_array_begin(w);
}

void
burl_json_kv_object(struct burl_json_writer *w, const char *key)
{
    burl_json_key(w, key);
    burl_json_object_begin(w);
}
