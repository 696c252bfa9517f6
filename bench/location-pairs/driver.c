/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.c - the experiments of the Location Pairs paper, one program at a time.
 *
 *     driver check PASSES -- PROGRAM ARGS               how many of so many random runs fail
 *     driver iterate NAME ITERATIONS BOUND REFERENCE TARGET -- PROGRAM ARGS
 *                                                       a row of Table 1
 *     driver saturate NAME PASSES TARGET -- PROGRAM ARGS     what each pass covered first
 *     driver table FILE                                 rows, beside the paper's
 *     driver curves DIR FILE                            what saturate printed, drawn; SVG into DIR
 *
 * Protocol: a pass is one run of a program under random scheduling, an iteration is passes until
 * one fails (BOUND at most), each iteration begins with nothing covered. 100 % of a metric is what
 * this version was ever seen to cover: in all its iterations and in REFERENCE passes beside them.
 * All seeds come from NAME, so the same command prints the same numbers.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "driver.h"

const char *const lp_metric_names[LP__N] = { "MP", "DU", "LP", "LP+1", "LINE" };

void
lp_die(const char *format, ...)
{
    va_list ap;

    fprintf(stderr, "location-pairs: ");
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fprintf(stderr, "\n");
    exit(3);
}

static uint64_t
number(const char *text)
{
    char *end;
    const uint64_t n = strtoull(text, &end, 10);

    if (*text == '\0' || *end != '\0')
        lp_die("not a number: %s", text);
    return n;
}

/* Runs of one name lie far apart from each other and from those of other names. */
static uint64_t
seed_of(const char *name, uint64_t ordinal)
{
    uint64_t state = 0xcbf29ce484222325ull;

    for (; *name; name++)
        state = (state ^ (uint8_t)*name) * 0x100000001b3ull;
    state += ordinal * 0x9e3779b97f4a7c15ull;
    return burl_rng_splitmix(&state) >> 16;
}

/* ---- sets of items --------------------------------------------------------------------- */

static int
by_identity(const void *x, const void *y)
{
    const struct lp_item *a = x;
    const struct lp_item *b = y;

    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    if (a->c != b->c)
        return a->c < b->c ? -1 : 1;
    return a->d < b->d ? -1 : a->d > b->d;
}

struct set {
    struct lp_item *items;
    size_t n;
};

static void
add_run(struct set *s, const struct lp_run *run)
{
    size_t kept = 0;

    s->items = burl_xrealloc(s->items, (s->n + run->n_items + 1) * sizeof *s->items);
    if (run->n_items > 0)
        memcpy(s->items + s->n, run->items, run->n_items * sizeof *s->items);
    s->n += run->n_items;
    qsort(s->items, s->n, sizeof *s->items, by_identity);
    for (size_t i = 0; i < s->n; i++) {
        if (kept == 0 || by_identity(&s->items[kept - 1], &s->items[i]) != 0)
            s->items[kept++] = s->items[i];
    }
    s->n = kept;
}

static uint64_t
count_metric(const struct set *s, uint32_t metric)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->items[i].metric == metric;
    return n;
}

/* ---- iterations ------------------------------------------------------------------------ */

/* What one iteration says of one metric. */
struct tally {
    uint64_t covered;    /* at the end, the detecting pass included */
    uint64_t before;     /* before that pass */
    uint64_t new_passes; /* passes that covered something new */
    bool last_is_new;
};

static struct tally
tally(const struct lp_run *run, uint32_t metric)
{
    struct tally t = { 0 };
    uint64_t last_new = UINT64_MAX;

    for (size_t i = 0; i < run->n_items; i++) {
        const struct lp_item *x = &run->items[i];

        if (x->metric != metric)
            continue;
        t.covered++;
        t.before += x->pass + 1 < run->n_passes;
        t.new_passes += x->pass != last_new;
        last_new = x->pass;
    }
    t.last_is_new = t.covered > t.before;
    return t;
}

/* Where covered pairs lie. */
struct placed {
    uint64_t in, untyped, outside;
};

static void
count_static(const struct lp_static *s, const struct lp_program *p, const struct lp_item *items,
             size_t n, struct placed *out)
{
    for (size_t i = 0; i < n; i++) {
        if (items[i].metric != LP_LP)
            continue;
        switch (lp_static_state(s, p, &items[i])) {
        case LP_STATIC_IN:
            out->in++;
            break;
        case LP_STATIC_UNTYPED:
            out->untyped++;
            break;
        case LP_STATIC_OUTSIDE:
            out->outside++;
            break;
        default:
            lp_die("%s: covered a pair that lock reasoning calls impossible", p->argv[0]);
        }
    }
}

