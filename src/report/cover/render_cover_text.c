/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/render_cover_text.c - interleaving coverage for the terminal, as a coverage tool
 * shows it.
 *
 * Runs in the host. Tables are aligned and fit the width; what does not fit is cut, file names at
 * their beginning, since the end tells them apart. Sections that have nothing to say are left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cover/render_cover_int.h"

#define MAX_NOTES 20 /* rows of the analysis' gaps and of stale prunes; the rest is counted */

struct text {
    const struct burl_cover_model *m;
    const struct burl_report_style *style;
    struct burl_buf *out;
    unsigned width;
};

/* A line in bold, cut at the width. */
static void
put_heading(const struct text *t, const char *fmt, ...)
{
    char *s;
    va_list ap;

    va_start(ap, fmt);
    s = burl_xvasprintf(fmt, ap);
    va_end(ap);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_TITLE);
    burl__report_put_cut(t->out, t->style, s, t->width);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    burl_buf_char(t->out, '\n');
    free(s);
}

static void
put_rule(const struct text *t)
{
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_DIM);
    for (unsigned i = 0; i < t->width; i++)
        burl_buf_str_append(t->out, t->style->unicode ? "\xe2\x94\x80" : "-");
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    burl_buf_char(t->out, '\n');
}

/* A wrapped line, in the format of burl__text_vformat(). */
static void
put_note(const struct text *t, const char *fmt, ...)
{
    struct burl_buf line = BURL_BUF_INIT;
    va_list ap;

    va_start(ap, fmt);
    burl__text_vformat(&line, fmt, ap, NULL, NULL);
    va_end(ap);
    burl__report_put_wrapped(t->out, t->style, burl_buf_str(&line), 0);
    burl_buf_deinit(&line);
}

/* In `n` columns: whole, or its end after an ellipsis. */
static void
put_name(const struct text *t, const char *s, size_t n)
{
    const char *dots = t->style->unicode ? "\xe2\x80\xa6" : "...";
    size_t dots_n = burl__report_columns(dots);
    size_t have = burl__report_columns(s);

    if (have > n && n > dots_n) {
        for (; have > n - dots_n; have--) {
            s++;
            while (((unsigned char)*s & 0xc0) == 0x80)
                s++;
        }
        burl_buf_str_append(t->out, dots);
        have += dots_n;
    }
    burl_buf_str_append(t->out, s);
    burl__report_pad(t->out, n > have ? n - have : 0);
}

/* " 84.7%", or a dash without a target. */
static void
put_share(char out[16], bool aims, uint32_t x)
{
    if (!aims)
        snprintf(out, 16, "%6s", "-");
    else
        snprintf(out, 16, "%3u.%u%%", x / 10, x % 10);
}

static void
percent(char out[16], uint64_t covered, uint64_t target)
{
    put_share(out, target != 0, burl__cover_permille(covered, target));
}

static const char *
plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void
put_head(const struct text *t)
{
    const struct burl_cover_model *m = t->m;
    const char *what = *burl__cover_str(m->command) != '\0' ? m->command : m->program;
    const char *mode = burl__cover_str(m->mode);
    char time[40] = "";
    char context[64] = "";

    put_heading(t, "Interleaving coverage of %s", burl__cover_str(what));
    if (m->wall_ms > 0)
        snprintf(time, sizeof time, ", %lld.%lld s", (long long)m->wall_ms / 1000,
                 (long long)m->wall_ms % 1000 / 100);
    if (m->context > 0)
        snprintf(context, sizeof context, ", with %u call site%s of context", m->context,
                 plural(m->context));
    put_note(t, "%N execution%s in %u campaign%s%s%s%s%s", m->executions, plural(m->executions),
             m->campaigns, plural(m->campaigns), time, *mode != '\0' ? ", " : "", mode, context);
}

/* ---- metrics --------------------------------------------------------------------------- */

