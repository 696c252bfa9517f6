/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/json.h - a streaming JSON writer and a small strict reader (RFC 8259).
 *
 * The writer makes only valid documents: it asserts on misuse (a value without
 * a key in an object, an end without a begin) and replaces bytes that are not
 * UTF-8 by U+FFFD, because program output and file names may hold anything.
 * The reader takes one whole document, refuses everything the RFC refuses, and
 * bounds depth; duplicate keys are refused too, since they mean a broken writer.
 * 64-bit integers survive both ways exactly.
 */
#ifndef BURL_BASE_JSON_H
#define BURL_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define BURL_JSON_MAX_DEPTH 64

struct burl_json_writer {
    struct burl_buf *out; /* borrowed */
    int      indent;      /* spaces per level; 0 gives one line */
    int      depth;
    bool     have_key;    /* a key was written, its value is due */
    uint8_t  is_object[BURL_JSON_MAX_DEPTH];
    uint32_t count[BURL_JSON_MAX_DEPTH];
};

void burl_json_writer_init(struct burl_json_writer *w, struct burl_buf *out, int indent);
/* Asserts that the document is complete; adds the last newline when indenting. */
void burl_json_writer_finish(struct burl_json_writer *w);
void burl_json_object_begin(struct burl_json_writer *w);
void burl_json_object_end(struct burl_json_writer *w);
void burl_json_array_begin(struct burl_json_writer *w);
void burl_json_array_end(struct burl_json_writer *w);
void burl_json_key(struct burl_json_writer *w, const char *key);
void burl_json_str(struct burl_json_writer *w, const char *s); /* NULL writes null */
void burl_json_strn(struct burl_json_writer *w, const char *s, size_t n);
void burl_json_u64(struct burl_json_writer *w, uint64_t x);
void burl_json_i64(struct burl_json_writer *w, int64_t x);
void burl_json_bool(struct burl_json_writer *w, bool x);
void burl_json_null(struct burl_json_writer *w);
/* Text that is a valid JSON value already; the caller vouches for it. */
void burl_json_raw(struct burl_json_writer *w, const char *text);

/* Key and value at once. */
void burl_json_kv_str(struct burl_json_writer *w, const char *key, const char *s);
void burl_json_kv_u64(struct burl_json_writer *w, const char *key, uint64_t x);
void burl_json_kv_i64(struct burl_json_writer *w, const char *key, int64_t x);
void burl_json_kv_bool(struct burl_json_writer *w, const char *key, bool x);
/* "0x1f": for hashes and addresses, which JSON readers with doubles would round. */
void burl_json_kv_hex(struct burl_json_writer *w, const char *key, uint64_t x);
/* A key, and the beginning of what it names. */
void burl_json_kv_array(struct burl_json_writer *w, const char *key);
void burl_json_kv_object(struct burl_json_writer *w, const char *key);

enum burl_json_type {
    BURL_JSON_NULL = 0,
    BURL_JSON_BOOL,
    BURL_JSON_NUMBER,
    BURL_JSON_STRING,
    BURL_JSON_ARRAY,
    BURL_JSON_OBJECT
};

struct burl_json_value {
    enum burl_json_type type;
    bool        boolean;
    const char *str;   /* STRING: UTF-8, NUL-terminated; NUMBER: as written */
    size_t      str_n; /* may count NULs written as \u0000 */
    const char *key;   /* in an object: this member's name */
    size_t      n;     /* ARRAY, OBJECT: children */
    struct burl_json_value *items; /* contiguous, in document order */
};

/* Parses all of `text`. The tree owns its strings. Failures are BURL_E_FORMAT with line and
 * column. Free with burl_json_free(). */
BURL_MUST_CHECK enum burl_status burl_json_parse(struct burl_json_value **out, const char *text,
                                                 size_t n, struct burl_err *err);
void burl_json_free(struct burl_json_value *root);

/* Accessors. All take NULL and answer "absent", so lookups may be chained. */
const struct burl_json_value *burl_json_get(const struct burl_json_value *obj, const char *key);
const struct burl_json_value *burl_json_at(const struct burl_json_value *arr, size_t i);
size_t burl_json_count(const struct burl_json_value *v);
/* The string, or `absent` when it is not a string. */
const char *burl_json_as_str(const struct burl_json_value *v, const char *absent);
bool burl_json_as_bool(const struct burl_json_value *v, bool absent);
/* True when `v` is an integer that fits; "0x..." strings are accepted too. */
bool burl_json_as_u64(const struct burl_json_value *v, uint64_t *out);
bool burl_json_as_i64(const struct burl_json_value *v, int64_t *out);

#endif