static void
add_up(struct lp_row *row, const struct lp_run *runs, const struct set *all)
{
    uint32_t detected = 0;

    for (uint32_t i = 0; i < row->iterations; i++) {
        row->passes += (double)runs[i].n_passes / row->iterations;
        row->undetected += runs[i].n_failed == 0;
        detected += runs[i].n_failed != 0;
    }
    for (uint32_t m = 0; m < LP_TABLE_N; m++) {
        uint64_t new_passes = 0;
        uint32_t successes = 0, both = 0;
        double coverage = 0;

        row->target[m] = count_metric(all, m);
        for (uint32_t i = 0; i < row->iterations; i++) {
            const struct tally t = tally(&runs[i], m);
            const bool found = runs[i].n_failed != 0;

            new_passes += t.new_passes;
            /* An iteration without the bug fails when it is complete all the same. */
            successes += found ? t.before < row->target[m] : t.covered < row->target[m];
            both += found && t.last_is_new;
            coverage += found && row->target[m] ? (double)t.covered / (double)row->target[m] : 0;
        }
        row->success[m] = 100.0 * successes / row->iterations;
        row->new_detects[m] = new_passes ? 100.0 * both / (double)new_passes : 0;
        row->detecting_new[m] = detected ? 100.0 * both / detected : 0;
        row->coverage[m] = detected ? 100.0 * coverage / detected : 0;
    }
}

static void
add_static(struct lp_row *row, const char *path, const struct lp_program *p,
           const struct lp_run *runs, const struct set *all)
{
    struct lp_static *s = lp_static_load(path);
    struct placed ever = { 0 }, at_end = { 0 };

    lp_static_count(s, &row->sp, &row->impossible);
    count_static(s, p, all->items, all->n, &ever);
    row->covered = ever.in;
    row->untyped = ever.untyped;
    row->outside = ever.outside;
    for (uint32_t i = 0; i < row->iterations; i++)
        count_static(s, p, runs[i].items, runs[i].n_items, &at_end);
    if (row->sp > row->impossible)
        row->coverage_sp =
            100.0 * (double)at_end.in / row->iterations / (double)(row->sp - row->impossible);
    lp_static_free(s);
}

static void
print_row(const struct lp_row *row)
{
    printf("row\t%s\t%u\t%u\t%.2f", row->name, row->iterations, row->undetected, row->passes);
    for (int m = 0; m < LP_TABLE_N; m++)
        printf("\t%.2f\t%.2f\t%.2f\t%.2f\t%" PRIu64, row->success[m], row->new_detects[m],
               row->detecting_new[m], row->coverage[m], row->target[m]);
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.2f\n", row->sp,
           row->impossible, row->covered, row->untyped, row->outside, row->coverage_sp);
}

static int
iterate(char **args, const char *const *argv)
{
    struct lp_row row = { .iterations = (uint32_t)number(args[1]) };
    struct lp_run *runs = burl_xcalloc(row.iterations + 1, sizeof *runs);
    struct lp_program p;
    struct lp_run reference;
    struct set all = { 0 };

    snprintf(row.name, sizeof row.name, "%s", args[0]);
    if (row.iterations == 0)
        lp_die("no iterations");
    lp_program_init(&p, argv);
    lp_run_passes(&p, seed_of(row.name, 0), number(args[3]), false, &reference);
    add_run(&all, &reference);
    for (uint32_t i = 0; i < row.iterations; i++) {
        lp_run_passes(&p, seed_of(row.name, i + 1), number(args[2]), true, &runs[i]);
        add_run(&all, &runs[i]);
    }
    add_up(&row, runs, &all);
    add_static(&row, args[4], &p, runs, &all);
    print_row(&row);
    for (uint32_t i = 0; i < row.iterations; i++)
        lp_run_deinit(&runs[i]);
    lp_run_deinit(&reference);
    free(runs);
    free(all.items);
    lp_program_deinit(&p);
    return 0;
}

static int
check(char **args, const char *const *argv)
{
    struct lp_program p;
    struct lp_run run;

    lp_program_init(&p, argv);
    lp_run_passes(&p, seed_of("check", 0), number(args[0]), false, &run);
    printf("check\t%" PRIu64 "\t%" PRIu64 "\t%s\n", run.n_passes, run.n_failed, run.failure);
    lp_run_deinit(&run);
    lp_program_deinit(&p);
    return 0;
}

/* ---- saturation ------------------------------------------------------------------------ */

static int
saturate(char **args, const char *const *argv)
{
    struct lp_static *s = lp_static_load(args[2]);
    struct placed at = { 0 };
    uint64_t sp, impossible;
    struct lp_program p;
    struct lp_run run;

    lp_program_init(&p, argv);
    lp_run_steps(&p, seed_of(args[0], 0), number(args[1]), &run);
    if (run.n_failed > 0)
        lp_die("%s: %" PRIu64 " of %" PRIu64 " passes failed: %s", args[0], run.n_failed,
               run.n_passes, run.failure);
    lp_static_count(s, &sp, &impossible);
    count_static(s, &p, run.items, run.n_items, &at);
    printf("program\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
           "\t%" PRIu64 "\n",
           args[0], run.n_passes, run.n_steps, sp, impossible, at.in, at.untyped, at.outside);
    for (size_t i = 0; i < run.n_items; i++)
        printf("item\t%s\t%" PRIu64 "\t%" PRIu64 "\n", lp_metric_names[run.items[i].metric],
               run.items[i].pass + 1, run.items[i].step);
    lp_run_deinit(&run);
    lp_program_deinit(&p);
    lp_static_free(s);
    return 0;
}

