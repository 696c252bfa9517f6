/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_set.c - sparse bit sets. Host side.
 *
 * A sorted array of words rather than a tree or a bitmap: most sets have a handful of members, a
 * few have tens of thousands in runs (leaves of one object are numbered one after the other), and
 * the one operation that matters, merging, is a walk over both.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/pts/pts_int.h"
#include "base/mem.h"

static uint32_t
lower_bound(const struct burl__set *s, uint32_t key)
{
    uint32_t lo = 0, hi = s->n;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->v[mid].key < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void
reserve_words(struct burl__set *s, uint32_t n)
{
    if (n <= s->cap)
        return;
    uint32_t cap = s->cap ? s->cap * 2 : 2;
    s->cap = cap < n ? n : cap;
    s->v = burl_xreallocarray(s->v, s->cap, sizeof *s->v);
}

bool
burl__set_add(struct burl__set *s, uint32_t x)
{
    uint32_t i = lower_bound(s, x / 64);

    if (i == s->n || s->v[i].key != x / 64) {
        reserve_words(s, s->n + 1);
        memmove(&s->v[i + 1], &s->v[i], (s->n - i) * sizeof *s->v);
        s->v[i] = (struct burl__word){ .key = x / 64 };
        s->n++;
    }
    uint32_t *word = &s->v[i].bits[x / 32 % 2];
    uint32_t bit = UINT32_C(1) << x % 32;
    if (*word & bit)
        return false;
    *word |= bit;
    return true;
}

/* How many words of `src` have no partner in `dst`, and whether any bit is new. */
static uint32_t
count_missing(const struct burl__set *dst, const struct burl__set *src, bool *news)
{
    uint32_t missing = 0, i = 0;

    *news = false;
    for (uint32_t k = 0; k < src->n; k++) {
        while (i < dst->n && dst->v[i].key < src->v[k].key)
            i++;
        if (i == dst->n || dst->v[i].key != src->v[k].key)
            missing++;
        else if ((src->v[k].bits[0] & ~dst->v[i].bits[0]) ||
                 (src->v[k].bits[1] & ~dst->v[i].bits[1]))
            *news = true;
    }
    *news |= missing != 0;
    return missing;
}

static void
push_word(struct burl__set *s, uint32_t key, uint32_t b0, uint32_t b1)
{
    if (!(b0 | b1))
        return;
    reserve_words(s, s->n + 1);
    s->v[s->n++] = (struct burl__word){ .key = key, .bits = { b0, b1 } };
}

bool
burl__set_merge(struct burl__set *dst, const struct burl__set *src, struct burl__set *fresh)
{
    bool news;
    struct burl__set added = { 0 };

    if (dst == src || !src->n)
        return false;
    uint32_t missing = count_missing(dst, src, &news);
    if (!news)
        return false;
    /* From the end, so that no word is overwritten before it was moved. */
    reserve_words(dst, dst->n + missing);
    uint32_t i = dst->n, k = src->n, at = dst->n + missing;
    dst->n = at;
    while (k > 0) {
        const struct burl__word w = src->v[k - 1];
        if (i > 0 && dst->v[i - 1].key > w.key) {
            dst->v[--at] = dst->v[--i];
            continue;
        }
        struct burl__word old = { .key = w.key };
        if (i > 0 && dst->v[i - 1].key == w.key)
            old = dst->v[--i];
        if (fresh)
            push_word(&added, w.key, w.bits[0] & ~old.bits[0], w.bits[1] & ~old.bits[1]);
        dst->v[--at] =
            (struct burl__word){ .key = w.key,
                                 .bits = { old.bits[0] | w.bits[0], old.bits[1] | w.bits[1] } };
        k--;
    }
    for (uint32_t a = 0, b = added.n; fresh && a + 1 < b; a++, b--) {
        struct burl__word t = added.v[a];
        added.v[a] = added.v[b - 1];
        added.v[b - 1] = t;
    }
    if (fresh && !fresh->n) {
        free(fresh->v);
        *fresh = added;
    } else if (fresh) {
        burl__set_merge(fresh, &added, NULL);
        free(added.v);
    }
    return true;
}

void
burl__set_clear(struct burl__set *s)
{
    free(s->v);
    memset(s, 0, sizeof *s);
}

uint32_t
burl__set_next(const struct burl__set *s, uint32_t from, uint32_t *hint)
{
    uint32_t i = *hint;

    while (i < s->n && s->v[i].key < from / 64)
        i++;
    for (; i < s->n; i++) {
        uint64_t w = (uint64_t)s->v[i].bits[1] << 32 | s->v[i].bits[0];
        if (s->v[i].key == from / 64)
            w &= UINT64_MAX << from % 64;
        if (w) {
            *hint = i;
            return s->v[i].key * 64 + (uint32_t)__builtin_ctzll(w);
        }
    }
    *hint = i;
    return BURL__NONE;
}
