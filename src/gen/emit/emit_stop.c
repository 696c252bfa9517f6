/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit_stop.c - seeds that are stopped at a call, in an emitted test.
 *
 * The test includes the source of the seed, with its main() and the functions of the API renamed:
 * by macros, or by their symbols where a tag or member has the name of the function.
 * Each function of the API that the seed uses has a small function in its place that counts the
 * calls, keeps what the test needs, and leaves the seed at the call where it is to stop. A seed
 * runs on a stack of its own (POSIX contexts), which stays.
 *
 * Names that are written before the seed's source begin with burl_. The test's own names come after
 * it: those that the seed has as well are renamed.
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "gen/emit/emit_int.h"

#define MAX_SOURCE_B (16u << 20)
#define STACK_KB 512

/* ---- sources ------------------------------------------------------------------------ */

/* The text of a source; NULL: it cannot be read any more. Owned by the caller. */
static char *
read_source(const char *path)
{
    struct burl_err err;
    char *text = NULL;
    size_t n;

    if (burl_fs_read_file(path, MAX_SOURCE_B, &text, &n, &err) != BURL_OK)
        return NULL;
    return text;
}

/* The end of the comment, string or character constant that begins at p; p: none does. */
static const char *
skip_quoted(const char *p)
{
    const char *end;

    if (p[0] == '/' && p[1] == '*') {
        end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] != '"' && p[0] != '\'')
        return p;
    for (end = p + 1; *end && *end != *p && *end != '\n'; end++)
        end += end[0] == '\\' && end[1] != '\0';
    return *end ? end + 1 : end;
}

static bool
is_word(int c)
{
    return isalnum(c) || c == '_';
}

enum where {
    ANYWHERE,
    OUTSIDE, /* of functions and parameter lists, or in a directive */
    AS_OTHER /* as a tag or member, which have name spaces of their own */
};

/* Does a tag or a member follow the word or character at `last`? */
static bool
is_before_other(const char *last, size_t len)
{
    static const char *const tagged[] = { "struct", "union", "enum", ".", "->" };

    for (size_t i = 0; i < sizeof tagged / sizeof *tagged; i++) {
        if (strlen(tagged[i]) == len && strncmp(last, tagged[i], len) == 0)
            return true;
    }
    return false;
}

/* Does the name stand in the C text? */
static bool
has_word(const char *text, const char *name, enum where where)
{
    const size_t n = strlen(name);
    bool in_directive = false;
    bool is_other = false;
    int depth = 0;

    for (const char *p = text; *p;) {
        const char *after = skip_quoted(p);
        size_t len = 0;

        if (after > p) {
            p = after;
            continue;
        }
        while (is_word((unsigned char)p[len]))
            len++;
        if (len == n && strncmp(p, name, n) == 0 &&
            (where == ANYWHERE || (where == OUTSIDE && (depth == 0 || in_directive)) ||
             (where == AS_OTHER && is_other)))
            return true;
        if (strncmp(p, "->", 2) == 0)
            len = 2;
        if (!isspace((unsigned char)*p))
            is_other = is_before_other(p, len > 0 ? len : 1);
        depth += (*p == '{' || *p == '(') && !in_directive;
        depth -= (*p == '}' || *p == ')') && !in_directive && depth > 0;
        if (*p == '#')
            in_directive = true;
        else if (*p == '\n' && (p == text || p[-1] != '\\'))
            in_directive = false;
        p += len > 0 ? len : 1;
    }
    return false;
}

/* The sources that the test includes, in order: parts of seeds that call the API, then seeds. */
static const char *
included(const struct burl__gen_emitter *em, size_t i)
{
    const struct burl_gen_exec *x = em->e->exec;
    const char *part;
    bool calls;
    size_t k;

    for (k = 0; (part = burl_gen_exec_part(x, k, &calls)) != NULL; k++) {
        if (calls && i-- == 0)
            return part;
    }
    for (size_t seed = 0; seed < burl_gen_exec_n_seeds(x); seed++) {
        bool used = false;

        for (k = 0; k < em->t->stops.n; k++)
            used |= em->t->stops.v[k].seed == (int)seed;
        if (used && i-- == 0)
            return burl_gen_exec_seed_source(x, seed);
    }
    return NULL;
}

