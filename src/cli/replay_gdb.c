/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/replay_gdb.c - `burl replay --gdb`: a debugger at the failure.
 *
 * Runs in the host. The order is in the control block before the program starts, and gdb starts the
 * program on OS threads, so gdb shows every thread, stack and variable as in any program. The
 * runtime calls burl_failure_stop() where the execution fails; faults stop gdb at the instruction.
 * A Python script hides the frames of the runtime, which are on top of every stack, and maps the
 * threads of gdb to those of the report. A gdb without Python stops at the same place, and shows
 * all frames.
 *
 * The exit code only says whether gdb could be started.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/replay_int.h"

/* SIG63 is the runtime's timer; the program's own signals go where they always go. */
static const char script[] =
    "set pagination off\n"
    "set confirm off\n"
    "set startup-with-shell off\n"
    "set disable-randomization on\n"
    "set breakpoint pending on\n"
    "handle SIG63 nostop noprint pass\n"
    "break burl_failure_stop\n"
    "python\n"
    "import gdb\n"
    "\n"
    "def in_runtime(frame):\n"
    "    lib = gdb.solib_name(frame.pc()) or ''\n"
    "    return lib.rsplit('/', 1)[-1] == 'libburl_rt.so'\n"
    "\n"
    "class BurlFrames:\n"
    "    def __init__(self):\n"
    "        self.name, self.priority, self.enabled = 'burl', 100, True\n"
    "    def filter(self, frames):\n"
    "        return (f for f in frames if not in_runtime(f.inferior_frame()))\n"
    "\n"
    "def program_frame():\n"
    "    frame = gdb.newest_frame()\n"
    "    while frame is not None and in_runtime(frame):\n"
    "        frame = frame.older()\n"
    "    return frame\n"
    "\n"
    "def burl_name(thread):\n"
    "    try:\n"
    "        return 'T%d' % int(gdb.parse_and_eval('burl_self->tid'))\n"
    "    except gdb.error:\n"
    "        return 'T%d' % (thread.num - 1)\n"
    "\n"
    "def describe(thread):\n"
    "    thread.switch()\n"
    "    frame = program_frame()\n"
    "    if frame is None:\n"
    "        return '  %-4s gdb thread %d' % (burl_name(thread), thread.num)\n"
    "    sal = frame.find_sal()\n"
    "    place = '%s:%d' % (sal.symtab.filename, sal.line) if sal.symtab else '?'\n"
    "    return '  %-4s gdb thread %-3d in %s at %s' % (burl_name(thread), thread.num,\n"
    "                                                  frame.name() or '?', place)\n"
    "\n"
    "class BurlThreads(gdb.Command):\n"
    "    \"Lists the threads of the interleaving, numbered as in the report of burl.\"\n"
    "    def __init__(self):\n"
    "        super().__init__('burl-threads', gdb.COMMAND_STACK)\n"
    "    def invoke(self, arg, from_tty):\n"
    "        here = gdb.selected_thread()\n"
    "        threads = sorted(gdb.selected_inferior().threads(), key=lambda t: t.num)\n"
    "        print('\\n'.join(describe(t) for t in threads))\n"
    "        if here is not None:\n"
    "            here.switch()\n"
    "            select_program_frame()\n"
    "\n"
    "def select_program_frame():\n"
    "    frame = program_frame()\n"
    "    if frame is not None:\n"
    "        frame.select()\n"
    "\n"
    "def failure_kind():\n"
    "    frame = gdb.newest_frame()\n"
    "    if frame.name() == 'burl_failure_stop':\n"
    "        return gdb.parse_and_eval('(const char *)$rdi').string()\n"
    "    return 'crash.signal'\n"
    "\n"
    "def burl_stopped():\n"
    "    thread = gdb.selected_thread()\n"
    "    if thread is None or not thread.is_valid():\n"
    "        print('burl: the program exited; the failure was not reproduced')\n"
    "        return\n"
    "    kind, name = failure_kind(), burl_name(thread)\n"
    "    print('\\nburl: the failure (%s) is here, in %s; the threads:' % (kind, name))\n"
    "    gdb.execute('burl-threads')\n"
    "    gdb.execute('frame')\n"
    "\n"
    "gdb.frame_filters['burl'] = BurlFrames()\n"
    "BurlThreads()\n"
    "end\n";

