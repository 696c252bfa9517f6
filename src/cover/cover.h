/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/cover.h - the interleaving coverage of one program: `burl cover`.
 *
 * An object of this type holds everything that is known to be covered, of earlier campaigns (from
 * the store) and of the present one. Items are named by (hash of the module, index), never by
 * numbers of a process. Adding is cheap and in memory; burl_cover_flush() writes what is new.
 * burl_cover_fill() turns it, with the static target and the prune file, into the model that the
 * renderers read.
 *
 * Prints nothing. Not thread-safe.
 */
#ifndef BURL_COVER_COVER_H
#define BURL_COVER_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/run.h"
#include "base/sites.h"
#include "report/cover/cover_model.h"
#include "store/cover.h"

/* Executions per window of growth, as in the saturation curves of the paper. */
#define BURL_COVER_WINDOW 100u
/* Schedules kept per program by campaigns; those of hunted pairs are not counted. Each costs two
 * processes when it is recorded and a file. */
#define BURL_COVER_SCHEDULES_MAX 64u

struct burl_cover;

/*
 * Loads the coverage of the program at the absolute path `path` from the store; `path` NULL: of the
 * program covered last, BURL_E_USAGE if there is none. An unknown program is empty and BURL_OK.
 * Borrows the store. *out is freed with burl_cover_free().
 */
BURL_MUST_CHECK enum burl_status burl_cover_open(struct burl_cover **out, struct burl_store *s,
                                                 const char *path, struct burl_err *err);
void burl_cover_free(struct burl_cover *c);

/* The row of the store; id 0 before the first campaign. Valid until burl_cover_begin(). */
const struct burl_store_cover_program *burl_cover_program(const struct burl_cover *c);
/* Of the newest build that was run; NULL before. */
const struct burl_sites *burl_cover_sites(const struct burl_cover *c);

/* A campaign (or hunt) over this build begins. `p`: what is to be recorded, its `path` is ours. */
BURL_MUST_CHECK enum burl_status burl_cover_begin(struct burl_cover *c,
                                                  const struct burl_store_cover_program *p,
                                                  const struct burl_store_cover_image *image,
                                                  struct burl_err *err);

/* The process whose items come next has loaded these, some of them at run time. Items of code that
 * it loaded in a different order than the first process are not counted. */
BURL_MUST_CHECK enum burl_status burl_cover_loaded(struct burl_cover *c,
                                                   const struct burl_store_cover_image *image,
                                                   struct burl_err *err);

/* The number of a site of a module that was loaded while the program ran, 0 for all others. */
uint32_t burl_cover_late_number(const struct burl_cover *c, uint64_t module, uint32_t index);

/* An item of a process of that build. `execution`: of this campaign, from 0; `strategy` must live
 * as long as `c`. True when no campaign had covered it before. Items whose sites the build does not
 * have are counted as lost. */
bool burl_cover_add(struct burl_cover *c, const struct burl_wire_cover_item *item,
                    const char *strategy, uint64_t execution);
/* Items of a metric in builds like this one, old and new. */
uint64_t burl_cover_count(const struct burl_cover *c, uint8_t metric);

/* Is there room for one more schedule of an ordinary campaign? */
bool burl_cover_wants_schedule(const struct burl_cover *c);
/* Stores the schedule of an execution in <store>/cover/. `hunted`: does not count against the
 * limit. */
struct burl_cover_kept {
    const char *const *argv;
    size_t argc;
    uint64_t execution; /* of this campaign */
    uint32_t strategy;
    uint32_t param;
    uint64_t seed;
    uint32_t order_flags;
    uint32_t engine;
    uint32_t context;
    bool hunted;
    struct burl_store_cover_name pair[2]; /* hunted: its sites */
    const struct burl_run *run;
};
BURL_MUST_CHECK enum burl_status burl_cover_keep(struct burl_cover *c,
                                                 const struct burl_cover_kept *k,
                                                 struct burl_err *err);

/* Writes what is new, and the sums so far of this campaign. */
BURL_MUST_CHECK enum burl_status burl_cover_flush(struct burl_cover *c, uint64_t executions,
                                                  uint64_t wall_ms, uint64_t lost,
                                                  struct burl_err *err);

/* How threads ran ("controlled, fibers", "free"), once that is known; written at once. */
BURL_MUST_CHECK enum burl_status burl_cover_set_mode(struct burl_cover *c, const char *mode,
                                                     struct burl_err *err);

/* The outcome of a hunt (hunt.h), written at once. */
BURL_MUST_CHECK enum burl_status burl_cover_hunted(struct burl_cover *c,
                                                   const struct burl_store_cover_hunt *h,
                                                   struct burl_err *err);

/* Discards all coverage, files included. */
BURL_MUST_CHECK enum burl_status burl_cover_reset(struct burl_cover *c, struct burl_err *err);

/* ---- saturation ---------------------------------------------------------------------- */

/* Has nothing new been covered for `windows` windows of this campaign? Counted in whole windows
 * from the last execution that covered something; `executions` of this campaign. */
bool burl_cover_saturated(const struct burl_cover *c, uint64_t executions, uint64_t windows);

/* ---- the model ----------------------------------------------------------------------- */

struct burl_cover_fill_opts {
    uint32_t metrics; /* BURL_METRIC bits to show, of those that were measured */
    bool no_target;
    const char *prune_path; /* NULL: no prune file */
    const char *command;    /* argv joined, "" unknown */
};

/* The origin of the pairs of a model. */
struct burl_cover_names {
    struct burl_store_cover_name *sites; /* of m->sites */
    size_t n;
};

/*
 * Fills the model. A missing target is not a failure: m->target_problem says why. `names` (may be
 * NULL) is filled too; free names->sites. BURL_E_FORMAT: a prune file that cannot be read.
 */
BURL_MUST_CHECK enum burl_status burl_cover_fill(struct burl_cover *c,
                                                 const struct burl_cover_fill_opts *opts,
                                                 struct burl_cover_model *m,
                                                 struct burl_cover_names *names,
                                                 struct burl_err *err);

#endif
