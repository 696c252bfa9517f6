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

struct at {
    struct burl_gen_model *m;
    const struct burl__gen_cfn *c;
    struct burl_gen_fn *f;
};

static void
set(struct burl_gen_param *p, enum burl_gen_role role, const char *note)
{
    p->role = role;
    free(p->note);
    p->note = note ? burl_xstrdup(note) : NULL;
}

static bool
is_integer(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_INT || t->kind == BURL__GEN_C_CHAR ||
           t->kind == BURL__GEN_C_ENUM || t->kind == BURL__GEN_C_BOOL;
}

static bool
is_scalar(const struct burl__gen_ctype *t)
{
    return is_integer(t) || t->kind == BURL__GEN_C_REAL;
}

/* Bytes without a meaning of their own: void, char, unsigned char. */
static bool
is_byte(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_VOID || (is_integer(t) && t->size_b == 1);
}

/* ---- NULL ------------------------------------------------------------------------------------ */

#define NULL_PHRASES                                                                              \
    "may be null|can be null|could be null|is null|if not null|when not null|unless null|or null" \
    "|null is|null means|null for|null to|pass null|optional|unless it is null|unless that is "   \
    "null"                                                                                        \
    "|if non-null|if it is null|null: "

/* A sentence of the comment speaks of NULL and of this parameter; or of NULL alone, and there is no
 * other pointer it could mean. */
static bool
comment_allows_null(const struct at *a, size_t k)
{
    const char *s = a->c->comment;
    unsigned pointers = 0;

    for (size_t i = 0; i < a->c->n_params; i++)
        pointers += a->c->params[i].type.kind == BURL__GEN_C_POINTER && (int)i != a->f->self;
    while (*s) {
        size_t n = strcspn(s, ".;");
        char *sentence = burl_xstrndup(s, n);
        bool null = burl__gen_says(sentence, NULL_PHRASES) &&
                    !burl__gen_says(sentence, "must not be null|cannot be null|returns null|never "
                                              "null|not be null|null when|null if|null on|answers "
                                              "null");
        bool mine = burl__gen_names(sentence, a->c->params[k].name);
        free(sentence);
        if (null && (mine || pointers == 1))
            return true;
        s += n;
        s += *s != '\0';
    }
    return false;
}

