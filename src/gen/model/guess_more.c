/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/guess_more.c - results, functions that may block, dumps.
 *
 * Blocking is a hint for the builder only. Dumps are read-only functions called after all threads
 * have ended, so that a wrong one costs time and nothing else; a few are enough to see a lost
 * update.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/model/decls_int.h"

#define MAX_DUMPS 8

static void
guess_result(struct burl_gen_fn *f)
{
    const struct burl__gen_ctype *r = &f->decl->result;
    const struct burl__gen_ctype *e = r->kind == BURL__GEN_C_POINTER ? r->pointee : NULL;

    f->gaps = r->padding;
    f->n_gaps = r->n_padding;
    if (burl__gen_handle(r))
        return; /* burl__gen_guess_results() */
    f->result = r->kind == BURL__GEN_C_VOID        ? BURL_GEN_RESULT_VOID
                : r->kind == BURL__GEN_C_REAL      ? BURL_GEN_RESULT_REAL
                : burl__gen_is_integer(r)          ? BURL_GEN_RESULT_INT
                : r->is_plain                      ? BURL_GEN_RESULT_STRUCT
                : e && e->kind == BURL__GEN_C_VOID ? BURL_GEN_RESULT_PAYLOAD
                : e && e->kind == BURL__GEN_C_CHAR ? BURL_GEN_RESULT_STRING
                                                   : BURL_GEN_RESULT_IGNORED;
    if (f->result == BURL_GEN_RESULT_STRING && !e->is_const &&
        (burl__gen_has_word(f->name, "dup strdup clone copy asprintf") ||
         burl__gen_says(f->decl->comment, "caller frees|free it|free()|freed by|must be freed|"
                                          "with free|caller must free|to be freed")))
        f->result = BURL_GEN_RESULT_OWN_STRING;
}

static bool
may_block(const struct burl__gen_cfn *c)
{
    if (burl__gen_has_word(c->name, "try nowait nonblock nonblocking poll"))
        return false;
    if (burl__gen_says(c->comment, "does not block|never blocks|without blocking|does not wait|"
                                   "never waits|without waiting|non-blocking|nonblocking"))
        return false;
    return burl__gen_has_word(c->name, "wait take recv receive join block blocking await timedwait "
                                       "barrier sleep sync acquire lock rdlock wrlock down") ||
           burl__gen_says(c->comment, "blocks until|block until|blocks while|may block|waits until|"
                                      "waits for|wait until|waits while|sleeps until|blocking");
}

#define READ_WORDS                                                                               \
    "size count length len empty full is has get sum total capacity check valid hash checksum "  \
    "version number num available position pending free used min max average mean state status " \
    "depth height"
#define CHANGE_WORDS                                                                               \
    "set add inc incr increment dec next take pop push remove clear reset swap exchange put "      \
    "insert "                                                                                      \
    "trim ensure resize reserve shrink grow sort reverse compact flush rehash expire evict drain " \
    "fetch update test and new create delete read write open close start stop wait lock unlock "   \
    "ref"

static bool
is_comparable(enum burl_gen_result r)
{
    return r == BURL_GEN_RESULT_INT || r == BURL_GEN_RESULT_REAL || r == BURL_GEN_RESULT_STRING ||
           r == BURL_GEN_RESULT_OWN_STRING || r == BURL_GEN_RESULT_STRUCT;
}

/* The object alone: a question about its state. */
static bool
is_question(const struct burl_gen_fn *f, const struct burl__gen_cfn *c)
{
    if (f->params.n != (f->self >= 0 ? 1 : 0) || !is_comparable(f->result))
        return false;
    /* All of it at once, from an object that is const: "vec_read", "stats_fetch". */
    if (f->result == BURL_GEN_RESULT_STRUCT && f->read_only)
        return true;
    if (burl__gen_has_word(c->name, CHANGE_WORDS) && !burl__gen_has_word(c->name, "is has"))
        return false;
    return f->read_only || c->is_pure || burl__gen_has_word(c->name, READ_WORDS);
}