static bool
is_included_word(const struct burl__gen_emitter *em, const char *name, enum where where)
{
    const char *source;
    bool found = false;

    for (size_t i = 0; !found && (source = included(em, i)) != NULL; i++) {
        char *text = read_source(source);

        found = text != NULL && has_word(text, name, where);
        free(text);
    }
    return found;
}

/* ---- what is kept ------------------------------------------------------------------- */

/* Some call of the test has parameter `param` from the stop. */
static bool
is_arg_used(const struct burl__gen_emitter *em, size_t stop, size_t param)
{
    for (size_t i = 0; i < em->calls.n; i++) {
        const struct burl_gen_call *c = em->calls.v[i].c;

        if (param < c->args.n && c->args.v[param].kind == BURL_GEN_ARG_STOPPED &&
            c->args.v[param].i == (int64_t)stop)
            return true;
    }
    return false;
}

static bool
is_array(const struct burl_gen_param *p)
{
    return strchr(p->ctype, '[') != NULL;
}

/* "struct bag *": the type of the variable of a kept object. */
static struct burl_gen_name
kept_ctype(const struct burl__gen_emitter *em, const struct burl_gen_kept *k)
{
    const int type = burl_gen_test_slot_type(em->t, em->m, k->slot);
    struct burl_gen_name name;

    snprintf(name.s, sizeof name.s, "%s%s", type >= 0 ? em->m->types.v[type].name : "void",
             type >= 0 && em->m->types.v[type].is_pointer ? "" : " *");
    return name;
}

struct burl_gen_name
burl__gen_emit_kept_ctype(const struct burl__gen_emitter *em, int slot)
{
    const struct burl_gen_kept *k = burl_gen_test_kept(em->t, slot);

    return k != NULL ? kept_ctype(em, k) : (struct burl_gen_name){ "" };
}

static void
write_structs(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    for (size_t i = 0; i < em->t->stops.n; i++) {
        const struct burl_gen_stopped *s = &em->t->stops.v[i];
        const struct burl_gen_fn *f = &em->m->fns.v[s->fn];

        burl_buf_printf(out, "/* %s, stopped at its call %u, of %s(). */\nstatic struct {\n",
                        burl_gen_exec_seed_source(em->e->exec, (size_t)s->seed), s->nth + 1,
                        f->name);
        for (size_t k = 0; k < f->params.n; k++) {
            char name[24];

            if (!is_arg_used(em, i, k))
                continue;
            snprintf(name, sizeof name, "a%zu", k);
            burl_buf_str_append(out, "    ");
            burl_gen_declare(out, is_array(&f->params.v[k]) ? "void *" : f->params.v[k].ctype,
                             name);
            burl_buf_printf(out, "; /* its argument%s%s */\n", f->params.v[k].name[0] ? " " : "",
                            f->params.v[k].name);
        }
        for (size_t k = 0; k < s->kept.n; k++)
            burl_buf_printf(out, "    %so%zu; /* of its call %u, of %s() */\n",
                            kept_ctype(em, &s->kept.v[k]).s, k + 1, s->kept.v[k].nth + 1,
                            em->m->fns.v[s->kept.v[k].fn].name);
        burl_buf_str_append(out, "    int reached;\n");
        burl_buf_printf(out, "} burl_stopped_%zu;\n\n", i + 1);
    }
}

/* ---- functions in the place of the API's -------------------------------------------- */

/* How the seeds' uses of a function become uses of the one in its place. */
enum way {
    NO_USE,
    BY_MACRO,     /* renames everything of this name */
    BY_LABEL,     /* another symbol for the function: tags and members keep the name. The test calls
                     the one in its place as well, which then does nothing else than the call */
    BY_CALL_MACRO /* for a function that need not have a symbol */
};

