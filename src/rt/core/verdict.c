/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/verdict.c - how executions end, and what is kept of it.
 *
 * Every ending goes through burl_rt_end(), from the program's threads and from signal handlers
 * alike. In one process with a snapshot the engine then abandons all stacks; nothing of the program
 * is unwound, because its memory is about to be replaced.
 */
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>

#include "core.h"
#include "engine.h"
#include "listener.h"
#include "module.h"
#include "shadow.h"
#include "sys.h"
#include "upcalls.h"
#include "verdict.h"

#define ALT_STACK_B (64u << 10)
#define TICK_MS 50u
#define TICK_SIGNAL 63 /* a real-time signal that libc and programs leave alone */

/* ---- ending -------------------------------------------------------------- */

void
burl__text_append(char out[BURL_WIRE_TEXT_B], const char *text)
{
    const size_t at = strlen(out);
    size_t n = strlen(text);

    if (n > BURL_WIRE_TEXT_B - 1 - at)
        n = BURL_WIRE_TEXT_B - 1 - at;
    memcpy(out + at, text, n);
    out[at + n] = '\0';
}

static void
set_text(char out[BURL_WIRE_TEXT_B], const char *text)
{
    out[0] = '\0';
    burl__text_append(out, text);
}

/* Breakpoint anchor for debuggers: the failing thread is on top of this frame. */
BURL_EXPORT BURL_NOINLINE void
burl_failure_stop(const char *kind)
{
    __asm__ volatile("" : : "r"(kind) : "memory");
}

/* The name of a kind that is a finding; NULL: it is none. */
static const char *
finding_name(enum burl_wire_verdict_kind kind)
{
    static const char *const names[BURL_VERDICT__N] = {
#define BURL_X(name, text, finding) finding ? text : NULL,
        BURL_WIRE_VERDICTS(BURL_X)
#undef BURL_X
    };

    return names[kind];
}

/* A fault in code without a hook, after the last function with one has returned: that function is
 * not where it happened, but the one that is live is. */
static bool
is_after_return(const struct burl_thread *t, uintptr_t pc)
{
    return pc != 0 && t->inside == 0 && t->left_site != 0 && t->left_site == t->last_site &&
           t->depth > 0 && t->depth <= BURL_SHADOW_DEPTH;
}

void
burl__verdict_fill(struct burl_wire_verdict *v, enum burl_wire_verdict_kind kind, int code,
                   uintptr_t addr, uintptr_t pc, const char *text)
{
    const struct burl_thread *t = burl_rt.current;
    bool deadlock = kind == BURL_VERDICT_DEADLOCK_CYCLE || kind == BURL_VERDICT_DEADLOCK_STUCK ||
                    kind == BURL_VERDICT_LIVELOCK;

    v->kind = (uint8_t)kind;
    v->code = code;
    v->addr = addr;
    v->pc = pc;
    v->tid = BURL_TID_NONE;
    if (t != NULL && !deadlock) {
        v->tid = t->tid;
        v->op = t->last_op;
        v->site = t->inside == 1 && t->call_site != 0 ? t->call_site : t->last_site;
        burl__shadow_fill(t, v->stack, BURL_WIRE_MAX_STACK);
        for (uint32_t i = 0; burl_wire_is_misuse(kind) && i + 1 < BURL_WIRE_MISUSE_SITES; i++)
            v->sides[0].stack[i] = v->stack[i] != 0 ? burl__module_function(v->stack[i]) : 0;
        if (pc != 0)
            v->other_site = code == SIGILL || code == SIGTRAP ? burl__shadow_top(t) : t->call_site;
        if (is_after_return(t, pc)) {
            v->site = v->stack[0];
            v->op = BURL_OP_NONE;
        }
    }
    if (text != NULL)
        set_text(v->text, text);
    if (kind == BURL_VERDICT_CRASH_SIGNAL || kind == BURL_VERDICT_CRASH_ABORT)
        burl__caller_fill(&v->origin, pc);
}

