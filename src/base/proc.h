/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/proc.h - child processes: start, wait with a time-out, capture, kill the group.
 *
 * A child started with `new_group` leads a process group of its own, so that
 * burl_proc_kill_group() reaches everything it started. A failed exec is
 * reported by burl_proc_spawn() itself, not by a strange exit code.
 * All descriptors of ours are close-on-exec; those in `keep_fds` are passed on.
 */
#ifndef BURL_BASE_PROC_H
#define BURL_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

enum burl_proc_stdio {
    BURL_PROC_INHERIT = 0,
    BURL_PROC_NULL, /* /dev/null */
    BURL_PROC_FD    /* the descriptor in the field beside it; stays open in the parent */
};

/* Zero-initialize, then set what is needed; only argv is required. */
struct burl_proc_opts {
    const char *const   *argv;    /* argv[0] is looked up in PATH when it has no slash */
    const char *const   *envp;    /* NULL inherits ours */
    const char          *cwd;     /* NULL: ours */
    enum burl_proc_stdio in, out, err;
    int                  in_fd, out_fd, err_fd;
    const int           *keep_fds; /* same numbers in the child */
    size_t               n_keep_fds;
    bool                 new_group;
    bool                 no_aslr;      /* personality(ADDR_NO_RANDOMIZE) before exec */
    bool                 die_with_parent; /* PR_SET_PDEATHSIG SIGKILL */
    const int           *ignore;       /* signals that the child starts with ignored */
    size_t               n_ignore;
};

/* Milliseconds of the monotonic clock. */
int64_t burl_now_ms(void);

struct burl_proc {
    pid_t pid;   /* -1 when none */
    bool  group; /* leads its own process group */
};

/* How a child ended. */
struct burl_proc_status {
    bool exited;    /* code is valid; else signal is */
    int  code;
    int  signal;
    bool core;
    bool timed_out; /* set by burl_proc_capture: we killed it */
    int64_t cpu_us; /* user and system time, with that of children it has waited for */
};

BURL_MUST_CHECK enum burl_status burl_proc_spawn(struct burl_proc *out,
                                                 const struct burl_proc_opts *opts,
                                                 struct burl_err *err);

/* Waits at most `timeout_ms` (-1: for ever). *done says whether the child ended and was
 * reaped; *status is valid only then. A time-out is not an error. */
BURL_MUST_CHECK enum burl_status burl_proc_wait(struct burl_proc *p, int timeout_ms, bool *done,
                                                struct burl_proc_status *status,
                                                struct burl_err *err);

/* Signals the child, or its whole group when it leads one. A child that is gone is fine. */
void burl_proc_kill(const struct burl_proc *p, int sig);
/* SIGKILL to child or group, then reaps it. */
void burl_proc_kill_group(struct burl_proc *p);

struct burl_proc_output {
    char  *out; /* NUL-terminated; out_n bytes */
    size_t out_n;
    char  *err;
    size_t err_n;
    bool   truncated; /* output over the limit was read and dropped */
    struct burl_proc_status status;
};

/*
 * Runs a command to its end and collects stdout and stderr, each up to `limit_b`.
 * After `timeout_ms` (-1: never) its group is killed and status.timed_out is set; that is
 * BURL_OK too: the caller decides what it means. `opts->out/err/new_group` are ignored.
 */
BURL_MUST_CHECK enum burl_status burl_proc_capture(struct burl_proc_output *out,
                                                   const struct burl_proc_opts *opts,
                                                   int timeout_ms, size_t limit_b,
                                                   struct burl_err *err);
void burl_proc_output_deinit(struct burl_proc_output *o);

/* "exited with code 3", "killed by signal 11 (Segmentation fault)" into `buf`. */
const char *burl_proc_describe(const struct burl_proc_status *st, char *buf, size_t n);

/* Is it one of the processes that were started last, running or not? Safe in a signal handler. */
bool burl_proc_is_known(pid_t pid);

#endif
