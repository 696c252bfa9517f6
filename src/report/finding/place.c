/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.c - places, stacks and threads of a finding, as data and in words.
 *
 * Runs in the host.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/path.h"
#include "report/finding/words.h"
#include "wire/site.h"

/* ---- places ------------------------------------------------------------------------ */

const char *
burl__report_source(struct burl_finding_pool *pool, const struct burl_sites *sites,
                    const struct burl_site_info *site)
{
    const char *line = burl_sites_source_line(sites, site, 0);
    struct burl_buf text = BURL_BUF_INIT;

    if (line == NULL)
        return "";
    while (isspace((unsigned char)*line))
        line++;
    for (; *line != '\0'; line++)
        burl_buf_char(&text, (unsigned char)*line < ' ' ? ' ' : *line);
    while (text.n > 0 && text.p[text.n - 1] == ' ')
        burl_buf_truncate(&text, text.n - 1);
    return burl__report_take(pool, &text);
}

struct burl_finding_loc
burl__report_loc(struct burl_finding_pool *pool, const struct burl_sites *sites, uint32_t site)
{
    const struct burl_site_info *info = burl_sites_get(sites, site);
    struct burl_finding_loc loc = { .site = info->id, .line = info->line, .column = info->column };
    char *func = burl__report_func_name(sites, info);

    loc.file = burl__report_file(pool, info->file);
    loc.func = burl__report_str(pool, func);
    free(func);
    /* The line of a function's beginning says nothing about what was done in it. */
    loc.source = info->kind == BURL_SITE_FUNC ? "" : burl__report_source(pool, sites, info);
    return loc;
}

void
burl__report_put_loc(struct burl_buf *out, const struct burl_finding_loc *loc)
{
    if (loc->line == 0)
        burl_buf_str_append(out, loc->func[0] != '\0' ? loc->func : "an unknown place");
    else
        burl_buf_printf(out, "%s:%u", burl_path_basename(loc->file), loc->line);
}

static void
push_frame(struct burl_finding_stack *stack, struct burl_finding_pool *pool,
           const struct burl_sites *sites, uint32_t site)
{
    struct burl_finding_frame *f = &stack->frames[stack->n++];

    f->loc = burl__report_loc(pool, sites, site);
    f->exact = burl_sites_get(sites, site)->kind != BURL_SITE_FUNC;
    f->system = burl_site_is_system(burl_sites_get(sites, site));
}

struct burl_finding_stack
burl__report_stack(struct burl_finding_pool *pool, const struct burl_sites *sites,
                   const struct burl__report_frame *frames, size_t n, uint32_t at)
{
    const struct burl_site_info *place = burl_sites_get(sites, at);
    struct burl_finding_stack stack = { 0 };
    const size_t most =
        n < BURL_FINDING_INNER + BURL_FINDING_OUTER ? n : BURL_FINDING_INNER + BURL_FINDING_OUTER;

    stack.frames = burl__report_alloc(pool, most + 1, sizeof *stack.frames);
    if (n > most)
        stack.left_out = n - most;
    if (at != 0 && (n == 0 || strcmp(burl_sites_get(sites, frames[n - 1].func)->func, place->func)))
        push_frame(&stack, pool, sites, at);
    for (size_t i = n; i > 0; i--) {
        uint32_t site;

        if (stack.left_out > 0 && n - i == BURL_FINDING_INNER) {
            stack.left_at = stack.n;
            i = BURL_FINDING_OUTER;
        }
        site = frames[i - 1].func;
        if (i == n && at != 0 && stack.n == 0)
            site = at;
        else if (i < n && frames[i].call != 0)
            site = frames[i].call;
        push_frame(&stack, pool, sites, site);
        if (!stack.frames[stack.n - 1].exact)
            stack.frames[stack.n - 1].after = burl_sites_get(sites, frames[i - 1].last)->line;
    }
    return stack;
}

struct burl_finding_stack
burl__report_wire_stack(struct burl_finding_pool *pool, const struct burl_sites *sites,
                        const uint32_t stack[BURL_WIRE_MAX_STACK], uint32_t at)
{
    struct burl__report_frame frames[BURL_WIRE_MAX_STACK + 1];

    return burl__report_stack(pool, sites, frames, burl__report_wire_frames(sites, stack, frames),
                              at);
}

/* ---- threads ----------------------------------------------------------------------- */

const struct burl_finding_thread *
burl__report_thread_of(const struct burl_finding *f, uint16_t tid)
{
    for (size_t i = 0; i < f->n_threads; i++) {
        if (f->threads[i].tid == tid)
            return &f->threads[i];
    }
    return NULL;
}

const struct burl_finding_lock *
burl__report_held_lock(const struct burl_finding_thread *t, uint64_t addr)
{
    for (size_t i = 0; i < t->n_locks; i++) {
        if (t->locks[i].addr == addr)
            return &t->locks[i];
    }
    return NULL;
}

void
burl__report_put_thread(struct burl_buf *out, const struct burl_finding *f, uint16_t tid)
{
    const struct burl_finding_thread *t = burl__report_thread_of(f, tid);

    if (tid == BURL_TID_NONE) {
        burl_buf_str_append(out, "a thread");
        return;
    }
    burl_buf_printf(out, "T%u", tid);
    if (t != NULL && t->name[0] != '\0')
        burl_buf_printf(out, " %s", t->name);
}

void
burl__report_convert(void *f, char conversion, va_list *ap, struct burl_buf *out)
{
    if (conversion == 'T')
        burl__report_put_thread(out, f, (uint16_t)va_arg(*ap, unsigned));
    else
        burl__report_put_loc(out, va_arg(*ap, const struct burl_finding_loc *));
}

void
burl__report_put(struct burl_buf *out, const struct burl_finding *f, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl__text_vformat(out, fmt, ap, burl__report_convert, (void *)f);
    va_end(ap);
}

bool
burl__report_is_start(const struct burl_finding_thread *t, const char *func)
{
    const size_t n = t != NULL ? strlen(t->name) : 0;
    const size_t all = strlen(func);

    if (n == 0 || all < n || strcmp(func + all - n, t->name) != 0)
        return false;
    return all == n || (strncmp(t->name, "lambda:", 7) == 0 && func[all - n - 1] == ':');
}

void
burl__report_put_place(struct burl_buf *out, const struct burl_finding *f, uint16_t tid,
                       const struct burl_finding_loc *loc)
{
    const struct burl_finding_thread *t = burl__report_thread_of(f, tid);

    if (loc->line != 0)
        burl_buf_printf(out, " at %s:%u", burl_path_basename(loc->file), loc->line);
    if (loc->func[0] != '\0' && (loc->line == 0 || !burl__report_is_start(t, loc->func)))
        burl_buf_printf(out, " in %s", loc->func);
}
