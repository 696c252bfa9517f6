/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/free.c - one run of a program that is watched and not controlled; contract in free.h.
 *
 * Runs in the host. Unless captured, the program has the user's terminal: it stays in our process
 * group, so that it may read from it and gets Ctrl-C from the kernel as it would without us.
 * Signals sent to our process alone (kill, a supervisor) are passed on; their origin tells
 * the two apart.
 *
 * When the time is over the program is asked to end first (SIGTERM), so that one with a handler can
 * flush what it printed; what was found is in the block either way. The same when it is deadlocked,
 * which we see from outside (free_watch.c).
 *
 * No address randomization: the runtime's shadow memory is laid out for the usual regions, and
 * addresses in two reports can be compared. Where the machine forbids that, the program runs with
 * it.
 */
#include "engine/free/free.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "engine/free/free_noise.h"
#include "engine/free/free_watch.h"
#include "engine/free/hang.h"
#include "engine/target/process.h"
#include "engine/target/program.h"
#include "engine/target/target.h"

/* Longest sleep between two looks at time and interrupt. The end itself wakes us at once. */
#define SLICE_MS 50
/* For a program that was asked to end; less when it has little time altogether. */
#define GRACE_MS 1000

/* ---- signals ----------------------------------------------------------------------- */

static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

#define N_PASSED_ON (sizeof passed_on / sizeof passed_on[0])

/* Written before the handlers are there and after they are gone, and once in between: 0 until the
 * program is started. */
static volatile sig_atomic_t running_pid;
static volatile sig_atomic_t pending_signal;
static volatile sig_atomic_t asked_to_end; /* one of them came, to us or to all */

static void
on_signal(int sig, siginfo_t *info, void *context)
{
    const int keep_errno = errno;

    (void)context;
    /* A program that signals its parent means the shell that started it. */
    if (info->si_code <= 0 && info->si_code != SI_TIMER &&
        (burl_proc_is_known(info->si_pid) || burl_guard_is_ours(info->si_pid))) {
        errno = keep_errno;
        return;
    }
    asked_to_end = 1;
    /* From the terminal the whole process group has it already. */
    if (info->si_code <= 0) {
        if (running_pid > 0)
            kill(running_pid, sig);
        else
            pending_signal = sig;
    }
    errno = keep_errno;
}

/* What a parent chose to have ignored (nohup, a shell's background) is ignored by the program too,
 * as if we were not there; we listen all the same, since the program may have other plans. */
static size_t
catch_signals(struct sigaction old[N_PASSED_ON], int ignored[N_PASSED_ON])
{
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };

    size_t n = 0;

    running_pid = 0;
    pending_signal = 0;
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < N_PASSED_ON; i++) {
        sigaction(passed_on[i], &sa, &old[i]);
        if (old[i].sa_handler == SIG_IGN)
            ignored[n++] = passed_on[i];
    }
    return n;
}

static void
restore_signals(const struct sigaction old[N_PASSED_ON])
{
    running_pid = 0;
    for (size_t i = 0; i < N_PASSED_ON; i++)
        sigaction(passed_on[i], &old[i], NULL);
}

/* ---- the process ------------------------------------------------------------------- */