static bool
has_tag(const char *ctype, const char *name)
{
    return ctype != NULL && has_word(ctype, name, AS_OTHER);
}

/* Do sources, header or types have a tag or member of the function's name? */
static bool
names_other(const struct burl__gen_emitter *em, const char *name)
{
    char *text = read_source(em->m->header);
    bool found = text != NULL && has_word(text, name, AS_OTHER);

    free(text);
    for (size_t i = 0; i < em->m->fns.n && !found; i++) {
        const struct burl_gen_fn *f = &em->m->fns.v[i];

        found = has_tag(f->result_ctype, name);
        for (size_t k = 0; k < f->params.n && !found; k++)
            found = has_tag(f->params.v[k].ctype, name);
    }
    return found || is_included_word(em, name, AS_OTHER);
}

static enum way
way_of(const struct burl__gen_emitter *em, size_t fn)
{
    const struct burl_gen_fn *f = &em->m->fns.v[fn];

    if (!burl_gen_exec_records(f) || !is_included_word(em, f->name, ANYWHERE))
        return NO_USE;
    if (!em->e->by_label && !names_other(em, f->name))
        return BY_MACRO;
    return f->has_body ? BY_CALL_MACRO : BY_LABEL;
}

void
burl__gen_emit_labels(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    for (size_t i = 0; em->t->stops.n > 0 && i < em->m->fns.n; i++) {
        if (way_of(em, i) == BY_LABEL)
            burl_buf_printf(out, "#pragma redefine_extname %s burl_call_%s\n", em->m->fns.v[i].name,
                            em->m->fns.v[i].name);
    }
}

static bool
returns_value(const struct burl_gen_fn *f)
{
    return f->result_ctype != NULL && strcmp(f->result_ctype, "void") != 0;
}

/* What is kept of a call of the function: before it is made, or after. */
static void
write_kept(const struct burl__gen_emitter *em, int fn, bool after, struct burl_buf *out)
{
    for (size_t i = 0; i < em->t->stops.n; i++) {
        const struct burl_gen_stopped *s = &em->t->stops.v[i];

        for (size_t k = 0; k < s->kept.n; k++) {
            const struct burl_gen_kept *o = &s->kept.v[k];
            const bool is_out =
                o->fn == fn && o->param >= 0 &&
                em->m->fns.v[fn].params.v[o->param].role == BURL_GEN_ROLE_OUT_OBJECT;

            if (o->fn != fn || after != (o->param < 0 || is_out))
                continue;
            burl_buf_printf(out,
                            "    if (burl_stop.now == %zu && call == %u)\n"
                            "        burl_stopped_%zu.o%zu = (%s)",
                            i + 1, o->nth, i + 1, k + 1, kept_ctype(em, o).s);
            if (o->param < 0)
                burl_buf_str_append(out, "result;\n");
            else
                burl_buf_printf(out, "%sa%d;\n", is_out ? "*" : "", o->param);
        }
    }
}

static void
write_stops_at(const struct burl__gen_emitter *em, int fn, struct burl_buf *out)
{
    const struct burl_gen_fn *f = &em->m->fns.v[fn];

    for (size_t i = 0; i < em->t->stops.n; i++) {
        if (em->t->stops.v[i].fn != fn)
            continue;
        burl_buf_printf(out, "    if (burl_stop.now == %zu && call == %u) {\n", i + 1,
                        em->t->stops.v[i].nth);
        for (size_t k = 0; k < f->params.n; k++) {
            if (is_arg_used(em, i, k))
                burl_buf_printf(out, "        burl_stopped_%zu.a%zu = %sa%zu;\n", i + 1, k,
                                is_array(&f->params.v[k]) ? "(void *)" : "", k);
        }
        burl_buf_printf(out,
                        "        burl_stopped_%zu.reached = 1;\n"
                        "        swapcontext(&burl_stop.seed, &burl_stop.test); /* for good */\n"
                        "    }\n",
                        i + 1);
    }
}

