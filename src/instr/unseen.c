/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/unseen.c - library functions that touch memory of their caller without a hook.
 *
 * Runs in the compiler. libfn.c has a row for functions whose accesses can be told exactly. What is
 * left touches memory that no hook tells of, and a search of all interleavings must not take its
 * silence for a proof when such a function is called while there are other threads. The call sites
 * are marked; search/exhaustive.c looks at them as they are executed, so a function that is only
 * called before the threads start, or when something has failed already, costs nothing.
 *
 * C library: any function that is declared only, has no row and gets a pointer to memory that
 * others may have, but for a list of those that do nothing unseen with it. Most of these calls are
 * of the program's own functions in other files; engine/target/foreign.c knows which are.
 *
 * C++ library: the same, whatever the arguments are: everything in namespace std that has no body
 * here is taken to be unseen but for a list: functions that keep to
 * their own thread's memory, or do nothing but what the interposed functions they call do (threads,
 * condition variables, operator new).
 *
 * Not seen: calls through pointers into such a library; engine/target/foreign.c looks at what it
 * imports.
 */
#include <ctype.h>
#include <string.h>
#include <sys/syscall.h>

#include "instr/instr_int.h"

/* Interposed, so what they do to memory that matters is an operation; or they only look at constant
 * text, or keep what they get. */
static const char c_seen[] =
    " free realloc reallocarray malloc_usable_size atexit on_exit at_quick_exit exit _exit abort "
    "__assert_fail __assert_perror_fail __assert perror call_once dlsym dlvsym dlopen "
    "_setjmp setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp __longjmp_chk "
    "fputc putc fflush fclose fgetc getc ungetc fseek fseeko ftell ftello rewind feof ferror "
    "clearerr fileno getc_unlocked putc_unlocked _IO_putc _IO_getc flockfile funlockfile "
    "__cxa_guard_acquire __cxa_guard_release __cxa_guard_abort __cxa_throw __cxa_free_exception "
    "__cxa_atexit __cxa_thread_atexit __cxa_begin_catch __cxa_get_exception_ptr "
    "__cxa_init_primary_exception __tls_get_addr __clang_call_terminate "
    "g_mutex_lock g_mutex_trylock g_mutex_unlock ";

/* Beginnings of names, as above. Attributes and the like are of the thread that makes them. */
static const char *const c_seen_families[] = {
    "pthread_", "sem_",    "mtx_",  "cnd_", "thrd_", "tss_",    "sched_",   "__pthread_",
    "_Unwind_", "__burl_", "burl_", "_Zn",  "_Zd",   "__asan_", "__ubsan_", "__tsan_",
};

static const char c_lists[] =
    " vprintf vfprintf vdprintf vsprintf vsnprintf vasprintf vsyslog vscanf vfscanf vsscanf "
    "__isoc99_vscanf __isoc99_vfscanf __isoc99_vsscanf __isoc23_vscanf __isoc23_vfscanf "
    "__isoc23_vsscanf vwprintf vfwprintf vswprintf vwscanf vfwscanf vswscanf __vprintf_chk "
    "__vfprintf_chk __vdprintf_chk __vsprintf_chk __vsnprintf_chk __vasprintf_chk ";

/* Beginnings of names: of its own thread, of what cannot change, or seen by what it calls. */
static const char *const cxx_seen[] = {
    "_ZNSt6thread",                        /* start, join, detach */
    "_ZNSt18condition_variable",           /* pthread_cond_* */
    "_ZNSt28__atomic_futex_unsigned_base", /* futexes of std::future */
    "_ZNSt10_Sp_locker",                   /* mutexes of atomic shared_ptr */
    "_ZNSt13__future_base12_Result_base",  /* of a fresh object, or one nobody else has */
    "_ZNSt13__future_base19_Async_state_commonD",
    "_ZNSt13__future_base11_State_baseD",
    "_ZSt9terminatev",
    "_ZSt18uncaught_exceptionv",
    "_ZSt19uncaught_exceptionsv",
    "_ZSt15future_categoryv",
    "_ZNSt3_V216generic_categoryEv",
    "_ZNSt3_V215system_categoryEv",
    "_ZNSt3_V214error_categoryD",
    "_ZNSt6chrono3_V2", /* clock_gettime */
    "_ZNSt11this_thread11__sleep_for",
    "_ZNKSt9type_info",
    "_ZNSt9type_infoD",
    "_ZNSt9exceptionD",
    "_ZNKSt9exception4whatEv",
};

