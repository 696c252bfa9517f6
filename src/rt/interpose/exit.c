/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit.c - the ways a program ends itself: exit and its handlers, _exit, abort, failed assertions.
 *
 * exit() must not reach libc, which would end the runtime too. With a supervisor we keep the
 * handlers in lists of our own, from the first registration before main on, and run them as libc
 * does: newest first, handlers registered by handlers next, then the destructors of the executable
 * (.fini_array), then stdio is flushed. exit() is a scheduling point, and there is another before
 * the end: other threads may still run while handlers and destructors do, and that is where bugs of
 * this kind lie.
 *
 * Handlers registered before main are there in every execution, later ones in their own only. In
 * a child of fork the lists are handed over to libc.
 *
 * libc's own functions that end the process (err, error, argp) call its exit inside itself. They
 * come back to us by an on_exit handler that we have registered with libc.
 */
#include <assert.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose_int.h"
#include "rt/core/module.h"

enum handler_kind {
    HANDLER_DONE = 0,
    HANDLER_CXA,    /* fn(arg), atexit too */
    HANDLER_ON_EXIT /* fn(code, arg) */
};

struct handler {
    enum handler_kind kind;
    void (*fn)(void);
    void *arg;
    void *dso;
};

struct handlers {
    struct handler *at;
    uint32_t n;
    uint32_t room;
    struct handler *start; /* copy of what was there at the start of main */
    uint32_t n_start;
};

static struct handlers normal;
static struct handlers quick;
static void (**fini_array)(void);
static size_t n_fini;

/* libstdc++'s, when the program has it. */
extern const void *__cxa_current_exception_type(void) __attribute__((weak));

/* ---- lists ------------------------------------------------------------------------------- */

static int
add_handler(struct handlers *h, struct handler add)
{
    burl__state_call(BURL__STATE_HANDLERS);
    if (h->n == h->room) {
        uint32_t room = h->room != 0 ? 2 * h->room : 64;
        struct handler *at = burl_rt_alloc(room * sizeof *at);

        if (h->n != 0)
            memcpy(at, h->at, h->n * sizeof *at);
        h->at = at;
        h->room = room;
    }
    h->at[h->n++] = add;
    return 0;
}

/* Runs what is in the list, newest first, and what is added meanwhile; dso: of one object only. The
 * list is shared, so a second thread in exit(), or a handler that calls exit(), goes on with the
 * rest, as in libc. */
static void
run_handlers(struct handlers *h, const void *dso, int code)
{
    for (uint32_t i = h->n; i > 0;) {
        struct handler now = h->at[--i];
        uint32_t n;

        if (now.kind == HANDLER_DONE || (dso != NULL && now.dso != dso))
            continue;
        h->at[i].kind = HANDLER_DONE;
        while (dso == NULL && h->n > 0 && h->at[h->n - 1].kind == HANDLER_DONE)
            h->n--;
        n = h->n;
        if (now.kind == HANDLER_ON_EXIT)
            ((void (*)(int, void *))now.fn)(code, now.arg);
        else
            ((void (*)(void *))now.fn)(now.arg);
        if (h->n != n) /* more were registered, or another thread took some: begin at the top */
            i = h->n;
    }
}

static void
mark_handlers(struct handlers *h)
{
    h->n_start = h->n;
    if (h->n == 0)
        return;
    h->start = burl_rt_alloc(h->n * sizeof *h->start);
    memcpy(h->start, h->at, h->n * sizeof *h->start);
}

/* Mostly nothing has changed, and then nothing is written: see the Makefile on pages. */
static void
reset_handlers(struct handlers *h)
{
    if (h->n == h->n_start && (h->n == 0 || memcmp(h->at, h->start, h->n * sizeof *h->start) == 0))
        return;
    h->n = h->n_start;
    if (h->n != 0)
        memcpy(h->at, h->start, h->n * sizeof *h->start);
}

BURL_INTERPOSE_SUPERVISED(int __cxa_atexit(void (*fn)(void *), void *arg, void *dso),
                          BURL_REAL(__cxa_atexit)(fn, arg, dso),
                          add_handler(&normal, (struct handler){ HANDLER_CXA, (void (*)(void))fn,
                                                                 arg, dso }))
BURL_INTERPOSE_SUPERVISED(int on_exit(void (*fn)(int, void *), void *arg),
                          BURL_REAL(on_exit)(fn, arg),
                          add_handler(&normal, (struct handler){ HANDLER_ON_EXIT,
                                                                 (void (*)(void))fn, arg, NULL }))
BURL_INTERPOSE_SUPERVISED(int __cxa_at_quick_exit(void (*fn)(void *), void *dso),
                          BURL_REAL(__cxa_at_quick_exit)(fn, dso),
                          add_handler(&quick, (struct handler){ HANDLER_CXA, (void (*)(void))fn,
                                                                NULL, dso }))

