/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - calls that change the process in the kernel in ways a copy of memory does not undo,
 * and calls that are given the handle of a thread and read or change what the kernel keeps of it.
 *
 * The call itself goes to libc; when it worked, the execution is marked, and the host gives this
 * program a fresh process for every execution from then on. Effects on files (unlink, rename,
 * mkdir) are not marked: a fresh process does not undo them either.
 */
#include <asm/hwcap2.h>
#include <asm/prctl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose_int.h"
#include "rt/core/core.h"
#include "rt/core/engine.h"
#include "rt/core/listener.h"

/* Marks the execution when the call of a controlled thread succeeded; passes the result on. */
static int
mark_irreversible(int r, const char *why)
{
    if (r >= 0)
        BURL_IN_CALL(burl_rt_irreversible(why));
    return r;
}

/* Other threads may read what is about to change, by calls that are not interposed: an operation,
 * and nothing that a search could prove. */
#define CHANGES(prototype, call, why)                                                           \
    BURL_DEFINE(prototype)                                                                      \
    {                                                                                           \
        return burl__state_doubt_call(BURL__STATE_KERNEL), mark_irreversible((int)(call), why); \
    }

CHANGES(int chdir(const char *path), BURL_REAL(chdir)(path), "chdir")
CHANGES(int fchdir(int fd), BURL_REAL(fchdir)(fd), "fchdir")
CHANGES(int chroot(const char *path), BURL_REAL(chroot)(path), "chroot")
CHANGES(mode_t umask(mode_t mask), BURL_REAL(umask)(mask), "umask")
CHANGES(int setrlimit(__rlimit_resource_t what, const struct rlimit *limit),
        BURL_REAL(setrlimit)(what, limit), "setrlimit")
CHANGES(int setrlimit64(__rlimit_resource_t what, const struct rlimit64 *limit),
        BURL_REAL(setrlimit64)(what, limit), "setrlimit")
CHANGES(int setpriority(__priority_which_t which, id_t who, int value),
        BURL_REAL(setpriority)(which, who, value), "setpriority")
CHANGES(int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set),
        BURL_REAL(sched_setaffinity)(pid, size, set), "sched_setaffinity")
CHANGES(pid_t setsid(void), BURL_REAL(setsid)(), "setsid")
CHANGES(int setpgid(pid_t pid, pid_t group), BURL_REAL(setpgid)(pid, group), "setpgid")
CHANGES(int shm_open(const char *name, int flags, mode_t mode),
        BURL_REAL(shm_open)(name, flags, mode), "shm_open")
CHANGES(int mlock(const void *addr, size_t n), BURL_REAL(mlock)(addr, n), "mlock")
CHANGES(int mlockall(int flags), BURL_REAL(mlockall)(flags), "mlockall")

/* ---- ids ------------------------------------------------------------------------------------ */

/* libc changes ids thread by thread: it sends every thread a signal and waits until each has done
 * it. The threads that lend their stacks to fibers do not answer. They run no code of the program
 * either, so the carrier alone is changed: by the system call, with -1 for an id that stays. */
#define CHANGES_IDS(prototype, original, call, why) \
    CHANGES(prototype,                              \
            burl_self != NULL && burl_self->fiber_sp != NULL ? burl__result(call) : original, why)

CHANGES_IDS(int setuid(uid_t id), BURL_REAL(setuid)(id), BURL_SYS1(SYS_setuid, id), "setuid")
CHANGES_IDS(int setgid(gid_t id), BURL_REAL(setgid)(id), BURL_SYS1(SYS_setgid, id), "setgid")
CHANGES_IDS(int seteuid(uid_t id), BURL_REAL(seteuid)(id), BURL_SYS3(SYS_setresuid, -1u, id, -1u),
            "seteuid")
CHANGES_IDS(int setegid(gid_t id), BURL_REAL(setegid)(id), BURL_SYS3(SYS_setresgid, -1u, id, -1u),
            "setegid")
CHANGES_IDS(int setreuid(uid_t real, uid_t effective), BURL_REAL(setreuid)(real, effective),
            BURL_SYS2(SYS_setreuid, real, effective), "setreuid")
CHANGES_IDS(int setregid(gid_t real, gid_t effective), BURL_REAL(setregid)(real, effective),
            BURL_SYS2(SYS_setregid, real, effective), "setregid")
CHANGES_IDS(int setresuid(uid_t real, uid_t effective, uid_t saved),
            BURL_REAL(setresuid)(real, effective, saved),
            BURL_SYS3(SYS_setresuid, real, effective, saved), "setresuid")
CHANGES_IDS(int setresgid(gid_t real, gid_t effective, gid_t saved),
            BURL_REAL(setresgid)(real, effective, saved),
            BURL_SYS3(SYS_setresgid, real, effective, saved), "setresgid")