static void
put_metric(const struct text *t, const struct burl_cover_metric *x)
{
    char share[16];
    char target[32] = "-";
    char more[48] = "";

    put_share(share, burl_report_cover_has_target(t->m, x), burl_report_cover_permille(t->m, x));
    if (burl_report_cover_has_target(t->m, x))
        snprintf(target, sizeof target, "%llu", (unsigned long long)x->target);
    burl_buf_printf(t->out, "%-5s%-23s %8llu %8s %6s %6llu", burl_report_metric_short(x->metric),
                    burl_report_metric_name(x->metric), (unsigned long long)x->covered, target,
                    share, (unsigned long long)x->new_last_window);
    if (burl__cover_has_weight(x->metric))
        snprintf(more, sizeof more, "  weight %llu", (unsigned long long)x->weighted);
    else if (burl__cover_has_unserial(x->metric))
        snprintf(more, sizeof more, "  %llu unserializable", (unsigned long long)x->unserial);
    else if (x->in_context > 0)
        snprintf(more, sizeof more, "  %llu in context", (unsigned long long)x->in_context);
    else if (*burl__cover_why_no_target(t->m, x) != '\0')
        snprintf(more, sizeof more, "  %s", burl__cover_why_no_target(t->m, x));
    burl__report_put_cut(t->out, t->style, more, t->width - 60);
    burl_buf_char(t->out, '\n');
}

static void
put_metrics(const struct text *t)
{
    uint64_t window = 0;

    if (t->m->metrics.n == 0)
        return;
    burl_buf_char(t->out, '\n');
    burl__report_put_inked(t->out, t->style, BURL__REPORT_INK_TITLE, "%-28s %8s %8s %6s %6s",
                           "Metric", "covered", "target", "", "new");
    burl_buf_char(t->out, '\n');
    put_rule(t);
    for (size_t i = 0; i < t->m->metrics.n; i++) {
        put_metric(t, &t->m->metrics.v[i]);
        if (t->m->metrics.v[i].window > window)
            window = t->m->metrics.v[i].window;
    }
    if (window != 0)
        put_note(t, "new: first covered in the last %N executions", window);
    put_note(t, "%s", burl__cover_line_note(t->m));
    put_note(t, "%s", burl__cover_block_note(t->m));
}

/* ---- files ----------------------------------------------------------------------------- */

static void
put_file(const struct text *t, const char *name, const uint64_t lines[2], const uint64_t pairs[2])
{
    char line_share[16];
    char pair_share[16];

    percent(line_share, lines[0], lines[1]);
    percent(pair_share, pairs[0], pairs[1]);
    put_name(t, name, t->width - 47);
    burl_buf_printf(t->out, " %7s %7llu/%-7llu %7s %7llu/%llu\n", line_share,
                    (unsigned long long)lines[0], (unsigned long long)lines[1], pair_share,
                    (unsigned long long)pairs[0], (unsigned long long)pairs[1]);
}

static void
put_files(const struct text *t)
{
    const struct burl_cover_metric *lp = burl_report_cover_metric(t->m, BURL_METRIC_LOCPAIRS);
    uint64_t sum[2] = { 0, 0 };

    if (t->m->files.n == 0)
        return;
    burl_buf_char(t->out, '\n');
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_TITLE);
    put_name(t, "File", t->width - 47);
    burl_buf_printf(t->out, " %7s %15s %7s", "lines", "", "pairs");
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    burl_buf_char(t->out, '\n');
    put_rule(t);
    for (size_t i = 0; i < t->m->files.n; i++) {
        const struct burl_cover_file *f = &t->m->files.v[i];

        put_file(t, burl__cover_str(f->file), (uint64_t[2]){ f->lines_hit, f->lines_found },
                 (uint64_t[2]){ f->pairs_covered, f->pairs_target });
        sum[0] += f->lines_hit;
        sum[1] += f->lines_found;
    }
    put_rule(t);
    /* A pair between two files counts in both, so the pairs are not a sum. */
    put_file(t, "Total", sum, (uint64_t[2]){ lp ? lp->covered : 0, lp ? lp->target : 0 });
}

