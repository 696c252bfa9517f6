/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/unseen.c - calls of library functions that depend on more than the hooks see.
 *
 * Runs in the compiler. Call sites are marked (enum burl_wire_hidden) for three reasons; the facts
 * are in wire/libfn.def.
 *
 * Hidden state: the state of rand, strtok or open lies in the C library or the kernel. Two such
 * calls of different threads depend on each other, and nothing in the program shows it. The runtime
 * makes an access of that state (hooks/hooks.c), so that switches happen there, and an exhaustive
 * search tries both orders or claims nothing (rt/search/exhaustive.c). Writing to a stream changes
 * nothing by itself: only a program that also opens, closes or reads files can tell in which order
 * lines were written. UNSAFE are functions that the C library documents as MT-Unsafe
 * (attributes(7)) and whose state is one object: two threads in one of these without a common lock
 * are a data race. rand and random have a lock of their own; what localtime returns is an access of
 * its row. Functions that are unsafe for certain arguments only (tmpnam, mbtowc) or in other
 * libraries only (strsignal, inet_ntoa) are not called unsafe: a miss.
 *
 * Unseen memory: a function whose accesses are not stated touches memory of its caller without a
 * hook. An exhaustive search must not take that silence for a proof if the function is called while
 * there are other threads. exhaustive.c checks the mark when the call is executed, so a function
 * that is only called before the threads start, or after a failure, costs nothing.
 *
 * C library: any function that is declared only, has no accesses and gets a pointer to memory that
 * others may have is unseen unless it IS(SEEN). Most of these calls are of the program's own
 * functions in other files; engine/target/foreign.c distinguishes them.
 *
 * C++ library: the same, whatever the arguments are: everything in namespace std that has no body
 * here is unseen unless it IS(SEEN): functions that keep to memory of their own thread, or do
 * nothing but what the interposed functions they call do (threads, condition variables, new).
 *
 * Outside: random numbers, counters of the processor, numbers of processes, of inodes and of ports,
 * names of temporary files, and files that the kernel makes up (/proc) differ from run to run,
 * whatever the interleaving is. A search of all interleavings has seen some of these values only,
 * and claims nothing. So does a file that is read by a name that is not a constant. Clocks are
 * interposed and have a reason of their own. The contents of other files count as the same in every
 * run, and so do addresses: executions run without address space randomization.
 *
 * Missed: calls through pointers into such a library; engine/target/foreign.c looks at what it
 * imports.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "instr/instr_int.h"

/* Classes whose text is reference counted; the last copy frees it, on any thread. */
static const char *const cxx_exceptions[] = {
    "13runtime_error",       "11logic_error",        "12system_error",
    "12future_error",        "9bad_alloc",           "8bad_cast",
    "12out_of_range",        "12length_error",       "12domain_error",
    "16invalid_argument",    "11range_error",        "14overflow_error",
    "15underflow_error",     "17bad_function_call",  "12bad_weak_ptr",
    "10bad_typeid",          "13bad_exception",      "20bad_array_new_length",
    "16bad_optional_access", "18bad_variant_access",
};

/* Construction from a string of the program's reads that string. */
static bool
is_exception(const char *name)
{
    const char *at = burl_ir_begins(name, "_ZNKSt")  ? name + 6
                     : burl_ir_begins(name, "_ZNSt") ? name + 5
                                                     : NULL;

    for (size_t i = 0; at && i < sizeof cxx_exceptions / sizeof cxx_exceptions[0]; i++) {
        if (burl_ir_begins(at, cxx_exceptions[i]))
            return strstr(at, "basic_string") == NULL;
    }
    return false;
}

/* A vector of pointers is what a gather or a scatter gets. */
static bool
is_pointer(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind ||
        LLVMGetTypeKind(t) == LLVMScalableVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind;
}

bool
burl__instr_shows_memory(struct burl__instr *in, LLVMValueRef call, unsigned first)
{
    for (unsigned i = first; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef v = LLVMGetOperand(call, i);

        if (is_pointer(LLVMTypeOf(v)) && !LLVMIsNull(v) && !LLVMIsAFunction(v) &&
            !burl__instr_is_constant(v) && !burl__instr_is_private(in, v))
            return true;
    }
    return false;
}

/* System calls by number that touch no memory of the program, or are operations themselves. */
static bool
syscall_is_unseen(LLVMValueRef call)
{
    static const long seen[] = { SYS_futex,  SYS_sched_yield, SYS_gettid, SYS_getpid,
                                 SYS_exit,   SYS_exit_group,  SYS_close,  SYS_kill,
                                 SYS_tgkill, SYS_membarrier,  SYS_mmap,   SYS_munmap,
                                 SYS_mremap, SYS_mprotect,    SYS_fork };
    LLVMValueRef nr = LLVMGetNumArgOperands(call) > 0 ? LLVMGetOperand(call, 0) : NULL;

    if (!nr || !LLVMIsAConstantInt(nr))
        return true;
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        if (LLVMConstIntGetSExtValue(nr) == seen[i])
            return false;
    }
    return true;
}

