/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.c - the place of a crash, by the instruction that failed.
 *
 * Runs in the host. The verdict's site is the last operation with a hook, and its stack has
 * instrumented functions only; the failing instruction may be behind the one and outside the
 * other. The program counter says where it is: the line, by the debug information, and the function
 * of a library, by its symbols. Without these the site stays what is shown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/code.h"
#include "base/demangle.h"
#include "base/mem.h"
#include "base/path.h"
#include "report/build/build_int.h"

#define RUNTIME "libburl_rt.so"

static struct burl_finding_thread *
failed_thread(struct burl_finding *f)
{
    for (size_t i = 0; i < f->n_threads; i++) {
        if (f->threads[i].state == BURL_FINDING_THREAD_FAILED)
            return &f->threads[i];
    }
    return NULL;
}

/* Is the instruction in the innermost function of the stack, or in one that was inlined into a
 * function of the stack? */
static bool
is_in_stack(const struct burl_finding_stack *s, const struct burl_code *code)
{
    if (s->n == 0)
        return false;
    for (size_t i = 0; i < s->n; i++) {
        if (strcmp(s->frames[i].loc.func, code->function) == 0)
            return true;
    }
    return code->line != 0 &&
           strcmp(burl_path_basename(s->frames[0].loc.file), burl_path_basename(code->file)) == 0;
}

/* The last operation may be in a function that has returned since, or that calls the one that
 * failed: the frames up to the function that failed are not live. */
static void
drop_frames(struct burl_finding_stack *s, const char *func)
{
    size_t n = 0;

    while (n < s->n && strcmp(s->frames[n].loc.func, func) != 0)
        n++;
    if (n == s->n)
        return;
    s->frames += n;
    s->n -= n;
    s->left_at -= s->left_at > n ? n : s->left_at;
}

/* Its line, in a place that has the function already. */
static void
set_line(struct burl_finding *f, const struct burl_sites *sites, struct burl_finding_loc *loc,
         const struct burl_code *code)
{
    struct burl_site_info place = *burl_sites_get(sites, loc->site);

    if (strcmp(burl_path_basename(loc->file), burl_path_basename(code->file)) != 0) {
        loc->file = burl__report_file(f->pool, code->file);
        place.file = code->file;
    }
    loc->line = code->line;
    loc->column = code->column;
    place.line = code->line;
    loc->source = burl__report_source(f->pool, sites, &place);
}

/* A call through a pointer names the expression, not the function. */
static bool
is_function_name(const char *name)
{
    return name[0] != '\0' && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_:~") == strlen(name);
}

static const char *
demangled(struct burl_finding *f, const char *symbol)
{
    char *name = burl_demangle(symbol);
    const char *kept = burl__report_str(f->pool, name);

    free(name);
    return kept;
}

/* A frame before all others. `callee`: what a library function without a symbol was called as. */
static void
add_frame(struct burl_finding *f, const struct burl_sites *sites, struct burl_finding_stack *s,
          const struct burl_code *code, bool own, const char *callee)
{
    struct burl_finding_frame *frames = burl__report_alloc(f->pool, s->n + 1, sizeof *s->frames);
    struct burl_finding_loc *loc = &frames[0].loc;

    if (s->n > 0)
        memcpy(frames + 1, s->frames, s->n * sizeof *frames);
    *loc = burl__report_loc(f->pool, sites, 0);
    if (code->line != 0)
        set_line(f, sites, loc, code);
    if (code->function[0] == '\0' && is_function_name(callee))
        loc->func = burl__report_fmt(f->pool, "%s (%s+0x%llx)", demangled(f, callee), code->object,
                                     (unsigned long long)code->offset);
    else if (code->function[0] == '\0')
        loc->func =
            burl__report_fmt(f->pool, "%s+0x%llx", code->object, (unsigned long long)code->offset);
    else if (own)
        loc->func = demangled(f, code->function);
    else
        loc->func =
            burl__report_fmt(f->pool, "%s (%s)", demangled(f, code->function), code->object);
    frames[0].exact = code->line != 0;
    frames[0].system = !own;
    frames[0].failed = true;
    s->frames = frames;
    s->n++;
    s->left_at += s->left_out > 0;
}

static void
place_own(struct burl_finding *f, const struct burl_sites *sites, struct burl_finding_stack *s,
          const struct burl_code *code)
{
    struct burl_finding_frame *inner = s->n > 0 ? &s->frames[0] : NULL;

    if (!is_in_stack(s, code)) {
        if (code->line == 0 && code->function[0] == '\0')
            return;
        add_frame(f, sites, s, code, true, "");
        f->unhooked = true;
    } else if (code->line == 0 || (inner->exact && inner->loc.line == code->line)) {
        return; /* the site is the place, and knows more */
    } else {
        drop_frames(s, code->function);
        inner = &s->frames[0];
        set_line(f, sites, &inner->loc, code);
        inner->exact = true;
        inner->after = 0;
        f->unhooked = true;
    }
    if (s->frames[0].loc.line != 0 && !s->frames[0].system)
        f->where = s->frames[0].loc;
}

/* The innermost code of the program when it failed in a library. */
static bool
place_call(struct burl_finding *f, const struct burl_sites *sites, struct burl_finding_stack *s,
           uint64_t pc)
{
    struct burl_code code;
    const char *path;
    uint64_t addr;
    bool own;
    bool known;

    if (pc == 0 || !burl_sites_code(sites, pc, &path, &addr, &own) || !own)
        return false;
    burl_code_look(&code, path, addr);
    known = code.line != 0;
    if (known)
        place_own(f, sites, s, &code);
    burl_code_deinit(&code);
    return known;
}