/* The object and a buffer: writes down its state. */
static bool
is_writer(const struct burl_gen_fn *f, const struct burl__gen_cfn *c)
{
    bool buffer = false;

    for (size_t i = 0; i < f->params.n; i++) {
        enum burl_gen_role r = f->params.v[i].role;
        if (r == BURL_GEN_ROLE_BYTES_OUT && f->params.v[i].partner >= 0)
            buffer = true;
        else if (r != BURL_GEN_ROLE_LENGTH && (int)i != f->self)
            return false;
    }
    return buffer && (burl__gen_has_word(c->name, "dump string str format print serialize "
                                                  "serialise snapshot array") ||
                      (burl__gen_has_word(c->name, "to") && f->read_only));
}

static void
note_dumps(struct burl_gen_model *m)
{
    struct burl_buf b = BURL_BUF_INIT;

    for (size_t i = 0; i < m->fns.n; i++) {
        if (m->fns.v[i].dump)
            burl_buf_printf(&b, "%s%s()", b.n > 0 ? ", " : "", m->fns.v[i].name);
    }
    if (b.n > 0)
        burl__gen_note(m, "The final state is what these answer after all threads: %s.",
                       burl_buf_str(&b));
    else
        burl__gen_note(m, "No function tells the state: only results of calls are compared. "
                          "\"dump f\" states one.");
    burl_buf_deinit(&b);
}

/* Fails instead of blocking, and so may fail spuriously. Of a lock of libc the execution shows it;
 * words are for locks made of atomic operations. Words that may name a state of the object as well
 * ("try again") count only where false or NULL is the failure: of a weak function that gives a
 * number no result at all is compared. */
static bool
is_weak(const struct burl_gen_fn *f, const struct burl__gen_cfn *c)
{
    if (f->kind != BURL_GEN_METHOD || f->result == BURL_GEN_RESULT_VOID)
        return false;
    if ((f->result != BURL_GEN_RESULT_INT || c->result.kind == BURL__GEN_C_BOOL) &&
        burl__gen_says(c->comment, "try again|try later|retry later|contention|contended|"
                                   "would block|lock is busy|lock is taken|lock is held"))
        return true;
    return burl__gen_has_word(c->name, "try trylock tryput trypush trypop tryget trytake tryadd") ||
           burl__gen_says(c->comment, "spuriously|spurious failure|somebody else is using|"
                                      "under contention|when it is busy|if it is busy");
}

/* Type of the object that the function is about; -1 none. */
static int
self_type(const struct burl_gen_fn *f)
{
    return f->self >= 0 ? f->params.v[f->self].type : -1;
}

static unsigned
n_dumps(const struct burl_gen_model *m, int type)
{
    unsigned n = 0;

    for (size_t i = 0; i < m->fns.n; i++)
        n += m->fns.v[i].dump && self_type(&m->fns.v[i]) == type;
    return n;
}

void
burl__gen_guess_hints(struct burl_gen_model *m)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        struct burl_gen_fn *f = &m->fns.v[i];
        const struct burl__gen_cfn *c = f->decl;
        guess_result(f);
        if (f->kind != BURL_GEN_METHOD && f->kind != BURL_GEN_HELPER)
            continue;
        f->may_block = may_block(c);
        f->weak = is_weak(f, c);
        if (f->weak)
            burl__gen_note(m,
                           "%s() may fail although it could succeed, by its name or comment: runs "
                           "in which it fails are not compared. \"not weak %s\" has them compared.",
                           f->name, f->name);
        if (f->may_block && f->kind == BURL_GEN_METHOD)
            burl__gen_note(m, "%s() may block, by its %s.", f->name,
                           burl__gen_says(c->comment, "block|wait|sleep") ? "comment" : "name");
    }
    /* Whole pictures first: one of them sees more than all questions. */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < m->fns.n; i++) {
            struct burl_gen_fn *f = &m->fns.v[i];
            const struct burl__gen_cfn *c = f->decl;
            if (f->kind != BURL_GEN_METHOD || f->may_block || f->dump ||
                n_dumps(m, self_type(f)) >= MAX_DUMPS)
                continue;
            f->dump = pass == 0 ? is_writer(f, c) : is_question(f, c);
        }
    }
    note_dumps(m);
}
