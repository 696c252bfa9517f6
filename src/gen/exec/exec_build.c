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
#include "base/linereader.h"
#include "base/path.h"
#include "base/proc.h"
#include "gen/exec/exec_int.h"
#include "gen/exec/words.h"

/* Time limit for one run of the compiler. */
#define COMPILE_MS 600000
#define MESSAGES_B (1u << 20)

struct build {
    const struct burl_gen_exec_opts *o;
    struct burl_gen_memory memory;  /* of words that are ours */
    struct burl_gen_strings flags;  /* for compiling */
    struct burl_gen_strings link;   /* objects, libraries, flags of the linker; in order */
    struct burl_gen_strings source; /* sources; where in `link` their objects are: in `at` */
    BURL_VEC(size_t) at;
    size_t n_driver;               /* objects at the end of `link` that are the driver's */
    struct burl__gen_seeds *seeds; /* NULL: none are wanted */
    bool cplusplus;
    bool has_O;
    bool has_g;
};

static const char *
keep(struct build *b, char *text)
{
    return burl_gen_memory_keep(&b->memory, text);
}

static bool
is_silent_part(const struct burl__gen_seeds *seeds, const char *source)
{
    for (size_t i = 0; i < seeds->parts.n; i++) {
        if (strcmp(seeds->parts.v[i].source, source) == 0)
            return !seeds->parts.v[i].calls;
    }
    return false;
}

/* Takes the objects of sources that are not the library's out of the link. `parts`: those that are
 * part of seeds and do not call the API stay. */
static void
drop_clients(struct build *b, const struct burl__gen_seeds *seeds, bool parts)
{
    for (size_t i = 0; i < b->source.n && i < seeds->client.n; i++) {
        if (seeds->client.v[i] != NULL && !(parts && is_silent_part(seeds, seeds->client.v[i])))
            b->link.v[b->at.v[i]] = NULL;
    }
}

static void
free_build(struct build *b)
{
    BURL_VEC_FREE(&b->flags);
    BURL_VEC_FREE(&b->link);
    BURL_VEC_FREE(&b->source);
    BURL_VEC_FREE(&b->at);
    burl_gen_memory_release(&b->memory);
}

/* ---- words ------------------------------------------------------------------------- */

/* Does the word begin with one of these, a list that ends in NULL? */
static bool
begins_with(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strncmp(word, *list, strlen(*list)) == 0)
            return true;
    }
    return false;
}

static void
add_flag(struct build *b, const char *word)
{
    b->has_O |= strncmp(word, "-O", 2) == 0;
    b->has_g |= strncmp(word, "-g", 2) == 0;
    BURL_VEC_PUSH(&b->flags, word);
}

static void
sort_words(struct build *b)
{
    const struct burl_gen_model *m = b->o->model;
    char *flags = burl_xstrdup(b->o->cc_flags ? b->o->cc_flags : "");
    char *save = NULL;
    struct burl_gen_word w;

    for (size_t at = 0; burl_gen_next_word(&b->o->sources, &at, &w);) {
        if (w.kind == BURL_GEN_WORD_SOURCE) {
            b->cplusplus |= burl_gen_is_cplusplus(w.text);
            BURL_VEC_PUSH(&b->at, b->link.n);
            BURL_VEC_PUSH(&b->link,
                          keep(b, burl_xasprintf("%s/source%zu.o", b->o->dir, b->source.n)));
            BURL_VEC_PUSH(&b->source, w.text);
        } else if (w.kind == BURL_GEN_WORD_FLAG) {
            add_flag(b, w.text);
            if (w.value)
                BURL_VEC_PUSH(&b->flags, w.value);
        } else {
            BURL_VEC_PUSH(&b->link, w.text);
            if (w.value)
                BURL_VEC_PUSH(&b->link, w.value);
        }
    }
    /* Those of compile_commands.json too; twice does no harm. */
    for (size_t i = 0; i < m->flags.n; i++)
        add_flag(b, m->flags.v[i]);
    (void)keep(b, flags);
    for (char *f = strtok_r(flags, " \t\n", &save); f; f = strtok_r(NULL, " \t\n", &save))
        add_flag(b, f);
}

