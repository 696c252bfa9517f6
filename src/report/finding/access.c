/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - names of the memory that the accesses of a trace touch.
 *
 * Runs in the host. In order of preference: the global and its member that lie at the address
 * (`queue.count`, `accounts[1].balance`), the variable from which the callers reached it
 * (`q.count`), the member of a class (`Queue::count`), and for an access inside a library the
 * object on which the user's code called it (`table (inside std::map::operator[])`). What the
 * user's own code names well keeps the name it has there: `q->head`, `stats.hits`.
 *
 * An object that some caller reached through a variable has the name of that variable everywhere
 * (`q.count`), if it has no other. The other objects of a class are distinguished by numbers, in
 * the order in which the trace meets them, as soon as there are two: `Queue::count#2`.
 *
 * Equal stacks give equal names, and a trace has few different ones: each is resolved once. Frames
 * further out than FRAMES are not looked at, so that the key of a stack has all of them.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "base/shortname.h"
#include "report/finding/resolve.h"
#include "report/finding/words.h"
#include "wire/site.h"

enum { FRAMES = 16 };

#define MAX_ROOTS 256u /* variables that are compared with each other */

enum source {
    SOURCE_SITE = 0, /* the name in the site table */
    SOURCE_CAPTURED, /* the same without `this->` of a lambda */
    SOURCE_RESOLVED,
    SOURCE_NONE /* behind a library call; only the address may tell */
};

struct burl__report_access {
    enum source source;
    bool by_address; /* a global at the address is a better name */
    struct burl__report_name name;
};

/* ---- learning ---------------------------------------------------------------------- */

static uint64_t
stack_key(uint32_t site, const struct burl__report_frame *frames, size_t n)
{
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, site);

    for (size_t i = 0; i < n; i++)
        h = burl_hash_u64(h, (uint64_t)frames[i].func << 32 | frames[i].call);
    return burl_hash_end(h);
}

/* Is the name of the site what the user's own code says? */
static bool
is_plain(const struct burl_place *p)
{
    if ((p->flags & (BURL_PLACE_SELF | BURL_PLACE_RESULT)) != 0)
        return false;
    return p->param == BURL_PARAM_NONE || (p->path[0] != '\0' && strstr(p->text, "->") != NULL);
}

static struct burl__report_access
learn_access(const struct burl_sites *sites, const struct burl_site_info *site,
             const struct burl__report_frame *frames, size_t n)
{
    struct burl__report_access a = { .source = SOURCE_SITE };
    const bool system = burl_site_is_system(site);
    struct burl_place p = { .text = "" };
    const bool has = burl_sites_place(sites, site->id, &p);
    const bool in_frame = n > 0 && frames[n - 1].func == site->func_id;

    if (has && !system && is_plain(&p)) {
        if ((p.flags & BURL_PLACE_OBJECT) != 0 && strcmp(p.text, site->variable) != 0 &&
            site->variable[0] != '*') {
            a.source = SOURCE_CAPTURED;
            a.name.text = burl_xstrdup(p.text);
        }
        return a;
    }
    if (!has && !system)
        return a;
    a.by_address = true;
    if (has && in_frame && burl__report_resolve(sites, frames, n, &p, &a.name))
        a.source = SOURCE_RESOLVED;
    else if (system && burl__report_resolve_inside(sites, frames, n, &a.name))
        a.source = SOURCE_RESOLVED;
    else if (system)
        a.source = SOURCE_NONE;
    return a;
}

static uint64_t *
object_key(struct burl_map *map, const char *owner, uint64_t base)
{
    return burl_map_at(map,
                       burl_hash_end(burl_hash_u64(burl_hash_str(BURL_HASH_BEGIN, owner), base)));
}

/* Which object of its class it is, from 1; in the order of the calls with a new one. */
static uint64_t *
object_number(struct burl__report_accesses *l, const char *owner, uint64_t base)
{
    return object_key(&l->objects, owner, base);
}

