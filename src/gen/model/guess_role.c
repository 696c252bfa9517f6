/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/guess_role.c - what each parameter is for.
 *
 * The type decides nearly everything; names and comments decide between what a type leaves open:
 * is "char *" read or written, is "size_t n" the length of the bytes beside it, may it be NULL.
 * What cannot be made is UNKNOWN, with the reason and the line of the model file that helps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/model/decls_int.h"

#define LENGTH_WORDS                                                                             \
    "len length size sz n num count cnt nbytes bytes nmemb cap capacity max limit nelem nelems " \
    "elements nvalues nitems space room buflen bufsize buffersize datalen keylen maxlen"
#define OUT_WORDS "out output dst dest destination buf buffer result results into to ret target"
#define IN_WORDS "in input src source data value values key keys item items msg message from text"
#define READ_FN_WORDS "read recv receive get pop peek dump format to copy fetch load take print"
#define WRITE_FN_WORDS \
    "write send put push add insert append set store enqueue update remove contains find lookup"
#define CONTEXT_WORDS                                                                          \
    "ctx context arg args user userdata data closure opaque cookie priv private param cb env " \
    "state"

/* One parameter of one function. */
struct at {
    struct burl_gen_model *m;
    struct burl_gen_fn *f;
    struct burl_gen_param *p;
    size_t i;                        /* its number */
    const char *name;                /* its name */
    const struct burl__gen_ctype *t; /* its type */
    const struct burl__gen_ctype *e; /* what a pointer or array points to; else NULL */
};

static struct at
at_param(struct burl_gen_model *m, struct burl_gen_fn *f, size_t i)
{
    const struct burl__gen_cparam *c = &f->decl->params[i];

    return (struct at){ m, f, &f->params.v[i], i, c->name, &c->type, c->type.pointee };
}

void
burl__gen_set_role(struct burl_gen_param *p, enum burl_gen_role role, const char *note)
{
    p->role = role;
    p->note = note;
}

static void
set_role(const struct at *a, enum burl_gen_role role, const char *note)
{
    burl__gen_set_role(a->p, role, note);
}

static void
set_unknown(const struct at *a, const char *note)
{
    set_role(a, BURL_GEN_ROLE_UNKNOWN,
             note ? note : "nothing is known about the type; state \"fixed EXPRESSION\"");
}

static void
set_range(struct burl_gen_param *p, int64_t hi)
{
    p->ranged = true;
    p->lo = 0;
    p->hi = hi;
}

static bool
is_va_list(const char *name)
{
    return strstr(name, "va_list") != NULL;
}

#define NO_VA_LIST "a va_list cannot be made; \"forbid\" the function"

/* ---- NULL ------------------------------------------------------------------------------------ */

#define NULL_PHRASES                                                                              \
    "may be null|can be null|could be null|is null|if not null|when not null|unless null|or null" \
    "|null is|null means|null for|null to|pass null|optional|unless it is null|unless that is "   \
    "null"                                                                                        \
    "|if non-null|if it is null|null: "

/* A sentence of the comment speaks of NULL and of this parameter; or of NULL alone, and there is no
 * other pointer it could mean. */
static bool
comment_allows_null(const struct at *a)
{
    const struct burl__gen_cfn *c = a->f->decl;
    const char *s = c->comment;
    unsigned pointers = 0;

    for (size_t i = 0; i < c->n_params; i++)
        pointers += c->params[i].type.kind == BURL__GEN_C_POINTER && (int)i != a->f->self;
    while (*s) {
        size_t n = strcspn(s, ".;");
        char *sentence = burl_xstrndup(s, n);
        bool null = burl__gen_says(sentence, NULL_PHRASES) &&
                    !burl__gen_says(sentence, "must not be null|cannot be null|returns null|never "
                                              "null|not be null|null when|null if|null on|answers "
                                              "null");
        bool mine = burl__gen_names(sentence, a->name);
        free(sentence);
        if (null && (mine || pointers == 1))
            return true;
        s += n;
        s += *s != '\0';
    }
    return false;
}