/* The user's function that the code is of; of one that was inlined, which has no symbol, the
 * innermost of that file. */
static struct burl_finding_frame *
find_user_frame(const struct burl_finding_stack *s, const struct burl_code *code)
{
    struct burl_finding_frame *inlined = NULL;

    for (size_t i = 0; i < s->n; i++) {
        struct burl_finding_frame *frame = &s->frames[i];

        if (frame->system)
            continue;
        if (strcmp(frame->loc.func, code->function) == 0)
            return frame;
        if (inlined == NULL &&
            strcmp(burl_path_basename(frame->loc.file), burl_path_basename(code->file)) == 0)
            inlined = frame;
    }
    return inlined;
}

static void
place_user(struct burl_finding *f, const struct burl_sites *sites, struct burl_finding_stack *s,
           const struct burl_code *code)
{
    struct burl_finding_frame *frame = find_user_frame(s, code);

    if (frame == NULL)
        return;
    set_line(f, sites, &frame->loc, code);
    frame->exact = true;
    frame->after = 0;
    f->where = frame->loc;
}

/* A template or inline function of a library that is compiled with the program is not the user's
 * place: that is the call of it, in a frame behind. */
static void
place_callers(struct burl_finding *f, const struct burl_sites *sites, struct burl_finding_stack *s,
              const struct burl_wire_origin *origin)
{
    uint64_t pc[BURL_WIRE_MAX_CALLERS];
    bool found = s->n == 0 || !s->frames[0].system;

    burl_wire_callers(origin, pc);
    for (size_t i = 1; i < BURL_WIRE_MAX_CALLERS && pc[i] != 0 && !found; i++) {
        struct burl_code code;
        const char *path;
        uint64_t addr;
        bool own;

        if (!burl_sites_code(sites, pc[i], &path, &addr, &own) || !own)
            continue;
        burl_code_look(&code, path, addr);
        found =
            code.line != 0 && !burl_site_is_system(&(struct burl_site_info){ .file = code.file });
        if (found)
            place_user(f, sites, s, &code);
        burl_code_deinit(&code);
    }
}

/* Compilers join calls of several places into one that has no line: the hook before it knows. */
static void
use_call_site(struct burl_code *code, const struct burl_site_info *call)
{
    if (!code->guessed || call->id == 0 || call->line == 0 ||
        strcmp(call->func, code->function) != 0)
        return;
    free(code->file);
    code->file = burl_xstrdup(call->file);
    code->line = call->line;
    code->column = call->column;
}

static bool
is_function_of(const struct burl_sites *sites, const struct burl_site_info *site, const char *func)
{
    char *name = burl__report_func_name(sites, site);
    const bool same = strcmp(name, func) == 0;

    free(name);
    return same;
}

/* In a library: the user's place is the call of it, when the innermost function made one. `placed`:
 * that is known already. */
static void
place_library(struct burl_finding *f, const struct burl_sites *sites, struct burl_finding_stack *s,
              const struct burl_code *code, bool placed, uint32_t call)
{
    const struct burl_site_info *site = burl_sites_get(sites, call);
    const bool called = s->n > 0 && site->id != 0 &&
                        is_function_of(sites, site, s->frames[0].loc.func) &&
                        (!placed || site->line == s->frames[0].loc.line);

    if (called && !placed && (!s->frames[0].exact || s->frames[0].loc.line != site->line)) {
        s->frames[0].loc = burl__report_loc(f->pool, sites, call);
        s->frames[0].exact = true;
        s->frames[0].after = 0;
        f->unhooked = true;
        if (!s->frames[0].system)
            f->where = s->frames[0].loc;
    }
    add_frame(f, sites, s, code, false, called ? site->variable : "");
}

/* The place is known by a site, f->where. */
static void
place_end(const struct burl_finding *f, struct burl_finding_stack *s)
{
    drop_frames(s, f->where.func);
    if (s->n == 0 || strcmp(s->frames[0].loc.func, f->where.func) != 0)
        return;
    s->frames[0].loc = f->where;
    s->frames[0].exact = true;
    s->frames[0].after = 0;
}

void
burl__report_fault(struct burl_finding *f, const struct burl_wire_verdict *v,
                   const struct burl_sites *sites)
{
    struct burl_finding_thread *t = failed_thread(f);
    struct burl_code code;
    const char *path;
    uint64_t addr;
    bool own;
    bool placed;

    if ((v->kind != BURL_VERDICT_CRASH_SIGNAL && v->kind != BURL_VERDICT_CRASH_ABORT) || t == NULL)
        return;
    if (burl__report_lacks_return(v, sites)) {
        place_end(f, &t->stack);
        return;
    }
    placed = place_call(f, sites, &t->stack, v->origin.addr);
    if (placed)
        place_callers(f, sites, &t->stack, &v->origin);
    if (v->pc == 0 || !burl_sites_code(sites, v->pc, &path, &addr, &own))
        return;
    burl_code_look(&code, path, addr);
    if (own && strcmp(v->text, BURL_WIRE_TEXT_JUMP) == 0)
        use_call_site(&code, burl_sites_get(sites, v->other_site));
    if (own)
        place_own(f, sites, &t->stack, &code);
    else if (strcmp(code.object, RUNTIME) != 0) /* which accesses memory for the program */
        place_library(f, sites, &t->stack, &code, placed, v->other_site);
    burl_code_deinit(&code);
}
