/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/outputs.c - files and directories that the user names for results: checked before long work.
 *
 * Runs in the host.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "cli/command.h"

static enum burl_status
check_file(const char *file, enum burl_opt opt, struct burl_err *err)
{
    if (!file || burl_fs_check_output(file, err) == BURL_OK)
        return BURL_OK;
    return burl_err_prefix(err, "%s", burl_options_name(opt));
}

/* A directory with pages is created now: that it can be is known only then. */
static enum burl_status
check_pages(const char *dir, enum burl_opt opt, const char *const *names, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (!dir)
        return BURL_OK;
    if (burl_fs_exists(dir) && !burl_fs_is_dir(dir))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s=%s is a file; give a directory, or a new name",
                            burl_options_name(opt), dir);
    st = burl_fs_mkdir_p(dir, err);
    if (st != BURL_OK || access(dir, W_OK | X_OK) != 0)
        return burl_err_set(err, BURL_E_USAGE, st != BURL_OK ? err->sys : errno,
                            "%s: cannot write to %s; name another directory",
                            burl_options_name(opt), dir);
    for (size_t i = 0; names[i] && st == BURL_OK; i++)
        st = burl_fs_check_output_in(dir, names[i], err);
    return st == BURL_OK ? st : burl_err_prefix(err, "%s", burl_options_name(opt));
}

/* `-o PROGRAM`, as for a compiler, would replace the program. */
enum burl_status
burl_cli_check_spared(const struct burl_options *o, const char *program, struct burl_err *err)
{
    const struct {
        const char *file;
        enum burl_opt opt;
    } v[] = { { o->out, BURL_OPT_out },
              { o->lcov, BURL_OPT_lcov },
              { o->report, BURL_OPT_report } };
    struct stat p, f;

    if (!program || stat(program, &p) != 0)
        return BURL_OK;
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        if (v[i].file && stat(v[i].file, &f) == 0 && f.st_dev == p.st_dev && f.st_ino == p.st_ino)
            return burl_err_set(err, BURL_E_USAGE, 0, "%s=%s is the program; name another file",
                                burl_options_name(v[i].opt), v[i].file);
    }
    return BURL_OK;
}

enum burl_status
burl_cli_check_outputs(const struct burl_options *o, struct burl_err *err)
{
    static const char *const pages[] = { "index.html", NULL };
    static const char *const suite[] = { "Makefile", "CMakeLists.txt", NULL };
    enum burl_status st = check_file(o->out, BURL_OPT_out, err);

    if (st == BURL_OK)
        st = check_file(o->output, BURL_OPT_output, err);
    if (st == BURL_OK)
        st = check_file(o->lcov, BURL_OPT_lcov, err);
    if (st == BURL_OK)
        st = check_pages(o->html, BURL_OPT_html, pages, err);
    if (st == BURL_OK)
        st = check_pages(o->emit_suite, BURL_OPT_emit_suite, suite, err);
    return st;
}
