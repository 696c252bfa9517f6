/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/exec_build.c - makes the program that runs tests: the user's sources with hooks, the
 * driver without, linked together. Functions that the header defines itself have a file of their
 * own, with hooks like a source.
 *
 * Runs in the host, once per `burl gen`. The words after "--" are sorted as a compiler driver sorts
 * them: sources are compiled one by one, each with the flags, and replaced by their objects; the
 * rest goes to the link in the order given.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fs.h"
#include "base/path.h"
#include "base/proc.h"
#include "gen/exec/exec_int.h"

/* Time limit for one run of the compiler. */
#define COMPILE_MS 600000
#define MESSAGES_B (1u << 20)

struct argv {
    BURL_VEC_OF(char *);
};

struct build {
    const struct burl_gen_exec_opts *o;
    struct argv flags;  /* for compiling */
    struct argv link;   /* objects, libraries, flags of the linker; in order */
    struct argv source; /* sources, and where in `link` their objects are: same index in `at` */
    struct {
        BURL_VEC_OF(size_t);
    } at;
    size_t n_driver; /* objects at the end of `link` that are the driver's */
    bool cplusplus;
    bool has_O;
    bool has_g;
};

static void
add(struct argv *a, const char *word)
{
    BURL_VEC_PUSH(a, burl_xstrdup(word));
}

static void
free_argv(struct argv *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->v[i]);
    BURL_VEC_FREE(a);
}

/* ---- words ------------------------------------------------------------------------- */

static bool
ends_in(const char *word, const char *const *ends)
{
    const char *dot = strrchr(burl_path_basename(word), '.');

    for (size_t i = 0; dot && ends[i]; i++) {
        if (strcmp(dot, ends[i]) == 0)
            return true;
    }
    return false;
}

static bool
is_cplusplus(const char *word)
{
    static const char *const ends[] = { ".cc", ".cpp", ".cxx", ".C", ".c++", NULL };

    return ends_in(word, ends);
}

static bool
is_source(const char *word)
{
    static const char *const ends[] = { ".c", ".S", ".s", NULL };

    return ends_in(word, ends) || is_cplusplus(word);
}

/* Flags whose value is the next word. */
static bool
takes_value(const char *word)
{
    static const char *const flags[] = { "-I",       "-D",      "-U",       "-include",
                                         "-isystem", "-iquote", "-imacros", "-idirafter",
                                         "-x",       "-Xclang", "-Xlinker", "-L",
                                         "-l",       "-T",      "-u",       "-z",
                                         NULL };

    for (size_t i = 0; flags[i]; i++) {
        if (strcmp(word, flags[i]) == 0)
            return true;
    }
    return false;
}

static bool
is_for_link(const char *word)
{
    return word[0] != '-' || strncmp(word, "-l", 2) == 0 || strncmp(word, "-L", 2) == 0 ||
           strncmp(word, "-Wl,", 4) == 0 || strcmp(word, "-Xlinker") == 0 ||
           strcmp(word, "-T") == 0 || strcmp(word, "-u") == 0 || strcmp(word, "-z") == 0 ||
           strcmp(word, "-static-libgcc") == 0 || strcmp(word, "-rdynamic") == 0;
}

static void
note_flag(struct build *b, const char *word)
{
    b->has_O |= strncmp(word, "-O", 2) == 0;
    b->has_g |= strncmp(word, "-g", 2) == 0;
}

static void
sort_word(struct build *b, const char *word, const char *next, bool *took_next)
{
    struct argv *to = is_for_link(word) ? &b->link : &b->flags;

    *took_next = false;
    if (word[0] != '-' && is_source(word)) {
        b->cplusplus |= is_cplusplus(word);
        add(&b->source, word);
        BURL_VEC_PUSH(&b->at, b->link.n);
        add(&b->link, "");
        return;
    }
    /* Flags about the object of another build. */
    if (strcmp(word, "-c") == 0)
        return;
    if (strcmp(word, "-o") == 0) {
        *took_next = true;
        return;
    }
    note_flag(b, word);
    add(to, word);
    if (takes_value(word) && next) {
        add(to, next);
        *took_next = true;
    }
}

