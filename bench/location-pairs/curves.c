/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curves.c - saturation curves, for the terminal and as SVG; see driver.h.
 *
 * Up: per cent of what the metric came to in the end, as in the paper's figures. Across: visible
 * operations of all passes so far (accesses to shared memory and synchronization), on a logarithmic
 * scale. The paper counts method calls there; both count work done, and neither is time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

#define WIDTH 72
#define HEIGHT 16

/* In the terminal only the first three are drawn. */
static const char marks[LP__N] = { 'm', 'd', 'L', '+', '.' };
static const char *const colors[LP__N] = { "#b35806", "#1b7837", "#2166ac", "#762a83", "#999999" };

/* Share covered after this many steps. */
static double
share_at(const struct lp_curve *c, int m, double steps)
{
    size_t n = 0;

    if (c->metric[m].n == 0)
        return 0;
    for (size_t i = 0; i < c->metric[m].n; i++)
        n += (double)c->metric[m].step[i] <= steps;
    return (double)n / (double)c->metric[m].n;
}

uint64_t
lp_curve_reached(const struct lp_curve *c, enum lp_metric m, double share)
{
    const double need = ceil(share * (double)c->metric[m].n);
    uint64_t steps = 0;

    /* Items come pass by pass, but within one in the order of events, not of the grid of steps. */
    for (size_t i = 0; i < c->metric[m].n; i++) {
        const uint64_t at = c->metric[m].step[i];

        if (share_at(c, (int)m, (double)at) * (double)c->metric[m].n >= need &&
            (steps == 0 || at < steps))
            steps = at;
    }
    return steps;
}

/* Where the last curve ends: what comes afterwards is a flat line. */
static double
last_step(const struct lp_curve *c)
{
    uint64_t last = 10;

    for (int m = 0; m < LP__N; m++) {
        for (size_t i = 0; i < c->metric[m].n; i++)
            last = c->metric[m].step[i] > last ? c->metric[m].step[i] : last;
    }
    return (double)last * 1.25;
}

/* And where the first begins. */
static double
first_step(const struct lp_curve *c)
{
    uint64_t first = UINT64_MAX;

    for (int m = 0; m < LP__N; m++) {
        for (size_t i = 0; i < c->metric[m].n; i++)
            first = c->metric[m].step[i] < first ? c->metric[m].step[i] : first;
    }
    return first == UINT64_MAX || first < 2 ? 1.0 : (double)first;
}

/* x from 0 to 1: left to right. */
static double
steps_at(const struct lp_curve *c, double x)
{
    return first_step(c) * pow(last_step(c) / first_step(c), x);
}

static void
print_plot(const struct lp_curve *c)
{
    char plot[HEIGHT + 1][WIDTH + 1];

    memset(plot, ' ', sizeof plot);
    for (int x = 0; x < WIDTH; x++) {
        for (int k = 0; k < LP_PAPER_N; k++) {
            const double share = share_at(c, k, steps_at(c, (x + 1.0) / WIDTH));
            const int y = HEIGHT - (int)lround(share * HEIGHT);

            plot[y][x] = plot[y][x] == ' ' ? marks[k] : '*';
        }
    }
    for (int y = 0; y <= HEIGHT; y++) {
        plot[y][WIDTH] = '\0';
        if (y % 4 == 0)
            printf("%4d%% |%s\n", 100 - y * 100 / HEIGHT, plot[y]);
        else
            printf("      |%s\n", plot[y]);
    }
    printf("      +");
    for (int x = 0; x < WIDTH; x++)
        putchar('-');
    printf("\n       %-12.0f%*.0f steps\n", first_step(c), WIDTH - 12, last_step(c));
}

static void
print_facts(const struct lp_curve *c)
{
    printf("%11s %8s %14s %14s %12s\n", "", "items", "steps to 90 %", "to 100 %", "pass of last");
    for (int m = 0; m < LP__N; m++) {
        uint64_t last = 0;

        for (size_t i = 0; i < c->metric[m].n; i++)
            last = c->metric[m].pass[i] > last ? c->metric[m].pass[i] : last;
        printf("  %c %-7s %8zu %14" PRIu64 " %14" PRIu64 " %12" PRIu64 "\n", marks[m],
               lp_metric_names[m], c->metric[m].n, lp_curve_reached(c, (enum lp_metric)m, 0.9),
               lp_curve_reached(c, (enum lp_metric)m, 1.0), last);
    }
    printf("  SP has %" PRIu64 " pairs, %" PRIu64
           " of them impossible by lock reasoning; covered %" PRIu64
           ": %.1f %% of SP, %.1f %% of the rest",
           c->sp, c->impossible, c->covered, c->sp ? 100.0 * (double)c->covered / (double)c->sp : 0,
           c->sp > c->impossible ? 100.0 * (double)c->covered / (double)(c->sp - c->impossible)
                                 : 0);
    if (c->untyped > 0)
        printf("; and %" PRIu64 " of untyped memory", c->untyped);
    if (c->outside > 0)
        printf("; %" PRIu64 " OUTSIDE SP", c->outside);
    printf("\n");
}

