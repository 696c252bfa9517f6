/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/guess_kind.c - what each function is for: makes an object, ends one, method, helper,
 * skipped.
 *
 * By types first, by names where types leave several possibilities, by comments where names say
 * nothing. Wrong in one direction costs a function of the tests, in the other tests that the
 * sequential pre-run throws away; neither is a false alarm. Function i of the model is function i
 * of the declarations.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/model/decls_int.h"

#define MAKE_WORDS                                                                               \
    "new create make alloc allocate open init initialize initialise construct ctor setup build " \
    "start begin from parse load copy clone dup duplicate split snapshot fork attach connect"
#define COPY_WORDS "copy clone dup duplicate snapshot split fork new create from slice sub filter"
/* Functions that hand out an object to be returned later. */
#define TAKE_WORDS                                                                                \
    "acquire borrow checkout take alloc allocate get open create new begin iter iterator cursor " \
    "start lease reserve prepare connect snapshot init"
#define GIVE_WORDS                                                                            \
    "release put give return giveback recycle checkin free destroy delete dispose close end " \
    "finish"

/* Words that end an object, best first. */
static const char *const end_words[] = {
    "free",    "destroy",  "delete",  "del",        "dispose",  "deinit", "fini",
    "dtor",    "destruct", "uninit",  "finalize",   "finalise", "term",   "unref",
    "cleanup", "teardown", "release", "close",      "put",      "finish", "end",
    "stop",    "shutdown", "join",    "disconnect", "quit"
};
#define N_END_WORDS (sizeof end_words / sizeof end_words[0])
/* From this one on a function is an ordinary one when another ends the object. */
#define END_RANK_WEAK 14
/* From this one on a word ends only what its counterpart began: worker_start(), worker_stop(). */
#define END_RANK_STOP 21
#define START_WORDS "start begin launch spawn connect run fork"

static bool
is_type(const struct burl_gen_model *m, const struct burl__gen_ctype *record, int type)
{
    return record && type >= 0 && strcmp(record->tag, m->types.v[type].name) == 0;
}

/* First parameter that is a pointer to the type; -1 none. */
static int
param_of(const struct burl_gen_model *m, const struct burl__gen_cfn *c, int type)
{
    for (size_t i = 0; i < c->n_params; i++) {
        if (is_type(m, burl__gen_handle(&c->params[i].type), type))
            return (int)i;
    }
    return -1;
}

static void
skip(struct burl_gen_fn *f, const char *why)
{
    f->kind = BURL_GEN_SKIP;
    f->note = why;
}

/* Why the function is not called; NULL: it is. */
static const char *
why_never(const struct burl__gen_cfn *c)
{
    if (c->is_variadic)
        return "takes a variable number of arguments";
    if (c->is_noreturn)
        return "does not return";
    if (c->is_static && !c->is_defined)
        return "is static and not defined in the header";
    if (c->name[0] == '_')
        return "is private by its name";
    if (strcmp(c->name, "main") == 0)
        return "is a program's main";
    return NULL;
}