static uint64_t
owner_key(const char *owner)
{
    return burl_hash_end(burl_hash_str(BURL_HASH_BEGIN, owner));
}

static uint64_t *
object_count(struct burl__report_accesses *l, const char *owner)
{
    return burl_map_at(&l->owners, owner_key(owner));
}

static void
meet_object(struct burl__report_accesses *l, const char *owner, uint64_t base)
{
    uint64_t *met = object_key(&l->met, owner, base);

    if (*met == 0 && l->objects_met.n <= MAX_ROOTS)
        BURL_VEC_PUSH(&l->objects_met, (struct burl__report_met){ owner_key(owner), base });
    *met = 1;
}

void
burl__report_count_object(struct burl__report_accesses *l, const struct burl__report_name *n,
                          uint64_t addr)
{
    uint64_t *number;

    /* Inside a call of a library the address may be anywhere: in a block that the object owns. */
    if (n->member == NULL || n->owner == NULL || n->offset_b == BURL_NAME_NONE || n->inside != 0)
        return;
    meet_object(l, n->owner, addr - n->offset_b);
    number = object_number(l, n->owner, addr - n->offset_b);
    if (*number == 0)
        *number = ++*object_count(l, n->owner);
}

/* "items_" of "Queue::items_". */
static const char *
member_path(const char *owner, const char *member)
{
    const size_t n = strlen(owner);

    return strncmp(member, owner, n) == 0 && strncmp(member + n, "::", 2) == 0 ? member + n + 2
                                                                               : NULL;
}

/* "q." of "q.items_", "p->" of "p->next"; NULL when the text does not end with the path. */
static char *
root_text(const char *text, const char *path)
{
    const size_t n = strlen(text);
    const size_t tail = strlen(path);

    if (n <= tail + 1 || strcmp(text + n - tail, path) != 0 ||
        (text[n - tail - 1] != '.' && text[n - tail - 1] != '>'))
        return NULL;
    return burl_xstrndup(text, n - tail);
}

/* Do both begin the same object? Where a library class has bases, an offset may be off by some
 * bytes; another object of the class lies beyond the members that are known. */
static bool
is_near(const struct burl__report_root *r, uint64_t base, uint64_t reach)
{
    const uint64_t apart = r->base > base ? r->base - base : base - r->base;

    return apart < (r->reach > reach ? r->reach : reach);
}

/* The root of the object, whatever its name; NULL none. */
static struct burl__report_root *
root_near(struct burl__report_accesses *l, const char *owner, uint64_t base, uint64_t reach)
{
    const uint64_t key = owner_key(owner);

    for (size_t i = 0; i < l->roots.n; i++) {
        struct burl__report_root *r = &l->roots.v[i];

        if (r->owner == key && is_near(r, base, reach))
            return r;
    }
    return NULL;
}

static void
add_root(struct burl__report_accesses *l, struct burl__report_root root)
{
    for (size_t i = 0; i < l->roots.n; i++) {
        struct burl__report_root *r = &l->roots.v[i];

        if (strcmp(r->text, root.text) == 0 && !is_near(r, root.base, root.reach)) {
            r->ambiguous = true;
            root.ambiguous = true;
        }
    }
    BURL_VEC_PUSH(&l->roots, root);
}

void
burl__report_note_root(struct burl__report_accesses *l, const struct burl__report_name *n,
                       uint64_t addr)
{
    const uint64_t reach = (uint64_t)n->offset_b + 1;
    const uint64_t base = addr - n->offset_b;
    struct burl__report_root *r;
    const char *path;
    char *text;

    if (n->text == NULL || n->owner == NULL || n->member == NULL || !n->object || n->deref ||
        n->inside != 0 || n->offset_b == BURL_NAME_NONE)
        return;
    meet_object(l, n->owner, base);
    r = root_near(l, n->owner, base, reach);
    path = member_path(n->owner, n->member);
    text = path != NULL && (r != NULL || l->roots.n < MAX_ROOTS) ? root_text(n->text, path) : NULL;
    if (text == NULL)
        return;
    if (r == NULL) {
        add_root(l, (struct burl__report_root){
                        .text = text, .owner = owner_key(n->owner), .base = base, .reach = reach });
        return;
    }
    r->ambiguous = r->ambiguous || strcmp(r->text, text) != 0;
    r->reach = r->reach > reach ? r->reach : reach;
    free(text);
}

