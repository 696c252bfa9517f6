/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_regress.c - `burl regress`: after a change, the tests that can reveal new bugs.
 *
 * Runs in the host. Chooses the sub-command and refuses options that it does not use; each
 * sub-command has a file of its own.
 */
#include <string.h>

#include "cli/regress_int.h"

enum { RECORD = 1u << 0, SELECT = 1u << 1, RUN = 1u << 2, SHOW = 1u << 3, EXPERIMENT = 1u << 4 };

static const struct {
    const char *word;
    int (*run)(const struct burl_options *opts);
} subs[] = {
    { "record", burl__regress_record },
    { "select", burl__regress_select },
    { "run", burl__regress_run },
    { "show", burl__regress_show },
    { "experiment", burl__regress_experiment },
};

/* Options that not all of them take. */
static const struct {
    enum burl_opt opt;
    unsigned on;
} rows[] = {
    { BURL_OPT_ctest, RECORD | SELECT | RUN | EXPERIMENT },
    { BURL_OPT_meson, RECORD | SELECT | RUN | EXPERIMENT },
    { BURL_OPT_suite, RECORD | SELECT | RUN | EXPERIMENT },
    { BURL_OPT_only, RECORD | SELECT | RUN | EXPERIMENT },
    { BURL_OPT_as, RECORD },
    { BURL_OPT_repeat, RECORD | EXPERIMENT },
    { BURL_OPT_fresh, RECORD },
    { BURL_OPT_base, SELECT | RUN | EXPERIMENT },
    { BURL_OPT_time, RECORD | RUN | EXPERIMENT },
    { BURL_OPT_for_, SELECT | RUN | EXPERIMENT },
    { BURL_OPT_explain, SELECT | SHOW },
    { BURL_OPT_same_thread, SELECT | RUN },
    { BURL_OPT_any_lifetime, SELECT | RUN },
    { BURL_OPT_all_tests, SELECT | RUN },
    { BURL_OPT_verify_runs, RUN | EXPERIMENT },
    { BURL_OPT_technique, EXPERIMENT },
    { BURL_OPT_seed, SELECT | RUN | EXPERIMENT },
    { BURL_OPT_max_steps, RUN | EXPERIMENT },
    { BURL_OPT_exec_timeout, RUN | EXPERIMENT },
    { BURL_OPT_suppressions, RUN },
};

/* The first option on the command line that the sub-command does not take; BURL_OPT__N none. */
static enum burl_opt
refused(const struct burl_options *opts, unsigned sub)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (opts->typed[rows[i].opt] && (rows[i].on & sub) == 0)
            return rows[i].opt;
    }
    return BURL_OPT__N;
}

enum burl_status
burl__regress_suite(const struct burl_options *opts, struct burl_suite *s, struct burl_err *err)
{
    if (opts->ctest && opts->meson)
        return burl_err_set(err, BURL_E_USAGE, 0, "--ctest and --meson name two suites; give one");
    if ((opts->ctest || opts->meson) && opts->typed[BURL_OPT_suite])
        return burl_err_set(err, BURL_E_USAGE, 0, "--suite and %s name two suites; give one",
                            opts->ctest ? "--ctest" : "--meson");
    if (opts->ctest)
        return burl_suite_load(s, BURL_SUITE_CTEST, opts->ctest, err);
    if (opts->meson)
        return burl_suite_load(s, BURL_SUITE_MESON, opts->meson, err);
    return burl_suite_load(s, BURL_SUITE_FILE, opts->suite, err);
}

int
burl_cmd_regress(const struct burl_options *opts, int argc, char **argv)
{
    size_t i = 0;
    enum burl_opt bad;

    if (argc == 0)
        return burl_cli_usage("regress", "what? record, select, run or show");
    while (i < sizeof subs / sizeof subs[0] && strcmp(argv[0], subs[i].word) != 0)
        i++;
    if (i == sizeof subs / sizeof subs[0])
        return burl_cli_usage("regress",
                              "there is no `burl regress %s`; there are record, select, "
                              "run, show and experiment",
                              argv[0]);
    if (argc > 1)
        return burl_cli_usage("regress", "`burl regress %s` takes no word %s", argv[0], argv[1]);
    bad = refused(opts, 1u << i);
    if (bad != BURL_OPT__N)
        return burl_cli_usage("regress", "`burl regress %s` does not take %s", argv[0],
                              burl_options_name(bad));
    return subs[i].run(opts);
}
