/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/words.c - which of the words after "--" are sources, flags, or for the linker.
 */
#include <string.h>

#include "base/path.h"
#include "gen/exec/words.h"

/* Is the word one of the list, which ends in NULL? */
static bool
is_one_of(const char *word, const char *const *list)
{
    for (; word && *list; list++) {
        if (strcmp(word, *list) == 0)
            return true;
    }
    return false;
}

static const char *
suffix_of(const char *path)
{
    return strrchr(burl_path_basename(path), '.');
}

bool
burl_gen_is_cplusplus(const char *source)
{
    static const char *const ends[] = { ".cc", ".cpp", ".cxx", ".C", ".c++", NULL };

    return is_one_of(suffix_of(source), ends);
}

bool
burl_gen_is_foreign(const char *flag, bool cplusplus)
{
    const bool is_cpp_std =
        strncmp(flag, "-std=c++", 8) == 0 || strncmp(flag, "-std=gnu++", 10) == 0;

    return strncmp(flag, "-std=", 5) == 0 && is_cpp_std != cplusplus;
}

static enum burl_gen_word_kind
kind_of(const char *word)
{
    static const char *const ends[] = { ".c", ".S", ".s", NULL };
    static const char *const link[] = { "-Xlinker",       "-T",        "-u", "-z",
                                        "-static-libgcc", "-rdynamic", NULL };

    if (word[0] != '-' && (is_one_of(suffix_of(word), ends) || burl_gen_is_cplusplus(word)))
        return BURL_GEN_WORD_SOURCE;
    return word[0] != '-' || strncmp(word, "-l", 2) == 0 || strncmp(word, "-L", 2) == 0 ||
                   strncmp(word, "-Wl,", 4) == 0 || is_one_of(word, link)
               ? BURL_GEN_WORD_LINK
               : BURL_GEN_WORD_FLAG;
}

bool
burl_gen_next_word(const struct burl_gen_sources *s, size_t *at, struct burl_gen_word *out)
{
    static const char *const with_value[] = { "-I",       "-D",      "-U",       "-include",
                                              "-isystem", "-iquote", "-imacros", "-idirafter",
                                              "-x",       "-Xclang", "-Xlinker", "-L",
                                              "-l",       "-T",      "-u",       "-z",
                                              NULL };

    while (*at < s->n_words && s->words[*at]) {
        const char *word = s->words[(*at)++];

        if (strcmp(word, "-o") == 0)
            ++*at;
        if (strcmp(word, "-o") == 0 || strcmp(word, "-c") == 0)
            continue;
        *out = (struct burl_gen_word){ .kind = kind_of(word), .text = word };
        if (is_one_of(word, with_value) && *at < s->n_words)
            out->value = s->words[(*at)++];
        return true;
    }
    return false;
}