/* NULL: the object is no variable, or it is not clear which. */
static const char *
find_root(struct burl__report_accesses *l, const char *owner, uint64_t base)
{
    const struct burl__report_root *r = root_near(l, owner, base, 1);

    return r != NULL && !r->ambiguous ? r->text : NULL;
}

/* The variable that is the only object of its class: where the address lies in a block that the
 * object owns, or at an unknown offset, this is all that is known of the object. */
static const char *
find_sole_root(struct burl__report_accesses *l, const char *owner)
{
    const uint64_t key = owner_key(owner);
    const struct burl__report_root *found = NULL;

    for (size_t i = 0; i < l->roots.n && found == NULL; i++)
        found = l->roots.v[i].owner == key ? &l->roots.v[i] : NULL;
    if (found == NULL || found->ambiguous || l->objects_met.n > MAX_ROOTS)
        return NULL;
    for (size_t i = 0; i < l->objects_met.n; i++) {
        if (l->objects_met.v[i].owner == key && !is_near(found, l->objects_met.v[i].base, 1))
            return NULL;
    }
    return found->text;
}

/* A member of something that a library function is called on. */
static void
put_inside(const struct burl__report_accesses *l, const char *owner, const char *member,
           struct burl_buf *out)
{
    const char *path = owner != NULL ? member_path(owner, member) : NULL;
    const char *root =
        path != NULL ? find_sole_root((struct burl__report_accesses *)l, owner) : NULL;

    if (root != NULL)
        burl_buf_printf(out, "%s%s", root, path);
    else
        burl_buf_str_append(out, member);
}

void
burl__report_put_member(const struct burl__report_accesses *l, const char *owner,
                        const char *member, uint32_t offset_b, uint64_t addr, struct burl_buf *out)
{
    struct burl__report_accesses *table = (struct burl__report_accesses *)l;
    const uint64_t count = owner != NULL ? *object_count(table, owner) : 0;
    const char *path = owner != NULL ? member_path(owner, member) : NULL;
    const char *root = path == NULL                 ? NULL
                       : offset_b == BURL_NAME_NONE ? find_sole_root(table, owner)
                                                    : find_root(table, owner, addr - offset_b);

    if (root != NULL) {
        burl_buf_printf(out, "%s%s", root, path);
        return;
    }
    /* The compiler's own member of a class with virtual functions has no name in the source. */
    if (path != NULL && strncmp(path, "_vptr", 5) == 0)
        burl_buf_printf(out, "vtable pointer of %s", owner);
    else
        burl_buf_str_append(out, member);
    if (count > 1 && offset_b != BURL_NAME_NONE)
        burl_buf_printf(out, "#%llu",
                        (unsigned long long)*object_number(table, owner, addr - offset_b));
}

