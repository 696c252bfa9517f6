/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/free_watch.c - deadlocks of a free run, found from outside; contract in free_watch.h.
 *
 * Runs in the host, beside the program: a watchdog thread inside it would be seen by the program
 * (its number of threads, pthread_exit of the last one), and one that blocks cannot look. Two
 * findings, both only when two looks in a row agree:
 *
 *   cycle  Threads wait for each other's locks without a time-out. Certain whatever other threads
 *          do, as long as only the owner of a lock releases it; so the owner is compared with the
 *          word that libc keeps in the lock. A join may be part of it unless the program could
 *          cancel a thread in it.
 *   stuck  All threads are blocked without a time-out, asleep, and have not run since the last look
 *          (their context switches have not changed). Certain unless something outside can wake
 *          one: a handled signal, memory shared with another process, a thread that is not ours.
 *          With any of these there is no claim.
 *
 * A thread that spins is runnable whether the lock is taken or not, and a process that is stopped
 * or gets no processor changes nothing between two looks. So each spinning thread must have made an
 * attempt and failed since the first look (wire/blocked.h); until then there is no claim.
 *
 * What cannot be read in /proc counts as "may be woken".
 */
#include "engine/free/free_watch.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"

#define FILE_MAX_B (256u << 20)

/* Offsets of the owner's kernel number in glibc's pthread_mutex_t and pthread_rwlock_t. */
#define MUTEX_OWNER_OFF 8
#define RWLOCK_WRITER_OFF 24

/* ---- one thread in /proc ----------------------------------------------------------- */

static FILE *
open_task(pid_t pid, unsigned tid, const char *file)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task/%u/%s", (int)pid, tid, file);
    return fopen(path, "re");
}

struct task {
    char state; /* 'R', 'S', ...; 0 unknown */
    uint64_t switches;
    uint64_t caught; /* signals with a handler, bit sig - 1 */
};

static struct task
read_task(pid_t pid, unsigned tid)
{
    FILE *f = open_task(pid, tid, "status");
    struct task t = { 0 };
    uint64_t n;
    char line[256];
    int seen = 0;

    if (!f)
        return t;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "State: %c", &t.state) == 1 ||
            sscanf(line, "SigCgt: %" SCNx64, &t.caught) == 1) {
            seen++;
        } else if (sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &n) == 1 ||
                   sscanf(line, "nonvoluntary_ctxt_switches: %" SCNu64, &n) == 1) {
            t.switches += n;
            seen++;
        }
    }
    fclose(f);
    if (seen != 4)
        t.state = 0;
    return t;
}

void
burl_free_watch_task(pid_t pid, unsigned kernel_tid, char *state, uint64_t *switches)
{
    const struct task t = read_task(pid, kernel_tid);

    *state = t.state;
    *switches = t.switches;
}

enum call { CALL_UNKNOWN, CALL_FUTEX, CALL_OTHER };

/* The system call that the thread is in. Futex: *addr its word, *timed: it has a time-out. */
static enum call
read_call(pid_t pid, unsigned tid, uint64_t *addr, bool *timed)
{
    FILE *f = open_task(pid, tid, "syscall");
    uint64_t a[4];
    long nr;
    int n;

    if (!f)
        return CALL_UNKNOWN;
    n = fscanf(f, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &nr, &a[0], &a[1], &a[2],
               &a[3]);
    fclose(f);
    if (n != 5 || nr != SYS_futex)
        return CALL_OTHER;
    *addr = a[0];
    *timed = a[3] != 0;
    return CALL_FUTEX;
}

/* ---- cycles ------------------------------------------------------------------------ */

static bool
holds_exclusively(const struct burl_wire_blocked *r, uint64_t addr)
{
    for (uint32_t i = 0; i < r->n_locks; i++) {
        if (r->locks[i].addr == addr && r->locks[i].mode == BURL_LOCK_EXCLUSIVE)
            return true;
    }
    return false;
}