/* ---- messages ---------------------------------------------------------------------- */

/* The first error of compiler or linker, without notes; the linker's "error:" comes last and says
 * nothing. */
static void
first_error(const char *text, char *out, size_t n)
{
    static const char *const marks[] = { "undefined reference", "multiple definition",
                                         "cannot find -l", "error:" };
    const char *at = NULL;
    const char *line = text;

    for (size_t i = 0; !at && i < sizeof marks / sizeof *marks; i++)
        at = strstr(text, marks[i]);
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
    struct burl_span known[KNOWN];
    size_t n = 0;
    const char *name;

    for (size_t k; n < KNOWN && (k = next_undefined(&message, &name)) > 0;) {
        bool again = false;

        for (size_t i = 0; i < n; i++)
            again |= known[i].n == k && strncmp(known[i].p, name, k) == 0;
        if (again)
            continue;
        if (n < SHOWN)
            burl_buf_printf(out, "%s%.*s", n > 0 ? ", " : "", (int)k, name);
        known[n++] = (struct burl_span){ name, k };
    }
    if (n > SHOWN)
        burl_buf_printf(out, " and %zu more", n - SHOWN);
    return n > 0;
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

/* The first name of the list is a function of the header: it may be declared only. */
static bool
is_public_name(const struct build *b, const char *names)
{
    char *first = burl_xasprintf("%.*s", (int)strcspn(names, ", "), names);
    bool is_public = burl_gen_model_fn(b->o->model, first) >= 0;

    free(first);
    return is_public;
}

/*
 * Functions of the header that nothing defines are left out of the model: headers declare functions
 * that only some builds of the library have. What the linker says counts, whatever the words after
 * "--" are: objects, archives, shared libraries, -l. False: something else is missing, or nothing
 * could be tested without them, as when the sources were forgotten.
 */
static bool
leave_out_undefined(const struct build *b, const char *message)
{
    struct burl_gen_model *m = b->o->model;
    const char *at = message;
    const char *text;
    bool any = false;

    for (size_t k; (k = next_undefined(&at, &text)) > 0;) {
        char *name = burl_xstrndup(text, k);
        const int fn = burl_gen_model_fn(m, name);

        free(name);
        if (fn < 0)
            return false;
        if (m->fns.v[fn].is_undefined)
            continue;
        /* Called by other code as well. */
        if (!burl_gen_fn_has_thunk(&m->fns.v[fn]))
            return false;
        burl_gen_model_undefined(m, fn);
        any = true;
    }
    return any && burl_gen_model_check(m, NULL) == BURL_OK;
}

static enum burl_status
link_error(const struct build *b, const char *message, struct burl_err *err)
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
                          "or its library with -l, after \"--\"%s",
                          burl_buf_str(&names),
                          is_public_name(b, burl_buf_str(&names))
                              ? "; \"forbid FUNCTION\" in the model file leaves a function out"
                              : "");
    else
        st = burl_err_set(err, BURL_E_USAGE, 0, "the sources do not link: %s%s", first,
                          own_main ? "; give the sources of the API, without a main" : "");
    burl_buf_deinit(&names);
    return st;
}

/* ---- commands ---------------------------------------------------------------------- */

static void
begin_command(const struct build *b, bool cplusplus, struct burl_gen_strings *words)
{
    *words = (struct burl_gen_strings){ 0 };
    BURL_VEC_PUSH(words, b->o->burl);
    BURL_VEC_PUSH(words, cplusplus ? "c++" : "cc");
}

/* `more` ends in NULL. */
static void
add_words(struct burl_gen_strings *words, const char *const *more)
{
    for (; *more; more++)
        BURL_VEC_PUSH(words, *more);
}