/* The copy of an exception's text is counted, and the last one frees it, whoever that is. */
static const char *const cxx_exceptions[] = {
    "13runtime_error",       "11logic_error",        "12system_error",
    "12future_error",        "9bad_alloc",           "8bad_cast",
    "12out_of_range",        "12length_error",       "12domain_error",
    "16invalid_argument",    "11range_error",        "14overflow_error",
    "15underflow_error",     "17bad_function_call",  "12bad_weak_ptr",
    "10bad_typeid",          "13bad_exception",      "20bad_array_new_length",
    "16bad_optional_access", "18bad_variant_access",
};

static bool
begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* "_ZSt17__throw_bad_allocv": the digits are the length. */
static bool
is_throw(const char *name)
{
    if (!begins(name, "_ZSt"))
        return false;
    name += 4;
    while (isdigit((unsigned char)*name))
        name++;
    return begins(name, "__throw_");
}

/* Construction from a string of the program's reads that string. */
static bool
is_exception(const char *name)
{
    const char *at = begins(name, "_ZNKSt") ? name + 6 : begins(name, "_ZNSt") ? name + 5 : NULL;

    for (size_t i = 0; at && i < sizeof cxx_exceptions / sizeof cxx_exceptions[0]; i++) {
        if (begins(at, cxx_exceptions[i]))
            return strstr(at, "basic_string") == NULL;
    }
    return false;
}

/* _ZNSt, _ZNKSt, _ZNSs (a string), _ZNSo (an ostream), _ZN9__gnu_cxx. */
static bool
is_of_cxx_library(const char *name)
{
    const char *at;

    if (!begins(name, "_Z"))
        return false;
    if (begins(name, "_ZSt"))
        return true;
    at = name + 2;
    if (*at != 'N')
        return false;
    at++;
    while (*at == 'K' || *at == 'V' || *at == 'R' || *at == 'O')
        at++;
    return (at[0] == 'S' && at[1] != '\0' && strchr("tabsiod", at[1])) || begins(at, "9__gnu_cxx");
}

static bool
cxx_is_unseen(const char *name)
{
    if (is_throw(name) || is_exception(name))
        return false;
    for (size_t i = 0; i < sizeof cxx_seen / sizeof cxx_seen[0]; i++) {
        if (begins(name, cxx_seen[i]))
            return false;
    }
    return true;
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

static bool
c_is_unseen(struct burl__instr *in, LLVMValueRef call, const char *name)
{
    if (name[0] == '\0' || burl__instr_is_word_of(name, c_seen))
        return false;
    if (strcmp(name, "syscall") == 0)
        return syscall_is_unseen(call);
    for (size_t i = 0; i < sizeof c_seen_families / sizeof c_seen_families[0]; i++) {
        if (begins(name, c_seen_families[i]) && strcmp(name, "sem_getvalue") != 0)
            return false;
    }
    return burl__instr_shows_memory(in, call, 0);
}

/* Of what takes a list of arguments it is not known what is in it. */
static bool
is_unseen(struct burl__instr *in, LLVMValueRef call, const char *name)
{
    uint32_t kept;

    if (burl__instr_is_word_of(name, c_lists))
        return true;
    if (burl__instr_lib_has_row(name))
        return burl__instr_lib_is_partial(in, call, name) && burl__instr_shows_memory(in, call, 0);
    if (is_of_cxx_library(name))
        return cxx_is_unseen(name);
    kept = burl__instr_hidden(name) & BURL_HIDDEN_MASK;
    if (kept != 0 && kept != BURL_HIDDEN_FILES)
        return false; /* a doubt already, or no more than that */
    return c_is_unseen(in, call, name);
}

uint8_t
burl__instr_hidden_at(struct burl__instr *in, LLVMValueRef call, const char *name)
{
    const uint8_t code = burl__instr_hidden(name);

    if (!is_unseen(in, call, name))
        return code;
    return code == 0 || code == BURL_HIDDEN_FILES ? BURL_HIDDEN_UNSEEN : code | BURL_HIDDEN_UNSAFE;
}

/* What random or getenv keep is an operation, and the call has no room for a second mark. */
bool
burl__instr_state_is_unseen(struct burl__instr *in, LLVMValueRef call, const char *name)
{
    return (burl__instr_hidden(name) & BURL_HIDDEN_MASK) >= BURL_HIDDEN_OTHER &&
           !burl__instr_lib_has_row(name) && burl__instr_shows_memory(in, call, 0);
}