static bool
is_held_by_blocked(const struct burl_waitfor *g, uint64_t mutex)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->v[i].state == BURL_BLOCKED_WAITS && holds_exclusively(&g->v[i], mutex))
            return true;
    }
    return false;
}

/* Threads in a condition wait whose futex is that of the mutex: they no longer wait for a signal or
 * a time-out. */
static void
find_retakes(const struct burl_free_watch *w, struct burl_waitfor *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct burl_wire_blocked *r = &g->v[i];
        uint64_t addr = 0;
        bool timed = false;

        if (r->state == BURL_BLOCKED_WAITS && r->op == BURL_OP_COND_WAIT &&
            is_held_by_blocked(g, r->mutex) &&
            read_call(w->pid, r->kernel_tid, &addr, &timed) == CALL_FUTEX)
            g->retakes[i] = addr == r->mutex && !timed;
    }
}

/* Does the word at addr + off in the program name the thread? True when it cannot be read and the
 * lists of held locks can be trusted. */
static bool
is_owner(const struct burl_free_watch *w, const struct burl_waitfor *g, uint64_t addr, size_t off,
         const struct burl_wire_blocked *owner)
{
    uint32_t word = 0;
    struct iovec here = { .iov_base = &word, .iov_len = sizeof word };
    struct iovec there = { .iov_base = (void *)(uintptr_t)(addr + off), .iov_len = sizeof word };

    if (process_vm_readv(w->pid, &here, 1, &there, 1, 0) != (ssize_t)sizeof word)
        return !g->foreign_unlock;
    return word == owner->kernel_tid;
}

static bool
owners_agree(const struct burl_free_watch *w, const struct burl_waitfor *g,
             const struct burl_waitfor_cycle *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const size_t at = c->at[i];
        const struct burl_wire_blocked *r = &g->v[at];
        const struct burl_wire_blocked *owner = &g->v[c->at[(i + 1) % c->n]];

        if (g->retakes[at] ? !is_owner(w, g, r->mutex, MUTEX_OWNER_OFF, owner)
            : (r->flags & BURL_BLOCKED_F_MUTEX) != 0
                ? !is_owner(w, g, r->addr, MUTEX_OWNER_OFF, owner)
                : (r->op == BURL_OP_RDLOCK || r->op == BURL_OP_WRLOCK) &&
                      holds_exclusively(owner, r->addr) &&
                      !is_owner(w, g, r->addr, RWLOCK_WRITER_OFF, owner))
            return false;
    }
    return true;
}

static uint64_t
mark_of_cycle(const struct burl_waitfor *g, const struct burl_waitfor_cycle *c)
{
    uint64_t h = 1;

    for (size_t i = 0; i < c->n; i++)
        h = burl_wire_mix(burl_wire_mix(h, g->v[c->at[i]].tid), g->v[c->at[i]].seq);
    return h | 1;
}

