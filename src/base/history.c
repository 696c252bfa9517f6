/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/history.c - see history.h. Host side.
 *
 * As bytes: "BURLHIST", then numbers of 7 bits per byte, low ones first, the top bit set in all but
 * the last byte; strings as length and bytes. Most of a set is zero, so its bytes are written as
 * runs: how many zero bytes, how many others, and these.
 */
#include "base/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define MAGIC "BURLHIST"
#define MAGIC_B 8u
#define MAX_SITES (1u << 26)
#define MAX_BITS_B ((size_t)1 << 30) /* of all sets together */

void
burl_history_init(struct burl_history *h)
{
    memset(h, 0, sizeof *h);
}

void
burl_history_deinit(struct burl_history *h)
{
    for (size_t i = 0; i < h->modules.n; i++) {
        free(h->modules.v[i].name);
        free(h->modules.v[i].object);
    }
    for (size_t i = 0; i < h->roles.n; i++)
        free(h->roles.v[i].start);
    for (size_t i = 0; i < h->sets.n; i++)
        free(h->sets.v[i].bits);
    free(h->program);
    BURL_VEC_FREE(&h->modules);
    BURL_VEC_FREE(&h->roles);
    BURL_VEC_FREE(&h->sets);
    BURL_VEC_FREE(&h->overlaps);
    burl_history_init(h);
}

/* ---- building ----------------------------------------------------------------------------- */

static size_t
bits_b(uint32_t n_sites)
{
    return ((size_t)n_sites + 7) / 8;
}

static void
grow_module(struct burl_history *h, uint32_t module, uint32_t n_sites)
{
    const size_t old = bits_b(h->modules.v[module].n_sites);
    const size_t new = bits_b(n_sites);

    h->modules.v[module].n_sites = n_sites;
    for (size_t i = 0; new > old &&i < h->sets.n; i++) {
        struct burl_history_set *s = &h->sets.v[i];

        if (s->module != module)
            continue;
        s->bits = burl_xrealloc(s->bits, new);
        memset(s->bits + old, 0, new - old);
    }
}

uint32_t
burl_history_module(struct burl_history *h, uint64_t hash, uint32_t n_sites, const char *name,
                    const char *object)
{
    for (size_t i = 0; i < h->modules.n; i++) {
        if (h->modules.v[i].hash != hash)
            continue;
        if (h->modules.v[i].n_sites < n_sites)
            grow_module(h, (uint32_t)i, n_sites);
        return (uint32_t)i;
    }
    BURL_VEC_PUSH(&h->modules, (struct burl_history_module){ .hash = hash,
                                                             .n_sites = n_sites,
                                                             .name = burl_xstrdup(name),
                                                             .object = burl_xstrdup(object) });
    return (uint32_t)h->modules.n - 1;
}

static bool
is_same_role(const struct burl_history_role *a, const struct burl_history_role *b)
{
    return a->create_module == b->create_module && a->create_site == b->create_site &&
           a->ordinal == b->ordinal && strcmp(a->start, b->start) == 0;
}

uint32_t
burl_history_role(struct burl_history *h, const struct burl_history_role *role)
{
    struct burl_history_role *r;

    for (size_t i = 0; i < h->roles.n; i++) {
        if (!is_same_role(&h->roles.v[i], role))
            continue;
        h->roles.v[i].many = h->roles.v[i].many || role->many;
        return (uint32_t)i;
    }
    r = BURL_VEC_ADD(&h->roles);
    *r = *role;
    r->start = burl_xstrdup(role->start);
    return (uint32_t)h->roles.n - 1;
}

static uint8_t *
new_set(struct burl_history *h, uint32_t role, uint32_t module, bool alone)
{
    struct burl_history_set s = { .role = role, .module = module, .alone = alone };

    s.bits = burl_xcalloc(bits_b(h->modules.v[module].n_sites) + 1, 1);
    BURL_VEC_PUSH(&h->sets, s);
    return s.bits;
}