#define ADD_WORDS(words, ...) add_words(words, (const char *const[]){ __VA_ARGS__, NULL })

/* burl-cc could not do its work: the sources are not to blame. */
static enum burl_status
environment_error(const char *message, struct burl_err *err)
{
    static const char mark[] = "burl-cc: error: ";
    const char *own = strstr(message, mark);
    char first[200];

    if (own) {
        own += sizeof mark - 1;
        return burl_err_set(err, BURL_E_IO, 0, "cannot compile: %.*s", (int)strcspn(own, "\n"),
                            own);
    }
    first_error(message, first, sizeof first);
    return burl_err_set(err, BURL_E_IO, 0, "cannot compile: %s", first);
}

/* Takes over the words. *message (owned): what was printed when it failed; NULL: it worked. */
static enum burl_status
run_command(const struct build *b, struct burl_gen_strings *words, char **message,
            struct burl_err *err)
{
    struct burl_proc_output out;
    enum burl_status st;

    *message = NULL;
    for (size_t i = 0; b->o->verbose && i < words->n; i++)
        fprintf(stderr, "%s%s", words->v[i], i + 1 < words->n ? " " : "\n");
    BURL_VEC_PUSH(words, NULL);
    st = burl_proc_capture(
        &out,
        &(struct burl_proc_opts){ .argv = words->v, .in = BURL_PROC_NULL, .die_with_parent = true },
        COMPILE_MS, MESSAGES_B, err);
    if (st == BURL_OK) {
        if (out.status.exited && out.status.code == BURL_EXIT_FAILURE)
            st = environment_error(out.err ? out.err : "", err);
        else if (!out.status.exited || out.status.code != 0)
            *message = burl_xstrdup(out.err ? out.err : "");
        else if (b->o->verbose && out.err_n > 0)
            fputs(out.err, stderr);
        burl_proc_output_deinit(&out);
    }
    BURL_VEC_FREE(words);
    return st;
}

/* `more`: further flags, NULL at the end. */
static enum burl_status
compile_file(const struct build *b, const char *source, const char *object, const char *const *more,
             bool hooks, struct burl_err *err)
{
    const bool cplusplus = burl_gen_is_cplusplus(source);
    struct burl_gen_strings words;
    char *message;
    char first[200];
    enum burl_status st;

    begin_command(b, cplusplus, &words);
    if (!hooks)
        BURL_VEC_PUSH(&words, "--no-instrument");
    if (!b->has_O)
        BURL_VEC_PUSH(&words, "-O1");
    if (!b->has_g)
        BURL_VEC_PUSH(&words, "-g");
    for (size_t k = 0; k < b->flags.n; k++) {
        if (!burl_gen_is_foreign(b->flags.v[k], cplusplus))
            BURL_VEC_PUSH(&words, b->flags.v[k]);
    }
    add_words(&words, more);
    ADD_WORDS(&words, "-c", source, "-o", object);
    st = run_command(b, &words, &message, err);
    if (message) {
        first_error(message, first, sizeof first);
        st = burl_err_set(err, BURL_E_USAGE, 0, "%s does not compile: %s", source, first);
    }
    free(message);
    return st;
}

static bool
is_for_driver(const char *flag)
{
    static const char *const others[] = { "-W", "-pedantic", "-O", "-fsanitize", NULL };

    return !begins_with(flag, others) && !burl_gen_is_foreign(flag, false);
}

static void
add_driver_object(struct build *b, const char *object)
{
    BURL_VEC_PUSH(&b->link, object);
    b->n_driver++;
}

static bool
is_fixed_part(const char *name)
{
    char *file = burl_xasprintf("%s.c", name);
    bool is_fixed = burl__gen_driver_text(file) != NULL;

    free(file);
    return is_fixed;
}

