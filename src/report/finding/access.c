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
 * Objects of one class are distinguished by numbers, in the order in which the trace meets them, as
 * soon as there are two: `Queue::count#2`.
 *
 * Equal stacks give equal names, and a trace has few different ones: each is resolved once. Frames
 * further out than FRAMES are not looked at, so that the key of a stack has all of them.
 */
#include "base/hash.h"
#include "base/shortname.h"
#include "report/finding/resolve.h"
#include "report/finding/words.h"
#include "wire/site.h"

enum { FRAMES = 16 };

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

/* Which object of its class it is, from 1; in the order of the calls with a new one. */
static uint64_t *
object_number(struct burl__report_accesses *l, const char *owner, uint64_t base)
{
    return burl_map_at(&l->objects,
                       burl_hash_end(burl_hash_u64(burl_hash_str(BURL_HASH_BEGIN, owner), base)));
}

static uint64_t *
object_count(struct burl__report_accesses *l, const char *owner)
{
    return burl_map_at(&l->owners, burl_hash_end(burl_hash_str(BURL_HASH_BEGIN, owner)));
}

void
burl__report_count_object(struct burl__report_accesses *l, const struct burl__report_name *n,
                          uint64_t addr)
{
    uint64_t *number;

    if (n->member == NULL || n->owner == NULL || n->offset_b == BURL_NAME_NONE)
        return;
    number = object_number(l, n->owner, addr - n->offset_b);
    if (*number == 0)
        *number = ++*object_count(l, n->owner);
}

void
burl__report_put_member(const struct burl__report_accesses *l, const char *owner,
                        const char *member, uint32_t offset_b, uint64_t addr, struct burl_buf *out)
{
    struct burl__report_accesses *table = (struct burl__report_accesses *)l;
    const uint64_t count = owner != NULL ? *object_count(table, owner) : 0;

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
        const char *own = burl__report_loop_name(n->text);

        burl_buf_str_append(out, n->deref && n->inside == 0 ? "*" : "");
        put_spelled_end(w->sites, site, own != NULL ? own : n->text, out);
    } else {
        struct burl_buf member = BURL_BUF_INIT;

        put_spelled_end(w->sites, site, n->member, &member);
        if (n->inside == 0)
            burl__report_put_member(&w->accesses, n->owner, burl_buf_str(&member), n->offset_b,
                                    addr, out);
        else
            burl_buf_str_append(out, burl_buf_str(&member));
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
}