/* Files that have the function, or pass it on. */
static bool
is_of_libc(const char *path)
{
    static const char *const names[] = { "libc.so", "libc-", "libpthread", "ld-linux",
                                         "libburl_rt.so" };
    const char *base = burl_path_basename(path);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(base, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

/* True when the file cannot be read. */
static bool
file_names(const char *path, const char *word)
{
    struct burl_err err;
    char *text = NULL;
    size_t n = 0;
    bool found = true;

    if (burl_fs_read_file(path, FILE_MAX_B, &text, &n, &err) == BURL_OK)
        found = memmem(text, n, word, strlen(word)) != NULL;
    free(text);
    return found;
}

/* Does a file of the process name pthread_cancel? */
static bool
may_cancel(const struct burl_free_watch *w)
{
    char line[PATH_MAX + 128];
    char last[PATH_MAX] = "";
    bool found = false;
    FILE *f;

    snprintf(line, sizeof line, "/proc/%d/maps", (int)w->pid);
    f = fopen(line, "re");
    if (!f)
        return true;
    while (!found && fgets(line, sizeof line, f)) {
        const char *path = strchr(line, '/');

        line[strcspn(line, "\n")] = '\0';
        if (!path || strcmp(path, last) == 0 || strncmp(path, "/memfd:", 7) == 0 ||
            strncmp(path, "/dev/", 5) == 0)
            continue; /* the files of a program lie together */
        snprintf(last, sizeof last, "%s", path);
        found = !is_of_libc(path) && file_names(path, "pthread_cancel");
    }
    fclose(f);
    return found;
}

static bool
has_join(const struct burl_waitfor *g, const struct burl_waitfor_cycle *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (g->v[c->at[i]].op == BURL_OP_JOIN)
            return true;
    }
    return false;
}

static void
cycle_is_new(struct burl_free_watch *w, const struct burl_waitfor *g,
             const struct burl_waitfor_cycle *c)
{
    uint64_t attempts[BURL_WIRE_MAX_BLOCKED];

    burl_waitfor_attempts(g, w->table, attempts);
    for (size_t i = 0; i < c->n; i++)
        w->cycle_attempts[i] = attempts[c->at[i]];
}

static bool
cycle_has_spun(const struct burl_free_watch *w, const struct burl_waitfor *g,
               const struct burl_waitfor_cycle *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (!burl_waitfor_failed_since(g, c->at[i], w->cycle_attempts[i]))
            return false;
    }
    return true;
}

static bool
look_for_cycle(struct burl_free_watch *w, const struct burl_waitfor *g, struct burl_wire_verdict *v)
{
    struct burl_waitfor_cycle c;
    const uint64_t before = w->cycle;

    w->cycle = burl_waitfor_find_cycle(g, false, &c) || burl_waitfor_find_cycle(g, true, &c)
                   ? mark_of_cycle(g, &c)
                   : 0;
    if (w->cycle != 0 && w->cycle != before)
        cycle_is_new(w, g, &c);
    if (w->cycle == 0 || w->cycle != before || w->cycle == w->cancelable ||
        !owners_agree(w, g, &c) || !cycle_has_spun(w, g, &c))
        return false;
    if (has_join(g, &c) && may_cancel(w)) {
        w->cancelable = w->cycle;
        return false;
    }
    burl_waitfor_cycle_verdict(g, &c, v);
    return true;
}

/* ---- nothing can run --------------------------------------------------------------- */

static const struct burl_wire_blocked *
record_of(const struct burl_waitfor *g, unsigned kernel_tid)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->v[i].kernel_tid == kernel_tid)
            return &g->v[i];
    }
    return NULL;
}

/* Is the thread asleep in a wait without a time-out? A spinning one need not sleep; whether it
 * still waits is another question. */
static bool
sleeps(const struct burl_free_watch *w, const struct burl_wire_blocked *r, const struct task *t)
{
    uint64_t addr = 0;
    bool timed = false;
    enum call call;

    if ((r->flags & BURL_BLOCKED_F_SPINS) != 0)
        return t->state == 'R' || t->state == 'S';
    call = read_call(w->pid, r->kernel_tid, &addr, &timed);
    return t->state == 'S' && call != CALL_OTHER && !timed;
}

/* A handled signal could come from outside. Faults cannot; 32 and 33 are libc's. */
static bool
handles_signals(const struct burl_free_watch *w, uint64_t caught)
{
    static const int internal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT,
                                    SIGTRAP, SIGSYS, 32,     33 };

    caught &= ~__atomic_load_n(&w->table->own_signals, __ATOMIC_RELAXED);
    for (size_t i = 0; i < sizeof internal / sizeof internal[0]; i++)
        caught &= ~(1ull << (internal[i] - 1));
    return caught != 0;
}

/* Are the threads of the process those of the records, and do all of them sleep? Fills in a number
 * that changes when one of them has run; 0 when not. */