/* The lock is the caller's business: not one of the calls that threads may make at will. */
static const char *
why_not_concurrent(const struct burl__gen_cfn *c)
{
    if (burl__gen_has_word(c->name, "unlocked nolock unsafe lockless nolocking") ||
        (burl__gen_ends_word(c->name, "locked") && !burl__gen_has_word(c->name, "is has get")))
        return "is for callers that hold the lock, by its name";
    if (burl__gen_says(c->comment, "caller must hold|caller holds|callers must hold|must hold the|"
                                   "lock must be held|must be held|with the lock held|"
                                   "lock held by the caller"))
        return "is for callers that hold the lock, by its comment";
    if (burl__gen_says(c->comment, "not thread-safe|not thread safe|not threadsafe|not mt-safe|"
                                   "not safe to call concurrently|must not be called concurrently|"
                                   "no other thread may|only one thread may|single-threaded only|"
                                   "only from one thread|before any thread|before starting threads|"
                                   "not be called while other threads"))
        return "is not for several threads, by its comment";
    return NULL;
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* How good a name for ending an object: smaller is better, N_END_WORDS not one. */
static size_t
end_rank(const struct burl__gen_cfn *c)
{
    const struct burl__gen_ctype *r = &c->result;

    if (c->n_params != 1 || !burl__gen_handle(&c->params[0].type))
        return N_END_WORDS;
    if (r->kind != BURL__GEN_C_VOID && r->kind != BURL__GEN_C_ENUM &&
        (r->kind != BURL__GEN_C_INT || r->is_unsigned || r->size_b != 4))
        return N_END_WORDS;
    /* "pool_n_free", "buf_get_free": how much is free. */
    if (burl__gen_has_word(c->name, "get count n num number is has bytes space total size avail "
                                    "available slots blocks"))
        return N_END_WORDS;
    for (size_t i = 0; i < N_END_WORDS; i++) {
        size_t n = strlen(end_words[i]);
        if (burl__gen_ends_word(c->name, end_words[i]) ||
            (strncmp(c->name, end_words[i], n) == 0 && c->name[n] == '_'))
            return i;
    }
    return N_END_WORDS;
}

/* The same for objects of this type. */
static size_t
end_rank_of(const struct burl_gen_model *m, const struct burl_gen_fn *f, int type)
{
    return f->kind != BURL_GEN_SKIP && param_of(m, f->decl, type) == 0 ? end_rank(f->decl)
                                                                       : N_END_WORDS;
}

static bool
is_started(const struct burl_gen_model *m, int type)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        if (param_of(m, c, type) < 0 && is_type(m, burl__gen_handle(&c->result), type) &&
            burl__gen_has_word(c->name, START_WORDS))
            return true;
    }
    return false;
}

static void
choose_end(struct burl_gen_model *m, int type)
{
    size_t best_rank = is_started(m, type) ? N_END_WORDS : END_RANK_STOP;
    int best = -1;

    for (size_t i = 0; i < m->fns.n; i++) {
        size_t rank = end_rank_of(m, &m->fns.v[i], type);
        if (rank < best_rank || (rank == best_rank && best >= 0 &&
                                 strlen(m->fns.v[i].name) < strlen(m->fns.v[best].name))) {
            best = (int)i;
            best_rank = rank;
        }
    }
    if (best < 0)
        return;
    m->types.v[type].destroy = best;
    m->fns.v[best].kind = BURL_GEN_DESTROY;
    m->fns.v[best].self = 0;
    for (size_t i = 0; i < m->fns.n; i++) {
        struct burl_gen_fn *f = &m->fns.v[i];
        size_t rank = end_rank_of(m, f, type);
        if ((int)i == best || rank == N_END_WORDS)
            continue;
        if (rank >= END_RANK_WEAK)
            burl__gen_note(m, "%s() is called like any other function: %s() ends the object.",
                           f->name, m->fns.v[best].name);
        else
            skip(f, burl__gen_text(m, "ends an object by its name, for which %s() is used",
                                   m->fns.v[best].name));
    }
}

/* ---- making ---------------------------------------------------------------------------------- */

/* "queue_init(q)" is the first call of an object's life, by its name. */
static bool
is_init(const struct burl__gen_cfn *c)
{
    return burl__gen_has_word(c->name, "init initialize initialise construct ctor") &&
           !burl__gen_has_word(c->name, "is re has needs was");
}

/* How good a name for making an object of the memory that parameter `at` points to: 1 best, 0 not
 * one. */
static int
storage_rank(const struct burl__gen_cfn *c, int at)
{
    const struct burl__gen_ctype *h = at >= 0 ? burl__gen_handle(&c->params[at].type) : NULL;
    enum burl__gen_ckind k = c->result.kind;

    /* "pool_init(4, &pool)": by other words than init the object comes first. */
    if (!h || h->is_const || !h->is_complete || (at > 0 && !is_init(c)))
        return 0;
    if (k != BURL__GEN_C_VOID && k != BURL__GEN_C_INT && k != BURL__GEN_C_BOOL &&
        k != BURL__GEN_C_ENUM && !burl__gen_handle(&c->result))
        return 0;
    if (is_init(c))
        return 1;
    if (burl__gen_ends_word(c->name, "create new make setup"))
        return 2;
    return burl__gen_ends_word(c->name, "open start begin") ? 3 : 0;
}

