/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/replay_gdb.c - `burl replay --gdb`: a debugger at the failure.
 *
 * Runs in the host. The order is in the control block before the program starts, and gdb starts the
 * program on OS threads, so gdb shows every thread, stack and variable as in any program. The
 * runtime calls burl_failure_stop() where the execution fails, and burl_step_stop() before a step
 * that gdb asks for; faults stop gdb at the instruction. gdb/commands.py hides the frames of the
 * runtime, which are on top of every stack, and adds commands with the threads and steps of the
 * report. A gdb without Python stops at the same places, shows all frames and has few of the
 * commands (gdb/commands.gdb).
 *
 * The exit code only says whether gdb could be started.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/replay_int.h"

/* Files of gdb/, as strings: the commands of gdb itself, and those of Python. */
static const struct {
    const char *name;
    const char *text;
} scripts[] = {
#include "gdb_commands.inc"
};

enum { SCRIPT_GDB, SCRIPT_PYTHON, SCRIPT__N };

/* What gdb inherits: the control block and our files. */
struct files {
    int ctl;
    int trace; /* -1: none */
    int scripts[SCRIPT__N];
};

static enum burl_status
make_file(int *fd, struct burl_err *err)
{
    *fd = memfd_create("burl-gdb", 0);
    return *fd >= 0 ? BURL_OK : burl_err_set(err, BURL_E_IO, errno, "cannot create a file for gdb");
}

static enum burl_status
make_trace(struct files *f, const struct burl_replay *r, const struct burl_run *run,
           struct burl_err *err)
{
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st = make_file(&f->trace, err);

    if (st == BURL_OK) {
        burl_report_trace(run, r->sites, NULL, &b);
        st = burl_fs_write_all(f->trace, burl_buf_str(&b), b.n, err);
    }
    burl_buf_deinit(&b);
    return st;
}

/* Constants for the Python script, then the script. Our files are closed there: the program under
 * test must not find descriptors in use that it has free without gdb. */
static void
put_python(const struct files *f, const char *input, struct burl_buf *b)
{
    static const char *const ops[] = {
#define BURL_X(name, text, sync) text,
        BURL_WIRE_OPS(BURL_X)
#undef BURL_X
    };

    burl_buf_printf(b, "python\nCTL_FD = %d\nTRACE_FD = %d\nSTOP_AT = %zu\nOPS = [", f->ctl,
                    f->trace,
                    offsetof(struct burl_wire_ctl, order) +
                        offsetof(struct burl_wire_order, args.replay.stop_at));
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        burl_buf_printf(b, "'%s', ", ops[i]);
    burl_buf_printf(b, "]\nINPUT = bytes.fromhex('");
    for (; input && *input; input++)
        burl_buf_printf(b, "%02x", (unsigned char)*input);
    burl_buf_printf(b, "').decode(errors='surrogateescape')\n%s\n", scripts[SCRIPT_PYTHON].text);
    burl_buf_printf(b, "for fd in (%d, %d, %d):\n    if fd >= 0:\n        os.close(fd)\nend\n",
                    f->trace, f->scripts[SCRIPT_GDB], f->scripts[SCRIPT_PYTHON]);
}

static enum burl_status
make_files(struct files *f, const struct burl_replay *r, const struct burl_run *run,
           struct burl_err *err)
{
    const char *text = scripts[SCRIPT_GDB].text;
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st = run->n_events > 0 ? make_trace(f, r, run, err) : BURL_OK;

    for (size_t i = 0; i < SCRIPT__N && st == BURL_OK; i++)
        st = make_file(&f->scripts[i], err);
    if (st == BURL_OK)
        st = burl_fs_write_all(f->scripts[SCRIPT_GDB], text, strlen(text), err);
    if (st == BURL_OK) {
        put_python(f, r->input, &b);
        st = burl_fs_write_all(f->scripts[SCRIPT_PYTHON], burl_buf_str(&b), b.n, err);
    }
    burl_buf_deinit(&b);
    return st;
}

static void
close_files(const struct files *f)
{
    for (size_t i = 0; i < SCRIPT__N; i++)
        if (f->scripts[i] >= 0)
            close(f->scripts[i]);
    if (f->trace >= 0)
        close(f->trace);
}