static void
guess_null(const struct at *a)
{
    const int nonnull = a->p->decl->nonnull;
    const char *why = NULL;

    if (a->t->kind != BURL__GEN_C_POINTER || (int)a->i == a->f->self ||
        a->p->role == BURL_GEN_ROLE_CONTEXT || a->t->nullable == 0 || nonnull == 1)
        return;
    if (a->t->nullable != 1 && comment_allows_null(a))
        why = "may be NULL, by the comment";
    else if (a->t->nullable != 1 && nonnull == 0)
        why = "may be NULL: the nonnull attribute leaves it out";
    a->p->nullable = a->t->nullable == 1 || why;
    if (!a->p->note)
        a->p->note = why;
}

/* ---- bytes and lengths ----------------------------------------------------------------------- */

/* "klen", "datasize" */
static bool
ends_with_length(const char *name)
{
    static const char *const ends[] = { "len", "size", "length", "sz", "bytes" };
    size_t n = strlen(name);

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t k = strlen(ends[i]);
        if (n > k && strcmp(name + n - k, ends[i]) == 0)
            return true;
    }
    return false;
}

/* "const char *user, int n" is a string and a number; a length says so by its name or its type. */
static bool
is_length_of_text(const struct burl__gen_cparam *b, const struct burl__gen_cparam *l)
{
    if (!b->type.pointee->is_const || b->type.pointee->kind != BURL__GEN_C_CHAR)
        return true;
    return burl__gen_has_word(l->name, "len length size sz nbytes bytes") ||
           ends_with_length(l->name) || (l->type.is_unsigned && l->type.size_b == 8);
}

static bool
is_length_name(const char *name)
{
    return burl__gen_has_word(name, LENGTH_WORDS) || (name[0] == 'n' && name[1] == '_') ||
           ends_with_length(name);
}

/* May parameter k be the length of the bytes in parameter i? */
static bool
is_length_for(const struct burl_gen_fn *f, size_t i, size_t k)
{
    const struct burl__gen_cparam *b = &f->decl->params[i];
    const struct burl__gen_cparam *l = &f->decl->params[k];
    bool beside = k == i + 1;

    if (l->type.kind != BURL__GEN_C_INT || l->type.size_b < 2 || f->params.v[k].partner >= 0)
        return false;
    if (l->name[0] == '\0')
        return beside && l->type.is_unsigned && l->type.size_b == 8;
    if (beside)
        return is_length_name(l->name) && is_length_of_text(b, l);
    /* (int n, const int *values), (const char *key, size_t keylen): by their names. */
    if (b->name[0] && strlen(b->name) > 1 && strstr(l->name, b->name) && is_length_name(l->name))
        return true;
    return k + 1 == i && is_length_name(l->name) &&
           !burl__gen_has_word(l->name, "max limit cap capacity");
}

/* The parameter with the length, the next one before all others; -1 none. */
static int
length_for(const struct at *a)
{
    if (a->i + 1 < a->f->params.n && is_length_for(a->f, a->i, a->i + 1))
        return (int)a->i + 1;
    for (size_t k = 0; k < a->f->params.n; k++) {
        if (k != a->i && is_length_for(a->f, a->i, k))
            return (int)k;
    }
    return -1;
}

/* Memory that is not const: does the function write to it? */
static bool
is_written(const struct at *a)
{
    if (burl__gen_has_word(a->name, OUT_WORDS) || burl__gen_has_word(a->f->name, READ_FN_WORDS))
        return true;
    /* A parameter that is only read would be const; exceptions below. */
    return !(burl__gen_has_word(a->name, IN_WORDS) &&
             burl__gen_has_word(a->f->name, WRITE_FN_WORDS));
}