/* Types that some function makes by itself: returned, or through a pointer to a pointer. */
static bool
is_allocating_make(const struct burl_gen_model *m, const struct burl__gen_cfn *c, int type)
{
    const struct burl__gen_ctype *r = burl__gen_handle(&c->result);

    if (param_of(m, c, type) >= 0)
        return false;
    if (is_type(m, r, type) && !r->is_const)
        return true;
    /* "x_cleanup(struct x **)" is no way to make one. */
    for (size_t i = 0; i < c->n_params && burl__gen_has_word(c->name, MAKE_WORDS); i++) {
        if (is_type(m, burl__gen_handle_out(&c->params[i].type), type))
            return true;
    }
    return false;
}

/* Functions that take another handle and answer with this type may only be showing one. */
static bool
is_shown_only(const struct burl__gen_cfn *c)
{
    for (size_t i = 0; i < c->n_params; i++) {
        if (burl__gen_handle(&c->params[i].type))
            return !burl__gen_has_word(c->name, MAKE_WORDS);
    }
    return false;
}

static void
make_by_storage(struct burl_gen_model *m, int type)
{
    bool allocated = false;
    int best = 4;

    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        int rank = storage_rank(c, param_of(m, c, type));
        allocated |= m->fns.v[i].kind == BURL_GEN_MAKE && m->fns.v[i].makes == type;
        if (rank > 0 && rank < best && m->fns.v[i].kind != BURL_GEN_SKIP)
            best = rank;
    }
    if (best == 4 || (allocated && best > 1))
        return;
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        struct burl_gen_fn *f = &m->fns.v[i];
        if (storage_rank(c, param_of(m, c, type)) != best || f->kind == BURL_GEN_SKIP ||
            f->kind == BURL_GEN_DESTROY)
            continue;
        /* An iterator over the shared object: the call is one of those under test. */
        if (type != m->shared && param_of(m, c, m->shared) >= 0)
            continue;
        f->kind = BURL_GEN_MAKE;
        f->makes = type;
        m->types.v[type].free_it = true;
    }
}

static void
choose_makes(struct burl_gen_model *m, int type)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        struct burl_gen_fn *f = &m->fns.v[i];
        if (f->kind == BURL_GEN_SKIP || f->kind == BURL_GEN_DESTROY || f->kind == BURL_GEN_MAKE)
            continue;
        if (!is_allocating_make(m, c, type) || is_shown_only(c) ||
            (type != m->shared && param_of(m, c, m->shared) >= 0))
            continue;
        f->kind = BURL_GEN_MAKE;
        f->makes = type;
        if (type == m->shared &&
            burl__gen_says(c->comment, "free()|with free|by free|using free") &&
            m->types.v[type].destroy < 0)
            m->types.v[type].free_it = true;
    }
    make_by_storage(m, type);
}

/* Zero is success unless the result is a truth value or the comment says otherwise. */
static void
guess_success(const struct burl__gen_cfn *c, struct burl_gen_fn *f)
{
    f->zero_is_success = c->result.kind != BURL__GEN_C_BOOL;
    if (burl__gen_says(c->comment, "true on success|true if|true when|nonzero on success|"
                                   "non-zero on success|1 on success|returns 1|nonzero if it|"
                                   "0 on failure|0 on error|zero on failure|zero on error|"
                                   "false on failure|false when|false if|0 when there is no memory|"
                                   "0 if there is no memory|0 if out of memory"))
        f->zero_is_success = false;
    if (burl__gen_says(c->comment, "0 on success|zero on success|0 if successful|returns 0 on|"
                                   "zero, or|0, or|0 or"))
        f->zero_is_success = c->result.kind != BURL__GEN_C_BOOL;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* All types that functions take or return, each function's result first. */
static void
add_types(struct burl_gen_model *m)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        for (size_t j = 0; j <= c->n_params; j++) {
            const struct burl__gen_ctype *t = j == 0 ? &c->result : &c->params[j - 1].type;
            const struct burl__gen_ctype *h = burl__gen_handle(t);
            if (!h && j > 0)
                h = burl__gen_handle_out(t);
            if (h)
                (void)burl__gen_type_of(m, h);
        }
    }
}