static char **
gdb_argv(const struct burl_replay *r, const struct files *f)
{
    static const char *const head[] = { "gdb", "-q",  "-nx", "-x",  NULL,         "-x",
                                        NULL,  "-ex", "run", "-ex", "burl where", "--args" };
    const size_t n_head = sizeof head / sizeof head[0];
    char **v = burl_xcalloc(n_head + r->n_argv + 1, sizeof *v);
    size_t n_script = 0;

    for (size_t i = 0; i < n_head; i++)
        v[i] = head[i] ? burl_xstrdup(head[i])
                       : burl_xasprintf("/proc/self/fd/%d", f->scripts[n_script++]);
    for (size_t i = 0; i < r->n_argv; i++)
        v[n_head + i] = burl_xstrdup(r->argv[i]);
    return v;
}

static enum burl_status
run_gdb(struct burl_replay *r, const struct files *f, struct burl_err *err)
{
    char **envp = burl_target_env_new(f->ctl, NULL, (const char *const *)r->env, true);
    char **argv = gdb_argv(r, f);
    const int keep[] = { f->ctl, f->scripts[SCRIPT_GDB], f->scripts[SCRIPT_PYTHON], f->trace };
    const struct burl_proc_opts po = { .argv = (const char *const *)argv,
                                       .envp = (const char *const *)envp,
                                       .cwd = r->dir,
                                       .keep_fds = keep,
                                       .n_keep_fds = f->trace >= 0 ? 4 : 3 };
    struct burl_proc_status status;
    struct burl_proc proc;
    bool done;
    enum burl_status st;

    /* Ctrl-C belongs to the debugger while it runs. */
    signal(SIGINT, SIG_IGN);
    st = burl_proc_spawn(&proc, &po, err);
    if (st == BURL_OK)
        st = burl_proc_wait(&proc, -1, &done, &status, err);
    signal(SIGINT, SIG_DFL);
    burl_target_env_free(argv); /* same shape: a NULL-terminated list of owned strings */
    burl_target_env_free(envp);
    return st;
}

static enum burl_status
check_step(const struct burl_replay *r, const struct burl_run *run, struct burl_err *err)
{
    const uint64_t step = r->opts->gdb_at;

    if (!r->opts->given[BURL_OPT_gdb_at] || run->n_events == 0 || step <= run->steps)
        return BURL_OK;
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "--gdb-at=%" PRIu64 ": the execution has no such step, its last one is "
                        "%" PRIu64 " (`burl replay --trace` prints all)",
                        step, run->steps > 0 ? run->steps - 1 : 0);
}

int
burl__replay_gdb(struct burl_replay *r, const struct burl_run *run)
{
    struct burl_wire_order order = burl__replay_order(r);
    struct files files = { .trace = -1, .scripts = { -1, -1 } };
    struct burl_block block;
    struct burl_err err;
    char *gdb = NULL;
    enum burl_status st;

    if (burl_path_which(&gdb, "gdb", NULL) != BURL_OK) {
        burl_err_set(&err, BURL_E_IO, 0, "gdb is not installed; apt-get install gdb");
        return burl_cli_fail(&err);
    }
    free(gdb);
    if (check_step(r, run, &err) != BURL_OK)
        return burl_cli_fail(&err);
    st = burl_target_block_new(&block, &files.ctl, BURL_ENGINE_THREADS, BURL_RESET_FORK, &err);
    if (st != BURL_OK)
        return burl_cli_fail(&err);
    burl_image_put(&r->image, &block);
    order.flags =
        (r->file.order_flags & BURL_ORDER_F_KEPT) | BURL_ORDER_F_NO_FORK | BURL_ORDER_F_TRACE;
    order.max_wall_ms = 0; /* no time limit in an interactive session */
    if (r->opts->given[BURL_OPT_gdb_at])
        order.args.replay.stop_at = r->opts->gdb_at + 1;
    st = burl_target_block_load(&block, &order, r->file.switches, r->file.n_switches, &err);
    if (st == BURL_OK)
        st = make_files(&files, r, run, &err);
    if (st == BURL_OK)
        st = run_gdb(r, &files, &err);
    close_files(&files);
    close(files.ctl);
    burl_target_block_free(&block);
    return st == BURL_OK ? BURL_EXIT_CLEAN : burl_cli_fail(&err);
}
