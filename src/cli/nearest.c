/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/nearest.c - the word that a user most likely meant.
 *
 * Runs in the host.
 */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"

/* Edit distance with insertion, deletion, substitution and swap of neighbors; words longer
 * than the row are never near anything. */
static size_t
edit_distance(const char *a, const char *b)
{
    enum { MAX = 40 };
    size_t rows[3][MAX + 1];
    size_t na = strlen(a);
    size_t nb = strlen(b);

    if (na > MAX || nb > MAX)
        return MAX;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *now = rows[i % 3];
        const size_t *before = rows[(i - 1) % 3];
        const size_t *two_before = rows[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);

            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_before[j - 2] + 1 < best)
                best = two_before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[na % 3][nb];
}

const char *
burl_options_nearest(const char *word, const char *const *candidates)
{
    const char *best = NULL;
    /* A third of the letters may be wrong; more and the offer would be a guess. */
    size_t best_distance = strlen(word) / 3 + 2;

    for (; *candidates; candidates++) {
        size_t d = edit_distance(word, *candidates);
        bool prefix = strlen(word) >= 2 && strncmp(*candidates, word, strlen(word)) == 0;

        if (prefix)
            d = 1;
        if (d < best_distance && d < strlen(*candidates)) {
            best = *candidates;
            best_distance = d;
        }
    }
    return best;
}

const char *
burl_options_hint(const char *word, const char *const *candidates)
{
    static char hint[80];
    const char *near = burl_options_nearest(word, candidates);

    hint[0] = '\0';
    if (near != NULL)
        snprintf(hint, sizeof hint, "; did you mean %s?", near);
    return hint;
}
