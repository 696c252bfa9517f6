/* SPDX-License-Identifier: Apache-2.0 */
/*
 * short.c - a title in few columns, for lists.
 *
 * Runs in the host. A title that is cut in its middle loses the words that tell two findings apart.
 * So a title that does not fit is said in fewer words: without the names of threads and without
 * places (a list has its own column for the place), without what the kind says already, without its
 * last clauses. Only the shortest of these is cut, at its end.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "report/render/render_int.h"
#include "report/text/text.h"

/* Replaces `what` by `by` wherever no longer word or number begins with it. */
static void
replace(struct burl_buf *text, const char *what, const char *by)
{
    char *old = burl_xstrdup(burl_buf_str(text));
    const size_t n = strlen(what);

    burl_buf_clear(text);
    for (const char *p = old; *p != '\0';) {
        if (n > 0 && strncmp(p, what, n) == 0 && !isalnum((unsigned char)p[n]) && p[n] != '_') {
            burl_buf_str_append(text, by);
            p += n;
        } else {
            burl_buf_char(text, *p++);
        }
    }
    free(old);
}

static void
drop_place(struct burl_buf *text, const struct burl_finding_loc *loc)
{
    struct burl_buf place = BURL_BUF_INIT;

    if (loc->line == 0)
        return;
    burl_buf_printf(&place, " at %s:%u", burl_path_basename(loc->file), loc->line);
    if (loc->func[0] != '\0') {
        struct burl_buf whole = BURL_BUF_INIT;

        burl_buf_printf(&whole, "%s in %s", burl_buf_str(&place), loc->func);
        replace(text, burl_buf_str(&whole), "");
        burl_buf_deinit(&whole);
    }
    replace(text, burl_buf_str(&place), "");
    burl_buf_deinit(&place);
}

/* "T1" for "T1 worker"; no places. */
static void
drop_names(struct burl_buf *text, const struct burl_finding *f)
{
    for (size_t i = 0; i < f->n_threads; i++) {
        const struct burl_finding_thread *t = &f->threads[i];
        struct burl_buf named = BURL_BUF_INIT;
        char number[16];

        snprintf(number, sizeof number, "T%u", t->tid);
        burl_buf_printf(&named, "%s %s", number, t->name);
        if (t->name[0] != '\0')
            replace(text, burl_buf_str(&named), number);
        burl_buf_deinit(&named);
        if (t->stack.n > 0)
            drop_place(text, &t->stack.frames[0].loc);
    }
    drop_place(text, &f->where);
    for (size_t i = 0; i < f->n_sides; i++)
        drop_place(text, &f->sides[i].loc);
}

/* What the kind of the finding says as well. */
static const char *
skip_kind(const char *title)
{
    static const char *const phrases[] = {
        "no thread can make progress: ",     "threads loop without progress: ",
        "a thread loops without progress: ", "the program did not end in its time: ",
        "wait for each other's locks: ",     "wait for each other in a cycle: ",
        "atomicity violation in ",
    };

    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        const char *at = strstr(title, phrases[i]);

        if (at != NULL)
            return at + strlen(phrases[i]);
    }
    return title;
}

/* "assertion ..." for "T0: assertion ...". */
static const char *
skip_thread(const char *title)
{
    const size_t digits = title[0] == 'T' ? strspn(title + 1, "0123456789") : 0;

    return digits > 0 && strncmp(title + 1 + digits, ": ", 2) == 0 ? title + digits + 3 : title;
}

static void
drop_start(struct burl_buf *text, const char *(*skip)(const char *))
{
    char *rest = burl_xstrdup(skip(burl_buf_str(text)));

    burl_buf_clear(text);
    burl_buf_str_append(text, rest);
    free(rest);
}

/* The last comma that is in no brackets and no quotes; NULL none. */
static const char *
last_clause(const char *s)
{
    const char *found = NULL;
    unsigned depth = 0;
    bool quoted = false;

    for (; *s != '\0'; s++) {
        if (*s == '`' || *s == '\'')
            quoted = *s == '`';
        else if (strchr("(<[{", *s) != NULL)
            depth++;
        else if (strchr(")>]}", *s) != NULL && depth > 0)
            depth--;
        else if (*s == ',' && s[1] == ' ' && depth == 0 && !quoted)
            found = s;
    }
    return found;
}

/* "q->head: T1 writes, T2 frees", with the lines if `places`; false for other kinds. */
static bool
put_race(struct burl_buf *out, const struct burl_finding *f, bool places)
{
    if (f->verdict != BURL_VERDICT_RACE_DATA || f->n_sides != 2 || f->memory.name[0] == '\0')
        return false;
    burl_buf_str_append(out, f->memory.name);
    for (size_t i = 0; i < 2; i++) {
        const struct burl_finding_side *s = &f->sides[i];

        burl_buf_printf(out, "%s T%u %s", i == 0 ? ":" : ",", s->tid, s->verb);
        if (places && s->loc.line != 0)
            burl__report_put(out, f, " %s %L", s->near ? "near" : "at", &s->loc);
    }
    return true;
}

static bool
fits(const struct burl_buf *text, size_t max)
{
    return burl__report_columns(burl_buf_str(text)) <= max;
}

/* The variable of a race with both accesses, or alone. */
static bool
shorten_race(struct burl_buf *text, const struct burl_finding *f, size_t max)
{
    for (unsigned places = 2; places-- > 0;) {
        burl_buf_clear(text);
        if (!put_race(text, f, places == 1))
            return false;
        if (fits(text, max))
            return true;
    }
    burl_buf_clear(text);
    burl_buf_str_append(text, f->memory.name);
    return true;
}

static void
shorten(struct burl_buf *text, const struct burl_finding *f, size_t max)
{
    drop_names(text, f);
    if (!fits(text, max))
        drop_start(text, skip_kind);
    if (!fits(text, max))
        drop_start(text, skip_thread);
    while (!fits(text, max) && last_clause(burl_buf_str(text)) != NULL)
        burl_buf_truncate(text, (size_t)(last_clause(burl_buf_str(text)) - burl_buf_str(text)));
}

void
burl__report_put_short(struct burl_buf *out, const struct burl_finding *f,
                       const struct burl_report_style *style, size_t max)
{
    struct burl_buf text = BURL_BUF_INIT;

    burl_buf_str_append(&text, f->title);
    if (!fits(&text, max) && !shorten_race(&text, f, max)) {
        burl_buf_clear(&text);
        burl_buf_str_append(&text, f->title);
        shorten(&text, f, max);
    }
    burl__report_put_cut(out, style, burl_buf_str(&text), max);
    burl_buf_deinit(&text);
}