uint8_t *
burl_history_bits(struct burl_history *h, uint32_t role, uint32_t module, bool alone)
{
    for (size_t i = 0; i < h->sets.n; i++) {
        const struct burl_history_set *s = &h->sets.v[i];

        if (s->role == role && s->module == module && s->alone == alone)
            return s->bits;
    }
    return new_set(h, role, module, alone);
}

/* The first overlap that is not below (a, b). */
static size_t
overlap_place(const struct burl_history *h, uint32_t a, uint32_t b)
{
    size_t lo = 0;
    size_t hi = h->overlaps.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct burl_history_overlap *o = &h->overlaps.v[mid];

        if (o->a < a || (o->a == a && o->b < b))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool
overlap_at(const struct burl_history *h, size_t at, uint32_t a, uint32_t b)
{
    return at < h->overlaps.n && h->overlaps.v[at].a == a && h->overlaps.v[at].b == b;
}

void
burl_history_add_overlap(struct burl_history *h, uint32_t a, uint32_t b)
{
    const uint32_t lo = a < b ? a : b;
    const uint32_t hi = a < b ? b : a;
    size_t at = overlap_place(h, lo, hi);

    if (lo == hi) {
        h->roles.v[lo].many = true;
        return;
    }
    if (overlap_at(h, at, lo, hi))
        return;
    BURL_VEC_RESERVE(&h->overlaps, 1);
    memmove(&h->overlaps.v[at + 1], &h->overlaps.v[at],
            (h->overlaps.n - at) * sizeof *h->overlaps.v);
    h->overlaps.v[at] = (struct burl_history_overlap){ lo, hi };
    h->overlaps.n++;
}

bool
burl_history_overlaps(const struct burl_history *h, uint32_t a, uint32_t b)
{
    const uint32_t lo = a < b ? a : b;
    const uint32_t hi = a < b ? b : a;

    if (a == b)
        return h->roles.v[a].many;
    return overlap_at(h, overlap_place(h, lo, hi), lo, hi);
}

/* ---- merging ------------------------------------------------------------------------------ */

static uint64_t
set_key(const struct burl_history_set *s)
{
    return (uint64_t)s->role << 33 | (uint64_t)s->module << 1 | s->alone;
}

static void
merge_sets(struct burl_history *h, const struct burl_history *from, const uint32_t *roles,
           const uint32_t *modules)
{
    struct burl_map at = { 0 };

    for (size_t i = 0; i < h->sets.n; i++)
        burl_map_set(&at, set_key(&h->sets.v[i]), i);
    for (size_t i = 0; i < from->sets.n; i++) {
        const struct burl_history_set *s = &from->sets.v[i];
        struct burl_history_set to = { roles[s->role], modules[s->module], s->alone, NULL };
        const size_t n = bits_b(from->modules.v[s->module].n_sites);
        uint64_t known;
        uint8_t *bits;

        if (burl_map_get(&at, set_key(&to), &known)) {
            bits = h->sets.v[known].bits;
        } else {
            burl_map_set(&at, set_key(&to), h->sets.n);
            bits = new_set(h, to.role, to.module, to.alone);
        }
        for (size_t k = 0; k < n; k++)
            bits[k] |= s->bits[k];
    }
    burl_map_deinit(&at);
}

void
burl_history_merge(struct burl_history *h, const struct burl_history *from)
{
    uint32_t *roles = burl_xcalloc(from->roles.n + 1, sizeof *roles);
    uint32_t *modules = burl_xcalloc(from->modules.n + 1, sizeof *modules);

    if (!h->program && from->program)
        h->program = burl_xstrdup(from->program);
    h->partial = h->partial || from->partial;
    for (size_t i = 0; i < from->roles.n; i++)
        roles[i] = burl_history_role(h, &from->roles.v[i]);
    for (size_t i = 0; i < from->modules.n; i++) {
        const struct burl_history_module *m = &from->modules.v[i];

        modules[i] = burl_history_module(h, m->hash, m->n_sites, m->name, m->object);
    }
    merge_sets(h, from, roles, modules);
    for (size_t i = 0; i < from->overlaps.n; i++)
        burl_history_add_overlap(h, roles[from->overlaps.v[i].a], roles[from->overlaps.v[i].b]);
    free(roles);
    free(modules);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void
put(struct burl_buf *out, uint64_t x)
{
    for (; x >= 128; x >>= 7)
        burl_buf_char(out, (char)(x | 128));
    burl_buf_char(out, (char)x);
}

static void
put_string(struct burl_buf *out, const char *s)
{
    const size_t n = s ? strlen(s) : 0;

    put(out, n);
    burl_buf_append(out, s ? s : "", n);
}

static void
put_bits(struct burl_buf *out, const uint8_t *bits, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t from = at, end;

        while (from < n && bits[from] == 0)
            from++;
        /* A single zero byte costs less than a new run. */
        for (end = from; end < n && (bits[end] != 0 || (end + 1 < n && bits[end + 1] != 0));)
            end++;
        put(out, from - at);
        put(out, end - from);
        burl_buf_append(out, bits + from, end - from);
        at = end;
    }
}

void
burl_history_write(const struct burl_history *h, struct burl_buf *out)
{
    burl_buf_append(out, MAGIC, MAGIC_B);
    put(out, BURL_HISTORY_VERSION);
    put_string(out, h->program);
    put(out, h->partial);
    put(out, h->modules.n);
    for (size_t i = 0; i < h->modules.n; i++) {
        const struct burl_history_module *m = &h->modules.v[i];

        put(out, m->hash);
        put(out, m->n_sites);
        put_string(out, m->name);
        put_string(out, m->object);
    }
    put(out, h->roles.n);
    for (size_t i = 0; i < h->roles.n; i++) {
        const struct burl_history_role *r = &h->roles.v[i];

        put_string(out, r->start);
        put(out, r->create_module);
        put(out, r->create_site);
        put(out, r->ordinal);
        put(out, r->many);
    }
    put(out, h->overlaps.n);
    for (size_t i = 0; i < h->overlaps.n; i++) {
        put(out, h->overlaps.v[i].a);
        put(out, h->overlaps.v[i].b);
    }
    put(out, h->sets.n);
    for (size_t i = 0; i < h->sets.n; i++) {
        const struct burl_history_set *s = &h->sets.v[i];

        put(out, s->role);
        put(out, s->module);
        put(out, s->alone);
        put_bits(out, s->bits, bits_b(h->modules.v[s->module].n_sites));
    }
}

/* ---- reading ------------------------------------------------------------------------------ */

struct reader {
    const uint8_t *p;
    const uint8_t *end;
    bool bad;
};

/* A number of at most `max`. */
static uint64_t
get(struct reader *r, uint64_t max)
{
    uint64_t x = 0;

    for (uint32_t shift = 0; shift < 64 && r->p < r->end; shift += 7) {
        uint8_t c = *r->p++;

        if (shift == 63 && c > 1)
            break;
        x |= (uint64_t)(c & 127) << shift;
        if (c < 128) {
            r->bad = r->bad || x > max;
            return r->bad ? 0 : x;
        }
    }
    r->bad = true;
    return 0;
}

static char *
get_string(struct reader *r)
{
    const uint64_t n = get(r, (uint64_t)(r->end - r->p));
    char *s;

    if (n > (uint64_t)(r->end - r->p) || memchr(r->p, 0, n)) {
        r->bad = true;
        return burl_xstrdup("");
    }
    s = burl_xstrndup((const char *)r->p, n);
    r->p += n;
    return s;
}

/* A count of items, each of which has at least one byte. */
static uint64_t
get_count(struct reader *r)
{
    return get(r, (uint64_t)(r->end - r->p));
}

static void
read_modules(struct burl_history *h, struct reader *r)
{
    for (uint64_t n = get_count(r); n > 0 && !r->bad; n--) {
        struct burl_history_module *m = BURL_VEC_ADD(&h->modules);

        m->hash = get(r, UINT64_MAX);
        m->n_sites = (uint32_t)get(r, MAX_SITES);
        m->name = get_string(r);
        m->object = get_string(r);
    }
}

static void
read_roles(struct burl_history *h, struct reader *r)
{
    for (uint64_t n = get_count(r); n > 0 && !r->bad; n--) {
        struct burl_history_role *role = BURL_VEC_ADD(&h->roles);

        role->start = get_string(r);
        role->create_module = get(r, UINT64_MAX);
        role->create_site = (uint32_t)get(r, UINT32_MAX);
        role->ordinal = (uint32_t)get(r, UINT32_MAX);
        role->many = get(r, 1) != 0;
    }
}

static void
read_overlaps(struct burl_history *h, struct reader *r)
{
    const uint64_t last = h->roles.n > 0 ? h->roles.n - 1 : 0;

    for (uint64_t n = get_count(r); n > 0 && !r->bad; n--) {
        struct burl_history_overlap o;

        o.a = (uint32_t)get(r, last);
        o.b = (uint32_t)get(r, last);
        if (o.a >= o.b || (h->overlaps.n > 0 &&
                           overlap_place(h, o.a, o.b) != h->overlaps.n)) /* ascending, once */
            r->bad = true;
        else
            BURL_VEC_PUSH(&h->overlaps, o);
    }
}

static void
read_bits(struct reader *r, uint8_t *bits, size_t n)
{
    for (size_t at = 0; at < n && !r->bad;) {
        uint64_t zeros = get(r, n - at);
        uint64_t others = get(r, n - at - zeros);

        if (others > (uint64_t)(r->end - r->p) || zeros + others == 0) {
            r->bad = true;
            return;
        }
        memcpy(bits + at + zeros, r->p, others);
        r->p += others;
        at += zeros + others;
    }
}

/* Bits beyond the last site are no site's. */
static bool
has_stray_bits(const uint8_t *bits, uint32_t n_sites)
{
    return n_sites % 8 != 0 && bits[n_sites / 8] >> n_sites % 8 != 0;
}

static void
read_sets(struct burl_history *h, struct reader *r)
{
    struct burl_map known = { 0 };
    size_t total = 0;

    for (uint64_t n = get_count(r); n > 0 && !r->bad; n--) {
        struct burl_history_set s = { 0 };
        uint32_t n_sites;
        uint64_t *seen;

        s.role = (uint32_t)get(r, UINT32_MAX);
        s.module = (uint32_t)get(r, UINT32_MAX);
        s.alone = get(r, 1) != 0;
        if (r->bad || s.role >= h->roles.n || s.module >= h->modules.n) {
            r->bad = true;
            break;
        }
        n_sites = h->modules.v[s.module].n_sites;
        total += bits_b(n_sites);
        seen = burl_map_at(&known, set_key(&s));
        if (*seen != 0 || total > MAX_BITS_B) {
            r->bad = true;
            break;
        }
        *seen = 1;
        s.bits = new_set(h, s.role, s.module, s.alone);
        read_bits(r, s.bits, bits_b(n_sites));
        r->bad = r->bad || has_stray_bits(s.bits, n_sites);
    }
    burl_map_deinit(&known);
}

enum burl_status
burl_history_read(struct burl_history *h, const void *bytes, size_t n, struct burl_err *err)
{
    struct reader r = { .p = bytes, .end = (const uint8_t *)bytes + n };
    uint64_t version;

    burl_history_init(h);
    if (n < MAGIC_B || memcmp(bytes, MAGIC, MAGIC_B) != 0)
        return burl_err_set(err, BURL_E_FORMAT, 0, "this is not a history of burl");
    r.p += MAGIC_B;
    version = get(&r, UINT64_MAX);
    if (!r.bad && version != BURL_HISTORY_VERSION)
        return burl_err_set(err, BURL_E_FORMAT, 0,
                            "the history has format %llu, this burl reads %d; record it again",
                            (unsigned long long)version, BURL_HISTORY_VERSION);
    h->program = get_string(&r);
    h->partial = get(&r, 1) != 0;
    read_modules(h, &r);
    read_roles(h, &r);
    read_overlaps(h, &r);
    read_sets(h, &r);
    if (r.bad || r.p != r.end) {
        burl_history_deinit(h);
        return burl_err_set(err, BURL_E_FORMAT, 0, "the history is damaged");
    }
    return BURL_OK;
}
