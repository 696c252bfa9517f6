/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - calls that change the process in the kernel in ways a copy of memory does not undo,
 * and calls that are given the handle of a thread and read or change what the kernel keeps of it.
 *
 * Runs in the target. The call itself goes to libc; when it worked, the execution is marked, and
 * the host gives this program a fresh process for every execution from then on. Effects on files
 * (unlink, rename, mkdir) are not marked: a fresh process does not undo them either.
 */
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose_int.h"
#include "process_int.h"
#include "rt/core/sys.h"

/* libc changes ids thread by thread: it sends every thread a signal and waits until each has done
 * it. The threads that lend their stacks to fibers do not answer. They run no code of the program
 * either, so the carrier alone is changed. */
static bool
on_fiber(void)
{
    return burl_self != NULL && burl_self->fiber_sp != NULL;
}

static int
set_ids(long nr, unsigned int a, unsigned int b, unsigned int c)
{
    return (int)burl__result(BURL_SYS3(nr, a, b, c));
}

/* Marks the execution when the call of a controlled thread succeeded; passes the result on. */
static int
mark(int r, const char *why)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL)
        return r;
    if (r >= 0)
        burl_rt_irreversible(why);
    burl_rt_leave(t);
    return r;
}

/* Other threads may read what is about to change, by calls that are not interposed: an operation,
 * and nothing that a search could prove. */
static void
before_change(void)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL)
        return;
    burl__state_doubt(t, BURL__STATE_KERNEL);
    burl_rt_leave(t);
}

#define CHANGE(call, why) (before_change(), mark((call), (why)))

BURL_EXPORT int
chdir(const char *path)
{
    return CHANGE(BURL_REAL(chdir)(path), "chdir");
}

BURL_EXPORT int
fchdir(int fd)
{
    return CHANGE(BURL_REAL(fchdir)(fd), "fchdir");
}

BURL_EXPORT int
chroot(const char *path)
{
    return CHANGE(BURL_REAL(chroot)(path), "chroot");
}

BURL_EXPORT mode_t
umask(mode_t mask)
{
    return (mode_t)CHANGE((int)BURL_REAL(umask)(mask), "umask");
}

BURL_EXPORT int
setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
    return CHANGE(BURL_REAL(setrlimit)(what, limit), "setrlimit");
}

BURL_EXPORT int
setrlimit64(__rlimit_resource_t what, const struct rlimit64 *limit)
{
    return CHANGE(BURL_REAL(setrlimit64)(what, limit), "setrlimit");
}

BURL_EXPORT int
setpriority(__priority_which_t which, id_t who, int value)
{
    return CHANGE(BURL_REAL(setpriority)(which, who, value), "setpriority");
}

BURL_EXPORT int
sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    return CHANGE(BURL_REAL(sched_setaffinity)(pid, size, set), "sched_setaffinity");
}

/* ---- names of threads ---------------------------------------------------------------------- */

/* Names are kept here: all fibers share one kernel thread, which has one name. All calls that read
 * or change them are interposed. A thread begins with the name of its creator, main with that of
 * the process. */
static int
get_name(struct burl_thread *t, struct burl_thread *of, char *out)
{
    burl__state_point(t, BURL__STATE_KERNEL, false);
    if (of->name[0] != '\0')
        memcpy(out, of->name, sizeof of->name);
    else
        (void)BURL_SYS2(SYS_prctl, PR_GET_NAME, out);
    return 0;
}

static int
set_name(struct burl_thread *t, struct burl_thread *of, const char *name)
{
    burl__state_point(t, BURL__STATE_KERNEL, true);
    memset(of->name, 0, sizeof of->name);
    for (size_t i = 0; i < sizeof of->name - 1 && name[i] != '\0'; i++)
        of->name[i] = name[i];
    return 0;
}

static int
own_name(bool sets, char *name)
{
    struct burl_thread *t = burl_rt_enter();
    int r = sets ? set_name(t, t, name) : get_name(t, t, name);

    burl_rt_leave(t);
    return r;
}

BURL_EXPORT int
pthread_setname_np(pthread_t th, const char *name)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_thread *of;
    int r = ESRCH;

    if (t == NULL)
        return BURL_REAL(pthread_setname_np)(th, name);
    of = burl_thread_by_handle((uint64_t)th);
    if (strlen(name) >= sizeof of->name)
        r = ERANGE;
    else if (of != NULL)
        r = set_name(t, of, name);
    burl_rt_leave(t);
    return r;
}

BURL_EXPORT int
pthread_getname_np(pthread_t th, char *name, size_t n)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_thread *of;
    int r = ESRCH;

    if (t == NULL)
        return BURL_REAL(pthread_getname_np)(th, name, n);
    of = burl_thread_by_handle((uint64_t)th);
    if (n < sizeof of->name)
        r = ERANGE;
    else if (of != NULL)
        r = get_name(t, of, name);
    burl_rt_leave(t);
    return r;
}

/* ---- other state of the process ------------------------------------------------------------- */

