/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_jobs.c - several evaluations at a time, each in a process of its own.
 *
 * Runs in the host. A worker is a fork of ours that executes the program on cores of its own and
 * leaves results in a file of memory; findings, marks and the store are ours alone, and results are
 * taken in the order of the trials, so that the search does not depend on which worker was faster.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/sites.h"
#include "cli/interrupt.h"
#include "cli/tune_int.h"

struct worker {
    pid_t pid; /* 0: gone */
    int fd;
};

/* Before each result in the file. */
struct head {
    enum burl_status st;
    struct burl_err err;
    struct burl_execution x; /* its pointers belong to the worker; the arrays follow */
};

/* ---- a result as bytes ------------------------------------------------------------- */

struct array {
    void **v;
    size_t n;
    size_t size;
};

/* What a result points to; sites are made anew from objects and modules. */
static size_t
arrays_of(struct burl_execution *x, struct array out[11])
{
    struct burl_free_result *r = &x->r;
    const struct array all[] = {
        { (void **)&r->failures, r->n_failures, sizeof *r->failures },
        { (void **)&r->blocked, r->n_blocked, sizeof *r->blocked },
        { (void **)&r->threads, r->n_threads, sizeof *r->threads },
        { (void **)&r->suspects, r->n_suspects, sizeof *r->suspects },
        { (void **)&r->items, r->n_items, sizeof *r->items },
        { (void **)&r->events, r->n_events, sizeof *r->events },
        { (void **)&r->objects, r->n_objects, sizeof *r->objects },
        { (void **)&r->modules, r->n_modules, sizeof *r->modules },
        { (void **)&r->marks, r->n_marks, sizeof *r->marks },
        { (void **)&r->output, r->output_b, 1 },
        { (void **)&x->check_output, x->check_output_b, 1 },
    };

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static bool
write_result(int fd, const struct head *h)
{
    struct head copy = *h;
    struct array a[11];
    const size_t n = arrays_of(&copy.x, a);
    bool ok = burl_fs_write_all(fd, h, sizeof *h, NULL) == BURL_OK;

    for (size_t i = 0; i < n && ok && h->st == BURL_OK; i++) {
        if (*a[i].v)
            ok = burl_fs_write_all(fd, *a[i].v, a[i].n * a[i].size, NULL) == BURL_OK;
    }
    return ok;
}

static bool
read_all(int fd, void *p, size_t n)
{
    char *at = p;

    while (n > 0) {
        const ssize_t got = read(fd, at, n);

        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        at += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* False: the file ends here. */
static bool
read_result(int fd, struct head *h, struct burl_err *err)
{
    struct array a[11];
    size_t n;
    bool ok = read_all(fd, h, sizeof *h);

    if (!ok || h->st != BURL_OK)
        return ok;
    h->x.r.sites = NULL;
    h->x.r.mail = NULL;
    n = arrays_of(&h->x, a);
    for (size_t i = 0; i < n; i++) {
        const bool was_there = *a[i].v != NULL;

        *a[i].v = was_there ? burl_xcalloc(a[i].n + 1, a[i].size) : NULL;
        ok = ok && (!was_there || read_all(fd, *a[i].v, a[i].n * a[i].size));
    }
    if (ok)
        h->st = burl_sites_new(&h->x.r.sites, h->x.r.objects, h->x.r.n_objects, h->x.r.modules,
                               h->x.r.n_modules, err);
    if (ok && h->st != BURL_OK)
        h->err = *err;
    if (!ok || h->st != BURL_OK)
        burl_execution_deinit(&h->x);
    return ok;
}

/* ---- a worker ---------------------------------------------------------------------- */

/* The share of our cores that a worker gets; one core when there are fewer than workers. */
static void
pin(size_t worker, size_t n_workers)
{
    cpu_set_t ours;
    cpu_set_t mine;
    size_t n;
    size_t at = 0;

    if (sched_getaffinity(0, sizeof ours, &ours) != 0)
        return;
    n = (size_t)CPU_COUNT(&ours);
    CPU_ZERO(&mine);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &ours))
            continue;
        if (n < n_workers ? at == worker % n : at * n_workers / n == worker)
            CPU_SET(cpu, &mine);
        at++;
    }
    sched_setaffinity(0, sizeof mine, &mine);
}

