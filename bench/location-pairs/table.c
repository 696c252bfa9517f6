/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - Table 1: our rows beside the paper's, and what ours say; see driver.h.
 *
 * The sentences below the table are made from our rows alone. A row that the paper does not have is
 * printed without its counterpart.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

/* S. Tasiran, M. E. Keremoglu, K. Muslu: Location pairs, Table 1. */
static const struct {
    const char *name;
    double success[LP_PAPER_N];
    double new_detects[LP_PAPER_N];
    double detecting_new[LP_PAPER_N];
    double coverage[LP_PAPER_N];
    double passes;
} paper[] = {
    { "MS mutant 6", { 1, 6, 100 }, { 0, 0.8, 18.5 }, { 0, 3, 100 }, { 99.8, 99.5, 89.7 }, 362 },
    { "MS mutant 9", { 2, 7, 100 }, { 0.2, 0.3, 17.6 }, { 1, 1, 99 }, { 99.1, 98.5, 83.1 }, 223 },
    { "MS mutant 14",
      { 100, 100, 100 },
      { 0, 1.5, 6.1 },
      { 0, 12, 100 },
      { 90.3, 88.7, 56.1 },
      743 },
    { "MS mutant 15",
      { 100, 100, 100 },
      { 0.4, 24.7, 14.7 },
      { 3, 100, 100 },
      { 84.0, 70.6, 59.7 },
      237 },
    { "MS seeded 1",
      { 31, 29, 100 },
      { 26.6, 27.0, 60.0 },
      { 30.3, 26.4, 100 },
      { 98.2, 97.7, 85.1 },
      5 },
    { "MS seeded 2",
      { 7, 100, 100 },
      { 0.6, 22.3, 14.1 },
      { 5, 100, 100 },
      { 99.0, 98.4, 78.1 },
      223 },
    { "MS seeded 3", { 2, 22, 100 }, { 0.5, 1.4, 13.9 }, { 2, 6, 100 }, { 99.4, 95.4, 74.7 }, 208 },
    { "MS seeded 4",
      { 100, 100, 100 },
      { 0.3, 1.2, 12.9 },
      { 2, 6, 100 },
      { 83.8, 70.1, 40.4 },
      566 },
    { "EL1 mutant",
      { 100, 100, 100 },
      { 12.5, 6.1, 16.8 },
      { 59, 20, 93 },
      { 58.6, 59.2, 50.8 },
      32 },
    { "EL2 mutant",
      { 100, 100, 100 },
      { 9.7, 5.9, 17.4 },
      { 51, 21, 100 },
      { 58.6, 58.6, 47.9 },
      40 },
};

static void
print_group(const double *v)
{
    printf("  %5.1f %5.1f %5.1f", v[LP_MP], v[LP_DU], v[LP_LP]);
}

static void
print_head(void)
{
    printf("%-20s  %-17s  %-17s  %-17s  %-17s  %6s\n", "", "adequacy success", "new that find",
           "finding with new", "covered at bug", "passes");
    printf("%-20s", "");
    for (int i = 0; i < 4; i++)
        printf("  %5s %5s %5s", "MP", "DU", "LP");
    printf("\n");
}

static void
print_paper(const char *name)
{
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++) {
        if (strcmp(paper[i].name, name) != 0)
            continue;
        printf("%-14s %-5s", "", "paper");
        print_group(paper[i].success);
        print_group(paper[i].new_detects);
        print_group(paper[i].detecting_new);
        print_group(paper[i].coverage);
        printf("  %6.0f\n", paper[i].passes);
    }
}

static void
print_means(const struct lp_row *rows, size_t n)
{
    struct lp_row mean = { 0 };

    for (size_t i = 0; i < n; i++) {
        for (int m = 0; m < LP_TABLE_N; m++) {
            mean.success[m] += rows[i].success[m] / (double)n;
            mean.new_detects[m] += rows[i].new_detects[m] / (double)n;
            mean.detecting_new[m] += rows[i].detecting_new[m] / (double)n;
            mean.coverage[m] += rows[i].coverage[m] / (double)n;
        }
        mean.passes += rows[i].passes / (double)n;
    }
    printf("%-14s %-5s", "mean", "ours");
    print_group(mean.success);
    print_group(mean.new_detects);
    print_group(mean.detecting_new);
    print_group(mean.coverage);
    printf("  %6.1f\n", mean.passes);
}