/* ---- pairs ----------------------------------------------------------------------------- */

/* "bank.c:40:12 in withdraw"; a file without its directory when that is too long. */
static void
put_place(struct burl_buf *out, const struct burl_cover_site *s, const char *directory)
{
    const char *file = burl__cover_str(s->file);
    const char *slash = strrchr(file, '/');

    if (directory && slash) {
        burl_buf_str_append(out, directory);
        file = slash;
    }
    burl_buf_str_append(out, *file != '\0' ? file : "?");
    if (s->line != 0)
        burl_buf_printf(out, ":%u", s->line);
    if (s->column != 0)
        burl_buf_printf(out, ":%u", s->column);
    if (*burl__cover_str(s->func) != '\0')
        burl_buf_printf(out, " in %s", s->func);
}

/* One side of a pair: "-> write acct->balance    bank.c:58:9 in deposit" */
static void
put_side(const struct text *t, const struct burl_cover_site *s, bool later, const char *fallback)
{
    const char *name = *burl__cover_str(s->variable) != '\0' ? s->variable : fallback;
    const char *arrow = t->style->unicode ? "\xe2\x86\x92 " : "-> ";
    const char *lead = later ? arrow : t->style->unicode ? "  " : "   ";
    char *what = burl_xasprintf("%s%s %s", lead, burl__cover_access(s), name);
    const size_t left = (t->width - 6) / 2;
    const size_t right = t->width - 6 - left - 1;
    size_t used = burl__report_put_cut(t->out, t->style, what, left);
    struct burl_buf place = BURL_BUF_INIT;

    burl__report_pad(t->out, (left > used ? left - used : 0) + 1);
    put_place(&place, s, NULL);
    if (burl__report_columns(burl_buf_str(&place)) > right) {
        burl_buf_clear(&place);
        put_place(&place, s, t->style->unicode ? "\xe2\x80\xa6" : "...");
    }
    burl__report_put_cut(t->out, t->style, burl_buf_str(&place), right);
    burl_buf_char(t->out, '\n');
    burl_buf_deinit(&place);
    free(what);
}

static void
put_pair(const struct text *t, size_t number, const struct burl_cover_pair *p)
{
    const char *name = burl__cover_variable(t->m, p);
    struct burl_buf why = BURL_BUF_INIT;

    burl_buf_printf(t->out, "%4zu  ", number);
    put_side(t, burl__cover_site(t->m, p->a), false, name);
    burl__report_pad(t->out, 6);
    put_side(t, burl__cover_site(t->m, p->b), true, name);
    burl_buf_str_append(&why, burl__cover_str(p->why));
    if (p->tries != 0)
        burl_buf_printf(&why, "%s%llu directed execution%s did not cover it", why.n > 0 ? "; " : "",
                        (unsigned long long)p->tries, plural(p->tries));
    if (why.n > 0) {
        burl__report_ink(t->out, t->style, BURL__REPORT_INK_DIM);
        burl__report_put_wrapped(t->out, t->style, burl_buf_str(&why), 9);
        burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    }
    burl_buf_deinit(&why);
}

static void
put_gaps(const struct text *t, size_t max_gaps)
{
    size_t n;
    uint32_t *gaps = burl__cover_gaps(t->m, &n);
    size_t shown = n < max_gaps ? n : max_gaps;

    if (n > 0) {
        burl_buf_char(t->out, '\n');
        put_heading(t, "%zu location pair%s not covered%s", n, n == 1 ? " is" : "s are",
                    shown == 0 ? "" : ", most valuable first");
    }
    for (size_t i = 0; i < shown; i++)
        put_pair(t, i + 1, &t->m->pairs.v[gaps[i]]);
    if (shown > 0 && shown < n)
        burl_buf_printf(t->out, "      and %zu more\n", n - shown);
    free(gaps);
}

/* ---- what else there is to say --------------------------------------------------------- */