static enum burl_status
spawn(struct burl_proc *p, const struct burl_free_opts *o, int ctl_fd, int tail_fd,
      const int *ignored, size_t n_ignored, struct burl_err *err)
{
    char **envp = burl_target_env_new(ctl_fd, o->argv, o->env, false);
    const int in_fd = o->captured ? burl__target_open_input() : -1;
    struct burl_proc_opts po = {
        .argv = o->argv,
        .envp = (const char *const *)envp,
        .cwd = o->cwd,
        .keep_fds = &ctl_fd,
        .n_keep_fds = 1,
        .no_aslr = true,
        .die_with_parent = true,
        .ignore = ignored,
        .n_ignore = n_ignored,
    };
    struct burl_err first;
    enum burl_status st;

    if (o->captured) {
        po.in = in_fd >= 0 ? BURL_PROC_FD : BURL_PROC_NULL;
        po.in_fd = in_fd;
        po.out = BURL_PROC_FD;
        po.out_fd = tail_fd;
        po.err = BURL_PROC_FD;
        po.err_fd = tail_fd;
        po.new_group = true;
    } else if (o->out_fd >= 0) {
        po.out = BURL_PROC_FD;
        po.out_fd = o->out_fd;
    }
    st = burl_proc_spawn(p, &po, &first);
    if (st == BURL_E_IO && first.sys == EPERM) {
        po.no_aslr = false;
        st = burl_proc_spawn(p, &po, &first);
    }
    if (st != BURL_OK)
        burl_err_set(err, first.code, 0, "%s", first.msg);
    if (in_fd >= 0)
        close(in_fd);
    burl_target_env_free(envp);
    return st;
}

/* Asks, waits a little, kills. */
static enum burl_status
end_process(struct burl_proc *p, uint64_t time_ms, struct burl_proc_status *status,
            struct burl_err *err)
{
    const struct burl_deadline d = burl_deadline_in(0, time_ms);
    const int64_t late_ms = d.limit_ms - d.at_ms;
    const int grace_ms = time_ms > 0 && late_ms < GRACE_MS ? (int)late_ms : GRACE_MS;
    enum burl_status st;
    bool done = false;

    burl_proc_kill(p, SIGTERM);
    st = burl_proc_wait(p, grace_ms, &done, status, err);
    if (st == BURL_OK && !done) {
        burl_proc_kill(p, SIGKILL);
        st = burl_proc_wait(p, -1, &done, status, err);
    }
    return st;
}

/* The blocked threads of a snapshot, as they are to be reported. */
static void
keep_blocked(struct burl_free_result *r, const struct burl_waitfor *g)
{
    free(r->blocked);
    r->blocked = burl_xcalloc(g->n + 1u, sizeof *r->blocked);
    r->n_blocked = 0;
    for (size_t i = 0; i < g->n; i++) {
        if (g->v[i].state == BURL_BLOCKED_WAITS)
            r->blocked[r->n_blocked++] = g->v[i];
    }
}

static bool
is_deadlocked(struct burl_free_watch *w, struct burl_free_result *r)
{
    struct burl_waitfor g;

    if (!burl_free_watch_look(w, &g, &r->verdict))
        return false;
    keep_blocked(r, &g);
    return true;
}

/* Why we have to end the program now; END_EXIT: there is no reason. */
static enum burl_free_end
reason_to_end(struct burl_free_watch *w, const struct burl_free_opts *o, int64_t elapsed,
              struct burl_free_result *r)
{
    struct burl_waitfor g;

    if (o->captured && o->interrupt && *o->interrupt)
        return BURL_FREE_END_INTERRUPTED;
    if (is_deadlocked(w, r))
        return BURL_FREE_END_DEADLOCK;
    if (o->time_ms == 0 || (uint64_t)elapsed < o->time_ms)
        return BURL_FREE_END_EXIT;
    if (burl_waitfor_read(&g, w->table))
        keep_blocked(r, &g);
    return BURL_FREE_END_TIME;
}

/* Between the two looks at a program that does not end. */
#define HANG_LOOK_MS 1000u

/* Its time is nearly over: is each thread still where it is now, when it is over? */
static void
look_for_hang(struct burl_free_hang *h, const struct burl_free_opts *o, pid_t pid, int64_t elapsed,
              const struct burl_block *b)
{
    const uint64_t late = o->time_ms / 4 < HANG_LOOK_MS ? o->time_ms / 4 : HANG_LOOK_MS;

    if (o->time_ms > 0 && (uint64_t)elapsed + late >= o->time_ms)
        burl_free_hang_begin(h, pid, b->shared);
}

