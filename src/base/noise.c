/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/noise.c - reading noise settings, contract in noise.h; writing them is noise_write.c.
 *
 * Runs in the host. The line and the file have the same keys, so one function reads a key and its
 * value; messages begin with where that was.
 */
#include "base/noise.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/linereader.h"
#include "base/noise_int.h"

#define FILE_MAX_B ((size_t)1 << 20)

void
burl_noise_default(struct burl_wire_noise *n)
{
    memset(n, 0, sizeof *n);
    n->freq = 100;
    n->strength = BURL_NOISE_STRENGTH;
    n->seed = 1;
}

/* Where a key stands, for messages, and what was given before it. */
struct where {
    const char *name; /* of a file; NULL: a setting in one line */
    uint32_t line;
    uint32_t given; /* a bit per key */
    struct burl_err *err;
};

static enum burl_status refuse(const struct where *w, const char *fmt, ...) BURL_PRINTF(2, 3);

static enum burl_status
refuse(const struct where *w, const char *fmt, ...)
{
    struct burl_buf text = BURL_BUF_INIT;
    va_list ap;

    if (w->name)
        burl_buf_printf(&text, "%s:%u: ", w->name, w->line);
    va_start(ap, fmt);
    burl_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    burl_err_set(w->err, BURL_E_USAGE, 0, "%s", burl_buf_str(&text));
    burl_buf_deinit(&text);
    return BURL_E_USAGE;
}

/* ---- values ------------------------------------------------------------------------ */

static const char *const seedings[] = {
#define BURL_X(name, text, words) [BURL_NOISE_##name] = text,
    BURL_WIRE_NOISE_SEEDINGS(BURL_X)
#undef BURL_X
};

const char *
burl__noise_seeding(uint32_t seeding)
{
    return seedings[seeding < BURL_NOISE_SEEDING__N ? seeding : 0];
}

static enum burl_status
read_seeding(struct burl_wire_noise *n, struct burl_span value, const struct where *w)
{
    char shown[48];

    for (uint32_t i = 0; i < BURL_NOISE_SEEDING__N; i++) {
        if (burl_span_is(value, seedings[i])) {
            n->seeding = i;
            return BURL_OK;
        }
    }
#define BURL_X(name, text, words) " " text
    return refuse(w, "\"%s\" is no kind of noise; allowed are" BURL_WIRE_NOISE_SEEDINGS(BURL_X),
                  burl_span_show(value, shown));
#undef BURL_X
}

static enum burl_status
read_number(uint64_t *out, const char *key, struct burl_span value, uint64_t min, uint64_t max,
            const struct where *w)
{
    char shown[48];

    if (burl_span_number(value, 10, max, out) && *out >= min)
        return BURL_OK;
    return refuse(w, "%s must be a number from %llu to %llu, not \"%s\"", key,
                  (unsigned long long)min, (unsigned long long)max, burl_span_show(value, shown));
}

static enum burl_status
read_u32(uint32_t *out, const char *key, struct burl_span value, uint32_t min, uint32_t max,
         const struct where *w)
{
    uint64_t v = 0;
    enum burl_status st = read_number(&v, key, value, min, max, w);

    if (st == BURL_OK)
        *out = (uint32_t)v;
    return st;
}

static enum burl_status
read_switch(uint32_t *out, const char *key, struct burl_span value, const struct where *w)
{
    char shown[48];

    if (burl_span_is(value, "on"))
        *out = 1;
    else if (burl_span_is(value, "off"))
        *out = 0;
    else
        return refuse(w, "%s is on or off, not \"%s\"", key, burl_span_show(value, shown));
    return BURL_OK;
}

/* ---- places ------------------------------------------------------------------------ */

struct places {
    bool random;
    bool shared;
    bool one;
    bool coverage;
    bool adaptive;
    bool suspects;
    bool pairs;
};

static bool *
place_named(struct places *p, struct burl_span word)
{
    const struct {
        const char *name;
        bool *at;
    } all[] = { { "random", &p->random },     { "shared", &p->shared },
                { "one", &p->one },           { "coverage", &p->coverage },
                { "adaptive", &p->adaptive }, { "suspects", &p->suspects },
                { "pairs", &p->pairs } };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (burl_span_is(word, all[i].name))
            return all[i].at;
    }
    return NULL;
}

