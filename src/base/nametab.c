/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/nametab.c - see nametab.h. Host side.
 */
#include "base/nametab.h"

#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "wire/version.h"

enum { RECORD_STEP = 8, MAX_TYPE_DEPTH = 32 };

struct module {
    struct burl_wire_namefile_head head;
    uint8_t *bytes; /* the arrays and strings of the record */
    const struct burl_wire_type *types;
    const struct burl_wire_member *members;
    const struct burl_wire_place *places;
    const struct burl_wire_call *calls;
    const struct burl_wire_function *functions;
    const struct burl_wire_global *globals;
    const char *strings;
};

struct burl_nametab {
    BURL_VEC(struct module) all;
    struct burl_map by_hash; /* index + 1 */
};

struct burl_nametab *
burl_nametab_new(void)
{
    return burl_xcalloc(1, sizeof(struct burl_nametab));
}

void
burl_nametab_free(struct burl_nametab *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->all.n; i++)
        free(t->all.v[i].bytes);
    BURL_VEC_FREE(&t->all);
    burl_map_deinit(&t->by_hash);
    free(t);
}

static const struct module *
find_module(const struct burl_nametab *t, uint64_t hash)
{
    uint64_t ix;

    return burl_map_get(&t->by_hash, hash, &ix) && ix > 0 ? &t->all.v[ix - 1] : NULL;
}

/* ---- reading ----------------------------------------------------------------------- */

/* Takes `n` items of `size_b` bytes from the record. */
static const void *
take(const uint8_t **p, uint64_t *left, uint64_t n, uint64_t size_b)
{
    const uint8_t *from = *p;

    if (n * size_b > *left)
        return NULL;
    *p += n * size_b;
    *left -= n * size_b;
    return from;
}

static bool
lay_out(struct module *m, uint64_t body_b)
{
    const struct burl_wire_namefile_head *h = &m->head;
    const uint8_t *p = m->bytes;
    uint64_t left = body_b;

    m->types = take(&p, &left, h->n_types, sizeof *m->types);
    m->members = take(&p, &left, m->types != NULL ? h->n_members : UINT32_MAX, sizeof *m->members);
    m->places = take(&p, &left, m->members != NULL ? h->n_places : UINT32_MAX, sizeof *m->places);
    m->calls = take(&p, &left, m->places != NULL ? h->n_calls : UINT32_MAX, sizeof *m->calls);
    m->functions =
        take(&p, &left, m->calls != NULL ? h->n_functions : UINT32_MAX, sizeof *m->functions);
    m->globals =
        take(&p, &left, m->functions != NULL ? h->n_globals : UINT32_MAX, sizeof *m->globals);
    m->strings = m->globals != NULL ? take(&p, &left, h->strings_b, 1) : NULL;
    return m->strings != NULL && h->strings_b > 0 && m->strings[0] == '\0' &&
           m->strings[h->strings_b - 1] == '\0' && h->n_accesses <= h->n_places;
}

static bool
check_types(const struct module *m)
{
    const struct burl_wire_namefile_head *h = &m->head;

    for (uint32_t i = 0; i < h->n_types; i++) {
        const struct burl_wire_type *t = &m->types[i];

        if (t->kind >= BURL_TYPE__N || (t->kind == BURL_TYPE_ARRAY && t->first >= h->n_types) ||
            (t->kind == BURL_TYPE_RECORD && (uint64_t)t->first + t->n > h->n_members))
            return false;
    }
    for (uint32_t i = 0; i < h->n_members; i++) {
        if (m->members[i].name >= h->strings_b || m->members[i].type >= h->n_types)
            return false;
    }
    for (uint32_t i = 0; i < h->n_globals; i++) {
        if (m->globals[i].symbol >= h->strings_b || m->globals[i].type >= h->n_types)
            return false;
    }
    return true;
}

static bool
check_code(const struct module *m)
{
    const struct burl_wire_namefile_head *h = &m->head;

    for (uint32_t i = 0; i < h->n_places; i++) {
        const struct burl_wire_place *p = &m->places[i];

        if (p->text >= h->strings_b || p->owner >= h->strings_b || p->path >= h->strings_b ||
            p->value >= BURL_VALUE__N)
            return false;
    }
    for (uint32_t i = 0; i < h->n_calls; i++) {
        const struct burl_wire_call *c = &m->calls[i];

        if (c->callee >= h->strings_b || (uint64_t)c->first + c->n > h->n_places)
            return false;
    }
    for (uint32_t i = 0; i < h->n_functions; i++) {
        if (m->functions[i].symbol >= h->strings_b)
            return false;
    }
    return true;
}

