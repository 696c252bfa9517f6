/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding/variable.c - which variable a race is on: one text for all pairs of places.
 *
 * Runs in the host. A race is a property of memory: a counter that is read in three functions and
 * written in two is one bug with six pairs of places, and which of them a run meets first is
 * chance. So the fingerprint of a race is made of the memory, and of nothing else:
 *
 *   global   the symbol that holds the address, and the member: `stats.hits`, `bank.balance`
 *   heap     the function and the allocating call in it (its number among equal calls of the
 *            function, not its line), and the member: `make_queue malloc#1 head`. When one
 *            of the two frees the block, no member: they all go with it
 *   stack    whose stack (main's, or that of another thread), and the name
 *
 * The member is the last component of what the source says at either place: `q->head`,
 * `this->head` and `pool[i].head` are `head`. A place that only follows a pointer (`*p`, `p[i]`,
 * free) knows no member and takes the other's; so does one in a library, because a race on a
 * std::vector is one race and not one for each of its three pointers.
 *
 * Trade-off: elements of an array are one variable; two structures made by the same call whose
 * members have the same name are one (the second shows when the first is fixed). The other way,
 * memory that is made by two calls (a first block and one that replaces it) is two findings, and so
 * are the members of a union. Where neither place knows a member, pairs that both only follow
 * pointers stand apart from pairs that know it. Never used: lines, addresses, thread numbers.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "finding/fingerprint.h"
#include "wire/site.h"

/* What one place knows about its variable. Parts of `site->variable`. */
struct name {
    const char *text;   /* the whole of it; "" nothing */
    const char *member; /* last component after . or ->, NULL none */
    size_t member_n;
    size_t root_n; /* bytes of text that name the variable itself; 0: behind a pointer */
    bool system;   /* the place is in a library: its members are not the user's */
};

static struct name
read_name(const struct burl_site_info *site)
{
    struct name n = { .text = "" };
    size_t end;
    size_t i;

    /* The "variable" of a call is the callee. */
    if (burl_site_is_call(site) || site->kind == BURL_SITE_FUNC)
        return n;
    n.text = site->variable;
    end = strlen(n.text);
    while (end >= 2 && strncmp(n.text + end - 2, "[]", 2) == 0)
        end -= 2;
    /* `arg->?`: the member is unknown: a pointer was dereferenced, and there is no name to show. */
    if (strchr(n.text, '?') != NULL) {
        n.text = "";
        return n;
    }
    n.system = burl_site_is_system(site);
    if (n.text[0] == '*' || n.text[0] == '(' || n.system)
        return n;
    for (i = end; i > 0 && n.member == NULL; i--) {
        if (n.text[i - 1] == '.' || (n.text[i - 1] == '>' && i > 1 && n.text[i - 2] == '-')) {
            n.member = n.text + i;
            n.member_n = end - i;
        }
    }
    /* Only a path without a pointer in it begins at the variable. */
    if (strstr(n.text, "->") == NULL && strchr(n.text, '(') == NULL) {
        n.root_n = strcspn(n.text, ".[");
        /* `p[]` of a local pointer looks the same as a global array: the symbol decides. */
    }
    return n;
}

static bool
is_plain(const struct name *n)
{
    return n->root_n > 0 && n->member == NULL && n->text[n->root_n] == '\0';
}

bool
burl_variable_is_root(const char *symbol, const char *name, size_t n)
{
    size_t len = strlen(symbol);

    if (n == 0 || len < n)
        return false;
    if (strncmp(symbol, name, n) == 0) {
        /* gcc's static local: `calls.0` */
        const char *rest = symbol + n;

        return *rest == '\0' || (*rest == '.' && isdigit((unsigned char)rest[1]));
    }
    /* clang's static local and C++ scopes: `use.calls`, `ns::x` */
    return strncmp(symbol + len - n, name, n) == 0 &&
           (symbol[len - n - 1] == '.' || symbol[len - n - 1] == ':');
}

/* One or two texts, sorted, equal ones once. */
static void
put_both(struct burl_buf *out, const char *a, size_t an, const char *b, size_t bn)
{
    size_t n = an < bn ? an : bn;
    int c = n > 0 ? memcmp(a, b, n) : 0;

    if (bn == 0 || (an == bn && c == 0)) {
        burl_buf_append(out, a, an);
        return;
    }
    if (an == 0) {
        burl_buf_append(out, b, bn);
        return;
    }
    if (c < 0 || (c == 0 && an < bn)) {
        burl_buf_append(out, a, an);
        burl_buf_char(out, ',');
        burl_buf_append(out, b, bn);
    } else {
        burl_buf_append(out, b, bn);
        burl_buf_char(out, ',');
        burl_buf_append(out, a, an);
    }
}

/* The member both places agree on, else the plain name, else nothing. */
static void
put_component(struct burl_buf *out, const struct name *a, const struct name *b)
{
    bool plain_a = is_plain(a);
    bool plain_b = is_plain(b);

    if (a->member != NULL || b->member != NULL)
        put_both(out, a->member, a->member_n, b->member, b->member_n);
    else if (plain_a || plain_b)
        put_both(out, a->text, plain_a ? a->root_n : 0, b->text, plain_b ? b->root_n : 0);
    else
        burl_buf_char(out, '*');
}

/* Is the whole symbol what the places name, so that what follows a pointer elsewhere is no
 * member of it? */
static bool
is_whole(const struct burl_symbol *sym, const struct name *n)
{
    return n->member == NULL && burl_variable_is_root(sym->name, n->text, n->root_n);
}

static void
put_global(struct burl_buf *out, const struct burl_symbol *sym, uint64_t size_b,
           const struct name *a, const struct name *b)
{
    burl_buf_printf(out, " global %s", sym->name);
    if (is_whole(sym, a) || is_whole(sym, b) || sym->size_b <= size_b)
        return;
    if (a->member == NULL && b->member == NULL)
        return;
    burl_buf_char(out, '.');
    put_both(out, a->member, a->member_n, b->member, b->member_n);
}

/* A global without a symbol: the path of a place that has one. */
static void
put_unnamed_global(struct burl_buf *out, const struct name *a, const struct name *b)
{
    const struct name *n = a->root_n > 0 ? a : b;

    burl_buf_str_append(out, " global ");
    if (n->root_n == 0) {
        put_component(out, a, b);
        return;
    }
    burl_buf_append(out, n->text, n->root_n);
    if (n->member != NULL) {
        burl_buf_char(out, '.');
        burl_buf_append(out, n->member, n->member_n);
    }
}

/* The number of the allocating call among those of the same function and callee. */
static unsigned
call_number(const struct burl_sites *sites, const struct burl_site_info *call)
{
    unsigned n = 1;

    if (call->func_id == 0 || call->func_id > call->id)
        return 1;
    for (uint32_t id = call->func_id; id < call->id; id++) {
        const struct burl_site_info *s = burl_sites_get(sites, id);

        n += s->kind == BURL_SITE_CALL && s->func_id == call->func_id &&
             strcmp(s->variable, call->variable) == 0;
    }
    return n;
}

void
burl_variable_call(struct burl_buf *out, const struct burl_sites *sites,
                   const struct burl_site_info *call)
{
    burl_buf_printf(out, "%s %s#%u", call->func, call->variable, call_number(sites, call));
}

/* The call that allocated the block. */
static void
put_block(struct burl_buf *out, const struct burl_wire_origin *origin,
          const struct burl_sites *sites)
{
    const struct burl_site_info *call = burl_sites_get(sites, origin->site);

    burl_buf_str_append(out, " heap ");
    if (call->id != 0 && call->kind == BURL_SITE_CALL) {
        burl_variable_call(out, sites, call);
        burl_buf_char(out, ' ');
    } else if (call->id != 0) {
        burl_buf_printf(out, "%s ", call->func);
    } else {
        burl_buf_printf(out, "%s ", burl_sites_get(sites, origin->stack[0])->func);
    }
}

static void
put_functions(struct burl_buf *out, const struct burl_site_info *a, const struct burl_site_info *b)
{
    burl_buf_str_append(out, " in ");
    put_both(out, a->func, strlen(a->func), b->func, strlen(b->func));
}

static void
put_variable(struct burl_buf *out, const struct burl_wire_origin *origin, uint64_t addr,
             uint64_t size_b, const struct burl_site_info *sa, const struct burl_site_info *sb,
             const struct burl_sites *sites)
{
    struct name a = read_name(sa);
    struct name b = read_name(sb);
    struct burl_symbol sym;
    size_t mark;

    if ((origin->kind == BURL_ORIGIN_GLOBAL || origin->kind == BURL_ORIGIN_UNKNOWN) &&
        burl_sites_symbol(sites, addr, &sym)) {
        put_global(out, &sym, size_b, &a, &b);
        return;
    }
    switch (origin->kind) {
    case BURL_ORIGIN_GLOBAL:
        put_unnamed_global(out, &a, &b);
        return;
    case BURL_ORIGIN_HEAP:
        put_block(out, origin, sites);
        put_component(out, &a, &b);
        return;
    case BURL_ORIGIN_STACK:
        burl_buf_printf(out, " stack of %s ", origin->tid == 0 ? "main" : "a thread");
        put_component(out, &a, &b);
        return;
    case BURL_ORIGIN_TLS:
        burl_buf_str_append(out, " thread-local ");
        put_component(out, &a, &b);
        return;
    default:
        break;
    }
    mark = out->n;
    burl_buf_str_append(out, " memory ");
    put_component(out, &a, &b);
    if (out->n > mark && out->p[out->n - 1] == '*')
        put_functions(out, sa, sb);
}

/* The lower of two overlapping accesses begins at this byte of the memory both touch. */
uint64_t
burl_variable_overlap(const struct burl_wire_side *a, const struct burl_wire_side *b,
                      uint64_t *size_b)
{
    uint64_t start = a->addr > b->addr ? a->addr : b->addr;
    uint64_t end_a = a->addr + a->size_b;
    uint64_t end_b = b->addr + b->size_b;
    uint64_t end = end_a < end_b ? end_a : end_b;

    *size_b = end > start ? end - start : b->size_b;
    return end > start ? start : b->addr;
}

/* A region with a name is one bug, whichever of its variables was hit: it needs one lock. */
static void
put_region(struct burl_buf *out, const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    static const struct burl_wire_origin unknown = { .kind = BURL_ORIGIN_UNKNOWN };
    struct burl_buf texts[2];

    if (v->text[0] != '\0') {
        burl_buf_printf(out, " %.*s", (int)sizeof v->text, v->text);
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        const struct burl_wire_side *side = &v->sides[i];
        const struct burl_site_info *site = burl_sites_get(sites, side->site);
        bool same = side->addr >= v->origin.addr && side->addr - v->origin.addr < v->origin.size_b;

        burl_buf_init(&texts[i], BURL_BUF_NO_LIMIT);
        put_variable(&texts[i], same ? &v->origin : &unknown, side->addr, side->size_b, site, site,
                     sites);
    }
    burl_buf_printf(out, " in %s:", burl_sites_get(sites, v->sides[0].site)->func);
    put_both(out, texts[0].p, texts[0].n, texts[1].p, texts[1].n);
    burl_buf_deinit(&texts[0]);
    burl_buf_deinit(&texts[1]);
}

/* Another execution may have loaded a library elsewhere. */
uint64_t
burl_variable_address(const struct burl_sites *sites, const struct burl_wire_origin *origin,
                      uint64_t addr)
{
    if (origin->kind != BURL_ORIGIN_GLOBAL || origin->site == 0)
        return addr;
    return burl_sites_address(sites, origin->site, addr - origin->addr);
}

void
burl_variable_of(const struct burl_wire_verdict *v, const struct burl_sites *sites,
                 struct burl_buf *out)
{
    uint64_t size_b;
    uint64_t addr;

    if (v->n_sides != 2)
        return;
    if (v->kind == BURL_VERDICT_ATOMICITY_REGION) {
        put_region(out, v, sites);
        return;
    }
    if (v->origin.kind == BURL_ORIGIN_HEAP &&
        (v->sides[0].flags | v->sides[1].flags) & BURL_SIDE_F_FREE) {
        put_block(out, &v->origin, sites);
        burl_buf_str_append(out, "freed");
        return;
    }
    addr = burl_variable_overlap(&v->sides[0], &v->sides[1], &size_b);
    put_variable(out, &v->origin, burl_variable_address(sites, &v->origin, addr), size_b,
                 burl_sites_get(sites, v->sides[0].site), burl_sites_get(sites, v->sides[1].site),
                 sites);
}

void
burl_variable_of_suspect(const struct burl_wire_suspect *s, const struct burl_sites *sites,
                         struct burl_buf *out)
{
    const struct burl_wire_origin origin = {
        .addr = s->origin_addr, .site = s->origin_site, .tid = s->origin_tid, .kind = s->origin
    };
    const struct burl_site_info *a = burl_sites_get(sites, s->n_sites > 0 ? s->sites[0] : 0);
    const struct burl_site_info *b = burl_sites_get(sites, s->n_sites > 1 ? s->sites[1] : 0);

    put_variable(out, &origin, burl_variable_address(sites, &origin, s->addr), b->size_b, a, b,
                 sites);
}

/* ---- for people ---------------------------------------------------------------------------- */

/* The better of two names: one that begins at the variable, then one with a member, then any. */
static const struct name *
better_name(const struct name *a, const struct name *b)
{
    if ((a->root_n > 0) != (b->root_n > 0))
        return a->root_n > 0 ? a : b;
    if ((a->member != NULL) != (b->member != NULL))
        return a->member != NULL ? a : b;
    if (a->system != b->system && a->text[0] != '\0' && b->text[0] != '\0')
        return a->system ? b : a;
    return a->text[0] != '\0' ? a : b;
}

/* The name of a place for a reader: a member of `this` with its class, a static member with its
 * scope. */
static void
put_shown(struct burl_buf *out, const struct burl_sites *sites, const struct burl_symbol *sym,
          const struct name *n, uint32_t site)
{
    const bool member = strncmp(n->text, "this->", 6) == 0 && !n->system;
    struct burl_place p;

    if (sym != NULL && strstr(sym->name, "::") != NULL &&
        strstr(sym->name, "(anonymous)") == NULL && strchr(sym->name, '[') == NULL)
        burl_buf_printf(out, "%s%s", sym->name, n->text + n->root_n);
    else if (!member || !burl_sites_place(sites, site, &p))
        burl_buf_str_append(out, n->text);
    else if ((p.flags & BURL_PLACE_OBJECT) != 0)
        burl_buf_str_append(out, p.text);
    else if (p.owner[0] != '\0' && p.path[0] != '\0')
        burl_buf_printf(out, "%s::%s", p.owner, p.path);
    else
        burl_buf_str_append(out, n->text);
}

void
burl_variable_name(const struct burl_sites *sites, uint8_t origin, uint64_t addr, uint64_t size_b,
                   uint32_t site_a, uint32_t site_b, struct burl_buf *out)
{
    struct name a = read_name(burl_sites_get(sites, site_a));
    struct name b = read_name(burl_sites_get(sites, site_b));
    const struct name *best = better_name(&a, &b);
    struct burl_symbol sym;
    bool known = (origin == BURL_ORIGIN_GLOBAL || origin == BURL_ORIGIN_UNKNOWN) &&
                 burl_sites_symbol(sites, addr, &sym);

    if (!known || burl_variable_is_root(sym.name, best->text, best->root_n)) {
        put_shown(out, sites, known ? &sym : NULL, best, best == &a ? site_a : site_b);
        return;
    }
    /* The places only know a pointer: the symbol says where it led. */
    if (burl_sites_member(sites, addr, size_b, out))
        return;
    if (sym.size_b <= size_b || is_whole(&sym, &a) || is_whole(&sym, &b) || best->system)
        burl_buf_str_append(out, sym.name);
    else if (best->member != NULL)
        burl_buf_printf(out, "%.*s of %s", (int)best->member_n, best->member, sym.name);
    else
        burl_buf_printf(out, "byte %llu of %s", (unsigned long long)(addr - sym.addr), sym.name);
}
