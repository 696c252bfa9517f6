/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork.c - other processes: fork, exec and relatives.
 *
 * The child of a fork is an ordinary process: not controlled, not watched, and it never comes back
 * into the harness. The system call is made directly, because libc's fork would take the parked
 * threads that lend their stacks to the fibers for dead ones and reclaim the stacks, the running
 * one among them. So what libc's fork does for its child is done here: pthread_atfork handlers, the
 * thread id that libc keeps in the thread's descriptor, and everything that the families kept in
 * libc's place.
 *
 * exec would replace the runtime; it is reported as unsupported. Children that libc makes on its
 * own (posix_spawn, system, popen) run while the caller blocks in the kernel: nothing else of the
 * program runs meanwhile.
 */
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose_int.h"
#include "rt/history/history.h"

#define N_ATFORK 128u /* libraries register one or two each */

struct atfork {
    void (*prepare)(void);
    void (*parent)(void);
    void (*child)(void);
    void *dso;
};

static struct atfork atforks[N_ATFORK];
static uint32_t n_atforks;
static uint32_t n_start_atforks;
/* Offset of the kernel's thread id in libc's thread descriptor; 0: not found. */
static size_t tid_offset;

static int
add_atfork(struct atfork add)
{
    burl__state_call(BURL__STATE_HANDLERS);
    if (n_atforks == N_ATFORK)
        return ENOMEM;
    atforks[n_atforks++] = add;
    return 0;
}

BURL_INTERPOSE_SUPERVISED(int __register_atfork(void (*prepare)(void), void (*parent)(void),
                                                void (*child)(void), void *dso),
                          BURL_REAL(__register_atfork)(prepare, parent, child, dso),
                          add_atfork((struct atfork){ prepare, parent, child, dso }))

/* ---- fork -------------------------------------------------------------------------------- */

static uintptr_t
thread_descriptor(void)
{
    uintptr_t fs;

    __asm__("movq %%fs:0, %0" : "=r"(fs)); /* the descriptor's first word points to itself */
    return fs;
}

/* Only one word of the main thread's descriptor holds the process id: its thread id. The place is
 * looked for rather than known, because it moves with the version of libc. */
static void
find_tid_offset(void)
{
    uintptr_t self = thread_descriptor();
    int32_t pid = (int32_t)BURL_SYS0(SYS_getpid);

    for (size_t i = 0x100; i < 0x600 && tid_offset == 0; i += 4) {
        if (*(const int32_t *)(self + i) == pid)
            tid_offset = i;
    }
}

static void
become_ordinary(struct burl_thread *t)
{
    burl_self = NULL;
    burl_rt_supervised = false;
    if (tid_offset != 0)
        *(int32_t *)(thread_descriptor() + tid_offset) = (int32_t)BURL_SYS0(SYS_gettid);
    burl__keys_child(t);
    burl__exit_child();
    burl__signals_child(t);
    for (uint32_t i = 0; i < n_atforks; i++)
        (void)BURL_REAL(__register_atfork)(atforks[i].prepare, atforks[i].parent, atforks[i].child,
                                           atforks[i].dso);
}

/* `handlers`: with those of pthread_atfork. The result as the raw system call gives it. */
static long
fork_thread(struct burl_thread *t, bool handlers)
{
    uint32_t n = handlers ? n_atforks : 0;
    long pid;

    burl__point(t, BURL_OP_FORK, NULL, 0);
    burl_rt_count(BURL_COUNTER_FORKS);
    t->inside = 0;
    for (uint32_t i = n; i > 0; i--) {
        if (atforks[i - 1].prepare != NULL)
            atforks[i - 1].prepare();
    }
    t->inside = 1;
    burl__notify_send_order(t, &burl_ob_channel_signal); /* which the child may send */
    pid = BURL_SYS0(SYS_fork);
    if (pid == 0)
        become_ordinary(t);
    else if (pid > 0)
        burl__io_note_fork((int)pid);
    t->inside = 0;
    for (uint32_t i = 0; i < n; i++) {
        void (*fn)(void) = pid == 0 ? atforks[i].child : atforks[i].parent;

        if (fn != NULL)
            fn();
    }
    return pid;
}

/* The child may send a signal to this process. */
#define FORKS(call) (burl_free_signal_cause(), burl_free_forked(call))

BURL_INTERPOSE_SYS(pid_t fork(void), FORKS(BURL_REAL(fork)()), fork_thread(t, true))
BURL_INTERPOSE_SYS(pid_t _Fork(void), FORKS(BURL_REAL(_Fork)()), fork_thread(t, false))
/* Sharing the parent's memory with a child that the runtime does not know cannot be modeled;
 * POSIX allows vfork to be fork. Without a supervisor too, because a wrapper cannot return twice on
 * one stack. */
BURL_INTERPOSE_SYS(pid_t vfork(void), FORKS(BURL_REAL(fork)()), fork_thread(t, false))