/* "queue_destroy(struct queue **)": nothing can be called at the end. */
static bool
ends_by_address(const struct burl__gen_cfn *c)
{
    if (c->n_params != 1 || !burl__gen_handle_out(&c->params[0].type))
        return false;
    return burl__gen_has_word(c->name,
                              "free destroy delete dispose deinit unref release close term "
                              "cleanup clear");
}

/* The parameter that is the shared object; with objects of every type, else the first object. */
static int
self_of(const struct burl_gen_model *m, const struct burl__gen_cfn *c)
{
    int self = param_of(m, c, m->shared);

    for (size_t i = 0; self < 0 && m->every_type && i < c->n_params; i++) {
        for (size_t t = 0; self < 0 && t < m->types.n; t++) {
            if (is_type(m, burl__gen_handle(&c->params[i].type), (int)t))
                self = (int)i;
        }
    }
    return self;
}

static void
guess_methods(struct burl_gen_model *m)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        struct burl_gen_fn *f = &m->fns.v[i];
        const char *why;
        int self = self_of(m, c);
        if (f->kind == BURL_GEN_MAKE)
            guess_success(c, f);
        if (f->kind != BURL_GEN_HELPER || (self < 0 && !m->every_type))
            continue;
        f->kind = BURL_GEN_METHOD;
        f->self = self;
        f->read_only = self >= 0 && c->params[self].type.pointee->is_const;
        guess_success(c, f);
        /* What another function made and this one begins: no thread may call it later. */
        why = self == 0 && is_init(c)
                  ? "begins an object, by its name: it is not for several threads"
                  : why_not_concurrent(c);
        if (why)
            skip(f, why);
    }
}

static void
note_kinds(struct burl_gen_model *m)
{
    struct burl_gen_type *t = m->shared >= 0 ? &m->types.v[m->shared] : NULL;

    if (t == NULL)
        return;
    for (size_t i = 0; i < m->fns.n; i++) {
        struct burl_gen_fn *f = &m->fns.v[i];
        if (f->kind != BURL_GEN_MAKE || f->makes != m->shared)
            continue;
        burl__gen_note(m, "%s() makes the shared object%s.", f->name,
                       burl__gen_handle(&f->decl->result) ? ""
                       : f->zero_is_success ? ", and has worked when it answers 0 or nothing"
                                            : ", and has worked when its answer is not 0");
    }
    if (t->destroy >= 0)
        burl__gen_note(m, "%s() ends it, once, after all threads.", m->fns.v[t->destroy].name);
    else
        burl__gen_note(m, "No function ends a %s: objects stay until the process ends.", t->name);
}

void
burl__gen_guess_kinds(struct burl_gen_model *m)
{
    add_types(m);
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        const char *why = why_never(c);
        m->fns.v[i].kind = BURL_GEN_HELPER;
        if (why)
            skip(&m->fns.v[i], why);
        else if (ends_by_address(c))
            skip(&m->fns.v[i], "ends an object through the address of its pointer; write a static "
                               "inline function that takes the pointer, and \"include\" it");
    }
    for (size_t t = 0; t < m->types.n; t++)
        choose_end(m, (int)t);
    for (size_t t = 0; t < m->types.n; t++)
        choose_makes(m, (int)t);
    guess_methods(m);
    note_kinds(m);
}

/* ---- objects that calls hand out ------------------------------------------------------------- */