/* Writes a source of the driver and compiles it to the object. */
static enum burl_status
compile_text(struct build *b, const char *name, const char *text, bool hooks, const char *object,
             struct burl_err *err)
{
    const char *path = keep(b, burl_xasprintf("%s/%s.c", b->o->dir, name));
    struct burl_gen_strings words;
    char *message = NULL;
    enum burl_status st = burl_fs_write_atomic(path, text, strlen(text), err);

    if (st == BURL_OK) {
        begin_command(b, false, &words);
        if (!hooks)
            BURL_VEC_PUSH(&words, "--no-instrument");
        /* A header of the user's -include comes before the driver's own #define. */
        if (is_fixed_part(name))
            BURL_VEC_PUSH(&words, "-D_GNU_SOURCE");
        for (size_t k = 0; k < b->flags.n; k++) {
            if (is_for_driver(b->flags.v[k]))
                BURL_VEC_PUSH(&words, b->flags.v[k]);
        }
        ADD_WORDS(&words, "-O1", "-g", "-w", "-fno-strict-aliasing", "-c", path, "-o", object);
        st = run_command(b, &words, &message, err);
    }
    if (message)
        st = driver_error(b, message, text, err);
    free(message);
    return st;
}

static enum burl_status
compile_driver(struct build *b, const char *name, const char *text, bool hooks,
               struct burl_err *err)
{
    const char *object = keep(b, burl_xasprintf("%s/%s.o", b->o->dir, name));

    add_driver_object(b, object);
    return compile_text(b, name, text, hooks, object, err);
}

/* True for flags that do not change the layout of what both parts of the driver share: search
 * paths, the standard, debug information, macros of other names. */
static bool
is_harmless(const char *flag)
{
    static const char *const harmless[] = { "-I", "-std=", "-g", NULL };

    if (strncmp(flag, "-D", 2) == 0 || strncmp(flag, "-U", 2) == 0)
        return flag[2] != '\0' && strncasecmp(flag + 2, "burl", 4) != 0;
    return begins_with(flag, harmless);
}

/* The precompiled object of the fixed part; NULL if it must be compiled for these flags, or is not
 * installed. */
static const char *
ready_driver(struct build *b)
{
    static const char *const places[] = { "burl_driver.o", "../lib/burl/burl_driver.o" };
    const char *dir;

    for (size_t i = 0; i < b->flags.n; i++) {
        if (is_for_driver(b->flags.v[i]) && !is_harmless(b->flags.v[i]))
            return NULL;
        i += strcmp(b->flags.v[i], "-I") == 0;
    }
    dir = keep(b, burl_path_dirname(b->o->burl));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = keep(b, burl_path_join(dir, places[i]));

        if (burl_fs_exists(path))
            return path;
    }
    return NULL;
}

static enum burl_status
take_fixed_part(struct build *b, struct burl_err *err)
{
    const char *ready = ready_driver(b);

    if (!ready)
        return compile_driver(b, "burl_driver", burl__gen_driver_text("burl_driver.c"), false, err);
    add_driver_object(b, ready);
    return BURL_OK;
}

/* *message (owned): what the linker printed when it failed; NULL: it worked. */
static enum burl_status
run_linker(struct build *b, const char *program, char **message, struct burl_err *err)
{
    static const char *const also_for_link[] = { "-fsanitize", "-m", NULL };
    const size_t n = b->link.n - b->n_driver;
    struct burl_gen_strings words;

    begin_command(b, b->cplusplus, &words);
    /* The driver first: libraries come after what needs them. */
    for (size_t i = 0; i < b->link.n; i++) {
        const char *word = b->link.v[(n + i) % b->link.n];

        if (word != NULL)
            BURL_VEC_PUSH(&words, word);
    }
    for (size_t i = 0; i < b->flags.n; i++) {
        if (begins_with(b->flags.v[i], also_for_link))
            BURL_VEC_PUSH(&words, b->flags.v[i]);
    }
    ADD_WORDS(&words, "-pthread", "-o", program);
    return run_command(b, &words, message, err);
}