static void
take_hang(const struct burl_free_hang *h, pid_t pid, const struct burl_block *b,
          struct burl_free_result *r)
{
    struct burl_waitfor *g = burl_xcalloc(1, sizeof *g);

    burl_free_hang_end(h, pid, b->shared, g, &r->hang);
    r->threads = burl_xmemdup(g->v, (g->n + 1) * sizeof g->v[0]);
    r->n_threads = g->n;
    free(g);
}

/* Whether a program that takes long hangs shows when there is no noise any more. */
static void
end_noise(const struct burl_free_opts *o, int64_t elapsed, struct burl_block *b,
          struct burl_free_result *r)
{
    if (!o->noise || o->noise_ms == 0 || r->noise_stopped || (uint64_t)elapsed < o->noise_ms)
        return;
    r->noise_stopped = true;
    __atomic_store_n(&b->shared->noise_stop, 1, __ATOMIC_RELAXED);
}

static enum burl_status
wait_for_end(struct burl_proc *p, const struct burl_free_opts *o, int tail_fd, struct burl_block *b,
             struct burl_free_result *r, struct burl_err *err)
{
    const int64_t start = burl_target_now_ms();
    const pid_t pid = p->pid;
    struct burl_free_watch watch = { .pid = pid, .table = &b->shared->blocked };
    struct burl_free_hang hang = { 0 };
    enum burl_status st = BURL_OK;
    bool done = false;

    while (st == BURL_OK && !done) {
        const int64_t elapsed = burl_target_now_ms() - start;
        int64_t slice = SLICE_MS;

        end_noise(o, elapsed, b, r);
        look_for_hang(&hang, o, pid, elapsed, b);
        r->end = reason_to_end(&watch, o, elapsed, r);
        if (r->end == BURL_FREE_END_TIME)
            take_hang(&hang, pid, b, r);
        if (r->end != BURL_FREE_END_EXIT) {
            st = end_process(p, o->time_ms, &r->status, err);
            break;
        }
        if (o->time_ms > 0 && o->time_ms - (uint64_t)elapsed < (uint64_t)slice)
            slice = (int64_t)(o->time_ms - (uint64_t)elapsed);
        st = burl_proc_wait(p, (int)slice, &done, &r->status, err);
        if (tail_fd >= 0)
            burl__target_limit_output(tail_fd);
    }
    r->wall_ms = burl_target_now_ms() - start;
    /* What a watched program leaves running is its user's business, unless we ended it
     * or it is not visible. */
    if (o->captured)
        kill(-pid, SIGKILL);
    if (o->captured || r->end != BURL_FREE_END_EXIT)
        burl__target_end_orphans();
    return st;
}

/* ---- how it ended ------------------------------------------------------------------ */

/* Is the reader of what the program prints gone? Captured output is in a file. */
static bool
has_lost_reader(const struct burl_free_opts *o)
{
    struct pollfd fds[] = { { .fd = o->out_fd >= 0 ? o->out_fd : STDOUT_FILENO },
                            { .fd = STDERR_FILENO } };

    return !o->captured && poll(fds, 2, 0) > 0 &&
           ((fds[0].revents | fds[1].revents) & (POLLERR | POLLHUP)) != 0;
}

/* Signals that say nothing about the program: a request to end, or that its reader is gone. */
static bool
is_from_outside(int sig, const struct burl_free_opts *o)
{
    switch (sig) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
    case SIGKILL:
        return true;
    case SIGPIPE:
        return has_lost_reader(o);
    default:
        return false;
    }
}