static void
set_bytes(const struct at *a, int length)
{
    bool written = !a->e->is_const && is_written(a);

    set_role(a, written ? BURL_GEN_ROLE_BYTES_OUT : BURL_GEN_ROLE_BYTES_IN,
             a->e->is_const ? NULL
             : written      ? "is written, by its name"
                            : "is read, by its name");
    a->p->partner = length;
    if (length >= 0) {
        burl__gen_set_role(&a->f->params.v[length], BURL_GEN_ROLE_LENGTH, NULL);
        a->f->params.v[length].partner = (int)a->i;
    }
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* "void *buf, size_t *len": the size is behind the next pointer. */
static bool
has_size_behind(const struct at *a)
{
    const struct burl__gen_cparam *next =
        a->i + 1 < a->f->params.n ? &a->f->decl->params[a->i + 1] : NULL;

    return next && next->type.kind == BURL__GEN_C_POINTER &&
           burl__gen_is_integer(next->type.pointee) && !next->type.pointee->is_const &&
           next->type.pointee->size_b >= 2 && is_length_name(next->name);
}

static bool
is_callback(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_POINTER && t->pointee->kind == BURL__GEN_C_FUNCTION;
}

static bool
has_callback(const struct burl__gen_cfn *c)
{
    for (size_t i = 0; i < c->n_params; i++) {
        if (is_callback(&c->params[i].type))
            return true;
    }
    return false;
}

static void
guess_void(const struct at *a)
{
    int length = length_for(a);

    if (length >= 0)
        set_bytes(a, length);
    else if (!a->e->is_const && has_size_behind(a))
        set_role(a, BURL_GEN_ROLE_BYTES_OUT, "is written; the next parameter has its size");
    else if (has_callback(a->f->decl) &&
             (burl__gen_has_word(a->name, CONTEXT_WORDS) ||
              (a->i > 0 && is_callback(&a->f->decl->params[a->i - 1].type))))
        set_role(a, BURL_GEN_ROLE_CONTEXT, NULL);
    else
        set_role(a, BURL_GEN_ROLE_PAYLOAD, NULL);
}

static void
guess_char(const struct at *a)
{
    const bool is_char = a->e->kind == BURL__GEN_C_CHAR;
    int length = length_for(a);

    if (length >= 0)
        set_bytes(a, length);
    else if (a->e->is_const && is_char)
        set_role(a, BURL_GEN_ROLE_STRING,
                 burl__gen_has_word(a->name, "path file filename fname dir directory url uri "
                                             "host hostname address addr device socket")
                     ? "a file or an address, by its name: texts are made up; where it must exist, "
                       "state \"fixed\" and the text in quotes"
                     : NULL);
    else if (a->e->is_const)
        set_bytes(a, -1);
    else if (has_size_behind(a))
        set_role(a, BURL_GEN_ROLE_BYTES_OUT, "is written; the next parameter has its size");
    else if (burl__gen_has_word(a->name, OUT_WORDS))
        set_role(a, BURL_GEN_ROLE_BYTES_OUT, "is written; no parameter has its size");
    else if (is_char)
        set_role(a, BURL_GEN_ROLE_STRING, "is a string to read, though it is not const");
    else
        set_role(a, BURL_GEN_ROLE_OUT_VALUE, NULL);
}

/* "int *keys, long *values, size_t cap": the parameter with the length that arrays from this one on
 * share; -1 when it is not so. */
static int
shared_length(const struct at *a)
{
    const struct burl__gen_cfn *c = a->f->decl;
    size_t k = a->i + 1;

    while (k < c->n_params && c->params[k].type.kind == BURL__GEN_C_POINTER &&
           burl__gen_is_scalar(c->params[k].type.pointee))
        k++;
    if (k == a->i + 1 || k >= c->n_params || !is_length_for(a->f, k - 1, k))
        return -1;
    return (int)k;
}

/* All but the last of arrays with one length. The last one has it; the others get as much memory
 * as there is, which is enough when their elements are not larger. */
static void
guess_parallel(const struct at *a, int length)
{
    const struct burl__gen_ctype *last = a->f->decl->params[length - 1].type.pointee;

    if (a->e->is_const || a->e->size_b > last->size_b)
        set_unknown(a, "arrays that share one length are not made up; state \"fixed "
                       "EXPRESSION\" for them and the length");
    else
        set_role(a, BURL_GEN_ROLE_BYTES_OUT,
                 "is written; it shares its length with the array after it");
}

static void
guess_number_pointer(const struct at *a)
{
    int length = length_for(a);
    const struct burl_gen_param *before = a->i > 0 ? a->p - 1 : NULL;

    /* "int *value, int max": one value and a bound for something else. */
    if (length >= 0 && (a->e->is_const ||
                        !burl__gen_has_word(a->name, "value val old prev previous index idx pos")))
        set_bytes(a, length);
    else if (shared_length(a) >= 0)
        guess_parallel(a, shared_length(a));
    else if (a->e->is_const)
        set_role(a, BURL_GEN_ROLE_INOUT_VALUE, "points to one value");
    else if (before && before->role == BURL_GEN_ROLE_BYTES_OUT && before->partner < 0 &&
             is_length_name(a->name)) {
        set_role(a, BURL_GEN_ROLE_INOUT_VALUE, "has the size of the buffer before it");
        set_range(a->p, 64);
    } else if (burl__gen_has_word(a->name, "inout expected io cursor") ||
               burl__gen_says(a->f->decl->comment, "in/out|in-out|inout|in and out"))
        set_role(a, BURL_GEN_ROLE_INOUT_VALUE, "is read and written, by its name or the comment");
    else
        set_role(a, BURL_GEN_ROLE_OUT_VALUE, NULL);
}

static bool
can_call_back(const struct burl__gen_ctype *fn)
{
    const struct burl__gen_ctype *r = fn->pointee;

    if (fn->is_variadic ||
        !(r->kind == BURL__GEN_C_VOID || burl__gen_is_scalar(r) || r->kind == BURL__GEN_C_POINTER))
        return false;
    for (size_t i = 0; i < fn->n_params; i++) {
        const struct burl__gen_ctype *t = &fn->params[i];
        if (!burl__gen_is_scalar(t) && t->kind != BURL__GEN_C_POINTER &&
            t->kind != BURL__GEN_C_RECORD && t->kind != BURL__GEN_C_ARRAY)
            return false;
    }
    return true;
}

static void
guess_callback(const struct at *a)
{
    if (can_call_back(a->e))
        set_role(a, BURL_GEN_ROLE_CALLBACK, NULL);
    else
        set_unknown(a, "no function of this type can be made; name one of yours with \"fixed "
                       "my_function\"");
}

/* pool_put(pool, item): the item is the pool's from then on. */
static bool
is_consumed(const struct at *a)
{
    if ((int)a->i == a->f->self || a->f->kind != BURL_GEN_METHOD)
        return false;
    return burl__gen_has_word(a->f->name, "release put return giveback recycle checkin free "
                                          "destroy delete dispose") ||
           burl__gen_says(a->f->decl->comment,
                          "takes ownership|ownership of|takes over|is consumed|"
                          "consumes|must not be used afterwards|gives back|"
                          "hands back|belongs to the");
}

/* "struct point *out, size_t cap": there is one, so that the length may be 0 or 1. */
static void
limit_records(const struct at *a)
{
    int length = length_for(a);

    if (length < 0)
        return;
    burl__gen_set_role(&a->f->params.v[length], BURL_GEN_ROLE_INT, "one record is given");
    set_range(&a->f->params.v[length], 1);
}

/* No parameter before it points to the same record. */
static bool
is_first_of(const struct at *a, const struct burl__gen_ctype *record)
{
    for (size_t i = 0; i < (size_t)a->i; i++) {
        const struct burl__gen_ctype *h = burl__gen_handle(&a->f->decl->params[i].type);

        if (h && strcmp(h->tag, record->tag) == 0)
            return false;
    }
    return true;
}

static void
guess_object(const struct at *a, const struct burl__gen_ctype *record)
{
    const int type = burl_gen_model_type(a->m, record->tag);
    const bool is_shared = type == a->m->shared;
    struct burl_gen_type *t = &a->m->types.v[type];

    a->p->type = type;
    if (a->f->kind == BURL_GEN_MAKE && a->f->makes == type && is_first_of(a, record) &&
        t->complete && !record->is_const) {
        set_role(a, BURL_GEN_ROLE_STORAGE, NULL);
    } else if (!is_shared && a->i == 0 && a->f->kind == BURL_GEN_METHOD && record->is_complete &&
               !record->is_const &&
               burl__gen_has_word(a->f->name, "init initialize initialise begin")) {
        set_role(a, BURL_GEN_ROLE_STORAGE, "is memory for an object that this call makes");
        t->free_it = true;
    } else if (is_shared || a->f->kind == BURL_GEN_DESTROY || burl__gen_type_is_made(a->m, type) ||
               burl__gen_type_is_part(a->m, type)) {
        a->p->consumes = !is_shared && !record->is_const &&
                         (is_consumed(a) || (t->zeroed && burl__gen_is_put(a->f->name)));
        set_role(a, BURL_GEN_ROLE_OBJECT, a->p->consumes ? "is handed over for good" : NULL);
    } else if (record->is_complete) {
        set_role(a, BURL_GEN_ROLE_RECORD, "no function makes one: it is all zero");
        limit_records(a);
    } else {
        set_unknown(a, burl__gen_text(a->m,
                                      "no function makes a %s; state one that does with \"make f\"",
                                      t->name));
        a->p->type = -1;
    }
}

static void
guess_system_record(const struct at *a)
{
    if (strcmp(a->e->tag, "struct _IO_FILE") == 0)
        set_unknown(a, "a FILE is not made up; state one, for example \"fixed stdout\" or \"fixed "
                       "tmpfile()\"");
    else if (strstr(a->e->tag, "__va_list"))
        set_unknown(a, NO_VA_LIST);
    else if (a->e->is_unnamed || !a->e->is_complete)
        set_unknown(a, NULL);
    else
        set_role(a, BURL_GEN_ROLE_RECORD, "it is all zero");
}

static void
guess_pointer_pointer(const struct at *a)
{
    const struct burl__gen_ctype *h = burl__gen_handle_out(a->t);
    const int type = h ? burl_gen_model_type(a->m, h->tag) : -1;

    if (h && !a->m->types.v[type].zeroed) {
        set_role(a, BURL_GEN_ROLE_OUT_OBJECT, NULL);
        a->p->type = type;
    } else if (a->e->is_const || length_for(a) >= 0 ||
               a->e->pointee->kind == BURL__GEN_C_FUNCTION) {
        set_unknown(a, "a list of pointers; state \"fixed EXPRESSION\"");
    } else {
        a->p->is_payload = a->e->pointee->kind == BURL__GEN_C_VOID || h;
        set_role(a, BURL_GEN_ROLE_OUT_VALUE,
                 a->p->is_payload ? NULL : "receives an address, which is not compared");
    }
}

static void
guess_pointer(const struct at *a)
{
    const struct burl__gen_ctype *h = burl__gen_handle(a->t);

    if (h)
        guess_object(a, h);
    else if (a->e->kind == BURL__GEN_C_RECORD)
        guess_system_record(a);
    else if (a->e->kind == BURL__GEN_C_FUNCTION)
        guess_callback(a);
    else if (a->e->kind == BURL__GEN_C_VOID)
        guess_void(a);
    else if ((a->e->kind == BURL__GEN_C_INT || a->e->kind == BURL__GEN_C_CHAR) && a->e->size_b == 1)
        guess_char(a);
    else if (burl__gen_is_scalar(a->e))
        guess_number_pointer(a);
    else if (a->e->kind == BURL__GEN_C_POINTER)
        guess_pointer_pointer(a);
    else
        set_unknown(a, NULL);
}

static void
guess_array(const struct at *a)
{
    if (burl__gen_is_scalar(a->e) && a->t->elements * a->e->size_b <= 256)
        set_bytes(a, length_for(a));
    else if (is_va_list(a->t->canonical))
        set_unknown(a, NO_VA_LIST);
    else
        set_unknown(a, "an array of this type is not made up; state \"fixed EXPRESSION\"");
}

/* ---- values ---------------------------------------------------------------------------------- */

static void
guess_enum(const struct at *a)
{
    for (size_t k = 0; k < a->m->decls->enums.n; k++) {
        const struct burl__gen_cenum *e = &a->m->decls->enums.v[k];
        if (strcmp(e->tag, a->t->tag) != 0)
            continue;
        for (size_t j = 0; j < e->n_constants; j++) {
            /* The count at the end of a list is no value. */
            if (j + 1 < e->n_constants || j == 0 ||
                !burl__gen_ends_word(e->constants[j].name, "count max last n num sentinel end"))
                BURL_VEC_PUSH(&a->p->values, e->constants[j]);
        }
        break;
    }
}

/* How much or how long: huge values only make the machine slow. */
static void
guess_range(const struct at *a)
{
    bool is_time = burl__gen_has_word(a->name, "timeout ms msec msecs usec usecs nsec ns us "
                                               "seconds secs delay interval millis micros "
                                               "duration wait timeoutms");
    bool is_amount = burl__gen_has_word(a->name, LENGTH_WORDS " depth threads workers slots "
                                                              "buckets entries increment");

    if (!is_time && !(a->t->is_unsigned && is_amount && a->t->size_b > 1))
        return;
    set_range(a->p, 100);
    a->p->note = is_time ? "a time, by its name" : "an amount, by its name";
}

static void
guess_value(const struct at *a)
{
    if (a->p->role == BURL_GEN_ROLE_LENGTH || a->p->ranged)
        return; /* it belongs to memory before it */
    switch (a->t->kind) {
    case BURL__GEN_C_BOOL:
        set_role(a, BURL_GEN_ROLE_BOOL, NULL);
        break;
    case BURL__GEN_C_ENUM:
        set_role(a, BURL_GEN_ROLE_INT, NULL);
        guess_enum(a);
        break;
    case BURL__GEN_C_INT:
    case BURL__GEN_C_CHAR:
        set_role(a, BURL_GEN_ROLE_INT, NULL);
        if (strcmp(a->t->spelling, "pthread_t") == 0)
            set_unknown(a, "a thread is not made up; state one, for example \"fixed "
                           "pthread_self()\"");
        else
            guess_range(a);
        break;
    case BURL__GEN_C_REAL:
        set_role(a, BURL_GEN_ROLE_REAL, NULL);
        break;
    case BURL__GEN_C_RECORD:
        set_unknown(a, burl__gen_text(a->m,
                                      "a struct by value is not made up; state one, for example "
                                      "\"fixed (%s){ 0 }\"",
                                      a->t->spelling));
        break;
    default:
        set_unknown(a, is_va_list(a->t->canonical) ? NO_VA_LIST : NULL);
        break;
    }
}

/* What cannot be made but may be left out is left out. */
static void
fall_back_to_null(struct burl_gen_param *p)
{
    if (p->role != BURL_GEN_ROLE_UNKNOWN || !p->nullable)
        return;
    burl__gen_set_role(p, BURL_GEN_ROLE_FIXED, "cannot be made, and may be NULL");
    p->expr = "NULL";
    p->nullable = false;
}

void
burl__gen_guess_roles(struct burl_gen_model *m)
{
    for (size_t k = 0; k < m->fns.n; k++) {
        struct burl_gen_fn *f = &m->fns.v[k];
        for (size_t i = 0; i < f->params.n; i++) {
            const struct at a = at_param(m, f, i);
            if (a.t->kind == BURL__GEN_C_POINTER)
                guess_pointer(&a);
            else if (a.t->kind == BURL__GEN_C_ARRAY)
                guess_array(&a);
        }
        for (size_t i = 0; i < f->params.n; i++) {
            const struct at a = at_param(m, f, i);
            if (a.t->kind != BURL__GEN_C_POINTER && a.t->kind != BURL__GEN_C_ARRAY)
                guess_value(&a);
            guess_null(&a);
            fall_back_to_null(a.p);
            burl__gen_refit(a.p);
        }
    }
}