/* dlclose, and the executable's own destructors: the handlers of one object. */
BURL_DEFINE(void __cxa_finalize(void *dso))
{
    if (burl_rt_supervised)
        run_handlers(&normal, dso, 0);
    else
        BURL_REAL(__cxa_finalize)(dso);
    if (dso != NULL)
        burl__module_unload((uintptr_t)dso);
}

/* ---- exit -------------------------------------------------------------------------------- */

static void
run_fini_array(void)
{
    for (size_t i = n_fini; i > 0; i--)
        fini_array[i - 1]();
}

void
burl_process_exit(struct burl_thread *t, int code)
{
    uint32_t site = t->call_site; /* the handlers make calls of their own */

    if (burl_self == NULL) { /* a child of fork returns from main: an ordinary process by now */
        BURL_REAL(exit)(code);
        __builtin_unreachable();
    }
    code &= 0xff;
    t->inside = 1;
    burl__point(t, BURL_OP_EXIT_PROCESS, NULL, (uint64_t)code);
    t->exiting = true; /* no cancellation any more */
    burl__keys_run_tls_dtors(t);
    t->inside = 0;
    t->user_sp = 0;
    run_handlers(&normal, NULL, code);
    run_fini_array();
    t->inside = 1;
    t->call_site = site;
    burl__point(t, BURL_OP_EXIT_PROCESS, NULL, (uint64_t)code);
    (void)fflush(NULL);
    burl_rt_exit_process(code);
}

static BURL_NORETURN void
exit_now(struct burl_thread *t, int code)
{
    t->inside = 1;
    burl__point(t, BURL_OP_EXIT_PROCESS, NULL, (uint64_t)(code & 0xff));
    burl_rt_exit_process(code & 0xff);
}

static BURL_NORETURN void
exit_quickly(struct burl_thread *t, int code)
{
    t->inside = 1;
    burl__point(t, BURL_OP_EXIT_PROCESS, NULL, (uint64_t)(code & 0xff));
    t->inside = 0;
    run_handlers(&quick, NULL, code & 0xff);
    t->inside = 1;
    burl_rt_exit_process(code & 0xff);
}

#define EXIT_FUNCTION(name, controlled)                                                         \
    BURL_INTERPOSE_NORETURN(void name(int code), (burl_free_exit(code), BURL_REAL(name)(code)), \
                            controlled(burl_self, code))
EXIT_FUNCTION(exit, burl_process_exit)
EXIT_FUNCTION(_exit, exit_now)
EXIT_FUNCTION(quick_exit, exit_quickly)
BURL_EXPORT void _Exit(int code) __attribute__((alias("_exit")));

/* libc's exit was reached from inside libc: err(), error(), argp and the like. */
static void
catch_libc_exit(int code, void *arg)
{
    struct burl_thread *t = burl_self;

    (void)arg;
    if (t != NULL && burl_rt_supervised)
        burl_process_exit(t, code);
}

/* ---- abort and assertions ---------------------------------------------------------------- */

struct text {
    char s[BURL_WIRE_TEXT_B];
    size_t n;
};

static void
text_append(struct text *x, const char *s)
{
    size_t n = s != NULL ? strlen(s) : 0;

    if (n > sizeof x->s - 1 - x->n)
        n = sizeof x->s - 1 - x->n;
    memcpy(x->s + x->n, s != NULL ? s : "", n);
    x->n += n;
    x->s[x->n] = '\0';
}