enum burl_status
burl_nametab_add_record(struct burl_nametab *t, const uint8_t *bytes, uint64_t n, uint64_t *used,
                        const char *path, struct burl_err *err)
{
    struct module m = { 0 };
    uint64_t body_b;

    if (n < sizeof m.head)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: name record is cut short", path);
    memcpy(&m.head, bytes, sizeof m.head);
    if (m.head.magic != BURL_WIRE_NAMES_MAGIC || m.head.version != BURL_WIRE_VERSION ||
        m.head.record_b > n || m.head.record_b < sizeof m.head ||
        m.head.record_b % RECORD_STEP != 0)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: name record does not decode", path);
    *used = m.head.record_b;
    if (find_module(t, m.head.hash) != NULL)
        return BURL_OK;
    body_b = m.head.record_b - sizeof m.head;
    m.bytes = burl_xmemdup(bytes + sizeof m.head, body_b);
    if (!lay_out(&m, body_b) || !check_types(&m) || !check_code(&m)) {
        free(m.bytes);
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: name record points outside itself", path);
    }
    BURL_VEC_PUSH(&t->all, m);
    burl_map_set(&t->by_hash, m.head.hash, t->all.n);
    return BURL_OK;
}

static enum burl_status
read_section(struct burl_nametab *t, const struct burl_elf_section *s, const char *path,
             struct burl_err *err)
{
    uint64_t at = 0;

    while (at + RECORD_STEP <= s->size_b) {
        uint64_t used = RECORD_STEP;
        uint64_t magic;
        enum burl_status st = BURL_OK;

        memcpy(&magic, s->bytes + at, sizeof magic);
        if (magic != 0)
            st = burl_nametab_add_record(t, s->bytes + at, s->size_b - at, &used, path, err);
        if (st != BURL_OK)
            return st;
        at += used;
    }
    return BURL_OK;
}

enum burl_status
burl_nametab_add_file(struct burl_nametab *t, const char *path, struct burl_err *err)
{
    struct burl_elf *e;
    struct burl_elf_section s;
    enum burl_status st = burl_elf_open(&e, path, err);

    if (st != BURL_OK)
        return st;
    for (size_t ix = 0; st == BURL_OK && burl_elf_find(e, BURL_WIRE_NAMES_SECTION, &ix, &s); ix++) {
        if (s.bytes != NULL)
            st = read_section(t, &s, path, err);
    }
    burl_elf_close(e);
    return st;
}

/* ---- places and calls -------------------------------------------------------------- */

static struct burl_place
read_place(const struct module *m, const struct burl_wire_place *p)
{
    return (struct burl_place){ .text = m->strings + p->text,
                                .owner = m->strings + p->owner,
                                .path = m->strings + p->path,
                                .position = p->site,
                                .offset_b = p->offset_b,
                                .from_b = p->from_b,
                                .param = p->param,
                                .flags = p->flags,
                                .value = p->value };
}

bool
burl_nametab_access(const struct burl_nametab *t, uint64_t module, uint32_t site,
                    struct burl_place *out)
{
    const struct module *m = find_module(t, module);
    size_t lo = 0;
    size_t hi = m != NULL ? m->head.n_accesses : 0;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (m->places[mid].site < site)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (m == NULL || lo >= m->head.n_accesses || m->places[lo].site != site)
        return false;
    *out = read_place(m, &m->places[lo]);
    return true;
}

const char *
burl_nametab_symbol(const struct burl_nametab *t, uint64_t module, uint32_t func)
{
    const struct module *m = find_module(t, module);
    size_t lo = 0;
    size_t hi = m != NULL ? m->head.n_functions : 0;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (m->functions[mid].site < func)
            lo = mid + 1;
        else
            hi = mid;
    }
    return m != NULL && lo < m->head.n_functions && m->functions[lo].site == func
               ? m->strings + m->functions[lo].symbol
               : "";
}