static enum burl_status
script_file(int *fd, struct burl_err *err)
{
    *fd = memfd_create("burl-gdb", 0);
    if (*fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot create the gdb script");
    return burl_fs_write_all(*fd, script, sizeof script - 1, err);
}

static char **
gdb_argv(const struct burl_replay *r, const char *script_path)
{
    static const char *const head[] = {
        "gdb", "-q", "-nx", "-x", NULL, "-ex", "run", "-ex", "python burl_stopped()", "--args"
    };
    const size_t n_head = sizeof head / sizeof head[0];
    char **v = burl_xcalloc(n_head + r->n_argv + 1, sizeof *v);

    for (size_t i = 0; i < n_head; i++)
        v[i] = burl_xstrdup(head[i] ? head[i] : script_path);
    for (size_t i = 0; i < r->n_argv; i++)
        v[n_head + i] = burl_xstrdup(r->argv[i]);
    return v;
}

static enum burl_status
run_gdb(struct burl_replay *r, int ctl_fd, struct burl_err *err)
{
    char **envp = burl_target_env_new(ctl_fd, NULL, (const char *const *)r->env, true);
    struct burl_proc_opts po = { .envp = (const char *const *)envp, .cwd = r->dir };
    struct burl_proc_status status;
    struct burl_proc proc;
    char path[32];
    int keep[2] = { ctl_fd, -1 };
    char **argv = NULL;
    bool done;
    enum burl_status st = script_file(&keep[1], err);

    if (st != BURL_OK)
        goto out;
    snprintf(path, sizeof path, "/proc/self/fd/%d", keep[1]);
    argv = gdb_argv(r, path);
    po.argv = (const char *const *)argv;
    po.keep_fds = keep;
    po.n_keep_fds = 2;
    /* Ctrl-C belongs to the debugger while it runs. */
    signal(SIGINT, SIG_IGN);
    st = burl_proc_spawn(&proc, &po, err);
    if (st == BURL_OK)
        st = burl_proc_wait(&proc, -1, &done, &status, err);
    signal(SIGINT, SIG_DFL);
out:
    if (keep[1] >= 0)
        close(keep[1]);
    burl_target_env_free(argv); /* same shape: a NULL-terminated list of owned strings */
    burl_target_env_free(envp);
    return st;
}

int
burl__replay_gdb(struct burl_replay *r)
{
    struct burl_wire_order order = burl__replay_order(r);
    struct burl_block block;
    struct burl_err err;
    char *gdb = NULL;
    int fd;
    enum burl_status st;

    if (burl_path_which(&gdb, "gdb", NULL) != BURL_OK) {
        burl_err_set(&err, BURL_E_IO, 0, "gdb is not installed; apt-get install gdb");
        return burl_cli_fail(&err);
    }
    free(gdb);
    st = burl_target_block_new(&block, &fd, BURL_ENGINE_THREADS, BURL_RESET_FORK, &err);
    if (st != BURL_OK)
        return burl_cli_fail(&err);
    burl_image_put(&r->image, &block);
    order.flags = (r->file.order_flags & BURL_ORDER_F_KEPT) | BURL_ORDER_F_NO_FORK;
    order.max_wall_ms = 0; /* no time limit in an interactive session */
    st = burl_target_block_load(&block, &order, r->file.switches, r->file.n_switches, &err);
    if (st == BURL_OK)
        st = run_gdb(r, fd, &err);
    close(fd);
    burl_target_block_free(&block);
    return st == BURL_OK ? BURL_EXIT_CLEAN : burl_cli_fail(&err);
}