/* v in decimal, in `digits`. */
static const char *
to_decimal(unsigned long v, char digits[24])
{
    char *at = digits + 23;

    *at = '\0';
    do {
        *--at = (char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    return at;
}

BURL_EXPORT void
abort(void)
{
    struct text x = { .n = 0 };
    const void *type;

    if (burl_self == NULL) {
        BURL_REAL(abort)();
        __builtin_unreachable();
    }
    burl_self->inside = 1; /* as for assertions: the call is the place */
    text_append(&x, "abort() called");
    type = __cxa_current_exception_type != NULL ? __cxa_current_exception_type() : NULL;
    if (type != NULL) {
        /* A std::type_info: a virtual table, then the mangled name. */
        text_append(&x, " while an exception of type ");
        text_append(&x, ((const char *const *)type)[1]);
        text_append(&x, " was being handled or was not caught");
    }
    burl_rt_end(BURL_VERDICT_CRASH_ABORT, SIGABRT, 0, 0, x.s);
}

static size_t
length_of(const char *s)
{
    return s != NULL ? strlen(s) : 0;
}

/* The first `max` bytes. */
static void
text_append_n(struct text *x, const char *s, size_t max)
{
    char part[BURL_WIRE_TEXT_B];
    const size_t n = length_of(s) < max ? length_of(s) : max;

    if (n == 0 || n >= sizeof part)
        return;
    memcpy(part, s, n);
    part[n] = '\0';
    text_append(x, part);
}

#define CUT "..."

/* "file:line: function: Assertion `expr' failed". Reports need file, line and condition: what does
 * not fit is left out of the function first, then of the condition's end and the path's head. */
static void
assertion_text(struct text *x, const char *file, const char *line, const char *function,
               const char *what, const char *expr, const char *tail)
{
    size_t room = sizeof x->s - sizeof ":: " - strlen(line) - strlen(what) - strlen(tail);
    size_t n_expr = length_of(expr);
    size_t n_file = length_of(file);
    bool cut = false;

    if (n_file + n_expr > room) {
        const size_t most = n_file < room / 2 ? room - n_file : room - room / 2;

        cut = n_expr > most;
        n_expr = cut ? most - strlen(CUT) : n_expr;
        room -= cut ? strlen(CUT) : 0;
        n_file = n_file < room - n_expr ? n_file : room - n_expr;
    }
    room -= n_expr + n_file;
    text_append(x, n_file > 0 ? file + (length_of(file) - n_file) : NULL);
    text_append(x, ":");
    text_append(x, line);
    text_append(x, ": ");
    if (room > strlen(": ")) {
        text_append_n(x, function, room - strlen(": "));
        text_append(x, function != NULL ? ": " : NULL);
    }
    text_append(x, what);
    text_append_n(x, expr, n_expr);
    text_append(x, cut ? CUT : NULL);
    text_append(x, tail);
}

/* Does not come back when the thread is controlled. */
static void
assertion_failed(const char *file, unsigned int line, const char *function, const char *what,
                 const char *expr, const char *tail)
{
    struct text x = { .n = 0 };
    char digits[24];

    assertion_text(&x, file, to_decimal(line, digits), function, what, expr, tail);
    if (burl_self == NULL) {
        burl_free_abort(x.s);
        return;
    }
    burl_self->inside = 1; /* the place of the failure is the call, not the last access before it */
    burl_rt_end(BURL_VERDICT_CRASH_ABORT, SIGABRT, 0, 0, x.s);
}

#define ASSERT_FUNCTION(prototype, failed, original) \
    BURL_DEFINE(prototype)                           \
    {                                                \
        failed;                                      \
        original;                                    \
        __builtin_unreachable();                     \
    }

ASSERT_FUNCTION(void __assert_fail(const char *expr, const char *file, unsigned int line,
                                   const char *function),
                assertion_failed(file, line, function, "Assertion `", expr, "' failed"),
                BURL_REAL(__assert_fail)(expr, file, line, function))
ASSERT_FUNCTION(void __assert(const char *expr, const char *file, int line),
                assertion_failed(file, (unsigned int)line, NULL, "Assertion `", expr, "' failed"),
                BURL_REAL(__assert)(expr, file, line))
ASSERT_FUNCTION(void __assert_perror_fail(int error, const char *file, unsigned int line,
                                          const char *function),
                assertion_failed(file, line, function, "Unexpected error: errno ",
                                 to_decimal((unsigned long)error, (char[24]){ 0 }), ""),
                BURL_REAL(__assert_perror_fail)(error, file, line, function))

#define SMASHED "stack smashing detected"
BURL_INTERPOSE_NORETURN(void __stack_chk_fail(void),
                        (burl_free_abort(SMASHED), BURL_REAL(__stack_chk_fail)()),
                        burl_rt_end(BURL_VERDICT_CRASH_ABORT, SIGABRT, 0, 0, SMASHED))

/* ---- life -------------------------------------------------------------------------------- */

/* The executable comes first; its dynamic section tells where its destructors are. */
static int
find_fini_array(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Dyn) * d;

        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        for (d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); d->d_tag != DT_NULL;
             d++) {
            if (d->d_tag == DT_FINI_ARRAY)
                fini_array = (void (**)(void))(info->dlpi_addr + d->d_un.d_ptr);
            else if (d->d_tag == DT_FINI_ARRAYSZ)
                n_fini = d->d_un.d_val / sizeof fini_array[0];
        }
    }
    return 1;
}

void
burl__exit_mark_start(void)
{
    mark_handlers(&normal);
    mark_handlers(&quick);
    (void)dl_iterate_phdr(find_fini_array, NULL);
    (void)BURL_REAL(on_exit)(catch_libc_exit, NULL);
}

void
burl__exit_reset(void)
{
    reset_handlers(&normal);
    reset_handlers(&quick);
}

void
burl__exit_child(void)
{
    for (uint32_t i = 0; i < normal.n; i++) {
        const struct handler *h = &normal.at[i];

        if (h->kind == HANDLER_CXA)
            (void)BURL_REAL(__cxa_atexit)((void (*)(void *))h->fn, h->arg, h->dso);
        else if (h->kind == HANDLER_ON_EXIT)
            (void)BURL_REAL(on_exit)((void (*)(int, void *))h->fn, h->arg);
    }
    for (uint32_t i = 0; i < quick.n; i++) {
        if (quick.at[i].kind != HANDLER_DONE)
            (void)BURL_REAL(__cxa_at_quick_exit)((void (*)(void *))quick.at[i].fn, quick.at[i].dso);
    }
    normal.n = 0;
    quick.n = 0;
}
