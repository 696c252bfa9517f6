/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc/flags.c - everything that follows from the rows of flags.def.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/linereader.h"
#include "cc/cc_int.h"

enum kind { KIND_FLAG, KIND_CHOICE, KIND_TEXT };

/* What a row does; the rows of burl_cc_flags have the same order. */
static const struct {
    enum kind kind;
    size_t offset; /* in struct burl__cc */
    bool value;    /* of a flag */
} effects[] = {
#define BURL_CC_FLAG(name_, field_, value_, help_) \
    { KIND_FLAG, offsetof(struct burl__cc, field_), value_ },
#define BURL_CC_CHOICE(name_, field_, words_, help_) \
    { KIND_CHOICE, offsetof(struct burl__cc, field_), true },
#define BURL_CC_TEXT(name_, field_, value_, help_) \
    { KIND_TEXT, offsetof(struct burl__cc, field_), true },
#include "cc/flags.def"
#undef BURL_CC_FLAG
#undef BURL_CC_CHOICE
#undef BURL_CC_TEXT
};

const struct burl_cc_flag burl_cc_flags[] = {
#define BURL_CC_FLAG(name_, field_, value_, help_) { name_, "", help_ },
#define BURL_CC_CHOICE(name_, field_, words_, help_) { name_, words_, help_ },
#define BURL_CC_TEXT(name_, field_, value_, help_) { name_, value_, help_ },
#include "cc/flags.def"
#undef BURL_CC_FLAG
#undef BURL_CC_CHOICE
#undef BURL_CC_TEXT
    { 0 },
};

/* The row of a word "--name" or "--name=value", NULL when it is none of ours. *value is NULL
 * without "=". */
static const struct burl_cc_flag *
find_flag(const char *word, const char **value)
{
    const size_t n = strcspn(word, "=");

    *value = word[n] == '=' ? word + n + 1 : NULL;
    for (const struct burl_cc_flag *f = burl_cc_flags; n > 2 && f->name; f++) {
        if (strncmp(word, "--", 2) == 0 && strlen(f->name) == n - 2 &&
            strncmp(word + 2, f->name, n - 2) == 0)
            return f;
    }
    return NULL;
}

bool
burl__cc_own_flag(struct burl__cc *cc, const char *word)
{
    const char *value;
    const struct burl_cc_flag *f = find_flag(word, &value);
    void *field;

    if (!f)
        return false;
    field = (char *)cc + effects[f - burl_cc_flags].offset;
    switch (effects[f - burl_cc_flags].kind) {
    case KIND_FLAG:
        if (value)
            return false;
        *(bool *)field = effects[f - burl_cc_flags].value;
        return true;
    case KIND_CHOICE:
        if (!value || !burl_word_in(value, f->value, '|'))
            return false;
        *(bool *)field = strncmp(f->value, value, strlen(value)) == 0;
        return true;
    case KIND_TEXT:
        if (!value || !*value)
            return false;
        *(const char **)field = value;
        return true;
    }
    return false;
}

/* "--volatile=atomic or --volatile=plain", "--redirect=FILE". */
static void
append_forms(struct burl_buf *out, const struct burl_cc_flag *f)
{
    for (const char *p = f->value; *p;) {
        const size_t n = strcspn(p, "|");

        burl_buf_printf(out, "%s--%s=%.*s", p == f->value ? "" : " or ", f->name, (int)n, p);
        p += n + (p[n] == '|');
    }
}

enum burl_status
burl__cc_check_own_value(const char *word, struct burl_err *err)
{
    const char *value;
    const struct burl_cc_flag *f = find_flag(word, &value);
    struct burl_buf forms = BURL_BUF_INIT;

    if (!f)
        return BURL_OK;
    if (!*f->value)
        return burl_err_set(err, BURL_E_USAGE, 0, "%s: --%s takes no value", word, f->name);
    append_forms(&forms, f);
    burl_err_set(err, BURL_E_USAGE, 0, "%s is not a flag of burl-cc: use %s", word,
                 burl_buf_str(&forms));
    burl_buf_deinit(&forms);
    return BURL_E_USAGE;
}

enum burl_status
burl__cc_refuse_flag(const char *word, struct burl_err *err)
{
    struct burl_buf known = BURL_BUF_INIT;

    for (const struct burl_cc_flag *f = burl_cc_flags; f->name; f++) {
        if (*f->help)
            burl_buf_printf(&known, "%s--%s%s%s", known.n ? ", " : "", f->name,
                            *f->value ? "=" : "", f->value);
    }
    burl_err_set(err, BURL_E_USAGE, 0, "BURL_CC_FLAGS: %s is not a flag of burl-cc (%s)", word,
                 burl_buf_str(&known));
    burl_buf_deinit(&known);
    return BURL_E_USAGE;
}