static void
judge(struct burl_free_result *r, const struct burl_wire_result *seen,
      const struct burl_free_opts *o)
{
    const struct burl_wire_verdict *reported = &seen->last;
    struct burl_wire_verdict v = { .kind = BURL_VERDICT_PASS, .tid = BURL_TID_NONE };

    if (r->end == BURL_FREE_END_DEADLOCK)
        return;
    /* A program that was told to end may say so by its exit code; a crash is one even then. */
    if (r->end == BURL_FREE_END_EXIT && (r->status.exited ? r->status.code != 0 && asked_to_end != 0
                                                          : is_from_outside(r->status.signal, o)))
        r->end = BURL_FREE_END_OUTSIDE;
    if (r->end == BURL_FREE_END_EXIT && seen->irreversible != BURL_FREE_DISTURBED) {
        if (r->status.exited && r->status.code != 0) {
            v.kind = BURL_VERDICT_EXIT_NONZERO;
            v.code = r->status.code;
        } else if (!r->status.exited) {
            v.kind =
                r->status.signal == SIGABRT ? BURL_VERDICT_CRASH_ABORT : BURL_VERDICT_CRASH_SIGNAL;
            v.code = r->status.signal;
            if (v.kind == BURL_VERDICT_CRASH_SIGNAL)
                snprintf(v.text, sizeof v.text, "%s", strsignal(v.code));
        }
    }
    /* A generated test whose results are impossible says so and aborts. */
    if (reported->kind == BURL_VERDICT_NON_LINEARIZABLE && v.kind == BURL_VERDICT_CRASH_ABORT)
        v.kind = BURL_VERDICT_NON_LINEARIZABLE;
    /* The kernel knows how it ended, the runtime knows where. */
    if (reported->kind == v.kind && v.kind != BURL_VERDICT_PASS) {
        const int32_t code = v.code;

        v = *reported;
        v.code = code;
    }
    r->verdict = v;
}

/* ---- copying out of the block ------------------------------------------------------ */

static void
copy_failures(struct burl_free_result *out, const struct burl_block *b)
{
    const struct burl_wire_result *r = &b->copy->result;

    out->failures = burl_xcalloc(r->n_failures + 3u, sizeof *out->failures);
    for (uint32_t i = 0; i < r->n_failures; i++) {
        if (r->failures[i].verdict.kind != BURL_VERDICT_PASS)
            out->failures[out->n_failures++] = r->failures[i];
    }
    if (b->damage[0] != '\0') {
        struct burl_wire_failure *f = &out->failures[out->n_failures++];

        f->count = 1;
        f->verdict.kind = BURL_VERDICT_WILD_WRITE;
        f->verdict.tid = BURL_TID_NONE;
        snprintf(f->verdict.text, sizeof f->verdict.text, "%s", b->damage);
    }
}

/* Some threads may have been deadlocked when the others ended the program. Its records stay as they
 * were: one look at a process that is gone is a snapshot. Where we ended it, all looks
 * were made before. */
static void
add_late_cycle(struct burl_free_result *out, const struct burl_block *b)
{
    struct burl_wire_failure *f = &out->failures[out->n_failures];
    struct burl_waitfor_cycle cycle;
    struct burl_waitfor g;

    if ((out->end != BURL_FREE_END_EXIT && out->end != BURL_FREE_END_OUTSIDE) ||
        !burl_waitfor_read(&g, &b->shared->blocked))
        return;
    if (out->end == BURL_FREE_END_OUTSIDE)
        keep_blocked(out, &g);
    if (g.foreign_unlock || !burl_waitfor_find_cycle(&g, false, &cycle))
        return;
    keep_blocked(out, &g);
    f->count = 1;
    burl_waitfor_cycle_verdict(&g, &cycle, &f->verdict);
    out->n_failures++;
}

static void
copy_items(struct burl_free_result *out, struct burl_block *b)
{
    const struct burl_wire_cover_item *items;
    uint32_t n;

    items = burl_door_items(b, &n);
    out->items = burl_xcalloc(n + 1u, sizeof *out->items);
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].metric < BURL_METRIC__N)
            out->items[out->n_items++] = items[i];
    }
    out->items_lost = burl_door_items_lost(b);
}

static void
copy_mail(struct burl_free_result *out, struct burl_block *b)
{
    const struct burl_mail_out *from = burl_door_mail(b);

    out->mail_b = sizeof *from + from->used_b;
    out->mail = burl_xmemdup(from, out->mail_b);
}

