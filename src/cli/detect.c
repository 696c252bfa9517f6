/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/detect.c - the words of --detect; contract in detect.h.
 *
 * Runs in the host. The words are the rows of BURL_WIRE_OBSERVERS, so that a new observer needs
 * no line here; those that only measure coverage are not offered.
 */
#include "cli/detect.h"

#include <string.h>

#include "cli/options.h"
#include "wire/control.h"

static const char *const words[BURL_OBSERVER__N] = {
#define BURL_X(name, text) text,
    BURL_WIRE_OBSERVERS(BURL_X)
#undef BURL_X
};

static bool
is_detector(uint32_t observer)
{
    return observer < BURL_OBSERVER_LOCPAIRS;
}

static enum burl_status
refuse(const char *word, struct burl_err *err)
{
    const char *known[BURL_OBSERVER__N + 2];
    const char *near;
    size_t n = 0;

    for (uint32_t i = 0; i < BURL_OBSERVER__N; i++) {
        if (is_detector(i))
            known[n++] = words[i];
    }
    known[n++] = "none";
    known[n] = NULL;
    near = burl_options_nearest(word, known);
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "--detect expects a list of race, lockset, triple, lockorder, signals, "
                        "or none, not \"%s\"%s%s%s",
                        word, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static enum burl_status
add_word(const char *word, void *arg, struct burl_err *err)
{
    uint32_t *mask = arg;

    for (uint32_t i = 0; i < BURL_OBSERVER__N; i++) {
        if (is_detector(i) && strcmp(words[i], word) == 0) {
            *mask |= 1u << i;
            return BURL_OK;
        }
    }
    return refuse(word, err);
}

enum burl_status
burl_detect_parse(const char *list, uint32_t *mask, struct burl_err *err)
{
    *mask = 0;
    if (strcmp(list, "none") == 0)
        return BURL_OK;
    return burl_options_each_word(list, add_word, mask, err);
}

void
burl_detect_words(uint32_t mask, struct burl_buf *out)
{
    const char *between = "";

    for (uint32_t i = 0; i < BURL_OBSERVER__N; i++) {
        if (mask & (1u << i)) {
            burl_buf_printf(out, "%s%s", between, words[i]);
            between = ",";
        }
    }
    if (mask == 0)
        burl_buf_str_append(out, "none");
}