static uint32_t
shared_of(const struct places *p)
{
    if (p->shared)
        return p->random ? BURL_NOISE_SHARED_ALL_RANDOM : BURL_NOISE_SHARED_ALL;
    if (p->one)
        return p->random ? BURL_NOISE_SHARED_ONE_RANDOM : BURL_NOISE_SHARED_ONE;
    return !p->random && (p->coverage || p->adaptive) ? BURL_NOISE_SHARED_NONE
                                                      : BURL_NOISE_SHARED_OFF;
}

static enum burl_status
read_place(struct burl_wire_noise *n, struct burl_span value, const struct where *w)
{
    struct places p = { 0 };
    char shown[48];

    for (;;) {
        const char *plus = memchr(value.p, '+', value.n);
        struct burl_span word = { value.p, plus ? (size_t)(plus - value.p) : value.n };
        bool *at = place_named(&p, burl_span_trim(word));

        if (!at)
            return refuse(w,
                          "\"%s\" is no place; allowed are random, shared, one, coverage, "
                          "adaptive, suspects and pairs, joined by +",
                          burl_span_show(burl_span_trim(word), shown));
        if (*at)
            return refuse(w, "the place %s is given twice", burl_span_show(word, shown));
        *at = true;
        if (!plus)
            break;
        value.n -= word.n + 1;
        value.p = plus + 1;
    }
    if (p.shared && p.one)
        return refuse(w, "the places shared and one exclude each other");
    if (p.coverage && p.adaptive)
        return refuse(w, "the places coverage and adaptive exclude each other; adaptive is "
                         "coverage with a chance that falls");
    n->shared = shared_of(&p);
    n->cover = p.adaptive   ? BURL_NOISE_COVER_ADAPTED
               : p.coverage ? BURL_NOISE_COVER_ON
                            : BURL_NOISE_COVER_OFF;
    n->marks = (p.suspects ? BURL_NOISE_MARK_SUSPECT : 0u) | (p.pairs ? BURL_NOISE_MARK_PAIR : 0u);
    return BURL_OK;
}

/* ---- keys -------------------------------------------------------------------------- */

enum key {
    KEY_SEEDING,
    KEY_FREQ,
    KEY_STRENGTH,
    KEY_PLACE,
    KEY_HALT,
    KEY_TAMPER,
    KEY_SEED,
    KEY_VARIABLE,
    KEY__N
};

static const char *const keys[KEY__N] = { "seeding", "freq",   "strength", "place",
                                          "halt",    "tamper", "seed",     "variable" };

#define KEYS "seeding, freq, strength, place, halt, tamper, seed, variable"

static enum burl_status
read_value(struct burl_wire_noise *n, enum key key, struct burl_span value, const struct where *w)
{
    switch (key) {
    case KEY_SEEDING:
        return read_seeding(n, value, w);
    case KEY_FREQ:
        return read_u32(&n->freq, "freq", value, 0, BURL_NOISE_MAX_FREQ, w);
    case KEY_STRENGTH:
        return read_u32(&n->strength, "strength", value, 1, BURL_NOISE_MAX_STRENGTH, w);
    case KEY_PLACE:
        return read_place(n, value, w);
    case KEY_HALT:
        return read_switch(&n->halt, "halt", value, w);
    case KEY_TAMPER:
        return read_switch(&n->tamper, "tamper", value, w);
    case KEY_SEED:
        return read_number(&n->seed, "seed", value, 0, UINT64_MAX, w);
    case KEY_VARIABLE:
        return read_u32(&n->variable, "variable", value, 0, UINT32_MAX, w);
    case KEY__N:
        break;
    }
    return BURL_OK;
}

/* `text` is "key = value", or the name of a switch alone. */
static enum burl_status
read_key(struct burl_wire_noise *n, struct burl_span text, struct where *w)
{
    const char *equals = memchr(text.p, '=', text.n);
    struct burl_span name =
        burl_span_trim((struct burl_span){ text.p, equals ? (size_t)(equals - text.p) : text.n });
    struct burl_span value = { "on", 2 };
    char shown[48];
    size_t k = 0;

    while (k < KEY__N && !burl_span_is(name, keys[k]))
        k++;
    if (k == KEY__N)
        return refuse(w, "\"%s\" is no key of a noise setting; allowed are %s",
                      burl_span_show(name, shown), KEYS);
    if (w->given & 1u << k)
        return refuse(w, "%s is given twice", keys[k]);
    w->given |= 1u << k;
    if (equals)
        value = burl_span_trim(
            (struct burl_span){ equals + 1, text.n - (size_t)(equals + 1 - text.p) });
    else if (k != KEY_HALT && k != KEY_TAMPER)
        return refuse(w, "%s needs a value: %s=...", keys[k], keys[k]);
    return read_value(n, (enum key)k, value, w);
}