BURL_EXPORT int
daemon(int nochdir, int noclose)
{
    if (burl_self != NULL) /* the program goes on in the child, which is not watched */
        burl_rt_unsupported("daemon");
    if (burl_free_me != NULL || burl_history_on)
        return burl_free_daemon(nochdir, noclose);
    return BURL_REAL(daemon)(nochdir, noclose);
}

/* ---- exec -------------------------------------------------------------------------------- */

static const char in_exec[] = "exec in the tested process";

BURL_INTERPOSE_UNSUPPORTED(int execve(const char *path, char *const argv[], char *const envp[]),
                           in_exec, BURL_REAL(execve)(path, argv, envp))
BURL_INTERPOSE_UNSUPPORTED(int execv(const char *path, char *const argv[]), in_exec,
                           BURL_REAL(execv)(path, argv))
BURL_INTERPOSE_UNSUPPORTED(int execvp(const char *file, char *const argv[]), in_exec,
                           BURL_REAL(execvp)(file, argv))
BURL_INTERPOSE_UNSUPPORTED(int execvpe(const char *file, char *const argv[], char *const envp[]),
                           in_exec, BURL_REAL(execvpe)(file, argv, envp))
BURL_INTERPOSE_UNSUPPORTED(int fexecve(int fd, char *const argv[], char *const envp[]), in_exec,
                           BURL_REAL(fexecve)(fd, argv, envp))
BURL_INTERPOSE_UNSUPPORTED(int execveat(int fd, const char *path, char *const argv[],
                                        char *const envp[], int flags),
                           in_exec, BURL_REAL(execveat)(fd, path, argv, envp, flags))

/* The number of arguments, with the NULL; they are put into `out` if that is not NULL. */
static size_t
collect_args(char **out, const char *first, va_list ap)
{
    size_t n = 0;

    for (char *arg = (char *)first;; arg = va_arg(ap, char *)) {
        if (out != NULL)
            out[n] = arg;
        n++;
        if (arg == NULL)
            return n;
    }
}

/* The array is on the stack: there is no allocating between fork and exec. */
#define EXEC_LIST_FUNCTION(name, call)                                          \
    BURL_EXPORT int name(const char *file, const char *arg, ...)                \
    {                                                                           \
        char **argv;                                                            \
        va_list ap;                                                             \
        va_list count;                                                          \
        int r;                                                                  \
                                                                                \
        if (burl_self != NULL)                                                  \
            burl_rt_unsupported(in_exec);                                       \
        va_start(ap, arg);                                                      \
        va_copy(count, ap);                                                     \
        argv = __builtin_alloca(collect_args(NULL, arg, count) * sizeof *argv); \
        va_end(count);                                                          \
        (void)collect_args(argv, arg, ap);                                      \
        r = call;                                                               \
        va_end(ap);                                                             \
        return r;                                                               \
    }

EXEC_LIST_FUNCTION(execl, BURL_REAL(execv)(file, argv))
EXEC_LIST_FUNCTION(execlp, BURL_REAL(execvp)(file, argv))
EXEC_LIST_FUNCTION(execle, BURL_REAL(execve)(file, argv, va_arg(ap, char *const *)))

/* ---- children made by libc --------------------------------------------------------------- */

/* Announces the child; false: not controlled. */
static bool
announce_child(void)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL)
        return false;
    burl__point(t, BURL_OP_FORK, NULL, 0);
    burl_rt_count(BURL_COUNTER_FORKS);
    burl__io_note_fork(0);
    return true; /* still inside: libc's work on the child is none of the program's */
}

static void
child_announced(bool controlled, int pid)
{
    if (!controlled)
        return;
    burl__io_note_fork(pid);
    burl_rt_leave(burl_self);
}

#define SPAWN_FUNCTION(name)                                                                 \
    BURL_EXPORT int name(pid_t *restrict pid, const char *restrict file,                     \
                         const posix_spawn_file_actions_t *restrict actions,                 \
                         const posix_spawnattr_t *restrict attr, char *const argv[restrict], \
                         char *const envp[restrict])                                         \
    {                                                                                        \
        bool controlled = announce_child();                                                  \
        pid_t child = 0;                                                                     \
        int r = BURL_REAL(name)(&child, file, actions, attr, argv, envp);                    \
                                                                                             \
        child_announced(controlled, r == 0 ? child : 0);                                     \
        if (r == 0 && pid != NULL)                                                           \
            *pid = child;                                                                    \
        return r;                                                                            \
    }

SPAWN_FUNCTION(posix_spawn)
SPAWN_FUNCTION(posix_spawnp)

BURL_EXPORT int
system(const char *command)
{
    bool controlled = announce_child();
    int r = BURL_REAL(system)(command);

    child_announced(controlled, 0);
    return r;
}

BURL_EXPORT FILE *
popen(const char *command, const char *mode)
{
    bool controlled = announce_child();
    FILE *r = BURL_REAL(popen)(command, mode);

    child_announced(controlled, 0);
    return r;
}

/* ---- life -------------------------------------------------------------------------------- */

void
burl__fork_mark_start(void)
{
    n_start_atforks = n_atforks;
    find_tid_offset();
}

void
burl__fork_reset(void)
{
    n_atforks = n_start_atforks;
}