static void
guess_null(const struct at *a, size_t k)
{
    const struct burl__gen_cparam *c = &a->c->params[k];
    struct burl_gen_param *p = &a->f->params.v[k];

    if (c->type.kind != BURL__GEN_C_POINTER || (int)k == a->f->self ||
        p->role == BURL_GEN_ROLE_CONTEXT)
        return;
    if (c->type.nullable == 0 || c->nonnull == 1)
        return;
    if (c->type.nullable == 1) {
        p->nullable = true;
    } else if (comment_allows_null(a, k)) {
        p->nullable = true;
        if (!p->note)
            p->note = burl_xstrdup("may be NULL, by the comment");
    } else if (c->nonnull == 0) {
        p->nullable = true;
        if (!p->note)
            p->note = burl_xstrdup("may be NULL: the nonnull attribute leaves it out");
    }
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
is_length_for(const struct at *a, size_t i, size_t k)
{
    const struct burl__gen_cparam *b = &a->c->params[i];
    const struct burl__gen_cparam *l = &a->c->params[k];
    bool beside = k == i + 1;

    if (l->type.kind != BURL__GEN_C_INT || l->type.size_b < 2 || a->f->params.v[k].partner >= 0)
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

static int
length_for(const struct at *a, size_t i)
{
    for (size_t k = 0; k < a->c->n_params; k++) {
        if (k == i + 1 && is_length_for(a, i, k))
            return (int)k;
    }
    for (size_t k = 0; k < a->c->n_params; k++) {
        if (k != i && is_length_for(a, i, k))
            return (int)k;
    }
    return -1;
}

/* Memory that is not const: does the function write to it? */
static bool
is_written(const struct at *a, size_t i)
{
    const char *name = a->c->params[i].name;

    if (burl__gen_has_word(name, OUT_WORDS) || burl__gen_has_word(a->c->name, READ_FN_WORDS))
        return true;
    /* A parameter that is only read would be const; exceptions below. */
    return !(burl__gen_has_word(name, IN_WORDS) && burl__gen_has_word(a->c->name, WRITE_FN_WORDS));
}

static uint8_t
element_size(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_VOID ? 1 : (uint8_t)t->size_b;
}

static void
set_bytes(const struct at *a, size_t i, int length)
{
    const struct burl__gen_ctype *e = a->c->params[i].type.pointee;
    struct burl_gen_param *p = &a->f->params.v[i];
    bool written = !e->is_const && is_written(a, i);

    set(p, written ? BURL_GEN_ROLE_BYTES_OUT : BURL_GEN_ROLE_BYTES_IN,
        e->is_const ? NULL
        : written   ? "is written, by its name"
                    : "is read, by its name");
    p->size_b = element_size(e);
    p->is_unsigned = e->is_unsigned;
    p->is_real = e->kind == BURL__GEN_C_REAL;
    p->partner = length;
    if (length >= 0) {
        struct burl_gen_param *l = &a->f->params.v[length];
        set(l, BURL_GEN_ROLE_LENGTH, NULL);
        l->partner = (int)i;
        l->size_b = (uint8_t)a->c->params[length].type.size_b;
        l->is_unsigned = a->c->params[length].type.is_unsigned;
    }
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* "void *buf, size_t *len": the size is behind the next pointer. */
static bool
has_size_behind(const struct at *a, size_t i)
{
    const struct burl__gen_cparam *next = i + 1 < a->c->n_params ? &a->c->params[i + 1] : NULL;

    return next && next->type.kind == BURL__GEN_C_POINTER && is_integer(next->type.pointee) &&
           !next->type.pointee->is_const && next->type.pointee->size_b >= 2 &&
           is_length_name(next->name);
}

static bool
has_callback(const struct at *a)
{
    for (size_t i = 0; i < a->c->n_params; i++) {
        const struct burl__gen_ctype *t = &a->c->params[i].type;
        if (t->kind == BURL__GEN_C_POINTER && t->pointee->kind == BURL__GEN_C_FUNCTION)
            return true;
    }
    return false;
}

static void
guess_void(const struct at *a, size_t i)
{
    struct burl_gen_param *p = &a->f->params.v[i];
    int length = length_for(a, i);
    const struct burl__gen_cparam *before = i > 0 ? &a->c->params[i - 1] : NULL;

    if (length >= 0) {
        set_bytes(a, i, length);
        return;
    }
    if (!a->c->params[i].type.pointee->is_const && has_size_behind(a, i)) {
        set_bytes(a, i, -1);
        set(p, BURL_GEN_ROLE_BYTES_OUT, "is written; the next parameter has its size");
        return;
    }
    if (has_callback(a) && (burl__gen_has_word(a->c->params[i].name, CONTEXT_WORDS) ||
                            (before && before->type.kind == BURL__GEN_C_POINTER &&
                             before->type.pointee->kind == BURL__GEN_C_FUNCTION)))
        set(p, BURL_GEN_ROLE_CONTEXT, NULL);
    else
        set(p, BURL_GEN_ROLE_PAYLOAD, NULL);
}

static void
guess_char(const struct at *a, size_t i)
{
    const struct burl__gen_ctype *e = a->c->params[i].type.pointee;
    struct burl_gen_param *p = &a->f->params.v[i];
    int length = length_for(a, i);

    if (length >= 0) {
        set_bytes(a, i, length);
    } else if (e->is_const && e->kind == BURL__GEN_C_CHAR) {
        bool is_place =
            burl__gen_has_word(p->name, "path file filename fname dir directory url uri "
                                        "host hostname address addr device socket");
        set(p, BURL_GEN_ROLE_STRING,
            is_place ? "a file or an address, by its name: texts are made up; where it must exist, "
                       "state \"fixed\" and the text in quotes"
                     : NULL);
    } else if (e->is_const) {
        set_bytes(a, i, -1);
    } else if (burl__gen_has_word(a->c->params[i].name, OUT_WORDS) || has_size_behind(a, i)) {
        set_bytes(a, i, -1);
        set(p, BURL_GEN_ROLE_BYTES_OUT,
            has_size_behind(a, i) ? "is written; the next parameter has its size"
                                  : "is written; no parameter has its size");
    } else if (e->kind == BURL__GEN_C_CHAR) {
        set(p, BURL_GEN_ROLE_STRING, "is a string to read, though it is not const");
    } else {
        set(p, BURL_GEN_ROLE_OUT_VALUE, NULL);
        p->size_b = 1;
        p->is_unsigned = e->is_unsigned;
    }
}

/* "int *keys, long *values, size_t cap": the parameter with the length that arrays from i on share;
 * -1 when it is not so. */
static int
shared_length(const struct at *a, size_t i)
{
    size_t k = i + 1;

    while (k < a->c->n_params && a->c->params[k].type.kind == BURL__GEN_C_POINTER &&
           is_scalar(a->c->params[k].type.pointee))
        k++;
    if (k == i + 1 || k >= a->c->n_params || !is_length_for(a, k - 1, k))
        return -1;
    return (int)k;
}

/* All but the last of arrays with one length. The last one has it; the others get as much memory
 * as there is, which is enough when their elements are not larger. */
static void
guess_parallel(const struct at *a, size_t i, size_t length)
{
    const struct burl__gen_ctype *e = a->c->params[i].type.pointee;
    const struct burl__gen_ctype *last = a->c->params[length - 1].type.pointee;
    struct burl_gen_param *p = &a->f->params.v[i];

    if (e->is_const || e->size_b > last->size_b) {
        set(p, BURL_GEN_ROLE_UNKNOWN,
            "arrays that share one length are not made up; state \"fixed "
            "EXPRESSION\" for them and the length");
        return;
    }
    set_bytes(a, i, -1);
    set(p, BURL_GEN_ROLE_BYTES_OUT, "is written; it shares its length with the array after it");
}

static void
guess_number_pointer(const struct at *a, size_t i)
{
    const struct burl__gen_ctype *e = a->c->params[i].type.pointee;
    struct burl_gen_param *p = &a->f->params.v[i];
    int length = length_for(a, i);
    bool buffer_before = i > 0 && a->f->params.v[i - 1].role == BURL_GEN_ROLE_BYTES_OUT &&
                         a->f->params.v[i - 1].partner < 0 && is_length_name(p->name);

    /* "int *value, int max": one value and a bound for something else. */
    if (length >= 0 &&
        (e->is_const || !burl__gen_has_word(p->name, "value val old prev previous index idx pos")))
        return set_bytes(a, i, length);
    if (shared_length(a, i) >= 0)
        return guess_parallel(a, i, (size_t)shared_length(a, i));
    p->size_b = (uint8_t)e->size_b;
    p->is_unsigned = e->is_unsigned;
    p->is_real = e->kind == BURL__GEN_C_REAL;
    if (e->is_const) {
        set(p, BURL_GEN_ROLE_INOUT_VALUE, "points to one value");
    } else if (buffer_before) {
        set(p, BURL_GEN_ROLE_INOUT_VALUE, "has the size of the buffer before it");
        p->ranged = true;
        p->lo = 0;
        p->hi = 64;
    } else if (burl__gen_has_word(p->name, "inout expected io cursor") ||
               burl__gen_says(a->c->comment, "in/out|in-out|inout|in and out")) {
        set(p, BURL_GEN_ROLE_INOUT_VALUE, "is read and written, by its name or the comment");
    } else {
        set(p, BURL_GEN_ROLE_OUT_VALUE, NULL);
    }
}

static bool
can_call_back(const struct burl__gen_ctype *fn)
{
    const struct burl__gen_ctype *r = fn->pointee;

    if (fn->is_variadic ||
        !(r->kind == BURL__GEN_C_VOID || is_scalar(r) || r->kind == BURL__GEN_C_POINTER))
        return false;
    for (size_t i = 0; i < fn->n_params; i++) {
        const struct burl__gen_ctype *t = &fn->params[i];
        if (!is_scalar(t) && t->kind != BURL__GEN_C_POINTER && t->kind != BURL__GEN_C_RECORD &&
            t->kind != BURL__GEN_C_ARRAY)
            return false;
    }
    return true;
}

static void
guess_callback(const struct at *a, size_t i)
{
    const struct burl__gen_ctype *fn = a->c->params[i].type.pointee;
    struct burl_gen_param *p = &a->f->params.v[i];

    if (!can_call_back(fn)) {
        set(p, BURL_GEN_ROLE_UNKNOWN,
            "no function of this type can be made; name one of yours with \"fixed my_function\"");
        return;
    }
    set(p, BURL_GEN_ROLE_CALLBACK, NULL);
    free(p->callback);
    p->callback = burl_xstrdup(fn->canonical);
}

/* pool_put(pool, item): the item is the pool's from then on. */
static bool
is_consumed(const struct at *a, size_t i)
{
    if ((int)i == a->f->self || a->f->kind != BURL_GEN_METHOD)
        return false;
    if (burl__gen_has_word(a->c->name, "release put return giveback recycle checkin free destroy "
                                       "delete dispose"))
        return true;
    return burl__gen_says(a->c->comment, "takes ownership|ownership of|takes over|is consumed|"
                                         "consumes|must not be used afterwards|gives back|"
                                         "hands back|belongs to the");
}

/* "struct point *out, size_t cap": there is one, so that the length may be 0 or 1. */
static void
limit_records(const struct at *a, size_t i)
{
    int length = length_for(a, i);
    struct burl_gen_param *l = length >= 0 ? &a->f->params.v[length] : NULL;

    if (!l)
        return;
    set(l, BURL_GEN_ROLE_INT, "one record is given");
    l->ranged = true;
    l->lo = 0;
    l->hi = 1;
}

static void
guess_object(const struct at *a, size_t i, const struct burl__gen_ctype *record)
{
    struct burl_gen_param *p = &a->f->params.v[i];
    int type = burl_gen_model_type(a->m, record->tag);

    p->type = type;
    if (a->f->kind == BURL_GEN_MAKE && a->f->makes == type && i == 0 &&
        a->m->types.v[type].complete && !record->is_const &&
        burl_gen_model_type(a->m, record->tag) == type) {
        set(p, BURL_GEN_ROLE_STORAGE, NULL);
    } else if (type != a->m->shared && i == 0 && a->f->kind == BURL_GEN_METHOD &&
               record->is_complete && !record->is_const &&
               burl__gen_has_word(a->c->name, "init initialize initialise begin")) {
        set(p, BURL_GEN_ROLE_STORAGE, "is memory for an object that this call makes");
        a->m->types.v[type].free_it = true;
    } else if (type == a->m->shared || a->f->kind == BURL_GEN_DESTROY ||
               burl__gen_type_is_made(a->m, type)) {
        set(p, BURL_GEN_ROLE_OBJECT, NULL);
        if (type != a->m->shared && !record->is_const &&
            (is_consumed(a, i) || (a->m->types.v[type].zeroed && burl__gen_is_put(a->c->name)))) {
            p->consumes = true;
            set(p, BURL_GEN_ROLE_OBJECT, "is handed over for good");
        }
    } else if (record->is_complete) {
        set(p, BURL_GEN_ROLE_RECORD, "no function makes one: it is all zero");
        limit_records(a, i);
    } else {
        p->note = burl_xasprintf("no function makes a %s; state one that does with \"make f\"",
                                 a->m->types.v[type].name);
        p->role = BURL_GEN_ROLE_UNKNOWN;
        p->type = -1;
    }
}

static void
guess_system_record(struct burl_gen_param *p, const struct burl__gen_ctype *record)
{
    if (strcmp(record->tag, "struct _IO_FILE") == 0)
        set(p, BURL_GEN_ROLE_UNKNOWN,
            "a FILE is not made up; state one, for example \"fixed stdout\" or \"fixed "
            "tmpfile()\"");
    else if (strstr(record->tag, "__va_list"))
        set(p, BURL_GEN_ROLE_UNKNOWN, "a va_list cannot be made; \"forbid\" the function");
    else if (record->is_unnamed || !record->is_complete)
        set(p, BURL_GEN_ROLE_UNKNOWN,
            "nothing is known about the type; state \"fixed EXPRESSION\"");
    else
        set(p, BURL_GEN_ROLE_RECORD, "it is all zero");
}

static void
guess_pointer_pointer(const struct at *a, size_t i)
{
    const struct burl__gen_ctype *t = &a->c->params[i].type;
    const struct burl__gen_ctype *e = t->pointee;
    const struct burl__gen_ctype *h = burl__gen_handle_out(t);
    struct burl_gen_param *p = &a->f->params.v[i];

    if (h && !a->m->types.v[burl_gen_model_type(a->m, h->tag)].zeroed) {
        set(p, BURL_GEN_ROLE_OUT_OBJECT, NULL);
        p->type = burl_gen_model_type(a->m, h->tag);
        return;
    }
    if (e->is_const || length_for(a, i) >= 0 || e->pointee->kind == BURL__GEN_C_FUNCTION) {
        set(p, BURL_GEN_ROLE_UNKNOWN, "a list of pointers; state \"fixed EXPRESSION\"");
        return;
    }
    p->size_b = (uint8_t)sizeof(void *);
    p->is_unsigned = true;
    if (e->pointee->kind == BURL__GEN_C_VOID || h) {
        set(p, BURL_GEN_ROLE_OUT_VALUE, NULL);
        p->is_payload = true;
    } else {
        set(p, BURL_GEN_ROLE_OUT_VALUE, "receives an address, which is not compared");
    }
}

static void
guess_pointer(const struct at *a, size_t i)
{
    const struct burl__gen_ctype *t = &a->c->params[i].type;
    const struct burl__gen_ctype *e = t->pointee;
    const struct burl__gen_ctype *h = burl__gen_handle(t);

    if (h)
        guess_object(a, i, h);
    else if (e->kind == BURL__GEN_C_RECORD)
        guess_system_record(&a->f->params.v[i], e);
    else if (e->kind == BURL__GEN_C_FUNCTION)
        guess_callback(a, i);
    else if (e->kind == BURL__GEN_C_VOID)
        guess_void(a, i);
    else if (is_byte(e) && e->kind != BURL__GEN_C_BOOL && e->kind != BURL__GEN_C_ENUM)
        guess_char(a, i);
    else if (is_scalar(e))
        guess_number_pointer(a, i);
    else if (e->kind == BURL__GEN_C_POINTER)
        guess_pointer_pointer(a, i);
    else
        set(&a->f->params.v[i], BURL_GEN_ROLE_UNKNOWN,
            "nothing is known about the type; state \"fixed EXPRESSION\"");
}

/* ---- values ---------------------------------------------------------------------------------- */

static void
guess_enum(const struct at *a, size_t i)
{
    const struct burl__gen_ctype *t = &a->c->params[i].type;
    struct burl_gen_param *p = &a->f->params.v[i];

    for (size_t k = 0; k < a->m->decls->enums.n; k++) {
        const struct burl__gen_cenum *e = &a->m->decls->enums.v[k];
        if (strcmp(e->tag, t->tag) != 0)
            continue;
        for (size_t j = 0; j < e->n_constants; j++) {
            /* The count at the end of a list is no value. */
            if (j + 1 == e->n_constants && j > 0 &&
                burl__gen_ends_word(e->constants[j].name, "count max last n num sentinel end"))
                continue;
            BURL_VEC_PUSH(&p->values,
                          (struct burl_gen_value_name){ burl_xstrdup(e->constants[j].name),
                                                        e->constants[j].value });
        }
        break;
    }
}

/* How much or how long: huge values only make the machine slow. */
static void
guess_range(struct burl_gen_param *p, const struct burl__gen_ctype *t)
{
    bool is_time =
        burl__gen_has_word(p->name, "timeout ms msec msecs usec usecs nsec ns us seconds "
                                    "secs delay interval millis micros duration wait "
                                    "timeoutms");
    bool is_amount = burl__gen_has_word(p->name, LENGTH_WORDS " depth threads workers slots "
                                                              "buckets entries increment");

    if (!is_time && !(t->is_unsigned && is_amount && t->size_b > 1))
        return;
    p->ranged = true;
    p->lo = 0;
    p->hi = 100;
    free(p->note);
    p->note = burl_xstrdup(is_time ? "a time, by its name" : "an amount, by its name");
}

static void
guess_value(const struct at *a, size_t i)
{
    const struct burl__gen_ctype *t = &a->c->params[i].type;
    struct burl_gen_param *p = &a->f->params.v[i];

    if (p->role == BURL_GEN_ROLE_LENGTH)
        return;
    if (p->ranged) {
        p->size_b = (uint8_t)t->size_b;
        p->is_unsigned = t->is_unsigned;
        return;
    }
    p->size_b = (uint8_t)t->size_b;
    p->is_unsigned = t->is_unsigned;
    switch (t->kind) {
    case BURL__GEN_C_BOOL:
        set(p, BURL_GEN_ROLE_BOOL, NULL);
        break;
    case BURL__GEN_C_ENUM:
        set(p, BURL_GEN_ROLE_INT, NULL);
        guess_enum(a, i);
        break;
    case BURL__GEN_C_INT:
    case BURL__GEN_C_CHAR:
        set(p, BURL_GEN_ROLE_INT, NULL);
        if (strcmp(t->spelling, "pthread_t") == 0)
            set(p, BURL_GEN_ROLE_UNKNOWN,
                "a thread is not made up; state one, for example \"fixed pthread_self()\"");
        else
            guess_range(p, t);
        break;
    case BURL__GEN_C_REAL:
        set(p, BURL_GEN_ROLE_REAL, NULL);
        break;
    case BURL__GEN_C_RECORD:
        p->role = BURL_GEN_ROLE_UNKNOWN;
        p->note = burl_xasprintf("a struct by value is not made up; state one, for example "
                                 "\"fixed (%s){ 0 }\"",
                                 t->spelling);
        break;
    default:
        if (strstr(t->canonical, "va_list"))
            set(p, BURL_GEN_ROLE_UNKNOWN, "a va_list cannot be made; \"forbid\" the function");
        else
            set(p, BURL_GEN_ROLE_UNKNOWN,
                "nothing is known about the type; state \"fixed EXPRESSION\"");
        break;
    }
}

static void
guess_array(const struct at *a, size_t i)
{
    const struct burl__gen_ctype *t = &a->c->params[i].type;
    struct burl_gen_param *p = &a->f->params.v[i];

    if (is_scalar(t->pointee) && t->elements * t->pointee->size_b <= 256) {
        int length = length_for(a, i);
        set_bytes(a, i, length);
    } else if (strstr(t->canonical, "va_list")) {
        set(p, BURL_GEN_ROLE_UNKNOWN, "a va_list cannot be made; \"forbid\" the function");
    } else {
        set(p, BURL_GEN_ROLE_UNKNOWN,
            "an array of this type is not made up; state \"fixed "
            "EXPRESSION\"");
    }
}

/* What cannot be made but may be left out is left out. */
static void
fall_back_to_null(struct burl_gen_param *p)
{
    if (p->role != BURL_GEN_ROLE_UNKNOWN || !p->nullable)
        return;
    set(p, BURL_GEN_ROLE_FIXED, "cannot be made, and may be NULL");
    p->expr = burl_xstrdup("NULL");
    p->nullable = false;
}

void
burl__gen_guess_roles(struct burl_gen_model *m)
{
    for (size_t k = 0; k < m->fns.n; k++) {
        struct at a = { m, &m->decls->fns.v[k], &m->fns.v[k] };
        for (size_t i = 0; i < a.c->n_params; i++) {
            enum burl__gen_ckind kind = a.c->params[i].type.kind;
            if (kind == BURL__GEN_C_POINTER)
                guess_pointer(&a, i);
            else if (kind == BURL__GEN_C_ARRAY)
                guess_array(&a, i);
        }
        for (size_t i = 0; i < a.c->n_params; i++) {
            enum burl__gen_ckind kind = a.c->params[i].type.kind;
            if (kind != BURL__GEN_C_POINTER && kind != BURL__GEN_C_ARRAY)
                guess_value(&a, i);
            guess_null(&a, i);
            fall_back_to_null(&a.f->params.v[i]);
        }
    }
}