/* ---- names of threads ---------------------------------------------------------------------- */

/* Names are kept here: all fibers share one kernel thread, which has one name. All calls that read
 * or change them are interposed. A thread begins with the name of its creator, main with that of
 * the process. */
static int
get_name(struct burl_thread *t, const struct burl_thread *of, char *out)
{
    if (of == NULL)
        return ESRCH;
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
    if (of == NULL)
        return ESRCH;
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

BURL_INTERPOSE(int pthread_setname_np(pthread_t th, const char *name),
               BURL_REAL(pthread_setname_np)(th, name),
               strlen(name) >= sizeof t->name
                   ? ERANGE
                   : set_name(t, burl_thread_by_handle((uint64_t)th), name))
BURL_INTERPOSE(int pthread_getname_np(pthread_t th, char *name, size_t n),
               BURL_REAL(pthread_getname_np)(th, name, n),
               n < sizeof t->name ? ERANGE : get_name(t, burl_thread_by_handle((uint64_t)th), name))

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
    burl__state_doubt_call(BURL__STATE_KERNEL);
    r = BURL_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
    /* A name is harmless, and common. Questions change nothing. */
    if (option == PR_SET_NAME || option == PR_GET_NAME || option == PR_GET_DUMPABLE ||
        option == PR_GET_PDEATHSIG || option == PR_GET_KEEPCAPS || option == PR_GET_SECCOMP ||
        option == PR_CAPBSET_READ || option == PR_GET_NO_NEW_PRIVS || option == PR_GET_TIMERSLACK)
        return r;
    return mark_irreversible(r, "prctl");
}

/* Fibers share one kernel thread. The GS base is switched with them where instructions can do that;
 * the FS base is libc's thread pointer, from which the runtime gets the current thread. */
long
burl__segment_call(struct burl_thread *t, int code, long arg)
{
    if (code == ARCH_SET_FS)
        burl_rt_unsupported("arch_prctl(ARCH_SET_FS), which replaces libc's thread pointer");
    if (code == ARCH_SET_GS && burl_rt.engine == &burl_engine_fibers &&
        (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) == 0)
        burl_rt_unsupported(
            "arch_prctl(ARCH_SET_GS) with fibers on this machine; use --engine=threads");
    /* Accesses relative to a segment are not observed; a thread that is created inherits it. */
    if (code != ARCH_GET_GS && code != ARCH_GET_FS)
        BURL_TELL(unmodeled_call, t);
    return BURL_SYS2(SYS_arch_prctl, code, arg);
}

/* <sys/prctl.h> does not declare it. */
BURL_EXPORT int arch_prctl(int code, unsigned long arg);

BURL_EXPORT int
arch_prctl(int code, unsigned long arg)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return (int)burl__result(BURL_SYS2(SYS_arch_prctl, code, arg));
    r = burl__segment_call(t, code, (long)arg);
    burl_rt_leave(t);
    return (int)burl__result(r);
}

/* ---- priorities and processors of a thread ------------------------------------------ */

/* A call with this handle makes its thread distinguishable from others (search/symmetry.c). */
static void
note_handle_use(pthread_t handle)
{
    if (burl_self != NULL && burl_self->inside == 0)
        (void)burl_thread_by_handle((uint64_t)handle);
}

#define OF_THREAD(prototype, call)                                                      \
    BURL_DEFINE(prototype)                                                              \
    {                                                                                   \
        return note_handle_use(th), burl__state_doubt_call(BURL__STATE_KERNEL), (call); \
    }

OF_THREAD(int pthread_setschedparam(pthread_t th, int policy, const struct sched_param *param),
          BURL_REAL(pthread_setschedparam)(th, policy, param))
OF_THREAD(int pthread_getschedparam(pthread_t th, int *restrict policy,
                                    struct sched_param *restrict param),
          BURL_REAL(pthread_getschedparam)(th, policy, param))
OF_THREAD(int pthread_setschedprio(pthread_t th, int priority),
          BURL_REAL(pthread_setschedprio)(th, priority))
OF_THREAD(int pthread_setaffinity_np(pthread_t th, size_t n, const cpu_set_t *set),
          BURL_REAL(pthread_setaffinity_np)(th, n, set))
OF_THREAD(int pthread_getaffinity_np(pthread_t th, size_t n, cpu_set_t *set),
          BURL_REAL(pthread_getaffinity_np)(th, n, set))
OF_THREAD(int pthread_getattr_np(pthread_t th, pthread_attr_t *attr),
          BURL_REAL(pthread_getattr_np)(th, attr))
OF_THREAD(int pthread_getcpuclockid(pthread_t th, clockid_t *clock),
          BURL_REAL(pthread_getcpuclockid)(th, clock))
