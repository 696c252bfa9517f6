/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/faults.c - the words of --faults; contract in faults.h.
 *
 * Runs in the host.
 */
#include "cli/faults.h"

#include <string.h>

#include "wire/control.h"

static const struct {
    const char *word;
    uint32_t flag;
} faults[] = {
    { "create", BURL_ORDER_F_FAIL_CREATE },
    { "malloc", BURL_ORDER_F_FAIL_MALLOC },
};
#define FAULTS (sizeof faults / sizeof faults[0])

static enum burl_status
add_word(const char *word, void *arg, struct burl_err *err)
{
    const char *known[FAULTS + 2];
    uint32_t *inject = arg;
    const char *near;

    for (size_t i = 0; i < FAULTS; i++) {
        known[i] = faults[i].word;
        if (strcmp(faults[i].word, word) == 0) {
            *inject |= faults[i].flag;
            return BURL_OK;
        }
    }
    known[FAULTS] = "none";
    known[FAULTS + 1] = NULL;
    near = burl_options_nearest(word, known);
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "--faults expects a list of create, malloc, or none, not \"%s\"%s%s%s",
                        word, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

enum burl_status
burl_faults_parse(const struct burl_options *o, uint32_t *inject, struct burl_err *err)
{
    *inject = o->no_spurious ? 0 : BURL_ORDER_F_SPURIOUS;
    if (strcmp(o->faults, "none") == 0)
        return BURL_OK;
    return burl_options_each_word(o->faults, add_word, inject, err);
}

void
burl_faults_words(uint32_t inject, struct burl_buf *out)
{
    const char *between = "";

    for (size_t i = 0; i < FAULTS; i++) {
        if (inject & faults[i].flag) {
            burl_buf_printf(out, "%s%s", between, faults[i].word);
            between = ",";
        }
    }
    if ((inject & BURL_ORDER_F_FAULTS) == 0)
        burl_buf_str_append(out, "none");
}