void
burl_rt_end(enum burl_wire_verdict_kind kind, int code, uintptr_t addr, uintptr_t pc,
            const char *text)
{
    burl__verdict_fill(&burl_rt.exec.verdict, kind, code, addr, pc, text);
    if (finding_name(kind) != NULL)
        burl_failure_stop(finding_name(kind));
    burl_rt.engine->leave();
}

/* A misuse or a bad free is noticed before the call is an operation: the other order of the call
 * and what made it wrong is not explored then, and a search cannot claim to have tried all. */
static bool
ends_before_operation(enum burl_wire_verdict_kind kind)
{
    return burl_wire_is_misuse(kind) || kind == BURL_VERDICT_DOUBLE_FREE ||
           kind == BURL_VERDICT_BAD_FREE;
}

/* Kinds that are one bug for all places at which the same memory fails. */
static bool
is_about_memory(enum burl_wire_verdict_kind kind)
{
    return burl_wire_is_misuse(kind) || kind == BURL_VERDICT_DOUBLE_FREE ||
           kind == BURL_VERDICT_USE_AFTER_FREE;
}

void
burl_rt_finding(enum burl_wire_verdict_kind kind, uintptr_t addr, const char *text)
{
    struct burl_wire_origin *origin = &burl_rt.exec.verdict.origin;

    if (ends_before_operation(kind))
        BURL_TELL(fact, BURL_FACT_ENDED_EARLY);
    if (is_about_memory(kind) && origin->kind == BURL_ORIGIN_UNKNOWN && addr != 0)
        burl__origin_fill(origin, addr);
    burl_rt_end(kind, 0, addr, 0, text);
}

/* Outside an execution (constructors, the child of a fork) the message goes to the user. */
void
burl_rt_unsupported(const char *name)
{
    if (burl_rt.in_execution)
        burl_rt_end(BURL_VERDICT_UNSUPPORTED, 0, 0, 0, name);
    BURL_SYS3(SYS_write, 2, "burl: not supported by the runtime: ", 36);
    BURL_SYS3(SYS_write, 2, name, strlen(name));
    BURL_SYS3(SYS_write, 2, "\n", 1);
    for (;;)
        BURL_SYS1(SYS_exit_group, 3);
}

void
burl_rt_exit_process(int code)
{
    burl_rt_end(code == 0 ? BURL_VERDICT_PASS : BURL_VERDICT_EXIT_NONZERO, code, 0, 0, NULL);
}

void
burl_rt_count(enum burl_wire_counter c)
{
    burl_rt.ctl->result.counters[c]++;
}

void
burl_rt_irreversible(const char *why)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    if (!burl_rt.in_execution || r->irreversible != 0)
        return;
    r->irreversible = 1;
    set_text(r->text, why);
}

/* ---- accounting ---------------------------------------------------------- */

static uint64_t
key_add(uint64_t h, uint64_t x)
{
    return burl_mix64(h ^ x) * 0x9fb21c651e98df25ull;
}

/* Equal keys: the same failure, as far as is known here. Waits are added up, because the schedule
 * decides which thread comes first in a cycle. */
uint64_t
burl__verdict_key(const struct burl_wire_verdict *v)
{
    uint64_t h = key_add(v->kind, (uint32_t)v->code);
    uint64_t sum = 0;

    if (burl_wire_is_misuse(v->kind))
        return burl__misuse_key(v);
    if (v->n_waits == 0) {
        h = key_add(h, ((uint64_t)v->op << 32) | v->site);
        h = key_add(h, ((uint64_t)v->stack[0] << 32) | v->stack[1]);
    }
    if (v->kind == BURL_VERDICT_USE_AFTER_FREE || v->kind == BURL_VERDICT_DOUBLE_FREE)
        h = key_add(h, ((uint64_t)v->origin.site << 32) | v->other_site);
    for (uint32_t i = 0; i < v->n_waits; i++)
        sum += burl_mix64(((uint64_t)v->waits[i].site << 8) | v->waits[i].kind);
    for (const char *p = v->text; *p != '\0'; p++)
        h = key_add(h, (unsigned char)*p);
    return key_add(h, sum);
}