static enum burl_status
link_program(struct build *b, const char *program, struct burl_err *err)
{
    char *message;
    enum burl_status st = run_linker(b, program, &message, err);

    if (message)
        st = link_error(b, message, err);
    free(message);
    return st;
}

/* ---- the program --------------------------------------------------------------------- */

static enum burl_status
write_headers(struct build *b, struct burl_err *err)
{
    static const char *const names[][2] = { { "burl_driver.h", "burl_driver.h" },
                                            { "burl_record.h", "burl_record.h" },
                                            { "burl_stop.h", "burl_stop.h" },
                                            { "record.h", "burl_record_wire.h" },
                                            { "mail.h", "burl_mail.h" } };
    enum burl_status st = BURL_OK;

    for (size_t i = 0; st == BURL_OK && i < sizeof names / sizeof *names; i++) {
        const char *text = burl__gen_driver_text(names[i][0]);

        st = burl_fs_write_atomic(keep(b, burl_path_join(b->o->dir, names[i][1])), text,
                                  strlen(text), err);
    }
    return st;
}

/*
 * Compiles the sources that are not the library's again, without hooks: a callback of a seed that
 * is stopped runs in the threads of a test, as one step, and its own races are none of the API's.
 * Their calls of functions that the header defines become calls of recorders, too.
 */
static enum burl_status
compile_clients(struct build *b, struct burl_err *err)
{
    const char *path = keep(b, burl_xasprintf("%s/redirects", b->o->dir));
    const char *flag = keep(b, burl_xasprintf("--redirect=%s", path));
    bool any;
    enum burl_status st = burl__gen_redirects_write(path, b->o->model, &any, err);

    for (size_t i = 0; st == BURL_OK && i < b->source.n; i++) {
        if (b->seeds->client.v[i] != NULL)
            st = compile_file(b, b->source.v[i], b->link.v[b->at.v[i]],
                              (const char *const[]){ "-I.", any ? flag : NULL, NULL }, any, err);
    }
    return st;
}

/* Replaces the objects of sources that are not the library's by seeds, and adds their recorder. */
static enum burl_status
take_seeds(struct build *b, const char *header, struct burl_err *err)
{
    struct burl_gen_strings objects = { 0 };
    struct burl_buf text = BURL_BUF_INIT;
    enum burl_status st;

    for (size_t i = 0; i < b->source.n; i++)
        BURL_VEC_PUSH(&objects, b->link.v[b->at.v[i]]);
    st = burl__gen_seeds_find(b->seeds, b->o, b->source.v, objects.v, b->source.n, err);
    if (st == BURL_OK)
        st = compile_clients(b, err);
    if (st == BURL_OK)
        st = burl__gen_seeds_make(b->seeds, b->o, b->source.v, objects.v, b->source.n, err);
    drop_clients(b, b->seeds, false);
    burl__gen_record_source(b->o->model, header, b->seeds, &text);
    if (st == BURL_OK)
        st = compile_driver(b, "burl_recorders", burl_buf_str(&text), false, err);
    if (st == BURL_OK)
        st = compile_driver(b, "burl_record", burl__gen_driver_text("burl_record.c"), false, err);
    if (st == BURL_OK)
        st = compile_driver(b, "burl_stop", burl__gen_driver_text("burl_stop.c"), false, err);
    for (size_t i = 0; st == BURL_OK && i < b->seeds->n; i++)
        add_driver_object(b, b->seeds->v[i].object);
    burl_buf_deinit(&text);
    BURL_VEC_FREE(&objects);
    return st;
}