static uint64_t
mark_of_sleep(const struct burl_free_watch *w, const struct burl_waitfor *g)
{
    char path[64];
    const struct dirent *e;
    uint64_t h = 1;
    uint64_t switches = 0;
    size_t n = 0;
    bool asleep = true;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%d/task", (int)w->pid);
    dir = opendir(path);
    if (!dir)
        return 0;
    while (asleep && (e = readdir(dir)) != NULL) {
        const unsigned tid = (unsigned)strtoul(e->d_name, NULL, 10);
        const struct burl_wire_blocked *r;
        struct task t;

        if (tid == 0)
            continue;
        t = read_task(w->pid, tid);
        if (t.state == 'Z' || t.state == 'X')
            continue; /* main after pthread_exit() */
        r = record_of(g, tid);
        asleep = r != NULL && sleeps(w, r, &t) && !handles_signals(w, t.caught);
        if (asleep && (r->flags & BURL_BLOCKED_F_SPINS) == 0)
            switches += t.switches;
        n++;
    }
    closedir(dir);
    for (size_t i = 0; i < g->n; i++)
        h = burl_wire_mix(burl_wire_mix(h, g->v[i].tid), g->v[i].seq);
    return asleep && n == g->n ? burl_wire_mix(h, switches) | 1 : 0;
}

/* Does a wait concern memory that other processes may share? */
static bool
in_shared_memory(const struct burl_free_watch *w, const struct burl_waitfor *g)
{
    char line[512];
    bool shared = false;
    FILE *f;

    snprintf(line, sizeof line, "/proc/%d/maps", (int)w->pid);
    f = fopen(line, "re");
    if (!f)
        return true;
    while (!shared && fgets(line, sizeof line, f)) {
        uint64_t lo;
        uint64_t hi;
        char mode[5];

        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &lo, &hi, mode) != 3 || mode[3] != 's')
            continue;
        for (size_t i = 0; i < g->n; i++)
            shared =
                shared || (g->v[i].op != BURL_OP_JOIN && g->v[i].addr >= lo && g->v[i].addr < hi);
    }
    fclose(f);
    return shared;
}

/* Does a child process run in the program's own memory: clone() with CLONE_VM, vfork()? */
static bool
child_shares_memory(const struct burl_free_watch *w, const struct burl_waitfor *g)
{
    bool shares = false;

    for (size_t i = 0; i < g->n; i++) {
        FILE *f = open_task(w->pid, g->v[i].kernel_tid, "children");
        int child;

        if (!f)
            return true;
        while (fscanf(f, "%d", &child) == 1)
            shares = shares || syscall(SYS_kcmp, w->pid, child, KCMP_VM, 0, 0) <= 0;
        fclose(f);
    }
    return shares;
}

static bool
all_have_spun(const struct burl_free_watch *w, const struct burl_waitfor *g)
{
    for (size_t i = 0; i < g->n; i++) {
        if (!burl_waitfor_failed_since(g, i, w->stuck_attempts[i]))
            return false;
    }
    return true;
}

static bool
look_for_stuck(struct burl_free_watch *w, const struct burl_waitfor *g, struct burl_wire_verdict *v)
{
    const uint64_t before = w->stuck;

    w->stuck = burl_waitfor_all_stuck(g) ? mark_of_sleep(w, g) : 0;
    /* After all were seen asleep: at an attempt that begins later no other thread runs. */
    if (w->stuck != before)
        burl_waitfor_attempts(g, w->table, w->stuck_attempts);
    if (w->stuck == 0 || w->stuck != before || !all_have_spun(w, g) || in_shared_memory(w, g) ||
        child_shares_memory(w, g))
        return false;
    burl_waitfor_stuck_verdict(g, v);
    return true;
}

bool
burl_free_watch_look(struct burl_free_watch *w, struct burl_waitfor *g, struct burl_wire_verdict *v)
{
    if (!burl_waitfor_read(g, w->table)) {
        w->cycle = 0;
        w->stuck = 0;
        return false;
    }
    find_retakes(w, g);
    return (look_for_cycle(w, g, v) || look_for_stuck(w, g, v)) && burl_waitfor_still(g, w->table);
}
