/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/unseen.c - library functions that touch memory of their caller without a hook.
 *
 * Runs in the compiler. libfn.c has a row for functions whose accesses can be told exactly. What is
 * left touches memory that no hook tells of, and a search of all interleavings must not take its
 * silence for a proof when such a function is called while there are other threads. The call sites
 * are marked; s_exhaustive.c looks at them as they are executed, so a function that is only called
 * before the threads start, or when something has failed already, costs nothing.
 *
 * C library: a list of those that do. Nothing else in it touches memory that threads would share,
 * or it synchronises and is interposed. A pointer to memory that is surely the thread's own, or
 * constant, is no doubt.
 *
 * C++ library: the other way round, since half of it is strings, streams and locales. Everything in
 * namespace std that has no body here is taken to be unseen but for a list: functions that keep to
 * their own thread's memory, or do nothing but what the interposed functions they call do (threads,
 * condition variables, operator new). Explicit instantiations of the program's own, in another
 * file, look the same and are called unseen as well: proofs are lost, never made.
 *
 * Not seen: calls through pointers into such a library; engine/foreign.c looks at what it imports.
 */
#include <ctype.h>
#include <string.h>

#include "instr/instr_int.h"

static const char c_functions[] =
    " strtok strtok_r strsep sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf __isoc23_sscanf "
    "__isoc23_vsscanf bsearch lfind lsearch tsearch tfind tdelete twalk memccpy memrchr memmem "
    "rawmemchr strpbrk strchrnul strcasestr strverscmp strcoll strxfrm strtol strtoul strtoll "
    "strtoull strtod strtof strtold strtoimax strtoumax __isoc23_strtol __isoc23_strtoul "
    "__isoc23_strtoll __isoc23_strtoull atoi atol atoll atof wcslen wcscpy wcsncpy wcscat wcscmp "
    "wcsncmp wcschr wcsrchr wcsstr wmemcpy wmemmove wmemset wmemcmp wmemchr mbstowcs wcstombs "
    "mbsrtowcs wcsrtombs mbrtowc wcrtomb swab strftime mktime timegm localtime_r "
    "gmtime_r asctime_r ctime_r inet_pton inet_ntop inet_addr inet_aton regcomp "
    "regexec regfree fnmatch glob globfree getline getdelim qsort_r random_r srandom_r initstate "
    "initstate_r erand48 nrand48 jrand48 erand48_r drand48_r lrand48_r frexp frexpf modf modff "
    "sincos sincosf remquo lgamma_r asprintf vasprintf vprintf vfprintf vdprintf vsprintf "
    "vsnprintf __vprintf_chk __vfprintf_chk __vsnprintf_chk __vsprintf_chk __asprintf_chk "
    "__vasprintf_chk insque remque obstack_free argz_add envz_add putenv setvbuf setbuf "
    "fmemopen open_memstream sem_getvalue pthread_getname_np getcwd realpath strerror_r "
    "gethostname getrusage uname sysinfo getrandom getentropy ";

/* With a format: what %s stands for is read. */
static const char c_formats[] =
    " printf fprintf dprintf sprintf snprintf __printf_chk __fprintf_chk __dprintf_chk "
    "__sprintf_chk __snprintf_chk syslog ";

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
    if (!is_of_cxx_library(name) || is_throw(name) || is_exception(name))
        return false;
    for (size_t i = 0; i < sizeof cxx_seen / sizeof cxx_seen[0]; i++) {
        if (begins(name, cxx_seen[i]))
            return false;
    }
    return true;
}

/* Is there an argument from `first` on that points to memory others may have? */
static bool
shows_memory(struct burl__instr *in, LLVMValueRef call, unsigned first)
{
    for (unsigned i = first; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef v = LLVMGetOperand(call, i);

        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && !LLVMIsNull(v) &&
            !LLVMIsAFunction(v) && !burl__instr_is_constant(v) && !burl__instr_is_private(in, v))
            return true;
    }
    return false;
}

static bool
is_text(LLVMValueRef v, const char **text, size_t *n)
{
    LLVMValueRef init = LLVMIsAGlobalVariable(v) ? LLVMGetInitializer(v) : NULL;

    if (!init || !LLVMIsGlobalConstant(v) || !LLVMIsAConstantDataSequential(init) ||
        !LLVMIsConstantString(init))
        return false;
    *text = LLVMGetAsString(init, n);
    return true;
}

static bool
reads_through_pointers(const char *format, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        if (format[i] != '%')
            continue;
        i++;
        while (i < n && format[i] != '\0' && strchr("0123456789-+ #'*.$hlqjztLI", format[i]))
            i++;
        if (i < n && format[i] != '\0' && strchr("sSn", format[i]))
            return true;
    }
    return false;
}

/* The format is the first constant text among the arguments, whatever stands before it. */
static bool
format_is_unseen(struct burl__instr *in, LLVMValueRef call)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        const char *text;
        size_t n;

        if (is_text(LLVMGetOperand(call, i), &text, &n))
            return reads_through_pointers(text, n) && shows_memory(in, call, i + 1);
    }
    return true;
}

static bool
is_unseen(struct burl__instr *in, LLVMValueRef call, const char *name)
{
    if (burl__instr_is_word_of(name, c_formats))
        return format_is_unseen(in, call);
    if (burl__instr_is_word_of(name, c_functions))
        return shows_memory(in, call, 0);
    return cxx_is_unseen(name) && !burl__instr_lib_has_row(name);
}

uint8_t
burl__instr_hidden_at(struct burl__instr *in, LLVMValueRef call, const char *name)
{
    const uint8_t code = burl__instr_hidden(name);

    if (!is_unseen(in, call, name))
        return code;
    return code == 0 || code == BURL_HIDDEN_FILES ? BURL_HIDDEN_UNSEEN : code | BURL_HIDDEN_UNSAFE;
}
