/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/json_read.c - the strict JSON reader; contract in json.h.
 *
 * Runs in the host, on bytes from outside (a finding.json a user may have edited
 * or a full disk may have cut): every byte is checked, depth is bounded, and no
 * input may crash it (tests/fuzz). Recursive descent; the depth limit bounds the
 * recursion.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/vec.h"

struct parser {
    const char *text;
    size_t n;
    size_t at;
    int depth;
    struct burl_err *err;
};

struct value_vec {
    BURL_VEC_OF(struct burl_json_value);
};

static enum burl_status parse_value(struct parser *p, struct burl_json_value *out);

static enum burl_status
refuse(struct parser *p, const char *why)
{
    size_t line = 1;
    size_t column = 1;

    for (size_t i = 0; i < p->at && i < p->n; i++) {
        column++;
        if (p->text[i] == '\n') {
            line++;
            column = 1;
        }
    }
    return burl_err_set(p->err, BURL_E_FORMAT, 0, "not valid JSON at line %zu, column %zu: %s",
                        line, column, why);
}

/* The next character, or -1 at the end. */
static int
peek(const struct parser *p)
{
    return p->at < p->n ? (unsigned char)p->text[p->at] : -1;
}

static void
skip_space(struct parser *p)
{
    int c = peek(p);

    while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        p->at++;
        c = peek(p);
    }
}

static void
deinit_value(struct burl_json_value *v)
{
    for (size_t i = 0; i < v->n; i++) {
        free((char *)v->items[i].key);
        deinit_value(&v->items[i]);
    }
    free(v->items);
    free((char *)v->str);
}

/* Four hexadecimal digits of \uXXXX; -1 when they are not. */
static int
parse_hex4(struct parser *p)
{
    char digits[5] = { 0 };

    if (p->n - p->at < 4)
        return -1;
    memcpy(digits, p->text + p->at, 4);
    if (strspn(digits, "0123456789abcdefABCDEF") != 4)
        return -1;
    p->at += 4;
    return (int)strtol(digits, NULL, 16);
}

static void
append_utf8(struct burl_buf *b, uint32_t c)
{
    static const uint8_t heads[] = { 0, 0xc0, 0xe0, 0xf0 };
    const int more = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);

    burl_buf_char(b, (char)(heads[more] | (c >> (6 * more))));
    for (int i = more - 1; i >= 0; i--)
        burl_buf_char(b, (char)(0x80 | ((c >> (6 * i)) & 63)));
}

/* After "\u": one code point, with its low surrogate when it needs one. */
static enum burl_status
parse_unicode_escape(struct parser *p, struct burl_buf *b)
{
    int hi = parse_hex4(p);
    int lo;

    if (hi < 0)
        return refuse(p, "\\u needs four hexadecimal digits");
    if (hi >= 0xdc00 && hi <= 0xdfff)
        return refuse(p, "a low surrogate without its high one");
    if (hi < 0xd800 || hi > 0xdbff) {
        append_utf8(b, (uint32_t)hi);
        return BURL_OK;
    }
    if (p->n - p->at < 2 || p->text[p->at] != '\\' || p->text[p->at + 1] != 'u')
        return refuse(p, "a high surrogate without its low one");
    p->at += 2;
    lo = parse_hex4(p);
    if (lo < 0xdc00 || lo > 0xdfff)
        return refuse(p, "a high surrogate without its low one");
    append_utf8(b, 0x10000u + (((uint32_t)hi & 0x3ffu) << 10) + ((uint32_t)lo & 0x3ffu));
    return BURL_OK;
}

static enum burl_status
parse_escape(struct parser *p, struct burl_buf *b)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    int c = peek(p);
    const char *hit;

    p->at++;
    if (c == 'u')
        return parse_unicode_escape(p, b);
    hit = c > 0 ? strchr(from, c) : NULL;
    if (!hit)
        return refuse(p, "an unknown escape");
    burl_buf_char(b, to[hit - from]);
    return BURL_OK;
}