/* System calls by number whose result is the same in every run, or is an operation of its own. */
static bool
syscall_is_outside(LLVMValueRef call)
{
    static const long inside[] = { SYS_futex,     SYS_sched_yield,   SYS_exit,   SYS_exit_group,
                                   SYS_close,     SYS_kill,          SYS_tgkill, SYS_membarrier,
                                   SYS_mmap,      SYS_munmap,        SYS_mremap, SYS_mprotect,
                                   SYS_fork,      SYS_write,         SYS_read,   SYS_madvise,
                                   SYS_nanosleep, SYS_rt_sigprocmask };
    LLVMValueRef nr = LLVMGetNumArgOperands(call) > 0 ? LLVMGetOperand(call, 0) : NULL;

    for (size_t i = 0; nr && LLVMIsAConstantInt(nr) && i < sizeof inside / sizeof *inside; i++) {
        if (LLVMConstIntGetSExtValue(nr) == inside[i])
            return false;
    }
    return true;
}

/* Files that the kernel makes up when they are read. */
static bool
is_made_up(const char *path)
{
    static const char *const made_up[] = { "/proc", "/sys", "/dev/" };
    static const char *const plain[] = { "/dev/null",  "/dev/zero",   "/dev/full",   "/dev/shm/",
                                         "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty" };
    bool is = false;

    for (size_t i = 0; i < sizeof made_up / sizeof *made_up; i++)
        is |= burl_ir_begins(path, made_up[i]);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        is &= !burl_ir_begins(path, plain[i]);
    return is;
}

static bool
only_writes(LLVMValueRef how)
{
    const char *mode;
    size_t n = 0;

    if (LLVMIsAConstantInt(how))
        return (LLVMConstIntGetZExtValue(how) & O_ACCMODE) == O_WRONLY;
    return burl_ir_is_pointer(how) && burl_ir_text(how, &mode, &n) && n > 0 && mode[0] != 'r' &&
           memchr(mode, '+', n) == NULL;
}

/* A name that is not a constant may be any. */
static bool
opens_outside(LLVMValueRef call, const struct burl_libfn *f)
{
    const char *path;
    size_t n = 0;

    if (f->opens == 0 || LLVMGetNumArgOperands(call) < f->opens ||
        LLVMGetNumArgOperands(call) < f->open_how)
        return false;
    if (burl_ir_text(LLVMGetOperand(call, f->opens - 1u), &path, &n))
        return is_made_up(path);
    return f->open_how == 0 || !only_writes(LLVMGetOperand(call, f->open_how - 1u));
}

/* A call whose result, or what is read from what it opens, may differ from run to run. */
static bool
is_outside(LLVMValueRef call, const char *name, const struct burl_libfn *f)
{
    if (strcmp(name, "syscall") == 0)
        return syscall_is_outside(call);
    if (strcmp(name, "sysconf") == 0)
        return !LLVMIsAConstantInt(LLVMGetOperand(call, 0)) ||
               LLVMConstIntGetSExtValue(LLVMGetOperand(call, 0)) == _SC_AVPHYS_PAGES;
    return opens_outside(call, f);
}

/* Does a function without known accesses touch memory that others may have? */
static bool
touches_unseen(struct burl__instr *in, LLVMValueRef call, const char *name)
{
    if (strcmp(name, "syscall") == 0)
        return syscall_is_unseen(call);
    return name[0] != '\0' && burl__instr_shows_memory(in, call, 0);
}

static bool
is_unseen(struct burl__instr *in, LLVMValueRef call, const char *name, const struct burl_libfn *f)
{
    const uint32_t kept = f->state & BURL_HIDDEN_MASK;

    if (f->is & BURL_FN_VA_LIST)
        return true;
    if (f->n_args != 0)
        return burl__instr_lib_is_partial(in, call, f) && burl__instr_shows_memory(in, call, 0);
    if (burl_libfn_is_cxx(name))
        return !(f->is & BURL_FN_SEEN) && !is_exception(name);
    if (kept != 0 && kept != BURL_HIDDEN_FILES)
        return false; /* a doubt already, or no more than that */
    return !(f->is & BURL_FN_SEEN) && touches_unseen(in, call, name);
}

uint8_t
burl__instr_hidden_at(struct burl__instr *in, LLVMValueRef call, const char *name)
{
    const struct burl_libfn f = burl_libfn(name);

    if (is_outside(call, name, &f))
        return BURL_HIDDEN_OUTSIDE;
    if (!is_unseen(in, call, name, &f))
        return f.state;
    return f.state == 0 || f.state == BURL_HIDDEN_FILES ? BURL_HIDDEN_UNSEEN
                                                        : f.state | BURL_HIDDEN_UNSAFE;
}

/* What random or getenv keep is an operation, and the call has no room for a second mark. */
bool
burl__instr_state_is_unseen(struct burl__instr *in, LLVMValueRef call, const char *name)
{
    const struct burl_libfn f = burl_libfn(name);

    return (f.state & BURL_HIDDEN_MASK) >= BURL_HIDDEN_OTHER && f.n_args == 0 &&
           burl__instr_shows_memory(in, call, 0);
}
