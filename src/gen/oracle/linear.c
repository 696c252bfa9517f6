/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/oracle/linear.c - the merges of several lists that keep the order of each.
 *
 * A merge is a word over the numbers of the threads, in which thread t stands as often as it has
 * calls; all of them in lexicographic order are the permutations of a multiset, so that the next
 * one needs nothing but the last: no recursion, no state beside the word.
 */
#include "gen/oracle/oracle.h"

uint64_t
burl_gen_merges(const unsigned *lengths, unsigned n)
{
    unsigned __int128 r = 1;
    unsigned total = 0;

    /* After j steps of a list r holds (what was before) * C(total, j), so each division is exact,
     * and no step makes it smaller. */
    for (unsigned t = 0; t < n; t++) {
        for (unsigned j = 1; j <= lengths[t]; j++) {
            total++;
            r = r * total / j;
            if (r > UINT64_MAX)
                return UINT64_MAX;
        }
    }
    return (uint64_t)r;
}

bool
burl_gen_merge_first(struct burl_gen_order *o, const unsigned *lengths, unsigned n)
{
    o->n = 0;
    for (unsigned t = 0; t < n; t++) {
        if (lengths[t] > BURL_GEN_MAX_CALLS - o->n)
            return false;
        for (unsigned j = 0; j < lengths[t]; j++)
            o->thread[o->n++] = (uint8_t)t;
    }
    return true;
}

static void
swap(uint8_t *a, uint8_t *b)
{
    uint8_t x = *a;

    *a = *b;
    *b = x;
}

bool
burl_gen_merge_next(struct burl_gen_order *o)
{
    uint8_t *w = o->thread;
    unsigned i = o->n;
    unsigned j = o->n;

    /* The longest tail that falls is at its last arrangement: the element before it grows. */
    while (i >= 2 && w[i - 2] >= w[i - 1])
        i--;
    if (i < 2)
        return false;
    while (w[j - 1] <= w[i - 2])
        j--;
    swap(&w[i - 2], &w[j - 1]);
    for (unsigned lo = i - 1, hi = o->n - 1; lo < hi; lo++, hi--)
        swap(&w[lo], &w[hi]);
    return true;
}
