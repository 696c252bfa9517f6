/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/target.c - one target process; contract in target.h.
 *
 * Runs in the host. The turn word is a futex in memory shared with a process
 * that may die, hang or write anywhere, so: every sleep is short and followed by
 * a look at the process; every number read from the block is checked against
 * our own sizes, never against those in the block.
 *
 * Determinism: the program gets the same descriptor number, the same environment
 * and no address randomization each time, so that two processes of one program
 * start in the same state.
 */
#include "engine/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"
#include "engine/target/image.h"
#include "engine/target/process.h"
#include "engine/target/program.h"

/* The runtime's own timer ends an execution that takes too long. Ours is the second line, for a
 * runtime that cannot (signals blocked in the kernel, a stopped process): it must be later. */
#define WATCHDOG_SLACK_MS 2000
/* Longest sleep between two looks at the process: the latency with which a death, Ctrl-C or
 * endless output is seen. */
#define SLICE_MS 10
/* A first look without sleeping: small orders take tens of microseconds, a futex sleep costs as
 * much again. Only worth it where the target has a CPU of its own. */
#define SPIN_LOOKS 4000
/* A program that prints for ever must not fill the memory of the machine. */
#define OUTPUT_MAX_B (64ll << 20)
int64_t
burl_target_now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- waiting ----------------------------------------------------------------------- */

static uint32_t
load_turn(const struct burl_target *t)
{
    /* pairs with the release store of the runtime when it hands the block back */
    return __atomic_load_n(&t->block.shared->turn, __ATOMIC_ACQUIRE);
}

static void
futex_sleep(uint32_t *word, uint32_t while_value, int timeout_ms)
{
    const struct timespec ts = { .tv_sec = timeout_ms / 1000,
                                 .tv_nsec = (long)(timeout_ms % 1000) * 1000000 };

    syscall(SYS_futex, word, FUTEX_WAIT, while_value, &ts, NULL, 0);
}

