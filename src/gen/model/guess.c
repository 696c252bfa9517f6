/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/guess.c - from declarations to a model: which type is shared, and the order of the
 * passes.
 *
 * The shared type is the record that most functions take by pointer. One that is named like the
 * header wins against another that is taken at most twice as often: in pool.h the pool is tested,
 * even where its items have more functions. The header that was given is the one to test: a type
 * that it declares, and that its functions take, wins against types of the headers that it
 * includes, however many functions these have. Equal candidates are the user's to choose from.
 */
#include <stdarg.h>
#include <string.h>

#include "gen/model/decls_int.h"

struct candidate {
    const struct burl__gen_ctype *record;
    unsigned takes;     /* functions with a pointer to it among their parameters */
    unsigned own_takes; /* those that the given header itself declares */
    size_t last_fn;     /* that was counted */
    bool named_like_header;
};

struct candidates {
    BURL_VEC_OF(struct candidate);
};

const char *
burl__gen_text(struct burl_gen_model *m, const char *fmt, ...)
{
    va_list ap;
    const char *text;

    va_start(ap, fmt);
    text = burl_gen_memory_keep(&m->memory, burl_xvasprintf(fmt, ap));
    va_end(ap);
    return text;
}

void
burl__gen_note(struct burl_gen_model *m, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    BURL_VEC_PUSH(&m->notes, burl_gen_memory_keep(&m->memory, burl_xvasprintf(fmt, ap)));
    va_end(ap);
}

static bool
is_handle_record(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_RECORD && !t->is_system && !t->is_unnamed;
}

const struct burl__gen_ctype *
burl__gen_handle(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_POINTER && is_handle_record(t->pointee) ? t->pointee : NULL;
}

const struct burl__gen_ctype *
burl__gen_handle_out(const struct burl__gen_ctype *t)
{
    if (t->kind != BURL__GEN_C_POINTER || t->pointee->is_const)
        return NULL;
    t = burl__gen_handle(t->pointee);
    return t && !t->is_const ? t : NULL;
}

int
burl__gen_type_of(struct burl_gen_model *m, const struct burl__gen_ctype *record)
{
    int at = burl_gen_model_type(m, record->tag);
    struct burl_gen_type *t;

    if (at >= 0) {
        m->types.v[at].complete |= record->is_complete;
        return at;
    }
    t = BURL_VEC_ADD(&m->types);
    t->name = record->tag;
    t->is_pointer = record->is_alias;
    t->is_number = record->is_number;
    t->complete = record->is_complete;
    t->destroy = -1;
    return (int)m->types.n - 1;
}

/* Names that begin so are the implementation's own. */
static bool
is_private(const char *tag)
{
    return strncmp(tag, "__", 2) == 0 || strstr(tag, " __");
}

static void
count_candidate(struct candidates *all, const struct burl__gen_ctype *record, size_t fn,
                bool own_fn, const char *header)
{
    size_t i = 0;

    while (i < all->n && strcmp(all->v[i].record->tag, record->tag) != 0)
        i++;
    if (i == all->n)
        BURL_VEC_PUSH(all, (struct candidate){ record, 0, 0, SIZE_MAX,
                                               burl__gen_same_noun(record->tag, header) });
    /* Each function counts once for each type. */
    all->v[i].takes += all->v[i].last_fn != fn;
    all->v[i].own_takes += all->v[i].last_fn != fn && own_fn;
    all->v[i].last_fn = fn;
}

static struct candidates
find_candidates(const struct burl__gen_decls *d)
{
    struct candidates all = { 0 };

    for (size_t i = 0; i < d->fns.n; i++) {
        const struct burl__gen_cfn *f = &d->fns.v[i];
        for (size_t j = 0; j < f->n_params && f->name[0] != '_'; j++) {
            const struct burl__gen_ctype *h = burl__gen_handle(&f->params[j].type);
            if (h && !is_private(h->tag))
                count_candidate(&all, h, i, f->is_own, d->header);
        }
    }
    return all;
}