/* Ordinal of the last execution that each failure was counted for. A forked child has a copy of its
 * own, which is enough: it runs one execution. */
static uint64_t counted_in[BURL_WIRE_MAX_FAILURES];

void
burl__verdict_add_failure(const struct burl_wire_verdict *v, uint64_t key)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;
    const uint64_t execution = burl_rt.exec.ordinal;
    struct burl_wire_failure *f;

    for (uint32_t i = 0; i < r->n_failures; i++) {
        if (r->failures[i].key == key) {
            r->failures[i].count += counted_in[i] != execution;
            counted_in[i] = execution;
            return;
        }
    }
    if (r->n_failures >= BURL_WIRE_MAX_FAILURES) {
        burl_rt_count(BURL_COUNTER_VERDICTS_FULL);
        return;
    }
    counted_in[r->n_failures] = execution;
    f = &r->failures[r->n_failures++];
    f->seed = burl_rt.exec.seed;
    f->count = 1;
    f->trace_hash = burl_rt.exec.hash;
    f->key = key;
    f->steps = burl_rt.exec.steps;
    f->verdict = *v;
}

/* ---- signals of the kernel ----------------------------------------------- */

struct kernel_sigaction {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

#define SA_RESTORER_FLAG 0x04000000ul

/* The kernel needs a return path from handlers (rt_sigreturn); ours mostly do not return, the
 * timer's does. libgcc takes these very bytes for the frame of a handler if neither they nor the
 * byte before them have an unwind table. */
void burl__restorer(void) __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        "nop\n"
        ".type burl__restorer, @function\n"
        "burl__restorer:\n"
        "movq $15, %rax\n"
        "syscall\n"
        ".size burl__restorer, . - burl__restorer\n"
        ".popsection");

void
burl__verdict_sigreturn(uintptr_t *start, size_t *n)
{
    *start = (uintptr_t)burl__restorer;
    *n = 9; /* two instructions */
}

static void
set_handler(int sig, void (*handler)(int, siginfo_t *, void *))
{
    struct kernel_sigaction sa = {
        .handler = handler,
        .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART | SA_RESTORER_FLAG,
        .restorer = burl__restorer,
    };

    BURL_SYS4(SYS_rt_sigaction, sig, &sa, 0, 8);
}

static void
set_default(int sig)
{
    struct kernel_sigaction sa = { .flags = SA_RESTORER_FLAG, .restorer = burl__restorer };

    BURL_SYS4(SYS_rt_sigaction, sig, &sa, 0, 8);
}

#define STACK_NEAR_B (64u << 10)

/* The return address on top of the stack, as the call before it; 0: the stack cannot be read. */
static uintptr_t
calling_pc(uintptr_t sp)
{
    uintptr_t caller;

    if (!burl__mem_read(&caller, sp, sizeof caller))
        return 0;
    return caller != 0 ? caller - 1 : 0;
}

/* A signal that was sent has the number of its sender in place of an address. After a general
 * protection or stack-segment fault the kernel does not know the address. */
struct burl_fault
burl__verdict_fault(int sig, const siginfo_t *info, const void *context)
{
    const ucontext_t *uc = context;
    const uintptr_t sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
    struct burl_fault f = { .pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP] };

    if (info->si_code <= 0) {
        const bool has_sender =
            info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE;

        if (has_sender && info->si_pid != (pid_t)BURL_SYS0(SYS_getpid))
            f.text = "a signal from another process";
        else if (sig != SIGABRT)
            f.text = BURL_FAULT_SENT;
        else if (info->si_code != SI_TKILL) /* abort() sends it so */
            f.text = BURL_FAULT_SENT_ABORT;
        return f;
    }
    if (info->si_code == SI_KERNEL && (sig == SIGSEGV || sig == SIGBUS)) {
        f.text = "general protection fault, as by a non-canonical address or a misaligned vector";
        return f;
    }
    f.addr = (uintptr_t)info->si_addr;
    if (sig != SIGSEGV)
        return f;
    if ((f.addr - (sp - STACK_NEAR_B)) < 2 * STACK_NEAR_B && f.addr < sp + 4096) {
        f.text = "stack overflow";
    } else if (f.pc == f.addr) {
        f.pc = calling_pc(sp);
        f.text = BURL_WIRE_TEXT_JUMP;
    }
    return f;
}