static void
write_function(const struct burl__gen_emitter *em, int fn, enum way way, struct burl_buf *out)
{
    const struct burl_gen_fn *f = &em->m->fns.v[fn];
    const bool has_value = returns_value(f);
    const char *real = way == BY_LABEL ? "burl_real_" : "";
    struct burl_buf head = BURL_BUF_INIT;

    burl_buf_printf(&head, "burl_call_%s(", f->name);
    for (size_t k = 0; k < f->params.n; k++) {
        char name[24];

        snprintf(name, sizeof name, "a%zu", k);
        burl_buf_str_append(&head, k > 0 ? ", " : "");
        burl_gen_declare(&head, f->params.v[k].ctype, name);
    }
    burl_buf_str_append(&head, f->params.n > 0 ? ")" : "void)");
    if (way == BY_LABEL)
        burl_buf_printf(out,
                        "/* Here %s is the name of burl_call_%s. */\n"
                        "extern __typeof__(%s) burl_real_%s __asm__(\"%s\");\n"
                        "extern __typeof__(%s) burl_call_%s;\n",
                        f->name, f->name, f->name, f->name, f->name, f->name, f->name);
    else
        burl_buf_str_append(out, "static ");
    burl_gen_declare(out, has_value ? f->result_ctype : "void", burl_buf_str(&head));
    burl_buf_deinit(&head);
    burl_buf_str_append(out, "\n{\n    const int call = burl_stop_begins();\n");
    if (has_value) {
        burl_buf_str_append(out, "    ");
        burl_gen_declare(out, f->result_ctype, "result");
        burl_buf_str_append(out, ";\n");
    }
    burl_buf_str_append(out, "\n    (void)call;\n");
    write_kept(em, fn, false, out);
    write_stops_at(em, fn, out);
    burl_buf_printf(out, "    %s%s%s(", has_value ? "result = " : "", real, f->name);
    for (size_t k = 0; k < f->params.n; k++)
        burl_buf_printf(out, "%sa%zu", k > 0 ? ", " : "", k);
    burl_buf_str_append(out, ");\n");
    write_kept(em, fn, true, out);
    burl_buf_printf(out, "    burl_stop_ends();\n%s}\n\n", has_value ? "    return result;\n" : "");
}

/* ---- the seeds ---------------------------------------------------------------------- */

static void
write_words(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    size_t n;
    const char *words = burl_gen_exec_seed_words(em->e->exec, &n);
    unsigned argc = 1;

    burl_buf_str_append(out, "    static char seed[] = \"seed\";\n");
    for (size_t at = 0; at < n; at += strlen(words + at) + 1) {
        burl_buf_printf(out, "    static char word_%u[] = ", argc++);
        burl_gen_literal_print(words + at, strlen(words + at), out);
        burl_buf_str_append(out, ";\n");
    }
    burl_buf_str_append(out, "    static char *argv[] = { seed, ");
    for (unsigned i = 1; i < argc; i++)
        burl_buf_printf(out, "word_%u, ", i);
    burl_buf_printf(out, "NULL };\n\n    burl_stop.entry(%u, argv);\n", argc);
}

