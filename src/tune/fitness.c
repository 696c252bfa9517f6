/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/fitness.c - how good the outcome of an evaluation is; contract in fitness.h.
 *
 * Runs in the host.
 */
#include "tune/fitness.h"

#include <math.h>

/* Of the default: what the ranks begin with. The part that tells equals apart is at most 100
 * without errors, so ranks do not overlap. */
#define WITH_WARNINGS 200.0
#define WITH_ERRORS 400.0
/* Far above the rank: selection by proportion has to see that one of two settings that make
 * executions fail does so twice as often. */
#define ERRORS_SCALE 10000.0
/* New coverage of this weight, per execution at the cost of a plain one, is half of what new
 * coverage can count. */
#define FRESH_HALF 5.0
/* Executions without failure that every setting is given in advance: of two settings with the same
 * share of failures the one with more executions is more certain. */
#define DOUBT 2.0

uint32_t
burl_tune_errors(const struct burl_tune_outcome *o)
{
    uint32_t n = 0;

    for (int i = 0; i < BURL_TUNE_ERROR__N; i++)
        n += o->errors[i];
    return n;
}

uint32_t
burl_tune_coverage(const struct burl_tune_outcome *o)
{
    return o->avio + o->hbpair + o->synchro + o->goldi_weight;
}

static uint32_t
larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void
burl_tune_outcome_add(struct burl_tune_outcome *sum, const struct burl_tune_outcome *o)
{
    sum->executions += o->executions;
    sum->cut += o->cut;
    for (int i = 0; i < BURL_TUNE_ERROR__N; i++)
        sum->errors[i] += o->errors[i];
    sum->warnings = larger(sum->warnings, o->warnings);
    sum->avio = larger(sum->avio, o->avio);
    sum->hbpair = larger(sum->hbpair, o->hbpair);
    sum->synchro = larger(sum->synchro, o->synchro);
    sum->goldi = larger(sum->goldi, o->goldi);
    sum->goldi_weight = larger(sum->goldi_weight, o->goldi_weight);
    sum->fresh += o->fresh;
    sum->wall_ms += o->wall_ms;
    sum->cost_ms += o->cost_ms;
    sum->noise.places += o->noise.places;
    sum->noise.injected += o->noise.injected;
    sum->noise.halted += o->noise.halted;
    sum->noise.tampered += o->noise.tampered;
}

void
burl_fitness_see(struct burl_fitness *f, const struct burl_tune_outcome *o)
{
    f->coverage_max = larger(f->coverage_max, burl_tune_coverage(o));
    if (f->fixed)
        return;
    f->avio_max = larger(f->avio_max, o->avio);
    f->hbpair_max = larger(f->hbpair_max, o->hbpair);
    f->synchro_max = larger(f->synchro_max, o->synchro);
}

static double
share(uint32_t x, uint32_t max)
{
    return max > 0 ? (double)x / max : 0.0;
}

static double
f1(const struct burl_fitness *f, const struct burl_tune_outcome *o)
{
    return (share(o->avio, f->avio_max) + share(o->hbpair, f->hbpair_max) +
            share(o->synchro, f->synchro_max)) /
           3.0;
}

static double
f2(const struct burl_tune_outcome *o)
{
    const double time = o->wall_ms > 1 ? (double)o->wall_ms : 1.0;

    return (o->goldi_weight + 1000.0 * o->warnings + 10000.0 * burl_tune_errors(o)) / time;
}

/*
 * `slowness`: cost of an execution, in plain ones, at least 1. With errors: failures per plain
 * execution's time. Without: half for new coverage in that time, half for all coverage as a share
 * of the most seen; the latter is divided by the logarithm of the slowness only, since what a slow
 * setting covers is not covered by more fast ones.
 */
static double
ours(const struct burl_fitness *f, const struct burl_tune_outcome *o)
{
    const double n = o->executions > 0 ? o->executions : 1;
    const double floor_ms = f->floor_ms > 1 ? (double)f->floor_ms : 1.0;
    const double slowness = fmax((double)o->cost_ms / n / floor_ms, 1.0);
    const double fresh = o->fresh / (n * slowness);
    double value;

    if (burl_tune_errors(o) > 0)
        return WITH_ERRORS + ERRORS_SCALE * burl_tune_errors(o) / ((n + DOUBT) * slowness);
    value = 50.0 * fresh / (fresh + FRESH_HALF) +
            50.0 * share(burl_tune_coverage(o), f->coverage_max) / (1.0 + log10(slowness));
    return o->warnings > 0 ? WITH_WARNINGS + value : value;
}

double
burl_fitness_value(const struct burl_fitness *f, const struct burl_tune_outcome *o)
{
    switch (f->kind) {
    case BURL_FITNESS_F1:
        return f1(f, o);
    case BURL_FITNESS_F2:
        return f2(o);
    case BURL_FITNESS_BURL:
    default:
        return ours(f, o);
    }
}