static void
on_fault(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    struct burl_fault f;

    if (burl__guard_fault(sig, info, context))
        return;
    if (burl__caller_walks)
        burl_rt.engine->leave(); /* the verdict is there */
    if (!burl_rt.in_execution) {
        set_default(sig); /* the instruction runs again and the process dies as it would have */
        return;
    }
    burl_rt.fault_sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
    f = burl__verdict_fault(sig, info, context);
    if (sig == SIGABRT)
        burl_rt_end(BURL_VERDICT_CRASH_ABORT, sig, 0, f.pc, f.text != NULL ? f.text : "abort");
    burl_rt_end(BURL_VERDICT_CRASH_SIGNAL, sig, f.addr, f.pc, f.text);
}

/* The timer ticks on one kernel thread; with real threads another one may be the current one. The
 * tick is passed on to it, because its registers show whether it is blocked. */
static void
look_for_stall(const ucontext_t *uc)
{
    const struct burl_thread *t = burl_rt.current;

    if (t == NULL || t == burl_self || t->os_tid == 0)
        burl__stall_look(uc);
    else
        BURL_SYS3(SYS_tgkill, BURL_SYS0(SYS_getpid), t->os_tid, TICK_SIGNAL);
}

static void
on_tick(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;

    (void)sig;
    if (!burl_rt.in_execution || burl_rt.ticks_left == 0)
        return;
    if (info->si_code == SI_TKILL) {
        if (burl_self == burl_rt.current) /* the turn may have gone on meanwhile */
            burl__stall_look(uc);
        return;
    }
    if (--burl_rt.ticks_left != 0) {
        look_for_stall(uc);
        return;
    }
    burl_rt.fault_sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
    burl_rt_end(BURL_VERDICT_CUT_TIME, 0, 0, (uintptr_t)uc->uc_mcontext.gregs[REG_RIP], NULL);
}

static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

void
burl__verdict_install_signals(void)
{
    uint64_t none = 0;

    burl__verdict_alt_stack();
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        set_handler(fatal[i], on_fault);
    set_handler(TICK_SIGNAL, on_tick);
    BURL_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, 8);
}

void
burl__verdict_alt_stack(void)
{
    stack_t ss = { .ss_sp = burl__mem_map(ALT_STACK_B), .ss_size = ALT_STACK_B };

    BURL_SYS2(SYS_sigaltstack, &ss, 0);
}

/* A periodic timer whose signal goes to the calling kernel thread. Timers are not inherited by
 * forked children; a fork server never arms one, so each child arms its own. */
void
burl__verdict_arm_timer(uint32_t wall_ms)
{
    static bool armed;
    struct sigevent ev;
    struct itimerspec spec = { .it_interval = { 0, TICK_MS * 1000000l },
                               .it_value = { 0, TICK_MS * 1000000l } };
    int timer;

    burl_rt.ticks_left = wall_ms == 0 ? 0 : wall_ms / TICK_MS + 2;
    if (wall_ms == 0 || armed)
        return;
    memset(&ev, 0, sizeof ev);
    ev.sigev_notify = SIGEV_THREAD_ID;
    ev.sigev_signo = TICK_SIGNAL;
    ev._sigev_un._tid = (int)BURL_SYS0(SYS_gettid);
    if (BURL_SYS3(SYS_timer_create, CLOCK_MONOTONIC, &ev, &timer) == 0) {
        BURL_SYS4(SYS_timer_settime, timer, 0, &spec, 0);
        armed = true;
    }
}