static void
write_machine(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    burl_buf_str_append(
        out,
        "/*\n"
        " * Sequential tests that are part of this one. Each runs on a stack of its own up to\n"
        " * one of its calls of the API and stays there; what it has made is used below. It is\n"
        " * never resumed, so that nothing of it ends.\n"
        " */\n"
        "static struct {\n"
        "    ucontext_t test;\n"
        "    ucontext_t seed;\n"
        "    int (*entry)(int, char **);\n"
        "    size_t now; /* which one is running; 0: none */\n"
        "    int calls;  /* of the API, that it has made */\n"
        "    int depth;  /* of these, running */\n"
        "} burl_stop;\n\n");
    write_structs(em, out);
    burl_buf_str_append(out,
                        "/* The number of a call that a seed makes; -1: a seed makes none. */\n"
                        "static int\nburl_stop_begins(void)\n{\n"
                        "    if (burl_stop.now == 0 || burl_stop.depth++ > 0)\n"
                        "        return -1;\n"
                        "    return burl_stop.calls++;\n}\n\n"
                        "static void\nburl_stop_ends(void)\n{\n"
                        "    if (burl_stop.now != 0)\n"
                        "        burl_stop.depth--;\n}\n\n"
                        "static void\nburl_stop_entry(void)\n{\n");
    write_words(em, out);
    burl_buf_printf(out,
                    "    /* It did not come to its call. */\n"
                    "    swapcontext(&burl_stop.seed, &burl_stop.test);\n}\n\n"
                    "static void\n"
                    "burl_stop_run(size_t number, int (*entry)(int, char **))\n{\n"
                    "    enum { STACK_B = %d * 1024 };\n\n"
                    "    burl_stop.now = number;\n"
                    "    burl_stop.calls = burl_stop.depth = 0;\n"
                    "    burl_stop.entry = entry;\n"
                    "    getcontext(&burl_stop.seed);\n"
                    "    burl_stop.seed.uc_stack.ss_sp = malloc(STACK_B);\n"
                    "    burl_stop.seed.uc_stack.ss_size = STACK_B;\n"
                    "    burl_stop.seed.uc_link = NULL;\n"
                    "    if (burl_stop.seed.uc_stack.ss_sp == NULL)\n"
                    "        abort();\n"
                    "    makecontext(&burl_stop.seed, burl_stop_entry, 0);\n"
                    "    swapcontext(&burl_stop.test, &burl_stop.seed);\n"
                    "    burl_stop.now = 0;\n}\n\n",
                    STACK_KB);
}

/* As in the driver of `burl synth`, code of the client has no hooks: one step, and no races. */
static void
write_hooks(bool off, struct burl_buf *out)
{
    burl_buf_printf(out, "#ifdef __BURL__\n#pragma clang attribute %s\n#endif\n",
                    off ? "push(__attribute__((disable_sanitizer_instrumentation)), "
                          "apply_to = function)"
                        : "pop");
}

/* Not by a name that a file beside the test may have, or the test itself. */
static void
write_include(const struct burl__gen_emitter *em, const char *source, struct burl_buf *out)
{
    char absolute[PATH_MAX];

    if (em->e->is_movable)
        burl_buf_printf(out, "#include <%s>\n", source);
    else
        burl_buf_printf(out, "#include \"%s\"\n",
                        realpath(source, absolute) != NULL ? absolute : source);
}

static void
write_sources(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    const struct burl_gen_exec *x = em->e->exec;
    const char *source;

    for (size_t i = 0; (source = included(em, i)) != NULL; i++) {
        size_t seed = 0;

        while (seed < burl_gen_exec_n_seeds(x) && source != burl_gen_exec_seed_source(x, seed))
            seed++;
        if (seed < burl_gen_exec_n_seeds(x))
            burl_buf_printf(out, "#define main burl_seed_%zu\n", seed + 1);
        write_include(em, source, out);
        if (seed < burl_gen_exec_n_seeds(x))
            burl_buf_str_append(out, "#undef main\n");
    }
}

static void
write_rename(const struct burl__gen_emitter *em, const char *name, enum where where,
             struct burl_buf *out)
{
    if (is_included_word(em, name, where))
        burl_buf_printf(out, "#undef %s\n#define %s burl_test_%s\n", name, name, name);
}