void
burl__report_access_learn(struct burl__report_walk *w, size_t event)
{
    struct burl__report_accesses *l = &w->accesses;
    const struct burl_wire_event *ev = &w->run->events[event];
    const struct burl__report_thread *t = &w->threads[ev->tid];
    const struct burl_site_info *site = burl_sites_get(w->sites, ev->site);
    const size_t n = t->stack.n < FRAMES ? t->stack.n : FRAMES;
    const struct burl__report_frame *frames = n > 0 ? &t->stack.v[t->stack.n - n] : NULL;
    uint64_t *ix;

    if (!burl__report_is_access(ev->kind) || site->id == 0 || site->kind == BURL_SITE_CALL)
        return;
    ix = burl_map_at(&l->by_stack, stack_key(site->id, frames, n));
    if (*ix == 0) {
        struct burl__report_access a = learn_access(w->sites, site, frames, n);

        BURL_VEC_PUSH(&l->list, a);
        *ix = l->list.n;
    }
    l->of_event[event] = (uint32_t)*ix;
    *burl_map_at(&l->by_place,
                 burl_hash_end(burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, ev->site), ev->addr))) =
        *ix;
    if (l->list.v[*ix - 1].name.text == NULL)
        burl__report_count_object(l, &l->list.v[*ix - 1].name, ev->addr);
    else
        burl__report_note_root(l, &l->list.v[*ix - 1].name, ev->addr);
}

/* ---- words ------------------------------------------------------------------------- */

/* The path of a member with the indices that the source line has: `slots[i]` for `slots[]`. */
static char *
spell_path(const struct burl_sites *sites, const struct burl_site_info *site)
{
    static const char self[] = "this->";
    struct burl_buf text = BURL_BUF_INIT;
    char *path = NULL;

    if (strncmp(site->variable, self, sizeof self - 1) == 0 && strstr(site->variable, "[]")) {
        burl__report_put_spelled(sites, site->id, site->variable, &text);
        if (strncmp(burl_buf_str(&text), self, sizeof self - 1) == 0)
            path = burl_xstrdup(burl_buf_str(&text) + sizeof self - 1);
    }
    burl_buf_deinit(&text);
    return path;
}

/* Replaces the end of `text` that is `path` of the site by the spelled one. */
static void
put_spelled_end(const struct burl_sites *sites, const struct burl_site_info *site, const char *text,
                struct burl_buf *out)
{
    char *path = spell_path(sites, site);
    const char *plain = site->variable + strlen("this->");
    const size_t n = strlen(text);

    if (path != NULL && n >= strlen(plain) && strcmp(text + n - strlen(plain), plain) == 0)
        burl_buf_printf(out, "%.*s%s", (int)(n - strlen(plain)), text, path);
    else
        burl_buf_str_append(out, text);
    free(path);
}

static void
put_text(const struct burl_sites *sites, const struct burl__report_name *n,
         const struct burl_site_info *site, struct burl_buf *out)
{
    const char *own = burl__report_loop_name(n->text);
    struct burl_buf whole = BURL_BUF_INIT;

    burl_buf_printf(&whole, "%s%s", n->deref && n->inside == 0 ? "*" : "",
                    own != NULL ? own : n->text);
    if (!burl__report_put_thread_local(burl_buf_str(&whole), out))
        put_spelled_end(sites, site, burl_buf_str(&whole), out);
    burl_buf_deinit(&whole);
}

static void
put_resolved(const struct burl__report_walk *w, const struct burl__report_access *a,
             const struct burl_site_info *site, uint64_t addr, bool brief, struct burl_buf *out)
{
    const struct burl__report_name *n = &a->name;
    const size_t len = strlen(site->variable);
    static const char count[] = "_count";

    if (n->inside != 0 && len > sizeof count - 1 &&
        strcmp(site->variable + len - (sizeof count - 1), count) == 0 &&
        strstr(site->func, "_Sp_counted") != NULL) {
        burl_buf_str_append(out, "reference count of ");
        burl__report_put_name(n, out);
        return;
    }
    if (n->text != NULL) {
        put_text(w->sites, n, site, out);
    } else {
        struct burl_buf member = BURL_BUF_INIT;

        put_spelled_end(w->sites, site, n->member, &member);
        if (n->inside == 0)
            burl__report_put_member(&w->accesses, n->owner, burl_buf_str(&member), n->offset_b,
                                    addr, out);
        else
            put_inside(&w->accesses, n->owner, burl_buf_str(&member), out);
        burl_buf_deinit(&member);
    }
    if (n->inside != 0 && !brief) {
        char *func = burl__report_func_name(w->sites, burl_sites_get(w->sites, n->inside));

        burl_buf_str_append(out, " (inside ");
        burl_name_put_plain(func, out);
        burl_buf_char(out, ')');
        free(func);
    }
}