static void
sort_words(struct build *b)
{
    const struct burl_gen_sources *s = &b->o->sources;
    const struct burl_gen_model *m = b->o->model;
    char *flags = burl_xstrdup(b->o->cc_flags ? b->o->cc_flags : "");
    char *save = NULL;

    for (size_t i = 0; i < s->n_words && s->words[i]; i++) {
        bool took_next;

        sort_word(b, s->words[i], i + 1 < s->n_words ? s->words[i + 1] : NULL, &took_next);
        i += took_next;
    }
    /* Those of compile_commands.json too; twice does no harm. */
    for (size_t i = 0; i < m->flags.n; i++) {
        note_flag(b, m->flags.v[i]);
        add(&b->flags, m->flags.v[i]);
    }
    for (char *w = strtok_r(flags, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save)) {
        note_flag(b, w);
        add(&b->flags, w);
    }
    free(flags);
}

/* ---- commands ---------------------------------------------------------------------- */

/* The first error of compiler or linker, without notes; the linker's "error:" comes last and says
 * nothing. */
static void
first_error(const char *text, char *out, size_t n)
{
    const char *at = strstr(text, "undefined reference");
    const char *line = text;

    if (!at)
        at = strstr(text, "multiple definition");
    if (!at)
        at = strstr(text, "cannot find -l");
    if (!at)
        at = strstr(text, "error:");
    if (at) {
        for (line = at; line > text && line[-1] != '\n';)
            line--;
    }
    snprintf(out, n, "%.*s", (int)strcspn(line, "\n"), line);
}

/* "undefined reference to `pow'" -> pow, 0 when the text has no more; lld says "undefined
 * symbol:". */
static size_t
next_undefined(const char **at, const char **name)
{
    static const char *const marks[] = { "undefined reference to `", "undefined symbol: " };
    const char *first = NULL;
    size_t skip = 0;

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *p = strstr(*at, marks[i]);

        if (p && (!first || p < first)) {
            first = p;
            skip = strlen(marks[i]);
        }
    }
    if (!first)
        return 0;
    *name = first + skip;
    *at = *name + strcspn(*name, "'\n");
    return (size_t)(*at - *name);
}

/* Names that are used and defined nowhere, each once; false: that is not why it failed. */
static bool
undefined_names(const char *message, struct burl_buf *out)
{
    enum { SHOWN = 5, KNOWN = 64 };
    const char *known[KNOWN];
    size_t len[KNOWN];
    size_t n = 0;
    const char *name;

    for (size_t k; n < KNOWN && (k = next_undefined(&message, &name)) > 0;) {
        bool again = false;

        for (size_t i = 0; i < n; i++)
            again |= len[i] == k && strncmp(known[i], name, k) == 0;
        if (again)
            continue;
        if (n < SHOWN)
            burl_buf_printf(out, "%s%.*s", n > 0 ? ", " : "", (int)k, name);
        known[n] = name;
        len[n++] = k;
    }
    if (n > SHOWN)
        burl_buf_printf(out, " and %zu more", n - SHOWN);
    return n > 0;
}

static void
show(const struct argv *a)
{
    for (size_t i = 0; i + 1 < a->n; i++)
        fprintf(stderr, "%s%s", i > 0 ? " " : "", a->v[i]);
    fputc('\n', stderr);
}

/* Takes the words, which end in NULL. *message (owned): what was printed when it failed. */
static enum burl_status
run(const struct build *b, struct argv *words, bool *ok, char **message, struct burl_err *err)
{
    struct burl_proc_output out;
    enum burl_status st;

    *message = NULL;
    *ok = false;
    BURL_VEC_PUSH(words, NULL);
    if (b->o->verbose)
        show(words);
    st = burl_proc_capture(&out,
                           &(struct burl_proc_opts){ .argv = (const char *const *)words->v,
                                                     .in = BURL_PROC_NULL,
                                                     .die_with_parent = true },
                           COMPILE_MS, MESSAGES_B, err);
    if (st == BURL_OK) {
        *ok = out.status.exited && out.status.code == 0;
        *message = burl_xstrdup(out.err ? out.err : "");
        if (*ok && b->o->verbose && out.err_n > 0)
            fputs(out.err, stderr);
        burl_proc_output_deinit(&out);
    }
    free_argv(words);
    return st;
}