/* What the program was, and what was found in it. */
static enum burl_status
copy_result(struct burl_free_result *out, struct burl_block *b, const struct burl_free_opts *o,
            struct burl_err *err)
{
    const struct burl_wire_ctl *c = b->copy;
    const struct burl_wire_result *r = &c->result;
    struct burl_err why;

    judge(out, r, o);
    out->events = burl_door_events(b); /* before the failures: it may find damage */
    out->n_events = out->events ? r->n_events : 0;
    copy_failures(out, b);
    add_late_cycle(out, b);
    out->suspects = burl_xcalloc(r->n_suspects + 1u, sizeof *out->suspects);
    memcpy(out->suspects, c->suspects, r->n_suspects * sizeof *out->suspects);
    out->n_suspects = r->n_suspects;
    memcpy(out->counters, r->counters, sizeof out->counters);
    out->unobserved = r->irreversible != 0;
    memcpy(out->text, r->text, sizeof out->text);
    out->max_threads = r->max_threads;
    burl_target_build_id(c, out->build_id);
    out->start_build = b->damage[0] == '\0' ? burl_target_start_build(c) : 0;
    out->objects = burl_xmemdup(c->objects, c->n_objects * sizeof *c->objects);
    out->n_objects = c->n_objects;
    out->modules = burl_xmemdup(c->modules, c->n_modules * sizeof *c->modules);
    out->n_modules = c->n_modules;
    if (burl_sites_new(&out->sites, c->objects, c->n_objects, c->modules, c->n_modules, &why) ==
        BURL_OK)
        return BURL_OK;
    /* It died while it published its modules anew (dlopen): races without names are better than
     * none. */
    if (out->text[0] == '\0')
        snprintf(out->text, sizeof out->text, "no names: %.200s", why.msg);
    return burl_sites_new(&out->sites, NULL, 0, NULL, 0, err);
}

/* Did the runtime take the program over? */
static enum burl_status
check_start(const struct burl_wire_ctl *c, const struct burl_free_result *r, const char *name,
            struct burl_err *err)
{
    char how[128];

    /* The modules are published when main begins. */
    if (c->rt_version != 0 && c->n_modules > 0)
        return BURL_OK;
    if (c->rt_version != 0 && c->n_sites > 0)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s is linked with the burl runtime but has no instrumented code; "
                            "compile its sources with `burl-cc`",
                            name);
    if (r->end == BURL_FREE_END_TIME)
        return burl_err_set(err, BURL_E_LIMIT, 0, "%s did not reach main in time", name);
    if (r->end == BURL_FREE_END_INTERRUPTED)
        return burl_err_set(err, BURL_E_TARGET, EINTR, "interrupted while %s was starting", name);
    if (r->status.exited && r->status.code == 0)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s exited with code 0 before the main of an instrumented program was "
                            "reached; give the instrumented program itself",
                            name);
    return burl_err_set(err, BURL_E_TARGET, 0, "%s exited before main: %s%s", name,
                        burl_proc_describe(&r->status, how, sizeof how),
                        burl__target_stack_hint(&r->status));
}

/* ---- all of it --------------------------------------------------------------------- */

static enum burl_status
run_process(struct burl_free_result *out, const struct burl_free_opts *o, struct burl_block *b,
            int ctl_fd, int tail_fd, struct burl_err *err)
{
    struct sigaction old[N_PASSED_ON];
    int ignored[N_PASSED_ON];
    struct burl_proc p;
    size_t n_ignored = 0;
    enum burl_status st;

    burl__target_adopt_orphans();
    asked_to_end = 0;
    if (!o->captured)
        n_ignored = catch_signals(old, ignored);
    st = spawn(&p, o, ctl_fd, tail_fd, ignored, n_ignored, err);
    if (st == BURL_OK) {
        running_pid = p.pid;
        if (!o->captured && pending_signal != 0)
            kill(p.pid, pending_signal);
        st = wait_for_end(&p, o, tail_fd, b, out, err);
    }
    if (!o->captured)
        restore_signals(old);
    return st;
}

