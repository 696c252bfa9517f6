/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_parts.c - parts of the HTML page of findings: places, source lines, stacks, locks.
 *
 * Runs in the host. A store may come from another machine, and its paths may lead anywhere:
 * lines of a file get into the page only if the file has, at that place, the very line that the
 * finding has. That also keeps lines of a source that was changed since out of it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/page_int.h"

#define AROUND 3u        /* lines before and behind the one of an excerpt */
#define LINE_MAX_B 400u  /* of a source line: generated code has longer ones */
#define FRAMES_SHOWN 24u /* of a stack; more are folded */

void
burl__page_put_place(struct burl__page *p, const struct burl_finding_loc *loc, bool func)
{
    if (loc->line != 0)
        burl__html_put(p->out, "<span class=\"at\" title=\"%E\">%E:%u</span>", loc->file,
                       burl__doc_path(p->d, loc->file), loc->line);
    if (func && loc->func[0] != '\0')
        burl__html_put(p->out, " <span class=\"in\">in <code>%E</code></span>", loc->func);
}

static const struct burl__html_source *
source_of(struct burl__page *p, const char *path)
{
    struct burl__page_file f = { .path = path };

    for (size_t i = 0; i < p->files.n; i++) {
        if (strcmp(p->files.v[i].path, path) == 0)
            return &p->files.v[i].source;
    }
    burl__html_source_load(&f.source, path);
    BURL_VEC_PUSH(&p->files, f);
    return &p->files.v[p->files.n - 1].source;
}

/* The text without white space around it is `trimmed`, which is not empty. */
static bool
is_line(const char *text, size_t n, const char *trimmed)
{
    while (n > 0 && isspace((unsigned char)*text))
        text++, n--;
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        n--;
    return n > 0 && strlen(trimmed) == n && memcmp(text, trimmed, n) == 0;
}

static void
put_line(struct burl__page *p, uint32_t line, bool here, const char *text, size_t n)
{
    burl__html_put(p->out, "<span class=\"l%s\"><span class=\"n\">%u</span>", here ? " here" : "",
                   line);
    burl_buf_html_n(p->out, text, n < LINE_MAX_B ? n : LINE_MAX_B);
    burl__html_put(p->out, "%s\n</span>", n < LINE_MAX_B ? "" : " ...");
}

void
burl__page_put_excerpt(struct burl__page *p, const struct burl_finding_loc *loc)
{
    const struct burl__html_source *source;
    const char *text;
    size_t n = 0;

    if (loc->line == 0 || loc->source[0] == '\0')
        return;
    burl__html_put(p->out, "<figure class=\"excerpt\"><figcaption>");
    burl__page_put_place(p, loc, true);
    burl__html_put(p->out, "</figcaption><pre tabindex=\"0\" aria-label=\"source lines\">");
    source = source_of(p, loc->file);
    text = burl__html_source_line(source, loc->line, &n);
    if (text == NULL || !is_line(text, n, loc->source)) {
        put_line(p, loc->line, true, loc->source, strlen(loc->source));
    } else {
        uint32_t i = loc->line > AROUND ? loc->line - AROUND : 1;

        for (; i <= loc->line + AROUND; i++) {
            text = burl__html_source_line(source, i, &n);
            if (text != NULL)
                put_line(p, i, i == loc->line, text, n);
        }
    }
    burl__html_put(p->out, "</pre></figure>\n");
}

static void
put_frame(struct burl__page *p, const struct burl_finding_frame *fr, size_t number)
{
    burl__html_put(p->out, "<li value=\"%zu\"%s><code>%E</code>", number,
                   fr->system ? " class=\"system\"" : "",
                   fr->loc.func[0] != '\0' ? fr->loc.func : "?");
    if (fr->loc.line != 0 && fr->exact) {
        burl_buf_char(p->out, ' ');
        burl__page_put_place(p, &fr->loc, false);
    } else if (fr->loc.file[0] != '\0')
        burl__html_put(p->out, " <span class=\"at\">%E</span>", burl__doc_path(p->d, fr->loc.file));
    burl__html_put(p->out, "</li>");
}

/* `called`: the function of the library that the user's code called. */
static void
put_library(struct burl__page *p, const struct burl_finding_frame *called, size_t n)
{
    burl__html_put(p->out, "<li class=\"more\">%zu library frame%s", n, n == 1 ? "" : "s");
    if (called->loc.func[0] != '\0')
        burl__html_put(p->out, ": <code>%E</code>", called->loc.func);
    burl__html_put(p->out, "</li>");
}

/* Is it folded? Not where it failed. */
static bool
is_library(const struct burl_finding_frame *fr)
{
    return fr->system && !fr->failed;
}

/* Frames of libraries that the user's code called are one line, unless there is nothing else. */
void
burl__page_put_stack(struct burl__page *p, const struct burl_finding_stack *stack)
{
    size_t library = 0;
    size_t shown = 0;
    bool all = true;

    if (stack->n == 0)
        return;
    for (size_t i = 0; i < stack->n; i++)
        all = all && is_library(&stack->frames[i]);
    burl__html_put(p->out, "<ol class=\"stack\" aria-label=\"call stack, innermost first\">");
    for (size_t i = 0; i < stack->n && shown < FRAMES_SHOWN; i++) {
        const struct burl_finding_frame *fr = &stack->frames[i];

        if (is_library(fr) && !all) {
            library++;
            continue;
        }
        if (library > 0)
            put_library(p, fr - 1, library);
        library = 0;
        put_frame(p, fr, i);
        shown++;
    }
    if (stack->left_out > 0 || shown == FRAMES_SHOWN)
        burl__html_put(p->out, "<li class=\"more\">%zu frames in all</li>",
                       stack->n + stack->left_out);
    burl__html_put(p->out, "</ol>\n");
}

void
burl__page_put_locks(struct burl__page *p, const struct burl_finding *f,
                     const struct burl_finding_lock *locks, size_t n)
{
    if (n == 0)
        return;
    burl__html_put(p->out, "<ul class=\"locks\" aria-label=\"locks held\">");
    for (size_t i = 0; i < n; i++) {
        burl__report_held_words(&p->words, f, &locks[i]);
        burl__page_put_words(p, "li");
    }
    burl__html_put(p->out, "</ul>\n");
}

void
burl__page_put_words(struct burl__page *p, const char *element)
{
    burl__html_put(p->out, "<%s>%E</%s>", element, burl_buf_str(&p->words), element);
    burl_buf_clear(&p->words);
}

void
burl__page_put_heading(struct burl__page *p, const char *title, const char *note)
{
    burl__html_put(p->out, "<h3>%c%E", toupper((unsigned char)title[0]), title + 1);
    if (note != NULL && note[0] != '\0')
        burl__html_put(p->out, " <small>%E</small>", note);
    burl__html_put(p->out, "</h3>\n");
}

void
burl__page_deinit(struct burl__page *p)
{
    for (size_t i = 0; i < p->files.n; i++)
        burl__html_source_deinit(&p->files.v[i].source);
    BURL_VEC_FREE(&p->files);
    burl_buf_deinit(&p->words);
}