static void
begin_command(const struct build *b, bool cplusplus, struct argv *words)
{
    add(words, b->o->burl);
    add(words, cplusplus ? "c++" : "cc");
}

/* A flag of one language on the sources of another. */
static bool
is_foreign(const char *flag, bool cplusplus)
{
    const bool is_cpp_std =
        strncmp(flag, "-std=c++", 8) == 0 || strncmp(flag, "-std=gnu++", 10) == 0;

    return strncmp(flag, "-std=", 5) == 0 && is_cpp_std != cplusplus;
}

static char *
object_of_source(const struct build *b, size_t i)
{
    return burl_xasprintf("%s/source%zu.o", b->o->dir, i);
}

/* With hooks. `more`: one more flag, NULL none. */
static enum burl_status
compile_file(const struct build *b, const char *source, const char *object, const char *more,
             struct burl_err *err)
{
    const bool cplusplus = is_cplusplus(source);
    struct argv words = { 0 };
    char *message = NULL;
    char first[200];
    bool ok;
    enum burl_status st;

    begin_command(b, cplusplus, &words);
    if (!b->has_O)
        add(&words, "-O1");
    if (!b->has_g)
        add(&words, "-g");
    for (size_t k = 0; k < b->flags.n; k++) {
        if (!is_foreign(b->flags.v[k], cplusplus))
            add(&words, b->flags.v[k]);
    }
    if (more != NULL)
        add(&words, more);
    add(&words, "-c");
    add(&words, source);
    add(&words, "-o");
    add(&words, object);
    st = run(b, &words, &ok, &message, err);
    if (st == BURL_OK && !ok) {
        first_error(message, first, sizeof first);
        st = burl_err_set(err, BURL_E_USAGE, 0, "%s does not compile: %s", source, first);
    }
    free(message);
    return st;
}

static void
take_object(struct build *b, size_t i)
{
    free(b->link.v[b->at.v[i]]);
    b->link.v[b->at.v[i]] = object_of_source(b, i);
}

static enum burl_status
compile_source(struct build *b, size_t i, struct burl_err *err)
{
    take_object(b, i);
    return compile_file(b, b->source.v[i], b->link.v[b->at.v[i]], NULL, err);
}

/* The function whose thunk a message is about: the last thunk that begins before its line. */
static const struct burl_gen_fn *
function_of_message(const struct build *b, const char *message, const char *text)
{
    const char *at = strstr(message, "burl_api.c:");
    long line = at ? strtol(at + strlen("burl_api.c:"), NULL, 10) : 0;
    long fn = -1;
    long now = 1;

    /* Callbacks stand before their thunk. */
    for (const char *p = text; *p && (now <= line || fn < 0); p++) {
        if (*p != '\n')
            continue;
        now++;
        if (sscanf(p, "\nburl_d_cb_%ld_", &fn) == 1 || sscanf(p, "\nburl_d_thunk_%ld", &fn) == 1)
            continue;
    }
    return line > 0 && fn >= 0 && (size_t)fn < b->o->model->fns.n ? &b->o->model->fns.v[fn] : NULL;
}

static enum burl_status
driver_error(const struct build *b, const char *message, const char *text, struct burl_err *err)
{
    const struct burl_gen_fn *f = function_of_message(b, message, text);
    char first[160];
    const char *what;

    first_error(message, first, sizeof first);
    what = strstr(first, "error:");
    if (f)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s cannot be called as the model has it (%s); \"skip %s\" in the "
                            "model file leaves it out",
                            f->name, what ? what + 7 : first, f->name);
    return burl_err_set(err, BURL_E_USAGE, 0, "the driver for %s does not compile: %s",
                        b->o->model->header, first);
}

static bool
is_for_driver(const char *flag)
{
    return strncmp(flag, "-W", 2) != 0 && strncmp(flag, "-pedantic", 9) != 0 &&
           strncmp(flag, "-O", 2) != 0 && strncmp(flag, "-fsanitize", 10) != 0 &&
           !is_foreign(flag, false);
}