/* The names that the rest of the test has outside of functions. */
static void
write_renames(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    static const char *const names[] = { "arrived",    "check",       "context", "got",
                                         "keep_bytes", "keep_string", "meet",    "name_of",
                                         "payload",    "possible",    "results", "same",
                                         "show",       "text",        "which",   "see",
                                         "NOTHING",    "OBJECT",      "OTHER",   "PAYLOAD" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        write_rename(em, names[i], ANYWHERE, out);
    for (unsigned k = 0; k < em->t->n_threads; k++)
        write_rename(em, (const char[]){ 't', 'h', 'r', 'e', 'a', 'd', '_', (char)('a' + k), '\0' },
                     ANYWHERE, out);
    for (int s = 0; s < em->t->n_slots; s++) {
        if (burl_gen_test_has_slot(em->t, s))
            write_rename(em, burl_gen_slot_name(em->m, em->t, s).s, OUTSIDE, out);
    }
    burl_buf_char(out, '\n');
}

static void
write_macro(const char *name, enum way way, struct burl_buf *out)
{
    if (way == BY_MACRO)
        burl_buf_printf(out, "#define %s burl_call_%s\n", name, name);
    else if (way == BY_CALL_MACRO)
        burl_buf_printf(out, "#define %s(...) burl_call_%s(__VA_ARGS__)\n", name, name);
}

void
burl__gen_emit_stops(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    enum way *ways;

    if (em->t->stops.n == 0)
        return;
    ways = burl_xcalloc(em->m->fns.n, sizeof *ways);
    write_hooks(true, out);
    write_machine(em, out);
    for (size_t i = 0; i < em->m->fns.n; i++) {
        ways[i] = way_of(em, i);
        if (ways[i] != NO_USE)
            write_function(em, (int)i, ways[i], out);
    }
    for (size_t i = 0; i < em->m->fns.n; i++)
        write_macro(em->m->fns.v[i].name, ways[i], out);
    write_sources(em, out);
    write_hooks(false, out);
    for (size_t i = 0; i < em->m->fns.n; i++) {
        if (ways[i] == BY_MACRO || ways[i] == BY_CALL_MACRO)
            burl_buf_printf(out, "#undef %s\n", em->m->fns.v[i].name);
    }
    write_renames(em, out);
    free(ways);
}

void
burl__gen_emit_run_stops(struct burl__gen_emitter *em)
{
    struct burl_buf *out = &em->body;

    for (size_t i = 0; i < em->t->stops.n; i++) {
        const struct burl_gen_stopped *s = &em->t->stops.v[i];

        burl_buf_printf(out,
                        "    burl_stop_run(%zu, (int (*)(int, char **))(void (*)(void))"
                        "burl_seed_%d);\n"
                        "    if (!burl_stopped_%zu.reached) {\n"
                        "        fprintf(stderr, \"the seed did not come to its call %u, of "
                        "%s()\\n\");\n"
                        "#ifdef __BURL__\n"
                        "        return 0; /* nothing is tested, so nothing is found */\n"
                        "#else\n"
                        "        return 2;\n"
                        "#endif\n"
                        "    }\n",
                        i + 1, s->seed + 1, i + 1, s->nth + 1, em->m->fns.v[s->fn].name);
        for (size_t k = 0; k < s->kept.n; k++)
            burl_buf_printf(out, "    %s = burl_stopped_%zu.o%zu;\n",
                            burl_gen_slot_name(em->m, em->t, s->kept.v[k].slot).s, i + 1, k + 1);
    }
}

void
burl__gen_emit_describe_stops(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    for (size_t i = 0; i < em->t->stops.n; i++) {
        const struct burl_gen_stopped *s = &em->t->stops.v[i];

        burl_buf_printf(out, "  stop%-3zu before       %s runs up to its call %u, of %s()", i + 1,
                        burl_gen_exec_seed_source(em->e->exec, (size_t)s->seed), s->nth + 1,
                        em->m->fns.v[s->fn].name);
        for (size_t k = 0; k < s->kept.n; k++)
            burl_buf_printf(out, "%s %s", k == 0 ? ", and has" : ",",
                            burl_gen_slot_name(em->m, em->t, s->kept.v[k].slot).s);
        burl_buf_char(out, '\n');
    }
}