/* "int q_open(void)": a number that the other functions take. NULL: there is none. */
static const struct burl__gen_cfn *
number_handle(const struct burl__gen_decls *d)
{
    for (size_t i = 0; i < d->fns.n; i++) {
        const struct burl__gen_cfn *f = &d->fns.v[i];
        if (f->result.kind != BURL__GEN_C_INT ||
            !burl__gen_has_word(f->name, "open new create make init start connect alloc"))
            continue;
        for (size_t k = 0; k < d->fns.n; k++) {
            const struct burl__gen_cfn *g = &d->fns.v[k];
            if (k != i && g->n_params > 0 &&
                strcmp(g->params[0].type.spelling, f->result.spelling) == 0)
                return f;
        }
    }
    return NULL;
}

static enum burl_status
no_handle(const struct burl__gen_decls *d, struct burl_err *err)
{
    const struct burl__gen_cfn *number = number_handle(d);

    if (d->fns.n == 0)
        return burl_err_set(
            err, BURL_E_USAGE, 0,
            "%s declares no function of its own%s; is it the header of the API?", d->header,
            d->left_out.n > 0 ? " (others are outside its directory and every -I)" : "");
    if (number)
        return burl_err_set(
            err, BURL_E_USAGE, 0,
            "no function of %s takes a pointer to a struct of its own. %s() seems to give a handle "
            "that is a number (%s), which burl gen does not follow. Write a header with \"struct "
            "handle { %s number; };\", a static inline struct handle *handle_new(void) that calls "
            "%s(), and a static inline wrapper with a struct handle * for each function, and give "
            "that one",
            d->header, number->name, number->result.spelling, number->result.spelling,
            number->name);
    return burl_err_set(
        err, BURL_E_USAGE, 0,
        "no function of %s takes a pointer to a struct of its own, so there is no object that "
        "threads could share. burl gen tests handles such as \"struct queue *\". For an API with "
        "hidden global state write a header with \"struct api { int unused; };\", a static inline "
        "struct api *api_new(void), and a static inline wrapper with a struct api * for each "
        "function, and give that one",
        d->header);
}

static enum burl_status
tie(const struct candidate *list, size_t n, unsigned takes, const char *header,
    struct burl_err *err)
{
    struct burl_buf b;
    const char *first = NULL;
    enum burl_status st;

    burl_buf_init(&b, 300);
    for (size_t i = 0; i < n; i++) {
        if (list[i].takes != takes)
            continue;
        burl_buf_printf(&b, "%s%s", first ? ", " : "", list[i].record->tag);
        if (!first)
            first = list[i].record->tag;
    }
    st = burl_err_set(
        err, BURL_E_USAGE, 0,
        "several types of %s could be the shared object, each taken by %u "
        "function%s: %s. Say which with --shared=\"%s\", or with the line \"shared %s\" "
        "in the model file",
        header, takes, takes == 1 ? "" : "s", burl_buf_str(&b), first, first);
    burl_buf_deinit(&b);
    return st;
}

/* "queue", "queue_t *" and "struct queue" all mean struct queue. */
const struct burl__gen_ctype *
burl__gen_named_record(const struct burl__gen_decls *d, const char *name)
{
    size_t n = strcspn(name, "*");

    while (n > 0 && name[n - 1] == ' ')
        n--;
    for (size_t i = 0; i < d->fns.n; i++) {
        const struct burl__gen_cfn *f = &d->fns.v[i];
        for (size_t j = 0; j <= f->n_params; j++) {
            const struct burl__gen_ctype *t = j < f->n_params ? &f->params[j].type : &f->result;
            const struct burl__gen_ctype *h = burl__gen_handle(t);
            const char *s[4];
            if (!h)
                h = burl__gen_handle_out(t);
            if (!h)
                continue;
            s[0] = h->tag;
            s[1] = h->spelling;
            s[2] = strncmp(h->tag, "struct ", 7) == 0 ? h->tag + 7 : h->tag;
            s[3] = t->spelling; /* typedef struct queue *queue_t */
            for (size_t k = 0; k < 4; k++) {
                if (strncmp(s[k], "const ", 6) == 0)
                    s[k] += 6;
                if (strlen(s[k]) == n && strncmp(s[k], name, n) == 0)
                    return h;
            }
        }
    }
    return NULL;
}