static enum burl_status
compile_driver(struct build *b, const char *name, const char *text, bool hooks,
               struct burl_err *err)
{
    struct argv words = { 0 };
    char *path = burl_xasprintf("%s/%s.c", b->o->dir, name);
    char *object = burl_xasprintf("%s/%s.o", b->o->dir, name);
    char *message = NULL;
    bool ok = false;
    enum burl_status st = burl_fs_write_atomic(path, text, strlen(text), err);

    if (st == BURL_OK) {
        begin_command(b, false, &words);
        if (!hooks)
            add(&words, "--no-instrument");
        for (size_t k = 0; k < b->flags.n; k++) {
            if (is_for_driver(b->flags.v[k]))
                add(&words, b->flags.v[k]);
        }
        for (const char *const *f =
                 (const char *const[]){ "-O1", "-g", "-w", "-fno-strict-aliasing", "-c", NULL };
             *f; f++)
            add(&words, *f);
        add(&words, path);
        add(&words, "-o");
        add(&words, object);
        st = run(b, &words, &ok, &message, err);
    }
    if (st == BURL_OK && !ok)
        st = driver_error(b, message, text, err);
    add(&b->link, object);
    b->n_driver++;
    free(message);
    free(path);
    free(object);
    return st;
}

/* True for flags that do not change the layout of what both parts of the driver share: search
 * paths, the standard, debug information, macros of other names. */
static bool
is_harmless(const char *flag)
{
    if (strncmp(flag, "-D", 2) == 0 || strncmp(flag, "-U", 2) == 0)
        return flag[2] != '\0' && strncasecmp(flag + 2, "burl", 4) != 0;
    return strncmp(flag, "-I", 2) == 0 || strncmp(flag, "-std=", 5) == 0 ||
           strncmp(flag, "-g", 2) == 0;
}

/* The precompiled object of the fixed part; NULL if it must be compiled for these flags, or is not
 * installed. Caller frees. */
static char *
ready_driver(const struct build *b)
{
    static const char *const places[] = { "burl_driver.o", "../lib/burl/burl_driver.o" };
    char *dir;
    char *found = NULL;

    for (size_t i = 0; i < b->flags.n; i++) {
        if (is_for_driver(b->flags.v[i]) && !is_harmless(b->flags.v[i]))
            return NULL;
        i += strcmp(b->flags.v[i], "-I") == 0;
    }
    dir = burl_path_dirname(b->o->burl);
    for (size_t i = 0; !found && i < 2; i++) {
        char *path = burl_path_join(dir, places[i]);

        if (burl_fs_exists(path))
            found = path;
        else
            free(path);
    }
    free(dir);
    return found;
}

static enum burl_status
take_fixed_part(struct build *b, struct burl_err *err)
{
    char *ready = ready_driver(b);

    if (!ready)
        return compile_driver(b, "burl_driver", burl__gen_driver_text("burl_driver.c"), false, err);
    add(&b->link, ready);
    b->n_driver++;
    free(ready);
    return BURL_OK;
}

static enum burl_status
link_error(const char *message, struct burl_err *err)
{
    const bool own_main = strstr(message, "multiple definition of `main'") ||
                          strstr(message, "duplicate symbol: main\n");
    struct burl_buf names;
    char first[200];
    enum burl_status st;

    burl_buf_init(&names, 400);
    first_error(message, first, sizeof first);
    if (undefined_names(message, &names))
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "the sources do not link: nothing defines %s. Give the source that does, "
                          "or its library with -l, after \"--\"",
                          burl_buf_str(&names));
    else
        st = burl_err_set(err, BURL_E_USAGE, 0, "the sources do not link: %s%s", first,
                          own_main ? "; give the sources of the API, without a main" : "");
    burl_buf_deinit(&names);
    return st;
}