/* What the runtime finds in the block when it starts. */
static void
prepare_block(struct burl_block *b, const struct burl_free_opts *opts)
{
    struct burl_wire_order order = { .kind = BURL_ORDER_KIND_BATCH,
                                     .n_execs = 1,
                                     .observers = opts->observers,
                                     .context = opts->context };

    if (opts->volatile_atomic)
        order.flags |= BURL_ORDER_F_VOLATILE;
    if (opts->observers & ~(BURL_OB(LOCPAIRS) - 1u))
        burl_target_block_cover(b);
    if (opts->mail) {
        burl__block_put(b, BURL__AREA_MAIL_IN, opts->mail, opts->mail_b);
        order.flags |= BURL_ORDER_F_MAIL;
    }
    burl__block_order(b, &order);
    burl__free_noise_put(b, opts);
}

/* The process is gone: all that it left. */
static enum burl_status
take_block(struct burl_free_result *out, const struct burl_free_opts *opts, struct burl_block *b,
           struct burl_err *err)
{
    enum burl_status st;

    /* The runtime was there, or the program would not have had a block to write over. */
    st = burl_door_take(b, false) ? check_start(b->copy, out, opts->argv[0], err) : BURL_OK;
    if (st == BURL_OK)
        st = copy_result(out, b, opts, err);
    if (st != BURL_OK)
        return st;
    if (b->cover)
        copy_items(out, b);
    if (opts->mail)
        copy_mail(out, b);
    burl__free_noise_take(out, b, opts);
    return BURL_OK;
}

enum burl_status
burl_free_run(struct burl_free_result *out, const struct burl_free_opts *opts, struct burl_err *err)
{
    struct burl_block block = { 0 };
    enum burl_status st;
    char *path = NULL;
    int tail_fd = -1;
    int ctl_fd = -1;

    memset(out, 0, sizeof *out);
    st = burl_path_which(&path, opts->argv[0], err);
    if (st == BURL_OK && !opts->is_wrapper)
        st = burl_program_check(path, opts->argv[0], err);
    if (st == BURL_OK)
        st = burl_target_block_new(&block, &ctl_fd, BURL_ENGINE_FREE, BURL_RESET_FORK, err);
    if (st == BURL_OK && opts->captured)
        st = burl__target_open_output(&tail_fd, err);
    if (st == BURL_OK) {
        prepare_block(&block, opts);
        st = run_process(out, opts, &block, ctl_fd, tail_fd, err);
    }
    if (st == BURL_OK)
        st = take_block(out, opts, &block, err);
    out->cpu_us = out->status.cpu_us;
    if (tail_fd >= 0) {
        out->output = burl__target_tail(tail_fd, &out->output_b);
        close(tail_fd);
    }
    if (ctl_fd >= 0)
        close(ctl_fd);
    burl_target_block_free(&block);
    free(path);
    if (st != BURL_OK)
        burl_free_result_deinit(out);
    return st;
}

void
burl_free_result_deinit(struct burl_free_result *r)
{
    free(r->failures);
    free(r->blocked);
    free(r->threads);
    free(r->suspects);
    free(r->events);
    free(r->items);
    free(r->mail);
    free(r->marks);
    free(r->objects);
    free(r->modules);
    free(r->output);
    burl_sites_free(r->sites);
    memset(r, 0, sizeof *r);
}

const char *
burl_free_end_name(enum burl_free_end end)
{
    static const char *const names[] = {
        [BURL_FREE_END_EXIT] = "exit",         [BURL_FREE_END_OUTSIDE] = "signal",
        [BURL_FREE_END_TIME] = "time",         [BURL_FREE_END_INTERRUPTED] = "interrupted",
        [BURL_FREE_END_DEADLOCK] = "deadlock",
    };

    return names[end];
}