static enum burl_status
unknown_shared(const struct candidate *list, size_t n, const char *header, const char *name,
               struct burl_err *err)
{
    const char *best = NULL;

    for (size_t i = 0; i < n; i++)
        burl__gen_nearer(&best, list[i].record->tag, name);
    return burl_err_set(err, BURL_E_USAGE, 0, "no function of %s takes a pointer to \"%s\"%s%s%s",
                        header, name, best ? "; did you mean \"" : "", best ? best : "",
                        best ? "\"?" : "");
}

/* The same words however the type was chosen, so that a printed model reads back as itself. */
static void
note_shared(struct burl_gen_model *m, const struct candidate *list, size_t n)
{
    const char *name = m->types.v[m->shared].name;
    const struct candidate *most = n > 0 ? &list[0] : NULL;
    unsigned takes = 0;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].record->tag, name) == 0)
            takes = list[i].takes;
        if (list[i].takes > most->takes)
            most = &list[i];
    }
    burl__gen_note(m, "The shared object is %s: %u of %zu functions take one%s%s.", name, takes,
                   m->decls->fns.n, most && most->takes > takes ? ", though more take a " : "",
                   most && most->takes > takes ? most->record->tag : "");
}

/* How near a type is to the given header: 2 declared there and taken there, 1 taken there. */
static int
nearness(const struct candidate *c)
{
    return c->own_takes == 0 ? 0 : c->record->is_own ? 2 : 1;
}

/* A type that is named like the header, and taken at least half as often as any other one. */
static const struct burl__gen_ctype *
named_like_header(const struct candidate *list, size_t n)
{
    unsigned most = 0;

    for (size_t i = 0; i < n; i++)
        most = list[i].takes > most ? list[i].takes : most;
    for (size_t i = 0; i < n; i++) {
        if (list[i].named_like_header && list[i].takes * 2 >= most)
            return list[i].record;
    }
    return NULL;
}

/* Types that are further from the header than the nearest ones are; in place. */
static size_t
drop_others(struct candidate *list, size_t n)
{
    int nearest = 0;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        nearest = nearness(&list[i]) > nearest ? nearness(&list[i]) : nearest;
    for (size_t i = 0; i < n; i++) {
        if (nearness(&list[i]) == nearest)
            list[kept++] = list[i];
    }
    return kept;
}

/* NULL and a failure set, or the record. */
static const struct burl__gen_ctype *
choose_record(const struct burl_gen_model *m, const struct candidates *all, struct burl_err *err)
{
    const struct burl__gen_ctype *record = named_like_header(all->v, all->n);
    struct candidates near = { 0 };
    size_t best = 0;
    unsigned equal = 0;

    if (record || (all->n == 0 && m->every_type && m->decls->fns.n > 0))
        return record;
    if (all->n == 0) {
        (void)no_handle(m->decls, err);
        return NULL;
    }
    for (size_t i = 0; i < all->n; i++)
        BURL_VEC_PUSH(&near, all->v[i]);
    near.n = drop_others(near.v, near.n);
    for (size_t i = 1; i < near.n; i++) {
        if (near.v[i].takes > near.v[best].takes)
            best = i;
    }
    for (size_t i = 0; i < near.n; i++)
        equal += near.v[i].takes == near.v[best].takes;
    record = near.v[best].record;
    if (equal > 1 && !m->every_type) {
        (void)tie(near.v, near.n, near.v[best].takes, m->header, err);
        record = NULL;
    }
    BURL_VEC_FREE(&near);
    return record;
}