/* ---- reading it again ------------------------------------------------------------------ */

static bool
read_row(const char *line, struct lp_row *row)
{
    int used = 0;
    int n = sscanf(line, "row\t%63[^\t]\t%u\t%u\t%lf%n", row->name, &row->iterations,
                   &row->undetected, &row->passes, &used);

    if (n != 4)
        return false;
    for (int m = 0; m < LP_TABLE_N; m++) {
        line += used;
        if (sscanf(line, "\t%lf\t%lf\t%lf\t%lf\t%" SCNu64 "%n", &row->success[m],
                   &row->new_detects[m], &row->detecting_new[m], &row->coverage[m], &row->target[m],
                   &used) != 5)
            return false;
    }
    line += used;
    return sscanf(line, "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%lf",
                  &row->sp, &row->impossible, &row->covered, &row->untyped, &row->outside,
                  &row->coverage_sp) == 6;
}

static FILE *
open_results(const char *path)
{
    FILE *f = fopen(path, "r");

    if (!f)
        lp_die("cannot open %s", path);
    return f;
}

static int
table(const char *path)
{
    FILE *f = open_results(path);
    struct lp_row rows[32];
    char line[1024];
    size_t n = 0;

    while (n < sizeof rows / sizeof *rows && fgets(line, sizeof line, f)) {
        rows[n] = (struct lp_row){ 0 };
        if (!read_row(line, &rows[n]))
            lp_die("%s: not a row: %s", path, line);
        n++;
    }
    fclose(f);
    lp_table_print(rows, n);
    return 0;
}

static void
read_item(const char *line, struct lp_curve *c)
{
    char name[8];
    uint64_t pass, step;

    if (sscanf(line, "item\t%7s\t%" SCNu64 "\t%" SCNu64, name, &pass, &step) != 3)
        lp_die("not an item: %s", line);
    for (int m = 0; m < LP__N; m++) {
        const size_t n = c->metric[m].n;

        if (strcmp(name, lp_metric_names[m]) != 0)
            continue;
        c->metric[m].pass = burl_xrealloc(c->metric[m].pass, (n + 1) * sizeof pass);
        c->metric[m].step = burl_xrealloc(c->metric[m].step, (n + 1) * sizeof step);
        c->metric[m].pass[n] = pass;
        c->metric[m].step[n] = step;
        c->metric[m].n++;
    }
}

static int
curves(const char *dir, const char *path)
{
    FILE *f = open_results(path);
    struct lp_curve all[16] = { 0 };
    char line[1024], svg[4096];
    size_t n = 0;

    while (fgets(line, sizeof line, f)) {
        struct lp_curve c = { 0 };

        if (sscanf(line,
                   "program\t%63s\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64
                   "\t%" SCNu64 "\t%" SCNu64,
                   c.program, &c.n_passes, &c.n_steps, &c.sp, &c.impossible, &c.covered, &c.untyped,
                   &c.outside) == 8 &&
            n < sizeof all / sizeof *all)
            all[n++] = c;
        else if (n > 0)
            read_item(line, &all[n - 1]);
    }
    fclose(f);
    lp_curves_print(all, n);
    for (size_t i = 0; i < n; i++) {
        snprintf(svg, sizeof svg, "%s/%s.svg", dir, all[i].program);
        lp_curves_svg(&all[i], svg);
        for (int m = 0; m < LP__N; m++) {
            free(all[i].metric[m].pass);
            free(all[i].metric[m].step);
        }
    }
    return 0;
}

int
main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int at = 2;

    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    if (strcmp(mode, "check") == 0 && at == 3 && argc > 4)
        return check(argv + 2, (const char *const *)argv + at + 1);
    if (strcmp(mode, "iterate") == 0 && at == 7 && argc > 8)
        return iterate(argv + 2, (const char *const *)argv + at + 1);
    if (strcmp(mode, "saturate") == 0 && at == 5 && argc > 6)
        return saturate(argv + 2, (const char *const *)argv + at + 1);
    if (strcmp(mode, "table") == 0 && argc == 3)
        return table(argv[2]);
    if (strcmp(mode, "curves") == 0 && argc == 4)
        return curves(argv[2], argv[3]);
    fprintf(stderr, "usage: see the head of driver.c\n");
    return 2;
}