/* Covered pairs that the static target lacks: each is a bug of the analysis, so each is listed. */
static void
put_outside(const struct text *t, uint64_t n)
{
    size_t shown = 0;

    if (n == 0)
        return;
    burl_buf_char(t->out, '\n');
    put_heading(t, "%llu covered pair%s outside the static target (gaps of the analysis)",
                (unsigned long long)n, n == 1 ? " is" : "s are");
    for (size_t i = 0; i < t->m->pairs.n && shown < MAX_NOTES; i++) {
        if (t->m->pairs.v[i].state == BURL_COVER_OUTSIDE)
            put_pair(t, ++shown, &t->m->pairs.v[i]);
    }
    if (shown < n)
        burl_buf_printf(t->out, "      and %llu more\n", (unsigned long long)n - shown);
}

static void
put_stale(const struct text *t)
{
    size_t n = t->m->stale.n;

    if (n == 0)
        return;
    burl_buf_char(t->out, '\n');
    put_heading(t, "%zu prune%s stale", n, n == 1 ? " is" : "s are");
    for (size_t i = 0; i < n && i < MAX_NOTES; i++) {
        const struct burl_cover_stale *s = &t->m->stale.v[i];
        char *line = burl_xasprintf("  %s:%u: %s", burl__cover_str(s->file), s->line,
                                    burl__cover_str(s->text));

        burl__report_put_cut(t->out, t->style, line, t->width);
        burl_buf_char(t->out, '\n');
        free(line);
    }
    if (n > MAX_NOTES)
        burl_buf_printf(t->out, "  and %zu more\n", n - MAX_NOTES);
}

static void
put_target(const struct text *t, const uint64_t n[BURL__COVER_N_STATES])
{
    const struct burl_cover_model *m = t->m;
    const char *problem = burl__cover_str(m->target_problem);
    const uint64_t out = n[BURL_COVER_PRUNED] + n[BURL_COVER_IMPOSSIBLE];
    const bool one = n[BURL_COVER_PROPOSED] == 1;

    if (!m->has_target || *problem != '\0' || out + n[BURL_COVER_PROPOSED] > 0 ||
        m->untyped_pairs > 0 || m->lost > 0)
        burl_buf_char(t->out, '\n');
    if (!m->has_target)
        put_note(t,
                 "There is no static target%s%s: covered pairs are counted, but the number of "
                 "possible pairs is unknown.",
                 *problem != '\0' ? ": " : "", problem);
    else if (*problem != '\0')
        put_note(t, "The static target is limited: %s.", problem);
    if (out > 0)
        put_note(t, "Not in the target: %N pruned, %N proven impossible.", n[BURL_COVER_PRUNED],
                 n[BURL_COVER_IMPOSSIBLE]);
    if (n[BURL_COVER_PROPOSED] > 0)
        put_note(t, "%N uncovered pair%s infeasible; review %s with `burl cover prune`.",
                 n[BURL_COVER_PROPOSED], one ? " looks" : "s look", one ? "it" : "them");
    if (m->untyped_pairs > 0)
        put_note(t,
                 "Untyped memory (char *, memcpy): %N more pair%s, %N of them covered; not "
                 "counted.",
                 m->untyped_pairs, plural(m->untyped_pairs), m->untyped_covered);
    if (m->lost > 0)
        put_note(t,
                 "%N item%s could not be counted (table full, or code loaded in a different "
                 "order): the numbers above are too small.",
                 m->lost, plural(m->lost));
}

void
burl_report_cover_text(const struct burl_cover_model *m, const struct burl_report_style *style,
                       size_t max_gaps, struct burl_buf *out)
{
    struct text t = { .m = m, .style = style, .out = out, .width = burl__report_width(style) };
    uint64_t n[BURL__COVER_N_STATES];

    if (t.width < 80)
        t.width = 80; /* the tables need that much */
    burl__cover_count(m, n);
    put_head(&t);
    put_metrics(&t);
    put_files(&t);
    put_gaps(&t, max_gaps);
    put_outside(&t, n[BURL_COVER_OUTSIDE]);
    put_stale(&t);
    put_target(&t, n);
}