static void
work(struct burl_tune_session *t, const struct burl_trial *trial, int fd)
{
    const struct burl_execute how = burl__tune_execute(t, trial);
    char **command = burl__tune_command(t, &trial->genes);
    bool enough = false;

    for (uint32_t i = 0; i < burl__tune_executions(t, trial) && !enough && !burl__tune_is_over(t);
         i++) {
        struct head h = { .st = BURL_OK };
        struct burl_wire_noise noise;

        burl__tune_noise(t, trial, i, &noise);
        h.st = burl_execute(&h.x, &how, (const char *const *)command, &noise, t->marks.v,
                            t->marks.variables, t->marks.n, (uint64_t)t->run_ms, &h.err);
        if (burl_cli_interrupts != 0)
            break;
        if (!write_result(fd, &h) || h.st != BURL_OK)
            break;
        enough = burl__tune_is_enough(t, &h.x, burl_execution_error(&h.x));
        burl_execution_deinit(&h.x);
    }
}

static enum burl_status
start(struct burl_tune_session *t, const struct burl_trial *trial, size_t i, size_t n,
      struct worker *w, struct burl_err *err)
{
    const pid_t parent = getpid();

    w->fd = memfd_create("burl-tune", MFD_CLOEXEC);
    if (w->fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot create memory for an evaluation");
    fflush(NULL);
    w->pid = fork();
    if (w->pid < 0) {
        w->pid = 0;
        return burl_err_set(err, BURL_E_IO, errno, "cannot start a process for an evaluation");
    }
    if (w->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        pin(i, n);
        work(t, trial, w->fd);
        _exit(0);
    }
    return BURL_OK;
}

/* ---- all of them ------------------------------------------------------------------- */

/* A request to end that only we got is passed on, once. */
static void
await_workers(struct burl_tune_session *t, struct worker *w, size_t n)
{
    bool passed_on = false;

    for (size_t i = 0; i < n; i++) {
        while (w[i].pid > 0) {
            const pid_t got = waitpid(w[i].pid, NULL, WNOHANG);
            const struct timespec pause = { 0, 5000000 };

            if (got == w[i].pid || (got < 0 && errno != EINTR)) {
                w[i].pid = 0;
                break;
            }
            if (burl_cli_interrupts != 0 && !passed_on) {
                for (size_t k = i; k < n; k++) {
                    if (w[k].pid > 0)
                        kill(w[k].pid, SIGTERM);
                }
                passed_on = true;
            }
            burl__tune_progress(t);
            nanosleep(&pause, NULL);
        }
    }
}

static enum burl_status
collect(struct burl_tune_session *t, const struct burl_trial *trial, int fd,
        struct burl_tally *tally, bool *complete, struct burl_err *err)
{
    char **command = burl__tune_command(t, &trial->genes);
    enum burl_status st = BURL_OK;
    bool enough = false;
    uint32_t i = 0;
    struct head h;

    lseek(fd, 0, SEEK_SET);
    while (st == BURL_OK && read_result(fd, &h, err)) {
        struct burl_wire_noise noise;
        enum burl_tune_error error;

        if (h.st != BURL_OK) {
            *err = h.err;
            st = burl__tune_no_execution(t, h.st, err);
            break;
        }
        burl__tune_noise(t, trial, i++, &noise);
        st = burl__tune_count(t, &h.x, command, &noise, tally, &error, err);
        enough = burl__tune_is_enough(t, &h.x, error);
        burl_execution_deinit(&h.x);
    }
    *complete = st == BURL_OK && burl__tune_is_complete(t, trial, tally, enough);
    burl_params_free_command(command);
    return st;
}

enum burl_status
burl__tune_jobs(struct burl_tune_session *t, const struct burl_trial *trials, size_t n,
                struct burl_tally *tallies, size_t *n_done, struct burl_err *err)
{
    struct worker *w = burl_xcalloc(n, sizeof *w);
    enum burl_status st = BURL_OK;
    size_t n_started = 0;
    bool all = true;

    while (n_started < n && st == BURL_OK) {
        st = start(t, &trials[n_started], n_started, n, &w[n_started], err);
        n_started++;
    }
    await_workers(t, w, n_started);
    *n_done = 0;
    for (size_t i = 0; i < n_started && st == BURL_OK; i++) {
        bool complete = false;

        st = collect(t, &trials[i], w[i].fd, &tallies[i], &complete, err);
        all = all && complete;
        *n_done += all;
    }
    /* A worker that left less than it should, and no reason to: it was killed. */
    if (st == BURL_OK && !all && !burl__tune_is_over(t))
        st = burl_err_set(err, BURL_E_IO, 0, "a process that evaluates was killed");
    for (size_t i = 0; i < n_started; i++) {
        if (w[i].fd >= 0)
            close(w[i].fd);
    }
    free(w);
    return st;
}