/* ---- line and file ----------------------------------------------------------------- */

static enum burl_status
read_keys(struct burl_wire_noise *n, struct burl_span text, struct where *w)
{
    enum burl_status st = BURL_OK;

    while (st == BURL_OK) {
        const char *comma = memchr(text.p, ',', text.n);
        struct burl_span part = { text.p, comma ? (size_t)(comma - text.p) : text.n };

        st = read_key(n, burl_span_trim(part), w);
        if (!comma)
            break;
        text.n -= part.n + 1;
        text.p = comma + 1;
    }
    return st;
}

enum burl_status
burl_noise_parse(struct burl_wire_noise *n, const char *text, struct burl_err *err)
{
    struct where w = { .err = err };
    struct burl_span all = burl_span_trim((struct burl_span){ text, strlen(text) });
    const char *colon = memchr(all.p, ':', all.n);
    struct burl_span first = { all.p, colon ? (size_t)(colon - all.p) : all.n };
    enum burl_status st;

    burl_noise_default(n);
    if (all.n == 0)
        return refuse(&w, "a noise setting is empty; give for example sleep:freq=200,place=shared");
    /* Keys alone: the seeding is the default one. */
    if (!colon && (memchr(all.p, '=', all.n) || memchr(all.p, ',', all.n) ||
                   burl_span_is(all, "halt") || burl_span_is(all, "tamper")))
        return read_keys(n, all, &w);
    w.given |= 1u << KEY_SEEDING;
    st = read_seeding(n, burl_span_trim(first), &w);
    if (st != BURL_OK || !colon)
        return st;
    return read_keys(n, (struct burl_span){ colon + 1, all.n - first.n - 1 }, &w);
}

enum burl_status
burl_noise_parse_file(struct burl_wire_noise *n, const char *name, const char *content,
                      size_t content_b, struct burl_err *err)
{
    /* Editors of other systems put it before the first line. */
    static const char bom[] = { '\xef', '\xbb', '\xbf' };
    const size_t skip =
        content_b >= sizeof bom && memcmp(content, bom, sizeof bom) == 0 ? sizeof bom : 0;
    struct where w = { .name = name, .err = err };
    struct burl_linereader r;
    enum burl_status st =
        burl_linereader_open(&r, name, content + skip, content_b - skip, BURL_E_USAGE, err);

    burl_noise_default(n);
    while (st == BURL_OK && burl_linereader_next(&r)) {
        struct burl_span line;

        burl_linereader_cut_comment(&r, false);
        line = burl_span_trim(r.rest);
        w.line = r.line;
        if (line.n > 0)
            st = read_key(n, line, &w);
    }
    if (st == BURL_OK && w.given == 0)
        st = burl_err_set(err, BURL_E_USAGE, 0, "%s has no noise setting; keys are %s", name, KEYS);
    return st;
}

enum burl_status
burl_noise_read(struct burl_wire_noise *n, const char *option, const char *value,
                struct burl_err *err)
{
    struct burl_err why;
    enum burl_status st;
    char *content = NULL;
    size_t content_b = 0;

    if (!burl_fs_exists(value)) {
        const size_t len = strlen(value);

        if (strchr(value, '/') || (len > 6 && strcmp(value + len - 6, ".noise") == 0))
            return burl_err_set(err, BURL_E_USAGE, 0, "%s: there is no noise file %s", option,
                                value);
        st = burl_noise_parse(n, value, err);
        return st == BURL_OK ? st : burl_err_prefix(err, "%s=%.100s", option, value);
    }
    /* A directory, no permission, too large: another name helps. */
    if (burl_fs_read_file(value, FILE_MAX_B, &content, &content_b, &why) != BURL_OK)
        return burl_err_set(err, BURL_E_USAGE, 0, "%s: cannot read %.200s as a noise file: %s",
                            option, value, why.msg);
    st = burl_noise_parse_file(n, value, content, content_b, err);
    free(content);
    return st == BURL_OK ? st : burl_err_prefix(err, "%s", option);
}
