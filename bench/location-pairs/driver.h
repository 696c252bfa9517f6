/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.h - what the files of the experiment's driver share.
 *
 *   driver.c  the command line, and rows of results as text
 *   passes.c  runs of a program under random scheduling, and what each covered
 *   static.c  the static target, for percentages of SP
 *   table.c   Table 1, ours and the paper's
 *   curves.c  saturation curves, for the terminal and as SVG
 *
 * Errors end the program with a message: nothing here is worth going on without.
 */
#ifndef LOCATION_PAIRS_DRIVER_H
#define LOCATION_PAIRS_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the paper's columns. SITES: location pairs told apart by the call site of both
 * accesses, a refinement that the paper suggests and did not try. */
enum lp_metric { LP_MP = 0, LP_DU, LP_LP, LP_SITES, LP_LINE, LP__N };

#define LP_PAPER_N 3 /* of these in the paper's table */
#define LP_TABLE_N 4 /* and in ours */

extern const char *const lp_metric_names[LP__N];

_Noreturn void lp_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- passes.c ------------------------------------------------------------------------ */

/* An item that was new in its run: two sites, or a function or line. */
struct lp_item {
    uint32_t metric; /* enum lp_metric */
    uint32_t a, b;   /* numbers of sites of this build; LINE: the line and 0 */
    uint32_t c, d;   /* SITES: which call sites; else 0 */
    uint64_t pass;   /* from 0 */
    uint64_t step;   /* visible operations until then in all passes; 0 when not asked for */
};

/* Passes of one process, from nothing covered. */
struct lp_run {
    struct lp_item *items; /* in the order in which they came */
    size_t n_items;
    uint64_t n_passes;
    uint64_t n_steps;
    uint64_t n_failed; /* passes with a finding; stopping at the first: 0 or 1 */
    char failure[160]; /* the first */
};

struct lp_program {
    const char *const *argv;
    uint8_t *points; /* sites at which the scheduler decides: those seen shared */
    uint32_t n_sites;
    uint64_t *site_hash; /* of each site: its module */
    uint32_t *site_index;
    uint32_t *site_line;
};

/* Starts the program once, checks that it can be controlled, and finds its scheduling points. */
void lp_program_init(struct lp_program *p, const char *const *argv);
void lp_program_deinit(struct lp_program *p);
/* The same seed gives the same passes. */
void lp_run_passes(const struct lp_program *p, uint64_t seed, uint64_t n, bool stop_at_failure,
                   struct lp_run *out);
/* The same with the step at which each item came. */
void lp_run_steps(const struct lp_program *p, uint64_t seed, uint64_t n, struct lp_run *out);
void lp_run_deinit(struct lp_run *run);

/* ---- static.c ------------------------------------------------------------------------ */

struct lp_static;

struct lp_static *lp_static_load(const char *path);
void lp_static_free(struct lp_static *s);
/* Ordered pairs of SP, and how many of these lock reasoning shows to be impossible. */
void lp_static_count(const struct lp_static *s, uint64_t *sp, uint64_t *impossible);
enum lp_static_state {
    LP_STATIC_IN,
    LP_STATIC_UNTYPED,   /* of memory without a type: not counted in SP */
    LP_STATIC_OUTSIDE,   /* a gap of the analysis */
    LP_STATIC_IMPOSSIBLE /* its argument is wrong */
};
enum lp_static_state lp_static_state(const struct lp_static *s, const struct lp_program *p,
                                     const struct lp_item *item);

/* ---- driver.c: one row per version or program ------------------------------------------ */

struct lp_row {
    char name[64];
    uint32_t iterations;
    uint32_t undetected; /* iterations that ended at the bound */
    double success[LP_TABLE_N];
    double new_detects[LP_TABLE_N];
    double detecting_new[LP_TABLE_N];
    double coverage[LP_TABLE_N];
    double passes;
    uint64_t target[LP_TABLE_N]; /* items that are 100 % */
    uint64_t sp, impossible, covered, untyped, outside;
    double coverage_sp; /* LP at detection, of SP less the impossible */
};

/* ---- table.c, curves.c ----------------------------------------------------------------- */

void lp_table_print(const struct lp_row *rows, size_t n);

struct lp_curve {
    char program[64];
    uint64_t n_passes, n_steps;
    uint64_t sp, impossible, covered, untyped, outside;
    struct {
        uint64_t *step; /* at which the item of this rank came */
        uint64_t *pass; /* the same, from 1 */
        size_t n;
    } metric[LP__N];
};

void lp_curves_print(const struct lp_curve *curves, size_t n);
void lp_curves_svg(const struct lp_curve *c, const char *path);
/* Steps until this share of what a metric came to in the end was covered. */
uint64_t lp_curve_reached(const struct lp_curve *c, enum lp_metric m, double share);

#endif