bool
burl_nametab_call(const struct burl_nametab *t, uint64_t module, uint32_t func, size_t i,
                  struct burl_call *out)
{
    const struct module *m = find_module(t, module);
    const struct burl_wire_call *c;
    size_t lo = 0;
    size_t hi = m != NULL ? m->head.n_calls : 0;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (m->calls[mid].func < func)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (m == NULL || i >= m->head.n_calls - lo || m->calls[lo + i].func != func)
        return false;
    c = &m->calls[lo + i];
    *out = (struct burl_call){ .module = module,
                               .site = c->site,
                               .callee = m->strings + c->callee,
                               .line = c->line,
                               .column = c->column,
                               .first = c->first,
                               .n = c->n };
    return true;
}

bool
burl_nametab_argument(const struct burl_nametab *t, const struct burl_call *call, uint32_t position,
                      struct burl_place *out)
{
    const struct module *m = find_module(t, call->module);

    for (uint32_t i = 0; m != NULL && i < call->n; i++) {
        const struct burl_wire_place *p = &m->places[call->first + i];

        if (p->site == position) {
            *out = read_place(m, p);
            return true;
        }
    }
    return false;
}

/* ---- members of globals ------------------------------------------------------------ */

/* The member that holds the byte; of members without bytes of their own none does. */
static const struct burl_wire_member *
member_at(const struct module *m, const struct burl_wire_type *t, uint64_t offset)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct burl_wire_member *x = &m->members[t->first + i];

        if (offset >= x->offset_b && offset - x->offset_b < m->types[x->type].size_b)
            return x;
    }
    return NULL;
}

/* One step down, if the bytes lie in one member or element: its type and the offset in it. */
static bool
enter_type(const struct module *m, uint32_t *type, uint64_t *offset, uint64_t want_b,
           struct burl_buf *out)
{
    const struct burl_wire_type *t = &m->types[*type];
    const struct burl_wire_member *x = NULL;
    uint32_t next = t->first;
    uint64_t from;

    if (t->kind == BURL_TYPE_ARRAY && m->types[next].size_b > 0) {
        from = *offset / m->types[next].size_b * m->types[next].size_b;
    } else if (t->kind == BURL_TYPE_RECORD && (x = member_at(m, t, *offset)) != NULL) {
        next = x->type;
        from = x->offset_b;
    } else {
        return false;
    }
    if (*offset - from + want_b > m->types[next].size_b)
        return false;
    if (x == NULL)
        burl_buf_printf(out, "[%llu]", (unsigned long long)(from / m->types[next].size_b));
    else if (m->strings[x->name] != '\0')
        burl_buf_printf(out, ".%s", m->strings + x->name);
    *offset -= from;
    *type = next;
    return true;
}

/* To the smallest thing with a name that holds the bytes. */
static bool
put_member(const struct module *m, uint32_t type, uint64_t offset, uint64_t want_b,
           struct burl_buf *out)
{
    for (int depth = 0; depth < MAX_TYPE_DEPTH; depth++) {
        if (want_b == 0 && offset == 0)
            return true;
        if (!enter_type(m, &type, &offset, want_b, out))
            return offset + want_b <= m->types[type].size_b;
    }
    return false;
}

bool
burl_nametab_member(const struct burl_nametab *t, const char *symbol, uint64_t size_b,
                    uint64_t offset, uint64_t want_b, struct burl_buf *out)
{
    struct burl_buf path = BURL_BUF_INIT;
    bool found = false;
    bool agree = true;

    for (size_t i = 0; i < t->all.n; i++) {
        const struct module *m = &t->all.v[i];

        for (uint32_t k = 0; k < m->head.n_globals && agree; k++) {
            const struct burl_wire_global *g = &m->globals[k];
            struct burl_buf one = BURL_BUF_INIT;

            if (m->types[g->type].size_b != size_b || strcmp(m->strings + g->symbol, symbol) != 0)
                continue;
            agree = put_member(m, g->type, offset, want_b, &one) &&
                    (!found || strcmp(burl_buf_str(&one), burl_buf_str(&path)) == 0);
            if (!found)
                burl_buf_str_append(&path, burl_buf_str(&one));
            found = true;
            burl_buf_deinit(&one);
        }
    }
    if (found && agree)
        burl_buf_str_append(out, burl_buf_str(&path));
    burl_buf_deinit(&path);
    return found && agree;
}