/* Some function takes one back: "pool_put(pool, item)", "iter_free(it)". */
static bool
is_given_back(const struct burl_gen_model *m, int type)
{
    if (m->types.v[type].destroy >= 0)
        return true;
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        if (m->fns.v[i].kind != BURL_GEN_SKIP && param_of(m, c, type) >= 0 &&
            burl__gen_has_word(c->name, GIVE_WORDS))
            return true;
    }
    return false;
}

/* The method answers with an object that is the caller's from then on. */
static bool
hands_out(const struct burl_gen_model *m, const struct burl__gen_cfn *c, int type)
{
    if (burl__gen_says(c->comment, "a new |new object|caller frees|caller owns|owned by the caller|"
                                   "must be freed|to be freed|out of memory|no memory") ||
        strncmp(c->comment, "new ", 4) == 0)
        return true;
    if (type == m->shared)
        return burl__gen_has_word(c->name, COPY_WORDS);
    return burl__gen_has_word(c->name, TAKE_WORDS) && is_given_back(m, type);
}

void
burl__gen_guess_results(struct burl_gen_model *m)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        const struct burl__gen_ctype *h = burl__gen_handle(&c->result);
        struct burl_gen_fn *f = &m->fns.v[i];
        int type;
        if (!h)
            continue;
        type = burl_gen_model_type(m, h->tag);
        f->result = BURL_GEN_RESULT_IGNORED;
        if (f->kind == BURL_GEN_SKIP)
            continue;
        if (m->types.v[type].zeroed && !h->is_const) {
            f->result = BURL_GEN_RESULT_PAYLOAD;
        } else if (f->kind == BURL_GEN_MAKE && f->makes == type) {
            bool storage = param_of(m, c, type) >= 0;
            f->result = storage ? BURL_GEN_RESULT_IGNORED : BURL_GEN_RESULT_OBJECT;
        } else if (!h->is_const && f->kind != BURL_GEN_DESTROY && hands_out(m, c, type)) {
            f->result = BURL_GEN_RESULT_OBJECT;
            if (f->kind == BURL_GEN_METHOD)
                burl__gen_note(m, "%s() answers with a new %s, which is the caller's.", f->name,
                               m->types.v[type].name);
        } else if (f->kind == BURL_GEN_METHOD && !h->is_const && burl__gen_type_is_part(m, type)) {
            f->result = BURL_GEN_RESULT_OBJECT;
        } else if (f->kind == BURL_GEN_METHOD) {
            burl__gen_note(m, "%s() shows a %s, which is neither kept nor compared.", f->name,
                           m->types.v[type].name);
        }
        if (f->result == BURL_GEN_RESULT_OBJECT)
            f->result_type = type;
    }
}

bool
burl__gen_type_is_made(const struct burl_gen_model *m, int type)
{
    if (m->types.v[type].zeroed)
        return true;
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl_gen_fn *f = &m->fns.v[i];
        const struct burl__gen_cfn *c = m->fns.v[i].decl;
        const struct burl__gen_ctype *h = burl__gen_handle(&c->result);
        if (f->kind == BURL_GEN_SKIP)
            continue;
        if (f->kind == BURL_GEN_MAKE && f->makes == type)
            return true;
        if (is_type(m, h, type) && !h->is_const && hands_out(m, c, type))
            return true;
        for (size_t j = 0; j < c->n_params; j++) {
            if (is_type(m, burl__gen_handle_out(&c->params[j].type), type))
                return true;
        }
        if (storage_rank(c, param_of(m, c, type)) == 1)
            return true;
    }
    return false;
}

bool
burl__gen_type_is_part(const struct burl_gen_model *m, int type)
{
    if (!m->every_type || type == m->shared || m->types.v[type].destroy >= 0 ||
        burl__gen_type_is_made(m, type))
        return false;
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl__gen_ctype *h = burl__gen_handle(&m->fns.v[i].decl->result);

        if (m->fns.v[i].kind == BURL_GEN_METHOD && is_type(m, h, type) && !h->is_const)
            return true;
    }
    return false;
}