static void
print_conclusions(const struct lp_curve *curves, size_t n)
{
    size_t later_du = 0, later_mp = 0, much = 0;

    for (size_t i = 0; i < n; i++) {
        const uint64_t lp = lp_curve_reached(&curves[i], LP_LP, 1.0);
        const uint64_t du = lp_curve_reached(&curves[i], LP_DU, 1.0);

        later_du += lp > du;
        later_mp += lp > lp_curve_reached(&curves[i], LP_MP, 1.0);
        much += lp > 10 * du;
    }
    printf(
        "\nOf %zu programs LP is complete later than DU in %zu (more than ten times later in %zu) "
        "and later than MP in %zu.\n",
        n, later_du, much, later_mp);
}

void
lp_curves_print(const struct lp_curve *curves, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct lp_curve *c = &curves[i];

        printf("\n%s: %" PRIu64 " passes, %" PRIu64 " steps\n", c->program, c->n_passes,
               c->n_steps);
        print_plot(c);
        printf("       m MP, d DU, L LP, * several\n");
        print_facts(c);
    }
    print_conclusions(curves, n);
}

/* ---- SVG --------------------------------------------------------------------------------- */

#define SVG_W 640
#define SVG_H 360
#define SVG_LEFT 60
#define SVG_TOP 40

static double
svg_x(const struct lp_curve *c, double steps)
{
    return SVG_LEFT + SVG_W * log(steps / first_step(c)) / log(last_step(c) / first_step(c));
}

static double
svg_y(double share)
{
    return SVG_TOP + SVG_H * (1.0 - share);
}

static void
svg_axes(FILE *f, const struct lp_curve *c)
{
    for (int percent = 0; percent <= 100; percent += 25)
        fprintf(f,
                "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#dddddd'/>"
                "<text x='%d' y='%.1f' text-anchor='end'>%d%%</text>\n",
                SVG_LEFT, SVG_LEFT + SVG_W, svg_y(percent / 100.0), svg_y(percent / 100.0),
                SVG_LEFT - 6, svg_y(percent / 100.0) + 4, percent);
    for (double steps = pow(10.0, ceil(log10(first_step(c)))); steps <= last_step(c); steps *= 10)
        fprintf(f,
                "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='#dddddd'/>"
                "<text x='%.1f' y='%d' text-anchor='middle'>%.0f</text>\n",
                svg_x(c, steps), svg_x(c, steps), SVG_TOP, SVG_TOP + SVG_H, svg_x(c, steps),
                SVG_TOP + SVG_H + 18, steps);
    fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>visible operations</text>\n",
            SVG_LEFT + SVG_W / 2, SVG_TOP + SVG_H + 38);
}

static void
svg_curve(FILE *f, const struct lp_curve *c, int m)
{
    double was = -1;

    fprintf(f, "<polyline fill='none' stroke='%s' stroke-width='2'%s points='", colors[m],
            m == LP_LINE ? " stroke-dasharray='4 3'" : "");
    for (int x = 0; x <= SVG_W; x++) {
        const double share = share_at(c, m, steps_at(c, (double)x / SVG_W));

        if (share != was && was >= 0)
            fprintf(f, "%d,%.1f ", SVG_LEFT + x, svg_y(was));
        if (share != was || x == SVG_W)
            fprintf(f, "%d,%.1f ", SVG_LEFT + x, svg_y(share));
        was = share;
    }
    fprintf(f, "'/>\n<text x='%d' y='%d' fill='%s'>%s: %zu items</text>\n", SVG_LEFT + SVG_W - 130,
            SVG_TOP + SVG_H - 98 + 18 * m, colors[m], lp_metric_names[m], c->metric[m].n);
}

void
lp_curves_svg(const struct lp_curve *c, const char *path)
{
    FILE *f = fopen(path, "w");

    if (!f)
        lp_die("cannot write %s", path);
    fprintf(
        f,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
        "font-family='sans-serif' font-size='12'>\n"
        "<rect width='100%%' height='100%%' fill='white'/>\n"
        "<text x='%d' y='24' font-size='15'>%s: covered, of what was covered in the end</text>\n",
        SVG_LEFT + SVG_W + 30, SVG_TOP + SVG_H + 55, SVG_LEFT, c->program);
    svg_axes(f, c);
    for (int m = 0; m < LP__N; m++)
        svg_curve(f, c, m);
    fprintf(f, "</svg>\n");
    if (fclose(f) != 0)
        lp_die("cannot write %s", path);
}
