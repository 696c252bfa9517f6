/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_html_curve.c - the saturation curve of one metric as an SVG drawing.
 *
 * Runs in the host. Executions to the right, items covered so far upwards, a dashed line at the
 * target. Drawn as steps, since an item is covered at an execution and not between two. Twice: with
 * a logarithmic axis of executions, because most items come with the first few of very many, and
 * with a linear one, which shows how long nothing new has come; the style sheet shows one of them.
 * Upwards the scale is linear and begins at 0. Integer arithmetic in tenths of a unit, so that the
 * same numbers give the same bytes everywhere.
 */
#include <stdio.h>

#include "report/cover/render_cover_int.h"

/* The drawing, in tenths of a unit of its view box of 320 by 134. */
#define LEFT 80u
#define RIGHT 3120u
#define TOP 140u
#define BOTTOM 1060u
#define LOG_BITS 12 /* of a logarithm, behind the point: finer than a tenth of a unit */

static void
put_xy(struct burl_buf *out, uint32_t x, uint32_t y)
{
    burl_buf_printf(out, "%u.%u %u.%u", x / 10, x % 10, y / 10, y % 10);
}

/* log2 of 1 + x, so that 0 executions are at 0; bit by bit, by squaring. */
static uint64_t
log2_of(uint64_t x)
{
    uint64_t v = x < UINT64_MAX ? x + 1 : x;
    unsigned n = 63 - (unsigned)__builtin_clzll(v);
    uint64_t m = n >= 31 ? v >> (n - 31) : v << (31 - n); /* in [1, 2) with 31 bits behind it */
    uint64_t log = n;

    for (int i = 0; i < LOG_BITS; i++) {
        m = m * m >> 31;
        log <<= 1;
        if (m >> 32 != 0) {
            m >>= 1;
            log |= 1;
        }
    }
    return log;
}

/* `v` of `max` along `span`. */
static uint32_t
scale_to(uint64_t v, uint64_t max, uint32_t span)
{
    if (max == 0)
        return 0;
    if (v >= max)
        return span;
    while (max > UINT64_MAX / 4096) {
        max >>= 12;
        v >>= 12;
    }
    return (uint32_t)(v * span / max);
}

static uint32_t
x_of(uint64_t executions, uint64_t max, bool log)
{
    if (log)
        return LEFT + scale_to(log2_of(executions), log2_of(max), RIGHT - LEFT);
    return LEFT + scale_to(executions, max, RIGHT - LEFT);
}

static void
put_line(struct burl_buf *out, const char *class, uint32_t x, uint32_t y, uint32_t to_x,
         uint32_t to_y)
{
    burl__html_put(out, "<path class=\"%s\" d=\"M", class);
    put_xy(out, x, y);
    burl__html_put(out, " L");
    put_xy(out, to_x, to_y);
    burl__html_put(out, "\"/>");
}

static void
put_path(const struct burl_cover_metric *x, uint64_t max_x, uint64_t max_y, bool log,
         struct burl_buf *out)
{
    uint32_t last = BOTTOM;

    burl__html_put(out, "<path class=\"curve\" d=\"M");
    put_xy(out, LEFT, BOTTOM);
    for (size_t i = 0; i < x->curve.n; i++) {
        uint32_t px = x_of(x->curve.v[i].executions, max_x, log);
        uint32_t py = BOTTOM - scale_to(x->curve.v[i].items, max_y, BOTTOM - TOP);

        burl__html_put(out, " L");
        put_xy(out, px, last);
        if (py != last) {
            burl__html_put(out, " L");
            put_xy(out, px, py);
        }
        last = py;
    }
    burl__html_put(out, "\"/>");
}

/* "10", "10k", "10M" */
static void
put_power(struct burl_buf *out, uint64_t v)
{
    static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
    unsigned i = 0;

    for (; v >= 1000 && i + 1 < sizeof units / sizeof units[0]; i++)
        v /= 1000;
    burl__html_put(out, "%N%s", v, units[i]);
}

/* A thin line at `v`, with its number below. */
static void
put_tick(uint64_t v, uint64_t max_x, bool log, struct burl_buf *out)
{
    uint32_t px = x_of(v, max_x, log);

    put_line(out, "tick", px, TOP, px, BOTTOM);
    /* Centered, but not out of the drawing. */
    burl__html_put(out, "<text x=\"%u\" y=\"118\" text-anchor=\"%s\">", px / 10,
                   px + 100 > RIGHT ? "end" : "middle");
    put_power(out, v);
    burl__html_put(out, "</text>");
}

/* At each power of ten. */
static void
put_powers(uint64_t max_x, struct burl_buf *out)
{
    for (uint64_t v = 1; v <= max_x; v *= 10) {
        put_tick(v, max_x, true, out);
        if (v > UINT64_MAX / 10)
            break;
    }
}

/* At 0 and a few round numbers: 1, 2 or 5 times a power of ten apart. */
static void
put_steps(uint64_t max_x, struct burl_buf *out)
{
    static const uint8_t factors[] = { 1, 2, 5 };
    uint64_t power = 1;
    uint64_t step = 1;

    for (unsigned i = 1; max_x / step > 5 && power <= UINT64_MAX / 50; i++) {
        power *= i % 3 == 0 ? 10 : 1;
        step = power * factors[i % 3];
    }
    put_tick(0, max_x, false, out);
    for (uint64_t v = step; v <= max_x && v >= step; v += step)
        put_tick(v, max_x, false, out);
}

static void
put_frame(const struct burl_cover_metric *x, uint64_t max_x, uint64_t max_y, struct burl_buf *out)
{
    burl__html_put(out, "<path class=\"axis\" d=\"M%u %u L%u %u L%u %u\"/>", LEFT / 10, TOP / 10,
                   LEFT / 10, BOTTOM / 10, RIGHT / 10, BOTTOM / 10);
    if (x->target != 0) {
        uint32_t y = BOTTOM - scale_to(x->target, max_y, BOTTOM - TOP);

        put_line(out, "goal", LEFT, y, RIGHT, y);
    }
    burl__html_put(out,
                   "<text x=\"8\" y=\"10\">%N%s</text><text x=\"312\" y=\"130\" "
                   "text-anchor=\"end\">%N executions</text>",
                   max_y, x->target == max_y && max_y != 0 ? " target" : "", max_x);
}

void
burl__cover_html_curve(const struct burl_cover_metric *x, struct burl_buf *out)
{
    uint64_t max_x = 0;
    uint64_t max_y = x->target;

    if (x->curve.n == 0)
        return;
    for (size_t i = 0; i < x->curve.n; i++) {
        if (x->curve.v[i].executions > max_x)
            max_x = x->curve.v[i].executions;
        if (x->curve.v[i].items > max_y)
            max_y = x->curve.v[i].items;
    }
    burl__html_put(out,
                   "<svg viewBox=\"0 0 320 134\" role=\"img\" aria-label=\"%N items after %N "
                   "executions\"><g class=\"log\">",
                   x->curve.v[x->curve.n - 1].items, max_x);
    put_powers(max_x, out);
    put_path(x, max_x, max_y, true, out);
    burl__html_put(out, "</g><g class=\"lin\">");
    put_steps(max_x, out);
    put_path(x, max_x, max_y, false, out);
    burl__html_put(out, "</g>");
    put_frame(x, max_x, max_y, out);
    burl__html_put(out, "</svg>");
}