static void
give_turn(struct burl_target *t)
{
    /* pairs with the acquire load of the runtime: publishes the order */
    __atomic_store_n(&t->block.shared->turn, BURL_TURN_TARGET, __ATOMIC_RELEASE);
    syscall(SYS_futex, &t->block.shared->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Notes progress; true when there was none for too long, or the order takes longer than all its
 * executions may. The program can write the number: it only counts when it grows, and no number
 * prolongs an order beyond its end. */
static bool
is_stalled(struct burl_target *t, int64_t now)
{
    const uint64_t execs = burl_door_live_execs(&t->block);

    if (execs > t->seen_execs && execs <= t->block.max_done) {
        t->seen_execs = execs;
        t->seen_ms = now;
    }
    return (t->stall_ms >= 0 && now - t->seen_ms > t->stall_ms) ||
           (t->end_ms >= 0 && now > t->end_ms);
}

void
burl__target_limit_output(int fd)
{
    struct stat sb;

    /* The program appends, so it goes on at the new end; what is lost is the middle. */
    if (fstat(fd, &sb) == 0 && sb.st_size > OUTPUT_MAX_B && ftruncate(fd, 0) != 0)
        return;
}

/* Ends the process where it is; what it left is in the copy. */
void
burl_target_kill(struct burl_target *t, enum burl_target_state state)
{
    burl_proc_kill_group(&t->proc);
    t->state = state;
    (void)burl_door_take(&t->block, false);
}

static void
end_damaged(struct burl_target *t)
{
    burl_target_kill(t, BURL_TARGET_DIED);
    t->status = (struct burl_proc_status){ .signal = SIGKILL };
}

/* The runtime handed the block over, or the program wrote the word. */
static void
take_turn(struct burl_target *t)
{
    t->state = BURL_TARGET_IDLE;
    if (!burl_door_take(&t->block, true))
        end_damaged(t);
}

const char *
burl_target_damage(const struct burl_target *t)
{
    return t->block.damage[0] != '\0' ? t->block.damage : NULL;
}

enum burl_target_state
burl_target_poll(struct burl_target *t)
{
    struct burl_err ignored;
    const pid_t group = t->proc.pid;
    bool done = false;

    if (t->state != BURL_TARGET_BUSY)
        return t->state;
    if (load_turn(t) == BURL_TURN_HOST) {
        take_turn(t);
        return t->state;
    }
    if (t->interrupt && *t->interrupt) {
        burl_target_kill(t, BURL_TARGET_INTERRUPTED);
        return t->state;
    }
    if (burl_proc_wait(&t->proc, 0, &done, &t->status, &ignored) == BURL_OK && done) {
        /* What it started may live on in its group. */
        kill(-group, SIGKILL);
        t->state = BURL_TARGET_DIED;
        (void)burl_door_take(&t->block, false);
        return t->state;
    }
    if (!burl_door_is_intact(&t->block)) { /* it may never answer */
        end_damaged(t);
        return t->state;
    }
    if (is_stalled(t, burl_target_now_ms())) {
        burl_target_kill(t, BURL_TARGET_TIMEOUT);
        return t->state;
    }
    if (burl_deadline_is_past_limit(&t->deadline)) {
        burl_target_kill(t, BURL_TARGET_LATE);
        return t->state;
    }
    burl__target_limit_output(t->out_fd);
    return t->state;
}

/* Until the word changes. A program that wrote another number into it must not make us spin. */
static void
sleep_turn(struct burl_target *t, int timeout_ms)
{
    const uint32_t turn = load_turn(t);

    if (turn != BURL_TURN_HOST)
        futex_sleep(&t->block.shared->turn, turn, timeout_ms);
}

enum burl_target_state
burl_target_wait(struct burl_target *t)
{
    if (t->state != BURL_TARGET_BUSY)
        return t->state;
    for (int i = 0; i < SPIN_LOOKS; i++) {
        if (load_turn(t) == BURL_TURN_HOST) {
            take_turn(t);
            return t->state;
        }
        __builtin_ia32_pause();
    }
    while (burl_target_poll(t) == BURL_TARGET_BUSY)
        sleep_turn(t, SLICE_MS);
    return t->state;
}

void
burl_target_wait_any(struct burl_target *const *targets, size_t n, int timeout_ms)
{
    struct futex_waitv w[FUTEX_WAITV_MAX] = { 0 };
    struct timespec until;
    size_t used = 0;
    uint32_t turn;
    long r;

    for (size_t i = 0; i < n && used < FUTEX_WAITV_MAX; i++) {
        if (!targets[i] || targets[i]->state != BURL_TARGET_BUSY)
            continue;
        turn = load_turn(targets[i]);
        if (turn == BURL_TURN_HOST)
            return;
        w[used].val = turn;
        w[used].uaddr = (uintptr_t)&targets[i]->block.shared->turn;
        w[used].flags = FUTEX_32;
        used++;
    }
    if (used == 0)
        return;
    if (timeout_ms > SLICE_MS)
        timeout_ms = SLICE_MS;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)timeout_ms * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    r = syscall(SYS_futex_waitv, w, (unsigned)used, 0, &until, CLOCK_MONOTONIC);
    if (r < 0 && errno == ENOSYS) {
        /* A kernel before 5.16: short sleeps on one of them, at some cost in latency. */
        futex_sleep((uint32_t *)(uintptr_t)w[0].uaddr, (uint32_t)w[0].val,
                    used > 1 ? 1 : timeout_ms);
    }
}

/* ---- what a target leaves behind --------------------------------------------------- */

/*
 * An execution in fork mode, and anything the program starts, may be in another process group than
 * the target and outlive it. We are the sub-reaper: such orphans become our children, and whatever
 * child is not a live target is one of them.
 */
static struct burl_target *live_targets;

static bool
is_live(pid_t pid)
{
    for (const struct burl_target *t = live_targets; t; t = t->next_live) {
        if (t->proc.pid == pid)
            return true;
    }
    return false;
}

void
burl__target_adopt_orphans(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void
burl__target_end_orphans(void)
{
    char path[64];
    char *text;
    char *at;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    /* Twice: the children of an orphan become ours when it ends. */
    for (int round = 0; round < 2; round++) {
        if (burl_fs_read_file(path, 1u << 20, &text, NULL, NULL) != BURL_OK)
            return;
        at = text;
        for (;;) {
            char *end;
            long pid = strtol(at, &end, 10);

            if (end == at)
                break;
            at = end;
            if (pid > 1 && !is_live((pid_t)pid)) {
                kill((pid_t)pid, SIGKILL);
                waitpid((pid_t)pid, NULL, 0);
            }
        }
        free(text);
    }
}

static void
register_target(struct burl_target *t)
{
    burl__target_adopt_orphans();
    t->next_live = live_targets;
    live_targets = t;
}

static void
unregister_target(struct burl_target *t)
{
    for (struct burl_target **p = &live_targets; *p; p = &(*p)->next_live) {
        if (*p == t) {
            *p = t->next_live;
            return;
        }
    }
}

/* ---- start and stop ---------------------------------------------------------------- */

int
burl__target_open_input(void)
{
    struct stat sb;

    if (fstat(STDIN_FILENO, &sb) != 0 || !S_ISREG(sb.st_mode))
        return -1;
    return open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
}

enum burl_status
burl__target_open_output(int *fd, struct burl_err *err)
{
    char name[sizeof "burl-output." + BURL_GUARD_MARK_B];

    /* The guard knows by this name what the program has started with nothing in its environment. */
    snprintf(name, sizeof name, "burl-output.%s", burl_guard_mark());
    *fd = memfd_create(name, MFD_CLOEXEC);
    if (*fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot create a file for the program's output");
    /* stdout and stderr share it, and it is truncated between executions: always append. */
    if (fcntl(*fd, F_SETFL, O_APPEND) != 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot set up the program's output");
    return BURL_OK;
}

static enum burl_status
spawn_target(struct burl_target *t, const struct burl_target_opts *opts, int ctl_fd,
             struct burl_err *err)
{
    char **envp = burl_target_env_new(ctl_fd, opts->argv, opts->env, true);
    const int in_fd = burl__target_open_input();
    const struct burl_proc_opts po = {
        .argv = opts->argv,
        .envp = (const char *const *)envp,
        .cwd = opts->cwd,
        .in = in_fd >= 0 ? BURL_PROC_FD : BURL_PROC_NULL,
        .in_fd = in_fd,
        .out = BURL_PROC_FD,
        .out_fd = t->out_fd,
        .err = BURL_PROC_FD,
        .err_fd = t->out_fd,
        .keep_fds = &ctl_fd,
        .n_keep_fds = 1,
        .new_group = true,
        .no_aslr = true,
        .die_with_parent = true,
    };
    const enum burl_status st = burl_proc_spawn(&t->proc, &po, err);

    if (in_fd >= 0)
        close(in_fd);
    burl_target_env_free(envp);
    return st;
}

/* The last lines of the output as an addition to a message; empty when there were none. */
static const char *
output_note(struct burl_target *t, char *buf, size_t size)
{
    size_t n;
    char *tail = burl_target_output(t, &n);
    size_t from;

    while (n > 0 && tail[n - 1] == '\n')
        tail[--n] = '\0';
    from = n > 200 ? n - 200 : 0;
    buf[0] = '\0';
    if (n > 0)
        snprintf(buf, size, "; its last output: %s%s", from > 0 ? "..." : "", tail + from);
    free(tail);
    return buf;
}

/* Below this, a program that dies before main may have had too little. */
#define STACK_LITTLE_B (1ul << 20)

const char *
burl__target_stack_hint(const struct burl_proc_status *status)
{
    struct rlimit r;

    if (status->exited || status->signal != SIGSEGV || getrlimit(RLIMIT_STACK, &r) != 0 ||
        r.rlim_cur >= STACK_LITTLE_B)
        return "";
    return "; the limit on the stack is very low: raise it, for example with `ulimit -s 8192`";
}

static enum burl_status
describe_start_failure(struct burl_target *t, const char *name, struct burl_err *err)
{
    char how[128];
    char note[256];

    if (burl_target_damage(t))
        return burl_err_set(err, BURL_E_TARGET, 0,
                            BURL_TARGET_OVERWROTE
                            " before main: %s. A constructor has a wild write",
                            name, burl_target_damage(t));
    output_note(t, note, sizeof note);
    switch (t->state) {
    case BURL_TARGET_DIED:
        burl_proc_describe(&t->status, how, sizeof how);
        /* A wrapper script around a plain program ends like that; so may a constructor. */
        if (t->status.exited && t->status.code == 0)
            return burl_err_set(err, BURL_E_TARGET, 0,
                                "%s exited with code 0 before the main of an instrumented program "
                                "was reached; give the instrumented program itself%s",
                                name, note);
        return burl_err_set(err, BURL_E_TARGET, 0, "%s exited before main: %s%s%s", name, how,
                            burl__target_stack_hint(&t->status), note);
    case BURL_TARGET_INTERRUPTED:
        return burl_err_set(err, BURL_E_TARGET, EINTR, "interrupted while %s was starting", name);
    case BURL_TARGET_LATE:
        return burl_err_set(err, BURL_E_TIME, 0,
                            "%s did not reach main before --time was over; raise --time%s", name,
                            note);
    default:
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s did not reach main in time: it hangs in a constructor, or it is "
                            "not an instrumented program%s",
                            name, note);
    }
}

enum burl_status
burl_target_check_version(const struct burl_wire_ctl *ctl, const char *name, struct burl_err *err)
{
    if (ctl->rt_version == BURL_WIRE_VERSION)
        return BURL_OK;
    return burl_err_set(err, BURL_E_TARGET, 0,
                        "%s, or a part of it, was built by another version of burl (runtime "
                        "version %u, this burl needs %u); rebuild all of it",
                        name, ctl->rt_version, BURL_WIRE_VERSION);
}

static enum burl_status
await_hello(struct burl_target *t, const struct burl_target_opts *opts, struct burl_err *err)
{
    const uint32_t ms = opts->start_timeout_ms ? opts->start_timeout_ms : BURL_TARGET_START_MS;
    const struct burl_wire_ctl *c = t->ctl;
    const char *name = opts->argv[0];
    enum burl_status st;

    t->state = BURL_TARGET_BUSY;
    t->seen_ms = burl_target_now_ms();
    t->stall_ms = ms;
    t->end_ms = t->seen_ms + ms;
    if (burl_target_wait(t) != BURL_TARGET_IDLE)
        return describe_start_failure(t, name, err);
    st = burl_target_check_version(c, name, err);
    if (st != BURL_OK)
        return st;
    if (c->n_modules > BURL_WIRE_MAX_MODULES || c->n_objects > BURL_WIRE_MAX_OBJECTS ||
        c->n_sites > BURL__BLOCK_SITES)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s is too large for burl: %u modules, %u shared objects, %u sites",
                            name, c->n_modules, c->n_objects, c->n_sites);
    if (c->n_modules == 0)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s is linked with the burl runtime but has no instrumented code; "
                            "compile its sources with `burl-cc`",
                            name);
    return BURL_OK;
}

enum burl_status
burl_target_start(struct burl_target **out, const struct burl_target_opts *opts,
                  struct burl_err *err)
{
    struct burl_target *t = burl_xcalloc(1, sizeof *t);
    char *path = NULL;
    int ctl_fd = -1;
    enum burl_status st;

    *out = NULL;
    t->proc.pid = -1;
    t->out_fd = -1;
    t->interrupt = opts->interrupt;
    t->max_stall_ms = opts->max_stall_ms;
    t->deadline = opts->deadline;
    register_target(t);
    st = burl_path_which(&path, opts->argv[0], err);
    if (st == BURL_OK)
        st = burl_program_check(path, opts->argv[0], err);
    if (st == BURL_OK)
        st = burl_target_block_new(&t->block, &ctl_fd, opts->engine, opts->reset, err);
    t->ctl = t->block.copy;
    if (st == BURL_OK)
        st = burl__target_open_output(&t->out_fd, err);
    if (st == BURL_OK && opts->cover)
        burl_target_block_cover(&t->block);
    if (st == BURL_OK)
        burl_image_put(opts->image, &t->block);
    if (st == BURL_OK)
        st = spawn_target(t, opts, ctl_fd, err);
    if (ctl_fd >= 0)
        close(ctl_fd);
    if (st == BURL_OK)
        st = await_hello(t, opts, err);
    if (st == BURL_OK)
        burl_image_place(opts->image, &t->block);
    free(path);
    if (st != BURL_OK) {
        burl_target_stop(t);
        return st;
    }
    *out = t;
    return BURL_OK;
}

void
burl_target_stop(struct burl_target *t)
{
    if (!t)
        return;
    /* No QUIT order: the process has nothing to save, and asking could hang. */
    if (t->proc.pid > 0)
        burl_proc_kill_group(&t->proc);
    unregister_target(t);
    burl__target_end_orphans();
    if (t->out_fd >= 0)
        close(t->out_fd);
    burl_target_block_free(&t->block);
    free(t);
}

/* ---- orders and results ------------------------------------------------------------ */

/* Every execution of the order may take until the watchdog sees it, and no more. */
static int64_t
end_of_order(const struct burl_target *t, const struct burl_wire_order *order)
{
    const uint64_t each = (uint64_t)t->stall_ms;
    const uint64_t n = order->flags & BURL_ORDER_F_CHECK_TWICE ? 2 : 1;

    if (t->stall_ms < 0 || order->n_execs > INT64_MAX / 4 / (each + 1))
        return -1;
    return t->seen_ms + (int64_t)(each * n * (order->n_execs > 0 ? order->n_execs : 1));
}

enum burl_status
burl_target_order(struct burl_target *t, const struct burl_wire_order *order,
                  const struct burl_wire_switch *sched_in, struct burl_err *err)
{
    const uint32_t n = order->strategy == BURL_STRATEGY_REPLAY ? order->args.replay.n_sched_in : 0;

    enum burl_status st;

    BURL_ASSERT(t->state == BURL_TARGET_IDLE);
    st = burl_target_block_load(&t->block, order, sched_in, n, err);
    if (st != BURL_OK)
        return st;
    t->seen_execs = 0;
    t->seen_ms = burl_target_now_ms();
    t->stall_ms = order->max_wall_ms > 0 ? (int64_t)order->max_wall_ms * 2 + WATCHDOG_SLACK_MS : -1;
    if (t->stall_ms > 0 && t->max_stall_ms > 0 && t->stall_ms > t->max_stall_ms)
        t->stall_ms = t->max_stall_ms;
    t->end_ms = end_of_order(t, order);
    t->state = BURL_TARGET_BUSY;
    give_turn(t);
    return BURL_OK;
}

char *
burl__target_tail(int fd, size_t *n)
{
    struct stat sb;
    char *p = burl_xcalloc(1, BURL_TARGET_TAIL_B + 1);
    off_t from;
    ssize_t got;

    *n = 0;
    if (fstat(fd, &sb) != 0)
        return p;
    from = sb.st_size > (off_t)BURL_TARGET_TAIL_B ? sb.st_size - (off_t)BURL_TARGET_TAIL_B : 0;
    got = pread(fd, p, BURL_TARGET_TAIL_B, from);
    if (got > 0)
        *n = (size_t)got;
    p[*n] = '\0';
    return p;
}

char *
burl_target_output(struct burl_target *t, size_t *n)
{
    return burl__target_tail(t->out_fd, n);
}

enum burl_status
burl_target_take_run(struct burl_target *t, struct burl_run *out, struct burl_err *err)
{
    const struct burl_wire_result *r = &t->ctl->result;
    const uint32_t flags = t->ctl->order.flags;

    memset(out, 0, sizeof *out);
    if (flags & BURL_ORDER_F_RECORD)
        out->switches = burl_door_switches(&t->block);
    if (flags & BURL_ORDER_F_TRACE)
        out->events = burl_door_events(&t->block);
    if (burl_target_damage(t)) {
        burl_run_deinit(out);
        end_damaged(t);
        return burl_err_set(err, BURL_E_TARGET, 0, BURL_TARGET_OVERWROTE ": %s", "the program",
                            burl_target_damage(t));
    }
    out->n_switches = out->switches ? r->n_sched_out : 0;
    out->is_cut = out->n_switches == BURL__BLOCK_SWITCHES;
    out->n_events = out->events ? r->n_events : 0;
    out->events_dropped = out->events ? r->events_dropped : 0;
    out->verdict = r->last;
    out->trace_hash = r->last_trace_hash;
    out->steps = r->last_steps;
    out->epoch_ns = t->ctl->order.epoch_ns;
    out->diverged_at = r->diverged_at;
    out->goal_hit = r->last_goal_hit;
    out->output = burl_target_output(t, &out->output_b);
    return BURL_OK;
}

struct burl_wire_verdict
burl_target_lost_verdict(const struct burl_target *t)
{
    struct burl_wire_verdict v = { .tid = BURL_TID_NONE };
    char how[96];

    if (burl_target_damage(t)) {
        v.kind = BURL_VERDICT_WILD_WRITE;
        snprintf(v.text, sizeof v.text, "%s", burl_target_damage(t));
        return v;
    }
    if (t->state != BURL_TARGET_DIED) {
        v.kind = BURL_VERDICT_CUT_TIME;
        snprintf(v.text, sizeof v.text, "no progress: the process was killed");
        return v;
    }
    burl_proc_describe(&t->status, how, sizeof how);
    if (!t->status.exited) {
        v.kind = BURL_VERDICT_CRASH_SIGNAL;
        v.code = t->status.signal;
    } else if (t->status.code != 0) {
        v.kind = BURL_VERDICT_EXIT_NONZERO;
        v.code = t->status.code;
    } else {
        v.kind = BURL_VERDICT_INTERNAL;
    }
    snprintf(v.text, sizeof v.text, "the whole process %s", how);
    return v;
}

void
burl_target_build_id(const struct burl_wire_ctl *ctl, char out[17])
{
    uint64_t h = BURL_HASH_BEGIN;

    for (uint32_t i = 0; i < ctl->n_modules && i < BURL_WIRE_MAX_MODULES; i++) {
        h = burl_hash_u64(h, ctl->modules[i].hash);
        h = burl_hash_u64(h, ctl->modules[i].n_sites);
    }
    snprintf(out, 17, "%016llx", (unsigned long long)burl_hash_end(h));
}

uint64_t
burl_target_start_build(const struct burl_wire_ctl *ctl)
{
    uint64_t h = BURL_HASH_BEGIN;

    for (uint32_t i = 0; i < ctl->n_modules && i < BURL_WIRE_MAX_MODULES; i++) {
        if (!ctl->modules[i].late)
            h = burl_hash_u64(h, ctl->modules[i].hash);
    }
    h = burl_hash_end(h);
    return h > 0 ? h : 1;
}

enum burl_status
burl_target_same_build(uint64_t *first, uint64_t build, const char *program, struct burl_err *err)
{
    if (*first == 0)
        *first = build;
    if (build == 0 || build == *first)
        return BURL_OK;
    return burl_err_set(err, BURL_E_TARGET, 0,
                        "%s was rebuilt while burl tested it: nothing of the new build was used, "
                        "and what the old one showed is kept; give the command again to test the "
                        "new one",
                        program);
}

uint64_t
burl_target_processor_us(const struct burl_target *t)
{
    unsigned long long user = 0, kernel = 0;
    long long forked_user = 0, forked_kernel = 0;
    const long per_s = sysconf(_SC_CLK_TCK);
    char path[64];
    char text[1024];
    const char *p = NULL;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)t->proc.pid);
    f = fopen(path, "re");
    if (f && fgets(text, sizeof text, f))
        p = strrchr(text, ')'); /* the name before it may have anything in it */
    if (f)
        fclose(f);
    if (!p || per_s <= 0 ||
        sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld", &user,
               &kernel, &forked_user, &forked_kernel) != 4)
        return 0;
    return (user + kernel + (uint64_t)forked_user + (uint64_t)forked_kernel) * 1000000u /
           (uint64_t)per_s;
}