/* At the opening quote. Gives an owned string. */
static enum burl_status
parse_string(struct parser *p, char **out, size_t *n)
{
    struct burl_buf b = BURL_BUF_INIT;

    *out = NULL;
    p->at++;
    for (;;) {
        enum burl_status st = BURL_OK;
        int c = peek(p);

        if (c < 0)
            st = refuse(p, "the text ends inside a string");
        else if (c < 0x20)
            st = refuse(p, "a control character inside a string");
        if (st == BURL_OK) {
            p->at++;
            if (c == '"')
                break;
            if (c == '\\')
                st = parse_escape(p, &b);
            else
                burl_buf_char(&b, (char)c);
        }
        if (st != BURL_OK) {
            burl_buf_deinit(&b);
            return st;
        }
    }
    *out = burl_buf_take(&b, n);
    return BURL_OK;
}

static size_t
skip_digits(struct parser *p)
{
    size_t start = p->at;

    while (peek(p) >= '0' && peek(p) <= '9')
        p->at++;
    return p->at - start;
}

static enum burl_status
parse_number(struct parser *p, struct burl_json_value *out)
{
    size_t start = p->at;

    if (peek(p) == '-')
        p->at++;
    if (peek(p) == '0')
        p->at++; /* no digit may follow a leading zero */
    else if (skip_digits(p) == 0)
        return refuse(p, "a number needs a digit");
    if (peek(p) == '.') {
        p->at++;
        if (skip_digits(p) == 0)
            return refuse(p, "a number needs a digit after its point");
    }
    if (peek(p) == 'e' || peek(p) == 'E') {
        p->at++;
        if (peek(p) == '+' || peek(p) == '-')
            p->at++;
        if (skip_digits(p) == 0)
            return refuse(p, "a number needs a digit in its exponent");
    }
    out->type = BURL_JSON_NUMBER;
    out->str_n = p->at - start;
    out->str = burl_xstrndup(p->text + start, out->str_n);
    return BURL_OK;
}