static const struct burl__report_access *
find_access(const struct burl__report_walk *w, uint32_t site, uint64_t addr, size_t event)
{
    const struct burl__report_accesses *l = &w->accesses;
    uint64_t ix = event < w->run->n_events && l->of_event != NULL ? l->of_event[event] : 0;

    if (ix == 0 &&
        !burl_map_get(&l->by_place,
                      burl_hash_end(burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, site), addr)),
                      &ix))
        return NULL;
    return ix > 0 && ix <= l->list.n ? &l->list.v[ix - 1] : NULL;
}

/* `dyn[i].n` for "operator[]().n", if the source line has it. */
static bool
put_element(const struct burl_sites *sites, uint32_t site, struct burl_buf *out)
{
    const struct burl_site_info *info = burl_sites_get(sites, site);
    struct burl_buf text = BURL_BUF_INIT;
    bool found = false;

    if (strncmp(info->variable, "operator[]()", 12) == 0 && !burl_site_is_system(info)) {
        burl__report_put_spelled(sites, site, info->variable, &text);
        found = strcmp(burl_buf_str(&text), info->variable) != 0;
    }
    if (found)
        burl_buf_str_append(out, burl_buf_str(&text));
    burl_buf_deinit(&text);
    return found;
}

static bool
put_name(const struct burl__report_walk *w, const struct burl__report_access *a, uint32_t site,
         uint64_t addr, uint64_t size_b, bool brief, struct burl_buf *out)
{
    if (put_element(w->sites, site, out))
        return true;
    if (a->by_address && burl_sites_member(w->sites, addr, size_b, out))
        return true;
    switch (a->source) {
    case SOURCE_CAPTURED:
        burl__report_put_spelled(w->sites, site, a->name.text, out);
        return true;
    case SOURCE_RESOLVED:
        put_resolved(w, a, burl_sites_get(w->sites, site), addr, brief, out);
        return true;
    default:
        return false;
    }
}

bool
burl__report_put_access(const struct burl__report_walk *w, uint32_t site, uint64_t addr,
                        uint64_t size_b, size_t event, struct burl_buf *out)
{
    const struct burl__report_access *a = find_access(w, site, addr, event);

    return a != NULL && put_name(w, a, site, addr, size_b, false, out);
}

bool
burl__report_put_side_access(const struct burl__report_walk *w, const struct burl_wire_side *side,
                             size_t event, const struct burl__report_frame *frames, size_t n,
                             bool brief, struct burl_buf *out)
{
    const struct burl__report_access *known = find_access(w, side->site, side->addr, event);
    const size_t last = n < FRAMES ? n : FRAMES;
    struct burl__report_access a;
    bool named;

    if (known != NULL)
        return put_name(w, known, side->site, side->addr, side->size_b, brief, out);
    a = learn_access(w->sites, burl_sites_get(w->sites, side->site), frames + (n - last), last);
    named = put_name(w, &a, side->site, side->addr, side->size_b, brief, out);
    burl__report_name_deinit(&a.name);
    return named;
}

void
burl__report_accesses_deinit(struct burl__report_accesses *l)
{
    for (size_t i = 0; i < l->list.n; i++)
        burl__report_name_deinit(&l->list.v[i].name);
    BURL_VEC_FREE(&l->list);
    free(l->of_event);
    burl_map_deinit(&l->by_stack);
    burl_map_deinit(&l->by_place);
    burl_map_deinit(&l->objects);
    burl_map_deinit(&l->owners);
    for (size_t i = 0; i < l->roots.n; i++)
        free(l->roots.v[i].text);
    BURL_VEC_FREE(&l->roots);
    burl_map_deinit(&l->met);
    BURL_VEC_FREE(&l->objects_met);
}
