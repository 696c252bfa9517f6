/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harness/start.c - how the runtime comes into the process.
 *
 * We stand in front of __libc_start_main and hand libc our own main. Without a supervisor that one
 * calls the program's main at once (R7). With one, the constructor maps the control block, and our
 * main, which runs after all constructors, enters the harness and never returns.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unwind.h>

#include "rt/core/core.h"
#include "rt/core/module.h"
#include "rt/core/sys.h"
#include "rt/core/upcalls.h"
#include "rt/engine/fibers.h"
#include "rt/free/free.h"
#include "rt/history/history.h"
#include "wire/history.h"

__thread struct burl_thread *burl_self;
__thread struct burl_critical burl_critical;
bool burl_rt_supervised;

typedef int (*main_fn)(int, char **, char **);
typedef int (*start_main_fn)(main_fn main, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

BURL_EXPORT int __libc_start_main(main_fn user_main, int argc, char **argv, void (*init)(void),
                                  void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static int
parse_fd(const char *s)
{
    int fd = 0;

    if (*s == '\0')
        return -1;
    for (; *s >= '0' && *s <= '9'; s++) {
        fd = fd * 10 + (*s - '0');
        if (fd > 1000000)
            return -1;
    }
    return *s == '\0' || *s == ' ' ? fd : -1; /* blanks: see burl_target_env_new() */
}

void
burl_rt_refuse(const char *why)
{
    static const char head[] = "burl: the runtime cannot start: ";

    BURL_SYS3(SYS_write, 2, head, sizeof head - 1);
    BURL_SYS3(SYS_write, 2, why, strlen(why));
    BURL_SYS3(SYS_write, 2, "\n", 1);
    for (;;)
        BURL_SYS1(SYS_exit_group, 3);
}

/* A script that is watched may start several instrumented programs. There is one block: the first
 * has it, the others run as if there were no supervisor. */
static bool
claim_control(struct burl_wire_ctl *ctl)
{
    static const char text[] = "the command started several instrumented programs; only the first "
                               "was watched";
    uint32_t unclaimed = 0;

    /* relaxed is enough: a program that loses touches nothing but the text */
    if (__atomic_compare_exchange_n(&ctl->rt_pid, &unclaimed, (uint32_t)BURL_SYS0(SYS_getpid),
                                    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return true;
    if (ctl->result.text[0] == '\0')
        memcpy(ctl->result.text, text, sizeof text);
    return false;
}

/* The head says how large the whole is. */
static void
map_control(int fd)
{
    struct {
        uint64_t magic;
        uint32_t version;
        uint32_t turn;
        uint64_t size_b;
    } head_only; /* the whole would be more than a megabyte of the program's stack */
    struct burl_wire_ctl *ctl;
    uint64_t size;
    long p;

    static_assert(offsetof(struct burl_wire_ctl, size_b) == 16, "the head begins like that");
    p = BURL_SYS4(SYS_pread64, fd, &head_only, sizeof head_only, 0);
    if (p != (long)sizeof head_only || head_only.magic != BURL_WIRE_CTL_MAGIC)
        burl_rt_refuse("the descriptor in " BURL_WIRE_ENV_CTL " is not a control block");
    if (head_only.version != BURL_WIRE_VERSION)
        burl_rt_refuse(
            "burl and the runtime of this program are of different versions; rebuild the "
            "program with this burl's `burl-cc`");
    size = head_only.size_b;
    p = BURL_SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p < 0 && p > -4096)
        burl_rt_refuse("cannot map the control block");
    BURL_SYS1(SYS_close, fd);
    ctl = (struct burl_wire_ctl *)p;
    burl_rt.ctl = ctl;
    burl_rt.ctl_b = size;
    /* In free mode the interposers leave everything to libc and only watch. */
    if (ctl->engine != BURL_ENGINE_FREE)
        burl_rt_supervised = true;
    else if (claim_control(ctl))
        burl_free_start();
    else
        burl_rt.ctl = NULL;
}

/* Before the program's constructors, or before the first registration by a library that is
 * initialized before us: modules register into plain tables, so their order does not matter, but
 * key and handler registrations made before main must find us awake. */
__attribute__((constructor(101))) void
burl_rt_wake(void)
{
    static bool awake;
    const char *text;
    int fd;

    if (awake)
        return;
    awake = true;
    burl__module_locate();
    /* A program with the rights of another user does not obey the environment of its caller. */
    if (getauxval(AT_SECURE) != 0)
        return;
    text = getenv(BURL_WIRE_ENV_CTL);
    if (text == NULL) {
        text = getenv(BURL_WIRE_ENV_HISTORY);
        if (text != NULL)
            burl_history_start(text);
        return;
    }
    fd = parse_fd(text);
    /* The program's own children must not find it. */
    unsetenv(BURL_WIRE_ENV_CTL);
    if (fd < 0)
        burl_rt_refuse(BURL_WIRE_ENV_CTL " does not name a descriptor");
    map_control(fd);
}

/* Nothing needs the hooks: the modules of the program choose the copies of their functions without
 * them (instr/alone.c). For good, since what was found here does not change. */
BURL_EXPORT int32_t
__burl_is_alone(void)
{
    burl_rt_wake();
    return burl_rt.ctl == NULL && !burl_history_on;
}

/* Copies with fewer hooks are enough for the race detector of free mode. Everything else that
 * follows accesses or functions gets each of them: metrics, location pairs, noise, mail. */
BURL_EXPORT int32_t
__burl_which_copy(void)
{
    const struct burl_wire_ctl *ctl;

    if (__burl_is_alone())
        return BURL_COPY_ALONE;
    ctl = burl_rt.ctl;
    if (ctl != NULL && ctl->engine == BURL_ENGINE_FREE && ctl->order.observers == BURL_OB(RACE) &&
        (ctl->order.flags & BURL_ORDER_F_MAIL) == 0 && ctl->noise.freq == 0 &&
        ctl->noise.tamper == 0)
        return BURL_COPY_FREE;
    return BURL_COPY_HOOKED;
}

/* A return from main ends the program as exit() does. */
static int
run_free(int argc, char **argv, char **envp)
{
    int code;

    burl_free_main();
    code = burl_rt.user_main(argc, argv, envp);
    burl_free_main_returned(code);
    return code;
}

static _Unwind_Reason_Code
stop_at_once(struct _Unwind_Context *context, void *arg)
{
    (void)context, (void)arg;
    return _URC_END_OF_STACK;
}

/* The unwinder, which the program shares, sets itself up with pthread_once() when it is used first.
 * That must not be an operation of the first thread that exits or throws: whether the runtime has
 * used the unwinder before differs between an execution and its replay. */
static void
wake_unwinder(void)
{
    (void)_Unwind_Backtrace(stop_at_once, NULL);
}

static int
our_main(int argc, char **argv, char **envp)
{
    if (burl_rt.ctl != NULL && burl_rt.ctl->engine == BURL_ENGINE_FREE)
        return run_free(argc, argv, envp);
    if (!burl_rt_supervised)
        return burl_rt.user_main(argc, argv, envp);
    burl_rt.argc = argc;
    burl_rt.argv = argv;
    burl_rt.envp = envp;
    wake_unwinder();
    burl_rt.main_stack_base = (uintptr_t)__builtin_frame_address(0) - 256;
    if (burl_rt.ctl->engine == BURL_ENGINE_FIBERS)
        burl__fibers_enter_harness();
    burl_harness();
}

BURL_EXPORT int
__libc_start_main(main_fn user_main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                  void (*rtld_fini)(void), void *stack_end)
{
    start_main_fn real = (start_main_fn)dlsym(RTLD_NEXT, "__libc_start_main");

    burl_rt.user_main = user_main;
    return real(our_main, argc, argv, init, fini, rtld_fini, stack_end);
}
