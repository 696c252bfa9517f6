/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/words.c - names and comments as words: what the guesses are made of.
 *
 * Whole words only. "deinit" is not "init", "renew" is not "new"; a guess missed is a line in the
 * model file, a wrong one is tests that make no sense.
 */
#include <ctype.h>
#include <string.h>

#include "gen/model/decls_int.h"

/* The next word of an identifier into `w`, in lower case; NULL at the end. */
static const char *
next_word(const char *p, char *w, size_t cap)
{
    size_t n = 0;

    while (*p && !isalnum((unsigned char)*p))
        p++;
    if (!*p)
        return NULL;
    while (isalnum((unsigned char)*p)) {
        bool upper = isupper((unsigned char)*p);
        /* queueInit | XMLParser: a capital after a small letter, or before one. */
        if (n > 0 && upper &&
            (islower((unsigned char)p[-1]) ||
             (isupper((unsigned char)p[-1]) && islower((unsigned char)p[1]))))
            break;
        if (n + 1 < cap)
            w[n++] = (char)tolower((unsigned char)*p);
        p++;
    }
    w[n] = '\0';
    return p;
}

/* Letter by letter: words are short, and strcspn() prepares longer than it searches. */
static bool
in_list(const char *word, const char *list)
{
    for (const char *p = list; *p;) {
        const char *w = word;

        while (*w && *p == *w) {
            p++;
            w++;
        }
        if (!*w && (*p == ' ' || !*p))
            return true;
        while (*p && *p != ' ')
            p++;
        p += *p == ' ';
    }
    return false;
}

bool
burl__gen_has_word(const char *name, const char *list)
{
    char w[64];

    while ((name = next_word(name, w, sizeof w)) != NULL) {
        if (in_list(w, list))
            return true;
    }
    return false;
}

bool
burl__gen_ends_word(const char *name, const char *list)
{
    char w[64] = "";
    char last[64] = "";

    while ((name = next_word(name, w, sizeof w)) != NULL)
        memcpy(last, w, sizeof last);
    return in_list(last, list);
}

bool
burl__gen_says(const char *comment, const char *phrases)
{
    for (const char *p = phrases; *p;) {
        size_t k = (size_t)(strchrnul(p, '|') - p);
        for (const char *at = comment; *at; at++) {
            if (*at == *p && (at == comment || !isalnum((unsigned char)at[-1])) &&
                strncmp(at, p, k) == 0)
                return true;
        }
        p += k;
        p += *p == '|';
    }
    return false;
}

bool
burl__gen_names(const char *comment, const char *name)
{
    size_t n = strlen(name);

    if (n == 0)
        return false;
    for (const char *at = comment; *at; at++) {
        size_t i = 0;
        if (at != comment && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            continue;
        while (i < n && at[i] == (char)tolower((unsigned char)name[i]))
            i++;
        if (i == n && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    }
    return false;
}

/* Letters and digits of the noun: without "struct", directories, ".h" and "_t". */
static void
noun_of(const char *text, char *out, size_t cap)
{
    const char *slash = strrchr(text, '/');
    size_t n = 0;

    if (slash)
        text = slash + 1;
    if (strncmp(text, "struct ", 7) == 0)
        text += 7;
    else if (strncmp(text, "union ", 6) == 0)
        text += 6;
    for (; *text && *text != '.' && n + 1 < cap; text++) {
        if (strcmp(text, "_t") == 0)
            break;
        if (isalnum((unsigned char)*text))
            out[n++] = (char)tolower((unsigned char)*text);
    }
    out[n] = '\0';
}

bool
burl__gen_same_noun(const char *type, const char *header)
{
    char a[128];
    char b[128];
    size_t n;

    noun_of(type, a, sizeof a);
    noun_of(header, b, sizeof b);
    if (strcmp(a, b) == 0)
        return a[0] != '\0';
    /* queues.h has queues. */
    n = strlen(a);
    return n > 2 && strncmp(a, b, n) == 0 && strcmp(b + n, "s") == 0;
}

size_t
burl__gen_distance(const char *a, const char *b)
{
    size_t row[65];
    size_t na = strnlen(a, 64);
    size_t nb = strnlen(b, 64);

    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t up = row[j];
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (up + 1 < best)
                best = up + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = up;
            row[j] = best;
        }
    }
    return row[nb];
}

void
burl__gen_nearer(const char **best, const char *candidate, const char *name)
{
    if (!*best || burl__gen_distance(candidate, name) < burl__gen_distance(*best, name))
        *best = candidate;
}