static enum burl_status
choose_shared(struct burl_gen_model *m, const char *name, struct burl_err *err)
{
    struct candidates all = find_candidates(m->decls);
    const struct burl__gen_ctype *record =
        name ? burl__gen_named_record(m->decls, name) : choose_record(m, &all, err);
    enum burl_status st = record ? BURL_OK : BURL_E_USAGE;

    if (record) {
        m->shared = burl__gen_type_of(m, record);
        note_shared(m, all.v, all.n);
    } else if (name) {
        (void)unknown_shared(all.v, all.n, m->header, name, err);
    }
    if (!record && !name && m->every_type && all.n == 0 && m->decls->fns.n > 0) {
        m->shared = -1;
        st = BURL_OK;
    }
    BURL_VEC_FREE(&all);
    return st;
}

/* A type for declarations: arrays are pointers, as parameters of functions are. */
static const char *
usable_ctype(struct burl_gen_model *m, const struct burl__gen_ctype *t)
{
    const char *s;

    if (t->kind != BURL__GEN_C_ARRAY)
        return t->spelling;
    s = t->pointee->spelling;
    return burl__gen_text(m, "%s%s*", s, s[0] && s[strlen(s) - 1] == '*' ? "" : " ");
}

static void
copy_fn(struct burl_gen_model *m, const struct burl__gen_cfn *c)
{
    struct burl_gen_fn *f = BURL_VEC_ADD(&m->fns);

    f->decl = c;
    f->name = c->name;
    f->ctype = c->type;
    f->file = c->file;
    f->line = c->line;
    f->has_body = c->is_defined;
    f->in_header = c->is_static && c->is_defined;
    f->result_ctype = c->result.spelling;
    f->result_type = -1;
    f->self = -1;
    f->makes = -1;
    for (size_t i = 0; i < c->n_params; i++)
        BURL_VEC_PUSH(&f->params,
                      (struct burl_gen_param){ .decl = &c->params[i],
                                               .name = c->params[i].name,
                                               .ctype = usable_ctype(m, &c->params[i].type),
                                               .type = -1,
                                               .partner = -1 });
}

static void
copy_constants(struct burl_gen_model *m)
{
    const struct burl__gen_decls *d = m->decls;

    for (size_t i = 0; i < d->enums.n; i++) {
        for (size_t j = 0; j < d->enums.v[i].n_constants; j++)
            BURL_VEC_PUSH(&m->constants, d->enums.v[i].constants[j]);
    }
    for (size_t i = 0; i < d->flags.n; i++)
        BURL_VEC_PUSH(&m->flags, d->flags.v[i]);
    for (size_t i = 0; i < d->includes.n; i++)
        BURL_VEC_PUSH(&m->includes, d->includes.v[i]);
}

enum burl_status
burl__gen_guess(struct burl_gen_model *m, const char *shared, struct burl_err *err)
{
    struct burl__gen_decls *d = m->decls;
    const char *header = m->header;
    bool every_type = m->every_type;
    enum burl_status st;

    m->decls = NULL;
    burl_gen_model_deinit(m);
    m->decls = d;
    m->header = header;
    m->every_type = every_type;
    for (size_t i = 0; i < d->left_out.n; i++)
        BURL_VEC_PUSH(&m->notes, d->left_out.v[i]);
    if (d->includes.n > 0)
        burl__gen_note(m, "The header is read after other headers: see \"include\".");
    st = choose_shared(m, shared, err);
    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < d->fns.n; i++)
        copy_fn(m, &d->fns.v[i]);
    copy_constants(m);
    burl__gen_guess_kinds(m);
    burl__gen_guess_zeroed(m);
    burl__gen_guess_roles(m);
    burl__gen_guess_results(m);
    burl__gen_guess_hints(m);
    return BURL_OK;
}
