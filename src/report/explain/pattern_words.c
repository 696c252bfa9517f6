/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_words.c - the words of a pattern's sentence.
 *
 * Runs in the host. Threads are "T2" and "main"; places are "line 40" if all are in the file
 * of the failure, "bank.c:40" otherwise, and "in push" for an operation inside a library whose call
 * is not known. A sentence with an unknown place is dropped.
 */
#include "base/path.h"
#include "report/explain/pattern_int.h"
#include "wire/site.h"

void
burl__sentence_begin(struct burl__report_sentence *s, const char *kind, size_t n_events, ...)
{
    const struct burl__report_walk *w = s->w;
    struct burl_finding *f = s->f;
    struct burl_buf out = s->out;
    va_list events;

    burl_buf_clear(&out);
    *s = (struct burl__report_sentence){ .w = w, .f = f, .out = out, .kind = kind };
    va_start(events, n_events);
    for (size_t i = 0; i < n_events; i++)
        burl__sentence_use_event(s, va_arg(events, size_t));
    va_end(events);
}

void
burl__sentence_use_site(struct burl__report_sentence *s, uint32_t site)
{
    const struct burl_site_info *info = burl_sites_get(s->w->sites, site);

    /* Of an operation inside a library only the user's function may be known: no line. */
    if (info->line == 0 || info->func[0] == '\0' || burl_site_is_system(info))
        s->unknown = true;
    s->vague = s->vague || info->kind == BURL_SITE_FUNC;
    if (info->line == 0 || info->kind == BURL_SITE_FUNC)
        return;
    s->several = s->several || (s->file != NULL && strcmp(s->file, info->file) != 0);
    /* The title named a place in another file. */
    if (s->f->where.line != 0)
        s->several = s->several || strcmp(burl_path_basename(s->f->where.file),
                                          burl_path_basename(info->file)) != 0;
    s->file = info->file;
}

void
burl__sentence_use_event(struct burl__report_sentence *s, size_t event)
{
    if (s->n_events < BURL__REPORT_MAX_WORDS)
        s->events[s->n_events++] = event;
    burl__sentence_use_site(s, s->w->user_site[event]);
}

static void
put_thread(struct burl_buf *out, unsigned tid)
{
    if (tid == 0)
        burl_buf_str_append(out, "main");
    else
        burl_buf_printf(out, "T%u", tid);
}

/* A name that is useful to the user: not one of the library, nor one without its member. */
static bool
is_good_name(const char *name)
{
    return name[0] != '\0' && strpbrk(name, "?") == NULL && strncmp(name, "this->_M", 8) != 0 &&
           strncmp(name, "__", 2) != 0 && strncmp(name, "operator", 8) != 0 &&
           (name[0] != '*' || strpbrk(name, "(-") == NULL);
}

/* The name that the rows of the report give to the access, without the library function in it. */
static bool
put_row_name(const struct burl__report_sentence *s, const struct burl_wire_event *ev,
             struct burl_buf *out)
{
    const size_t event = (size_t)(ev - s->w->run->events);
    const char *inside;

    if (!burl__report_put_access(s->w, ev->site, ev->addr, burl__report_extent(ev), event, out))
        return false;
    inside = strstr(burl_buf_str(out), " (inside ");
    if (inside != NULL)
        burl_buf_truncate(out, (size_t)(inside - burl_buf_str(out)));
    return is_good_name(burl_buf_str(out));
}

static void
put_variable(struct burl__report_sentence *s, const struct burl_wire_event *ev)
{
    struct burl_buf name, spelled;
    bool good;

    burl_buf_init(&name, BURL_BUF_NO_LIMIT);
    burl_buf_init(&spelled, BURL_BUF_NO_LIMIT);
    good = put_row_name(s, ev, &spelled);
    for (size_t i = 0; i <= s->n_events && !good; i++) {
        const struct burl_wire_event *e = i > 0 ? &s->w->run->events[s->events[i - 1]] : ev;

        if (e->addr != ev->addr || !burl__report_is_access(e->kind))
            continue;
        burl_buf_clear(&name);
        burl_buf_clear(&spelled);
        burl_variable_name(s->w->sites, BURL_ORIGIN_UNKNOWN, e->addr, e->size_b, e->site, ev->site,
                           &name);
        burl__report_put_spelled(s->w->sites, e->site, burl_buf_str(&name), &spelled);
        good = is_good_name(burl_buf_str(&spelled));
    }
    burl_buf_str_append(&s->out, good ? burl_buf_str(&spelled) : "the same memory");
    s->nameless = s->nameless || !good;
    burl_buf_deinit(&spelled);
    burl_buf_deinit(&name);
}