static bool
take_word(struct parser *p, const char *word)
{
    size_t n = strlen(word);

    if (p->n - p->at < n || memcmp(p->text + p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* "key" : , with the key owned by `member`; refuses a key that the object has already. */
static enum burl_status
parse_member_key(struct parser *p, const struct value_vec *seen, struct burl_json_value *member)
{
    enum burl_status st;
    size_t n;
    char *key;

    if (peek(p) != '"')
        return refuse(p, "a member needs a name in quotes");
    st = parse_string(p, &key, &n);
    if (st != BURL_OK)
        return st;
    member->key = key;
    if (strlen(key) != n)
        return refuse(p, "a member's name holds a NUL");
    for (size_t i = 0; i < seen->n; i++) {
        if (strcmp(seen->v[i].key, key) == 0)
            return refuse(p, "the same member twice");
    }
    skip_space(p);
    if (peek(p) != ':')
        return refuse(p, "a member needs a colon after its name");
    p->at++;
    skip_space(p);
    return BURL_OK;
}

/* At the opening bracket. `out` owns what was parsed, also on failure. */
static enum burl_status
parse_container(struct parser *p, struct burl_json_value *out, bool is_object)
{
    const int end = is_object ? '}' : ']';
    struct value_vec items = { 0 };
    enum burl_status st = BURL_OK;

    p->at++;
    skip_space(p);
    while (st == BURL_OK && peek(p) != end) {
        struct burl_json_value item = { 0 };

        if (items.n > 0 && peek(p) != ',') {
            st = refuse(p, is_object ? "expected , or }" : "expected , or ]");
            break;
        }
        p->at += items.n > 0;
        skip_space(p);
        if (is_object)
            st = parse_member_key(p, &items, &item);
        if (st == BURL_OK)
            st = parse_value(p, &item);
        BURL_VEC_PUSH(&items, item);
        if (st == BURL_OK)
            skip_space(p);
    }
    p->at += st == BURL_OK;
    out->type = is_object ? BURL_JSON_OBJECT : BURL_JSON_ARRAY;
    out->items = items.v;
    out->n = items.n;
    return st;
}

static enum burl_status
parse_value(struct parser *p, struct burl_json_value *out)
{
    enum burl_status st;
    char *s;
    int c = peek(p);

    if (c == '{' || c == '[') {
        if (++p->depth > BURL_JSON_MAX_DEPTH)
            return refuse(p, "nested too deeply");
        st = parse_container(p, out, c == '{');
        p->depth--;
        return st;
    }
    if (c == '"') {
        st = parse_string(p, &s, &out->str_n);
        if (st != BURL_OK)
            return st;
        out->type = BURL_JSON_STRING;
        out->str = s;
        return BURL_OK;
    }
    if (c == '-' || (c >= '0' && c <= '9'))
        return parse_number(p, out);
    if (take_word(p, "null")) {
        out->type = BURL_JSON_NULL;
        return BURL_OK;
    }
    if (take_word(p, "true") || take_word(p, "false")) {
        out->type = BURL_JSON_BOOL;
        out->boolean = p->text[p->at - 2] == 'u'; /* "true" */
        return BURL_OK;
    }
    return refuse(p, c < 0 ? "the text ends where a value should be" : "expected a value");
}

enum burl_status
burl_json_parse(struct burl_json_value **out, const char *text, size_t n, struct burl_err *err)
{
    struct parser p = { .text = text, .n = n, .err = err };
    struct burl_json_value *root = burl_xcalloc(1, sizeof *root);
    enum burl_status st;

    *out = NULL;
    skip_space(&p);
    st = parse_value(&p, root);
    if (st == BURL_OK) {
        skip_space(&p);
        if (p.at != n)
            st = refuse(&p, "something follows the end of the document");
    }
    if (st != BURL_OK) {
        burl_json_free(root);
        return st;
    }
    *out = root;
    return BURL_OK;
}

void
burl_json_free(struct burl_json_value *root)
{
    if (!root)
        return;
    deinit_value(root);
    free(root);
}

const struct burl_json_value *
burl_json_get(const struct burl_json_value *obj, const char *key)
{
    if (!obj || obj->type != BURL_JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < obj->n; i++) {
        if (strcmp(obj->items[i].key, key) == 0)
            return &obj->items[i];
    }
    return NULL;
}

const struct burl_json_value *
burl_json_at(const struct burl_json_value *arr, size_t i)
{
    if (!arr || arr->type != BURL_JSON_ARRAY || i >= arr->n)
        return NULL;
    return &arr->items[i];
}

size_t
burl_json_count(const struct burl_json_value *v)
{
    return v ? v->n : 0;
}

const char *
burl_json_as_str(const struct burl_json_value *v, const char *absent)
{
    return v && v->type == BURL_JSON_STRING ? v->str : absent;
}

bool
burl_json_as_bool(const struct burl_json_value *v, bool absent)
{
    return v && v->type == BURL_JSON_BOOL ? v->boolean : absent;
}

bool
burl_json_as_u64(const struct burl_json_value *v, uint64_t *out)
{
    int base = 10;
    char *end;

    if (!v || (v->type != BURL_JSON_NUMBER && v->type != BURL_JSON_STRING))
        return false;
    if (v->type == BURL_JSON_STRING) {
        if (strncmp(v->str, "0x", 2) != 0 || strspn(v->str + 2, "0123456789abcdefABCDEF") == 0)
            return false;
        base = 16;
    } else if (v->str[0] == '-') {
        return false;
    }
    errno = 0;
    *out = strtoull(v->str, &end, base);
    return errno == 0 && *end == '\0' && (size_t)(end - v->str) == v->str_n;
}

bool
burl_json_as_i64(const struct burl_json_value *v, int64_t *out)
{
    char *end;

    if (!v || v->type != BURL_JSON_NUMBER)
        return false;
    errno = 0;
    *out = strtoll(v->str, &end, 10);
    return errno == 0 && *end == '\0';
}