static enum burl_status
link_program(struct build *b, const char *program, struct burl_err *err)
{
    struct argv words = { 0 };
    char *message = NULL;
    bool ok;
    enum burl_status st;

    begin_command(b, b->cplusplus, &words);
    /* The driver first: libraries come after what needs them. */
    for (size_t i = b->link.n - b->n_driver; i < b->link.n; i++)
        add(&words, b->link.v[i]);
    for (size_t i = 0; i + b->n_driver < b->link.n; i++)
        add(&words, b->link.v[i]);
    for (size_t i = 0; i < b->flags.n; i++) {
        if (strncmp(b->flags.v[i], "-fsanitize", 10) == 0 || strncmp(b->flags.v[i], "-m", 2) == 0)
            add(&words, b->flags.v[i]);
    }
    add(&words, "-pthread");
    add(&words, "-o");
    add(&words, program);
    st = run(b, &words, &ok, &message, err);
    if (st == BURL_OK && !ok)
        st = link_error(message, err);
    free(message);
    return st;
}

/* ---- the program --------------------------------------------------------------------- */

static enum burl_status
write_headers(const struct build *b, struct burl_err *err)
{
    static const char *const names[][2] = { { "burl_driver.h", "burl_driver.h" },
                                            { "mail.h", "burl_mail.h" } };
    enum burl_status st = BURL_OK;

    for (size_t i = 0; st == BURL_OK && i < 2; i++) {
        const char *text = burl__gen_driver_text(names[i][0]);
        char *path = burl_path_join(b->o->dir, names[i][1]);

        st = burl_fs_write_atomic(path, text, strlen(text), err);
        free(path);
    }
    return st;
}

static enum burl_status
compile_all(struct build *b, struct burl_err *err)
{
    const char *header = b->o->model->header;
    char *absolute = NULL;
    struct burl_buf text;
    struct burl_buf inlines;
    bool has_inlines = false;
    enum burl_status st = BURL_OK;

    burl_buf_init(&text, BURL_BUF_NO_LIMIT);
    burl_buf_init(&inlines, BURL_BUF_NO_LIMIT);
    if (burl_fs_exists(header))
        st = burl_path_absolute(&absolute, header, err);
    if (st == BURL_OK) {
        const char *name = absolute ? absolute : header;

        burl__gen_driver_source(b->o->model, name, &text);
        has_inlines = burl__gen_inline_source(b->o->model, name, &inlines);
        st = write_headers(b, err);
    }
    if (st == BURL_OK && b->source.n == 0 && b->link.n == 0 && !has_inlines)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "no sources: give those of the API after \"--\", as to a compiler");
    for (size_t i = 0; st == BURL_OK && i < b->source.n; i++)
        st = compile_source(b, i, err);
    if (st == BURL_OK)
        st = compile_driver(b, "burl_api", burl_buf_str(&text), false, err);
    if (st == BURL_OK)
        st = take_fixed_part(b, err);
    if (st == BURL_OK && has_inlines)
        st = compile_driver(b, "burl_inline", burl_buf_str(&inlines), true, err);
    burl_buf_deinit(&text);
    burl_buf_deinit(&inlines);
    free(absolute);
    return st;
}

static void
free_build(struct build *b)
{
    free_argv(&b->flags);
    free_argv(&b->link);
    free_argv(&b->source);
    BURL_VEC_FREE(&b->at);
}

enum burl_status
burl__gen_build(const struct burl_gen_exec_opts *opts, char **program, struct burl_err *err)
{
    struct build b = { .o = opts };
    enum burl_status st = burl_fs_mkdir_p(opts->dir, err);

    *program = NULL;
    sort_words(&b);
    if (st == BURL_OK)
        st = compile_all(&b, err);
    if (st == BURL_OK) {
        *program = burl_path_join(opts->dir, "driver");
        st = link_program(&b, *program, err);
    }
    if (st != BURL_OK) {
        free(*program);
        *program = NULL;
    }
    free_build(&b);
    return st;
}

enum burl_status
burl_gen_exec_build_test(const struct burl_gen_exec *x, const char *source, const char *program,
                         struct burl_err *err)
{
    struct build b = { .o = &x->opts };
    char *object = burl_xasprintf("%s.o", program);
    enum burl_status st;

    sort_words(&b);
    for (size_t i = 0; i < b.source.n; i++)
        take_object(&b, i);
    /* The test includes the header as the user named it. */
    st = compile_file(&b, source, object, "-I.", err);
    add(&b.link, object);
    b.n_driver = 1;
    if (st == BURL_OK)
        st = link_program(&b, program, err);
    free_build(&b);
    free(object);
    return st;
}