static enum burl_status
compile_all(struct build *b, struct burl_err *err)
{
    const char *header = b->o->model->header;
    char *absolute = NULL;
    struct burl_buf text = BURL_BUF_INIT;
    struct burl_buf inlines = BURL_BUF_INIT;
    bool has_inlines = false;
    enum burl_status st = BURL_OK;

    if (burl_fs_exists(header))
        st = burl_path_absolute(&absolute, header, err);
    if (st == BURL_OK) {
        const char *name = absolute ? absolute : header;

        burl__gen_driver_source(b->o->model, name, b->o->with_seeds, &text);
        has_inlines = burl__gen_inline_source(b->o->model, name, &inlines);
        st = write_headers(b, err);
    }
    if (st == BURL_OK && b->link.n == 0 && !has_inlines)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "no sources: give those of the API after \"--\", as to a compiler");
    for (size_t i = 0; st == BURL_OK && i < b->source.n; i++)
        /* A seed that burl wrote includes the header as the user named it. */
        st = compile_file(b, b->source.v[i], b->link.v[b->at.v[i]],
                          (const char *const[]){ b->seeds ? "-I." : NULL, NULL }, true, err);
    if (st == BURL_OK)
        st = compile_driver(b, "burl_api", burl_buf_str(&text), false, err);
    if (st == BURL_OK)
        st = take_fixed_part(b, err);
    if (st == BURL_OK && has_inlines)
        st = compile_driver(b, "burl_inline", burl_buf_str(&inlines), true, err);
    if (st == BURL_OK && b->seeds != NULL)
        st = take_seeds(b, absolute ? absolute : header, err);
    burl_buf_deinit(&text);
    burl_buf_deinit(&inlines);
    free(absolute);
    return st;
}

/* The driver, and once more without the functions that nothing defines. */
static enum burl_status
link_driver(struct build *b, const char *program, struct burl_err *err)
{
    const char *object = keep(b, burl_xasprintf("%s/burl_api.o", b->o->dir));
    char *message;
    enum burl_status st = run_linker(b, program, &message, err);

    /* A linker names only so many at once. */
    while (st == BURL_OK && message && b->seeds == NULL && leave_out_undefined(b, message)) {
        struct burl_buf text = BURL_BUF_INIT;
        char *header = NULL;

        free(message);
        message = NULL;
        st = burl_path_absolute(&header, b->o->model->header, err);
        if (st == BURL_OK) {
            burl__gen_driver_source(b->o->model, header, b->o->with_seeds, &text);
            st = compile_text(b, "burl_api", burl_buf_str(&text), false, object, err);
        }
        if (st == BURL_OK)
            st = run_linker(b, program, &message, err);
        burl_buf_deinit(&text);
        free(header);
    }
    if (st == BURL_OK && message)
        st = link_error(b, message, err);
    free(message);
    return st;
}

enum burl_status
burl__gen_build(const struct burl_gen_exec_opts *opts, char **program,
                struct burl__gen_seeds *seeds, struct burl_err *err)
{
    struct build b = { .o = opts, .seeds = opts->with_seeds ? seeds : NULL };
    enum burl_status st = burl_fs_mkdir_p(opts->dir, err);

    *program = burl_path_join(opts->dir, "driver");
    sort_words(&b);
    if (st == BURL_OK)
        st = compile_all(&b, err);
    if (st == BURL_OK)
        st = link_driver(&b, *program, err);
    free_build(&b);
    return st;
}

enum burl_status
burl_gen_exec_build_test(const struct burl_gen_exec *x, const char *source, const char *program,
                         bool parts, struct burl_err *err)
{
    struct build b = { .o = &x->opts };
    const char *object = keep(&b, burl_xasprintf("%s.o", program));
    enum burl_status st;

    sort_words(&b);
    drop_clients(&b, &x->seeds, parts);
    /* The test includes the header as the user named it. */
    st = compile_file(&b, source, object, (const char *const[]){ "-I.", NULL }, true, err);
    add_driver_object(&b, object);
    if (st == BURL_OK)
        st = link_program(&b, program, err);
    free_build(&b);
    return st;
}