static void
put_object(struct burl__report_sentence *s, size_t event)
{
    const struct burl_wire_event *ev = &s->w->run->events[event];
    const size_t before = s->out.n;

    if (burl__report_is_access(ev->kind)) {
        put_variable(s, ev);
        return;
    }
    burl__report_what(s->w, ev, &s->out);
    if (!s->out.full && (s->out.n == before || s->out.p[before] == '[')) {
        burl_buf_truncate(&s->out, before);
        burl_buf_str_append(&s->out, ev->kind == BURL_OP_FREE ? "the block" : "it");
    }
}

static void
put_line(struct burl__report_sentence *s, const struct burl_site_info *info)
{
    if (s->several)
        burl_buf_printf(&s->out, "%s:%u", burl_path_basename(info->file), info->line);
    else
        burl_buf_printf(&s->out, "line %u", info->line);
}

/* " at line 40", " in push" */
static void
put_site_line(struct burl__report_sentence *s, uint32_t site)
{
    const struct burl_site_info *info = burl_sites_get(s->w->sites, site);

    if (info->kind == BURL_SITE_FUNC) {
        char *func = burl__report_func_name(s->w->sites, info);

        burl_buf_printf(&s->out, " in %s", func);
        free(func);
    } else {
        burl_buf_str_append(&s->out, " at ");
        put_line(s, info);
    }
}

/* " since line 10" */
static void
put_since(struct burl__report_sentence *s, const struct burl_finding_loc *loc)
{
    const struct burl_site_info *info = burl_sites_get(s->w->sites, loc->site);

    if (info->kind == BURL_SITE_FUNC) {
        burl_buf_str_append(&s->out, " since it was locked");
        put_site_line(s, loc->site);
        return;
    }
    burl_buf_str_append(&s->out, " since ");
    put_line(s, info);
}

static void
put_conversion(void *arg, char conversion, va_list *ap, struct burl_buf *out)
{
    struct burl__report_sentence *s = arg;

    switch (conversion) {
    case 'I':
        put_thread(out, va_arg(*ap, unsigned));
        break;
    case 'T':
        put_thread(out, s->w->run->events[va_arg(*ap, size_t)].tid);
        break;
    case 'O':
        put_object(s, va_arg(*ap, size_t));
        break;
    case 'L':
        put_site_line(s, s->w->user_site[va_arg(*ap, size_t)]);
        break;
    case 'S':
        put_site_line(s, va_arg(*ap, uint32_t));
        break;
    case 'H':
        put_since(s, va_arg(*ap, const struct burl_finding_loc *));
        break;
    }
}

void
burl__sentence_add(struct burl__report_sentence *s, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl__text_vformat(&s->out, fmt, ap, put_conversion, s);
    va_end(ap);
}

bool
burl__report_same_line(const struct burl__report_sentence *s, size_t a, size_t b)
{
    const struct burl_site_info *x = burl_sites_get(s->w->sites, s->w->user_site[a]);
    const struct burl_site_info *y = burl_sites_get(s->w->sites, s->w->user_site[b]);

    return x->line == y->line && strcmp(x->file, y->file) == 0;
}

const char *
burl__report_read_word(const struct burl__report_sentence *s, size_t event)
{
    static const char *const deciding[] = { "if (", "if(",     "while (", "while(", "for (",
                                            "for(", "assert(", "&&",      "||",     "?" };
    const struct burl_site_info *info = burl_sites_get(s->w->sites, s->w->user_site[event]);
    const char *line = burl_sites_source_line(s->w->sites, info, 0);

    for (size_t i = 0; line != NULL && i < sizeof deciding / sizeof deciding[0]; i++) {
        if (strstr(line, deciding[i]) != NULL)
            return "check";
    }
    return "read";
}
