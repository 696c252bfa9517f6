/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: chdir fchdir chroot umask setrlimit setrlimit64 setpriority sched_setaffinity prctl
 *   setsid setpgid setuid setgid seteuid setegid setreuid setregid setresuid setresgid shm_open
 *   mlock mlockall
 * BURL-ARGS: --runs=50
 * BURL-WHY: each changes the process in the kernel. The asserts on the state at the start fail
 *   if one execution is run in the process of another that did this: the calls must have been
 *   noticed, and the program given a fresh process each time.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void
limits(void)
{
    struct rlimit lim;
    struct rlimit64 lim64;
    cpu_set_t cpus;

    assert(getrlimit(RLIMIT_CORE, &lim) == 0);
    lim.rlim_cur = 0;
    assert(setrlimit(RLIMIT_CORE, &lim) == 0);
    assert(getrlimit64(RLIMIT_CORE, &lim64) == 0);
    assert(setrlimit64(RLIMIT_CORE, &lim64) == 0);
    assert(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0)) == 0);
    assert(sched_getaffinity(0, sizeof cpus, &cpus) == 0);
    assert(sched_setaffinity(0, sizeof cpus, &cpus) == 0);
}

/* To what they are: allowed to every user. */
static void
identity(void)
{
    assert(setuid(getuid()) == 0);
    assert(setgid(getgid()) == 0);
    assert(seteuid(geteuid()) == 0);
    assert(setegid(getegid()) == 0);
    assert(setreuid(getuid(), geteuid()) == 0);
    assert(setregid(getgid(), getegid()) == 0);
    assert(setresuid(getuid(), geteuid(), geteuid()) == 0);
    assert(setresgid(getgid(), getegid(), getegid()) == 0);
}

static void
memory(void)
{
    static char page[4096];
    int fd = shm_open("/burl-test-kernel-state", O_RDWR | O_CREAT, 0600);

    assert(fd >= 0 && close(fd) == 0);
    shm_unlink("/burl-test-kernel-state");
    assert(mlock(page, sizeof page) == 0 || errno == ENOMEM || errno == EPERM);
    assert(mlockall(0) == -1 && errno == EINVAL);
}

int
main(void)
{
    char before[PATH_MAX];
    char after[PATH_MAX];
    char name[16];
    int here = open(".", O_RDONLY | O_DIRECTORY);

    assert(here >= 0 && getcwd(before, sizeof before) != NULL);
    assert(strcmp(before, "/") != 0);
    assert(chdir("/") == 0);
    assert(getcwd(after, sizeof after) != NULL && strcmp(after, "/") == 0);
    assert(fchdir(here) == 0);
    assert(getcwd(after, sizeof after) != NULL && strcmp(after, before) == 0);
    assert(chroot("/nowhere/at/all") == -1);
    assert(umask(0123) != 0123);
    assert(prctl(PR_SET_NAME, "burl-test") == 0);
    assert(prctl(PR_GET_NAME, name) == 0 && strcmp(name, "burl-test") == 0);
    assert(prctl(PR_SET_DUMPABLE, 1) == 0);
    assert(setpgid(0, 0) == 0 || errno == EPERM);
    assert(setsid() > 0 || errno == EPERM);
    limits();
    identity();
    memory();
    assert(chdir("/") == 0);
    return 0;
}