BURL_EXPORT int
prctl(int option, ...)
{
    unsigned long a[4];
    va_list ap;
    int r;

    va_start(ap, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, unsigned long);
    va_end(ap);
    if (burl_self != NULL && burl_self->inside == 0 &&
        (option == PR_SET_NAME || option == PR_GET_NAME))
        return own_name(option == PR_SET_NAME, (char *)a[0]);
    before_change();
    r = BURL_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
    /* A name is harmless, and common. Questions change nothing. */
    if (option == PR_SET_NAME || option == PR_GET_NAME || option == PR_GET_DUMPABLE ||
        option == PR_GET_PDEATHSIG || option == PR_GET_KEEPCAPS || option == PR_GET_SECCOMP ||
        option == PR_CAPBSET_READ || option == PR_GET_NO_NEW_PRIVS || option == PR_GET_TIMERSLACK)
        return r;
    return mark(r, "prctl");
}

BURL_EXPORT pid_t
setsid(void)
{
    return CHANGE(BURL_REAL(setsid)(), "setsid");
}

BURL_EXPORT int
setpgid(pid_t pid, pid_t group)
{
    return CHANGE(BURL_REAL(setpgid)(pid, group), "setpgid");
}

BURL_EXPORT int
setuid(uid_t id)
{
    return CHANGE(on_fiber() ? set_ids(SYS_setuid, id, 0, 0) : BURL_REAL(setuid)(id), "setuid");
}

BURL_EXPORT int
setgid(gid_t id)
{
    return CHANGE(on_fiber() ? set_ids(SYS_setgid, id, 0, 0) : BURL_REAL(setgid)(id), "setgid");
}

BURL_EXPORT int
seteuid(uid_t id)
{
    return CHANGE(on_fiber() ? set_ids(SYS_setresuid, -1u, id, -1u) : BURL_REAL(seteuid)(id),
                  "seteuid");
}

BURL_EXPORT int
setegid(gid_t id)
{
    return CHANGE(on_fiber() ? set_ids(SYS_setresgid, -1u, id, -1u) : BURL_REAL(setegid)(id),
                  "setegid");
}

BURL_EXPORT int
setreuid(uid_t real, uid_t effective)
{
    return CHANGE(on_fiber() ? set_ids(SYS_setreuid, real, effective, 0)
                             : BURL_REAL(setreuid)(real, effective),
                  "setreuid");
}

BURL_EXPORT int
setregid(gid_t real, gid_t effective)
{
    return CHANGE(on_fiber() ? set_ids(SYS_setregid, real, effective, 0)
                             : BURL_REAL(setregid)(real, effective),
                  "setregid");
}

BURL_EXPORT int
setresuid(uid_t real, uid_t effective, uid_t saved)
{
    return CHANGE(on_fiber() ? set_ids(SYS_setresuid, real, effective, saved)
                             : BURL_REAL(setresuid)(real, effective, saved),
                  "setresuid");
}

BURL_EXPORT int
setresgid(gid_t real, gid_t effective, gid_t saved)
{
    return CHANGE(on_fiber() ? set_ids(SYS_setresgid, real, effective, saved)
                             : BURL_REAL(setresgid)(real, effective, saved),
                  "setresgid");
}

BURL_EXPORT int
shm_open(const char *name, int flags, mode_t mode)
{
    return CHANGE(BURL_REAL(shm_open)(name, flags, mode), "shm_open");
}

BURL_EXPORT int
mlock(const void *addr, size_t n)
{
    return CHANGE(BURL_REAL(mlock)(addr, n), "mlock");
}

BURL_EXPORT int
mlockall(int flags)
{
    return CHANGE(BURL_REAL(mlockall)(flags), "mlockall");
}

/* ---- priorities and processors of a thread ------------------------------------------ */

/* A call is given this handle: its thread is told apart from others (search/symmetry.c). */
static void
tell_apart(pthread_t handle)
{
    if (burl_self != NULL && burl_self->inside == 0)
        (void)burl_thread_by_handle((uint64_t)handle);
}

#define OF_THREAD(handle, call) (tell_apart(handle), before_change(), (call))

BURL_EXPORT int
pthread_setschedparam(pthread_t th, int policy, const struct sched_param *param)
{
    return OF_THREAD(th, BURL_REAL(pthread_setschedparam)(th, policy, param));
}

BURL_EXPORT int
pthread_getschedparam(pthread_t th, int *restrict policy, struct sched_param *restrict param)
{
    return OF_THREAD(th, BURL_REAL(pthread_getschedparam)(th, policy, param));
}

BURL_EXPORT int
pthread_setschedprio(pthread_t th, int priority)
{
    return OF_THREAD(th, BURL_REAL(pthread_setschedprio)(th, priority));
}

BURL_EXPORT int
pthread_setaffinity_np(pthread_t th, size_t n, const cpu_set_t *set)
{
    return OF_THREAD(th, BURL_REAL(pthread_setaffinity_np)(th, n, set));
}

BURL_EXPORT int
pthread_getaffinity_np(pthread_t th, size_t n, cpu_set_t *set)
{
    return OF_THREAD(th, BURL_REAL(pthread_getaffinity_np)(th, n, set));
}

BURL_EXPORT int
pthread_getattr_np(pthread_t th, pthread_attr_t *attr)
{
    return OF_THREAD(th, BURL_REAL(pthread_getattr_np)(th, attr));
}

BURL_EXPORT int
pthread_getcpuclockid(pthread_t th, clockid_t *clock)
{
    return OF_THREAD(th, BURL_REAL(pthread_getcpuclockid)(th, clock));
}