static void
print_targets(const struct lp_row *rows, size_t n)
{
    printf("\n%-15s %5s %5s %5s %5s  %5s %10s %8s %8s %8s %7s\n", "100 % is", "MP", "DU", "LP",
           "LP+1", "SP", "impossible", "covered", "untyped", "outside", "at bug");
    for (size_t i = 0; i < n; i++)
        printf("%-15s %5" PRIu64 " %5" PRIu64 " %5" PRIu64 " %5" PRIu64 "  %5" PRIu64 " %10" PRIu64
               " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %6.1f%%\n",
               rows[i].name, rows[i].target[LP_MP], rows[i].target[LP_DU], rows[i].target[LP_LP],
               rows[i].target[LP_SITES], rows[i].sp, rows[i].impossible, rows[i].covered,
               rows[i].untyped, rows[i].outside, rows[i].coverage_sp);
}

static void
print_refined(const struct lp_row *rows, size_t n)
{
    printf("\n%-15s %17s %17s %17s %17s\n", "LP+1", "adequacy success", "new that find",
           "finding with new", "covered at bug");
    for (size_t i = 0; i < n; i++)
        printf("%-15s %17.1f %17.1f %17.1f %17.1f\n", rows[i].name, rows[i].success[LP_SITES],
               rows[i].new_detects[LP_SITES], rows[i].detecting_new[LP_SITES],
               rows[i].coverage[LP_SITES]);
}

/* ---- what the rows say ------------------------------------------------------------------- */

static size_t
count_above(const struct lp_row *rows, size_t n, const double *(*column)(const struct lp_row *))
{
    size_t best = 0;

    for (size_t i = 0; i < n; i++) {
        const double *v = column(&rows[i]);

        best += v[LP_LP] >= v[LP_MP] && v[LP_LP] >= v[LP_DU];
    }
    return best;
}

static const double *
success_of(const struct lp_row *r)
{
    return r->success;
}

static const double *
new_detects_of(const struct lp_row *r)
{
    return r->new_detects;
}

static const double *
detecting_new_of(const struct lp_row *r)
{
    return r->detecting_new;
}

static void
print_failures(const struct lp_row *rows, size_t n, enum lp_metric m)
{
    size_t failed = 0;

    for (size_t i = 0; i < n; i++)
        failed += rows[i].success[m] < 100.0;
    printf("  %s was never complete before the bug in %zu of %zu%s", lp_metric_names[m], n - failed,
           n, failed ? "; it was, in so many iterations:" : "");
    failed = 0;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].success[m] >= 100.0)
            continue;
        printf("%s%s (%.0f %%)", failed++ % 5 == 0 ? "\n    " : ", ", rows[i].name,
               100.0 - rows[i].success[m]);
    }
    printf("\n");
}

static void
print_conclusions(const struct lp_row *rows, size_t n)
{
    uint32_t undetected = 0;

    printf("\nOf our %zu versions (LP+1: pairs told apart by call sites):\n", n);
    for (int m = 0; m < LP_TABLE_N; m++)
        print_failures(rows, n, (enum lp_metric)m);
    printf(
        "  LP is at least as good as MP and DU in adequacy in %zu, in new passes that find the bug "
        "in %zu,\n  in finding passes with something new in %zu\n",
        count_above(rows, n, success_of), count_above(rows, n, new_detects_of),
        count_above(rows, n, detecting_new_of));
    for (size_t i = 0; i < n; i++)
        undetected += rows[i].undetected;
    if (undetected > 0)
        printf("  %u iterations ended at the bound without the bug\n", undetected);
}

void
lp_table_print(const struct lp_row *rows, size_t n)
{
    print_head();
    for (size_t i = 0; i < n; i++) {
        printf("%-14s %-5s", rows[i].name, "ours");
        print_group(rows[i].success);
        print_group(rows[i].new_detects);
        print_group(rows[i].detecting_new);
        print_group(rows[i].coverage);
        printf("  %6.1f\n", rows[i].passes);
        print_paper(rows[i].name);
    }
    if (n > 0)
        print_means(rows, n);
    print_refined(rows, n);
    print_targets(rows, n);
    print_conclusions(rows, n);
}
