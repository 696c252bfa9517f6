/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cover_options.c - which options apply to which sub-command of `burl cover`.
 *
 * Runs in the host. All sub-commands share the rows of options.def; an option that a sub-command
 * does not use is refused, because the user expects an effect. Only options on the command line are
 * checked: environment variables may be meant for other commands.
 */
#include "cli/cover_int.h"

enum {
    RUN = 1u << BURL_COVER_SUB_RUN,
    REPORT = 1u << BURL_COVER_SUB_REPORT,
    HUNT = 1u << BURL_COVER_SUB_HUNT,
    PRUNE = 1u << BURL_COVER_SUB_PRUNE
};

/* Options that not all of them take. */
static const struct {
    enum burl_opt opt;
    unsigned on;
} rows[] = {
    { BURL_OPT_strategy, RUN },
    { BURL_OPT_runs, RUN | HUNT },
    { BURL_OPT_time, RUN | HUNT },
    { BURL_OPT_seed, RUN | HUNT },
    { BURL_OPT_jobs, RUN | HUNT },
    { BURL_OPT_engine, RUN | HUNT },
    { BURL_OPT_reset, RUN | HUNT },
    { BURL_OPT_max_steps, RUN | HUNT },
    { BURL_OPT_exec_timeout, RUN | HUNT },
    { BURL_OPT_pct_depth, RUN },
    { BURL_OPT_metrics, RUN | REPORT },
    { BURL_OPT_context, RUN },
    { BURL_OPT_until_saturated, RUN },
    { BURL_OPT_fail_under, RUN | REPORT | HUNT },
    { BURL_OPT_html, RUN | REPORT | HUNT },
    { BURL_OPT_lcov, RUN | REPORT | HUNT },
    { BURL_OPT_gaps, RUN | REPORT | HUNT },
    { BURL_OPT_no_target, RUN | REPORT },
    { BURL_OPT_reason, PRUNE },
    { BURL_OPT_remove, PRUNE },
    { BURL_OPT_tries, HUNT },
    { BURL_OPT_exhaustive, HUNT },
    { BURL_OPT_forget, RUN },
};

/* "burl cover hunt" or "burl cover hunt and burl cover prune": the sub-commands that take the
 * option. */
static void
list_takers(unsigned on, struct burl_buf *out)
{
    static const char *const names[] = { "burl cover", "burl cover report", "burl cover hunt",
                                         "burl cover prune" };

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (on & 1u << i)
            burl_buf_printf(out, "%s`%s`", out->n > 0 ? ", " : "", names[i]);
    }
}

enum burl_status
burl__cover_check_options(const struct burl_options *o, enum burl_cover_sub sub,
                          struct burl_err *err)
{
    static const char *const names[] = { "cover without a sub-command", "cover report",
                                         "cover hunt", "cover prune" };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct burl_buf takers = BURL_BUF_INIT;

        if (!o->typed[rows[i].opt] || (rows[i].on & 1u << sub))
            continue;
        list_takers(rows[i].on, &takers);
        burl_buf_str_append(&takers, rows[i].on & (rows[i].on - 1) ? " do" : " does");
        burl_err_set(err, BURL_E_USAGE, 0, "%s does not take %s; %s", names[sub],
                     burl_options_name(rows[i].opt), burl_buf_str(&takers));
        burl_buf_deinit(&takers);
        return BURL_E_USAGE;
    }
    if (sub == BURL_COVER_SUB_HUNT && o->typed[BURL_OPT_runs] && !o->exhaustive)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "hunt: --runs limits --exhaustive; without --exhaustive use --tries to "
                            "limit the attempts per pair");
    if (sub == BURL_COVER_SUB_HUNT && o->tries == 0 && !o->exhaustive)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "hunt: --tries must be at least 1; 0 requires --exhaustive");
    return BURL_OK;
}
