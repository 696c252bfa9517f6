/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/detect.c - the words of --detect and --faults; contract in detect.h.
 *
 * Runs in the host. The words of --detect are the rows of BURL_WIRE_OBSERVERS, so that a new
 * observer needs no line here; those that only measure coverage are not offered.
 */
#include "cli/detect.h"

#include <string.h>

#include "wire/control.h"

#define MOST_WORDS 32

struct word {
    const char *text;
    uint32_t flag;
};

/* The values of an option that takes a list. */
struct word_list {
    const char *option;
    const struct word *v;
    size_t n;
    uint32_t *mask; /* while it is parsed */
};

/* Those of --detect are before LOCPAIRS; the recorder is for seeds alone. */
static const struct word observers[BURL_OBSERVER__N] = {
#define BURL_X(name, text_) { text_, BURL_OB(name) },
    BURL_WIRE_OBSERVERS(BURL_X)
#undef BURL_X
};
static const struct word faults[] = {
    { "create", BURL_ORDER_F_FAIL_CREATE },
    { "malloc", BURL_ORDER_F_FAIL_MALLOC },
};
#define N_FAULTS (sizeof faults / sizeof faults[0])

static enum burl_status
add_word(const char *word, void *arg, struct burl_err *err)
{
    const struct word_list *l = arg;
    const char *known[MOST_WORDS + 2];
    struct burl_buf all = BURL_BUF_INIT;
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (l->v[i].flag == BURL_OB(RECORD) && l->v == observers)
            continue;
        if (strcmp(l->v[i].text, word) == 0) {
            *l->mask |= l->v[i].flag;
            burl_buf_deinit(&all);
            return BURL_OK;
        }
        known[n++] = l->v[i].text;
        burl_buf_printf(&all, "%s, ", l->v[i].text);
    }
    known[n] = NULL;
    if (strcmp(word, "none") == 0) {
        burl_buf_deinit(&all);
        return burl_err_set(err, BURL_E_USAGE, 0, "%s: none stands alone; omit it or the others",
                            l->option);
    }
    burl_err_set(err, BURL_E_USAGE, 0, "%s expects a list of %sor none, not \"%s\"%s", l->option,
                 burl_buf_str(&all), word, burl_options_hint(word, known));
    burl_buf_deinit(&all);
    return BURL_E_USAGE;
}

static enum burl_status
parse_list(struct word_list l, const char *text, struct burl_err *err)
{
    if (strcmp(text, "none") == 0)
        return BURL_OK;
    return burl_options_each_word(text, add_word, &l, err);
}

static void
put_words(const struct word *v, size_t n, uint32_t mask, struct burl_buf *out)
{
    const char *between = "";

    for (size_t i = 0; i < n; i++) {
        if (mask & v[i].flag) {
            burl_buf_printf(out, "%s%s", between, v[i].text);
            between = ",";
        }
    }
    if (*between == '\0')
        burl_buf_str_append(out, "none");
}

enum burl_status
burl_detect_parse(const char *list, uint32_t *mask, struct burl_err *err)
{
    *mask = 0;
    return parse_list((struct word_list){ "--detect", observers, BURL_OBSERVER_LOCPAIRS, mask },
                      list, err);
}

void
burl_detect_words(uint32_t mask, struct burl_buf *out)
{
    put_words(observers, BURL_OBSERVER__N, mask, out);
}

enum burl_status
burl_faults_parse(const struct burl_options *o, uint32_t *inject, struct burl_err *err)
{
    *inject = o->no_spurious ? 0 : BURL_ORDER_F_SPURIOUS;
    return parse_list((struct word_list){ "--faults", faults, N_FAULTS, inject }, o->faults, err);
}

void
burl_faults_words(uint32_t inject, struct burl_buf *out)
{
    put_words(faults, N_FAULTS, inject, out);
}
