/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - names of sync objects, as the source writes them.
 *
 * Runs in the host. Variables come with their names from the site table. Locks and the like do not:
 * the site of pthread_mutex_lock(&a->m) knows the callee only. So the argument is read from the
 * source line; without the source, an object is "mutex#2".
 *
 * One object may be reached by several expressions (from->lock, to->lock), and one expression may
 * reach several objects (lock[i]). A name for two objects in one report would mislead, so equal
 * names get numbers in order of appearance, and an object with several expressions is named after
 * the member they share. An object that is a global of its own has the name of its symbol: `m` of
 * lock(m) says nothing.
 *
 * A macro that hides a call may give a wrong argument; that costs a name, no more.
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>

#include "base/hash.h"
#include "report/finding/resolve.h"
#include "wire/site.h"

/* What the operations act on. */
static const char *const nouns[BURL_OP__N] = {
    [BURL_OP_LOCK] = "mutex",
    [BURL_OP_TRYLOCK] = "mutex",
    [BURL_OP_TIMEDLOCK] = "mutex",
    [BURL_OP_UNLOCK] = "mutex",
    [BURL_OP_COND_WAKE] = "mutex", /* acts on the mutex it takes again */
    [BURL_OP_RDLOCK] = "rwlock",
    [BURL_OP_WRLOCK] = "rwlock",
    [BURL_OP_RWUNLOCK] = "rwlock",
    [BURL_OP_COND_WAIT] = "condition",
    [BURL_OP_COND_SIGNAL] = "condition",
    [BURL_OP_COND_BROADCAST] = "condition",
    [BURL_OP_BARRIER_WAIT] = "barrier",
    [BURL_OP_BARRIER_LEAVE] = "barrier",
    [BURL_OP_SEM_WAIT] = "semaphore",
    [BURL_OP_SEM_POST] = "semaphore",
    [BURL_OP_ONCE] = "once",
    [BURL_OP_ONCE_DONE] = "once",
    [BURL_OP_FUTEX_WAIT] = "futex",
    [BURL_OP_FUTEX_WOKEN] = "futex",
    [BURL_OP_FUTEX_WAKE] = "futex",
};

static const char *
noun_of(uint8_t kind)
{
    return kind < BURL_OP__N ? nouns[kind] : NULL;
}

/* ---- objects ----------------------------------------------------------------------- */

static struct burl__report_object *
object_at(struct burl__report_objects *o, uint64_t addr)
{
    uint64_t *slot = burl_map_at(&o->map, addr);

    if (*slot == 0) {
        struct burl__report_object *obj = BURL_VEC_ADD(o);

        obj->addr = addr;
        obj->same_field = true;
        *slot = o->n;
    }
    return &o->v[*slot - 1];
}

/* "lock" of "acct[i].lock" and "to->lock"; the whole when it has no member. */
static const char *
last_member(const char *expr)
{
    const char *found = expr;

    for (const char *p = expr; *p != '\0'; p++) {
        if (p[0] == '.' || (p[0] == '-' && p[1] == '>'))
            found = p + (p[0] == '.' ? 1 : 2);
    }
    return found;
}

static bool
is_word(const char *s)
{
    for (; *s != '\0'; s++) {
        if (!isalnum((unsigned char)*s) && *s != '_')
            return false;
    }
    return true;
}

static void
note_expression(struct burl__report_object *obj, const char *expr)
{
    if (obj->expr == NULL) {
        obj->expr = burl_xstrdup(expr);
    } else if (strcmp(obj->expr, expr) != 0) {
        obj->several = true;
        if (strcmp(last_member(obj->expr), last_member(expr)) != 0)
            obj->same_field = false;
    }
}

static void
note_member(struct burl__report_object *obj, const struct burl__report_name *n)
{
    if (n->member == NULL) {
        return;
    } else if (obj->member == NULL && !obj->no_member) {
        obj->member = burl_xstrdup(n->member);
        obj->owner = burl_xstrdup(n->owner);
        obj->offset_b = n->offset_b;
    } else if (obj->member == NULL || strcmp(obj->member, n->member) != 0) {
        free(obj->member);
        obj->member = NULL;
        obj->no_member = true;
    }
}

/* What was resolved, unless the source line says more: an index, the member of a `void *`. */
static void
note_name(struct burl__report_walk *w, struct burl__report_object *obj,
          const struct burl__report_name *n, const char *source)
{
    struct burl_buf text = BURL_BUF_INIT;

    note_member(obj, n);
    burl__report_note_root(&w->accesses, n, obj->addr);
    if (n->text != NULL && (source == NULL || n->object || (n->climbed && is_word(source))) &&
        (source == NULL || strstr(n->text, "[]") == NULL)) {
        burl_buf_printf(&text, "%s%s", n->deref ? "*" : "", n->text);
        note_expression(obj, burl_buf_str(&text));
    } else if (source != NULL && n->member == NULL) {
        note_expression(obj, source);
    }
    burl_buf_deinit(&text);
}

/* An argument of a call by its text in the source. */
static bool
put_source(const struct burl_sites *sites, uint32_t site, unsigned arg, struct burl_buf *out)
{
    const struct burl_site_info *info = burl_sites_get(sites, site);

    return (arg == 0 && burl__report_receiver(sites, info, out)) ||
           burl_source_argument(sites, info, arg, out);
}

/* std::condition_variable::wait(guard): the argument is the guard and not the mutex. */
static bool
takes_guard(const struct burl_sites *sites, uint32_t site)
{
    return strncmp(burl_sites_get(sites, site)->variable, "_Z", 2) == 0;
}

/* The object at `addr`, which the operation `kind` at `site` of the innermost frame uses. */
static void
note_object(struct burl__report_walk *w, uint64_t addr, uint32_t site, uint8_t kind,
            const struct burl__report_frame *frames, size_t n_frames)
{
    /* pthread_cond_wait(cond, mutex), syscall(SYS_futex, address, ...) */
    const unsigned arg = kind == BURL_OP_COND_WAKE || kind == BURL_OP_FUTEX_WAIT ||
                         kind == BURL_OP_FUTEX_WOKEN || kind == BURL_OP_FUTEX_WAKE;
    struct burl__report_objects *o = &w->objects;
    struct burl__report_object *obj;
    struct burl__report_name name;
    struct burl_buf text = BURL_BUF_INIT;
    uint64_t *visited;
    uint64_t key = burl_hash_u64(addr, site);
    const char *source = NULL;

    if (addr == 0)
        return;
    obj = object_at(o, addr);
    if (obj->noun == NULL)
        obj->noun = noun_of(kind);
    if (kind == BURL_OP_COND_WAKE && takes_guard(w->sites, site))
        return;
    for (size_t i = n_frames; i > 0 && n_frames - i < 4; i--)
        key = burl_hash_u64(key, (uint64_t)frames[i - 1].func << 32 | frames[i - 1].call);
    /* A loop uses the same object at the same place repeatedly: read the source once. */
    visited = burl_map_at(&o->visited, burl_hash_end(key));
    if (*visited != 0)
        return;
    *visited = 1;
    if (put_source(w->sites, site, arg, &text))
        source = burl_buf_str(&text);
    if (burl__report_resolve_call(w->sites, frames, n_frames, site, arg, &name)) {
        note_name(w, obj, &name, source);
        burl__report_name_deinit(&name);
    } else if (source != NULL && !burl_site_is_system(burl_sites_get(w->sites, site))) {
        note_expression(obj, source);
    }
    burl_buf_deinit(&text);
}

static bool
uses_object(const struct burl_wire_event *ev)
{
    return noun_of(ev->kind) != NULL || ev->kind == BURL_OP_INIT || ev->kind == BURL_OP_DESTROY;
}

void
burl__report_objects_add(struct burl__report_walk *w, const struct burl_wire_event *ev)
{
    if (!uses_object(ev) || ev->addr == 0)
        return;
    object_at(&w->objects, ev->addr);
    if (ev->kind == BURL_OP_COND_WAIT && ev->aux != 0)
        object_at(&w->objects, ev->aux);
}

/* A guard keeps a pointer to its lock: what was stored is the lock. */
static void
note_stored(struct burl__report_walk *w, const struct burl_wire_event *ev,
            const struct burl__report_thread *t)
{
    struct burl__report_name name;
    uint64_t ix;

    if (ev->size_b != sizeof ev->after || (ev->flags & BURL_EV_F_AFTER) == 0 ||
        !burl_map_get(&w->objects.map, ev->after, &ix) || ix == 0 ||
        !burl__report_resolve_call(w->sites, t->stack.v, t->stack.n, ev->site, 0, &name))
        return;
    if (name.member != NULL || name.object)
        note_name(w, &w->objects.v[ix - 1], &name, NULL);
    burl__report_name_deinit(&name);
}

void
burl__report_objects_note(struct burl__report_walk *w, const struct burl_wire_event *ev)
{
    const struct burl__report_thread *t = &w->threads[ev->tid];

    if (ev->kind == BURL_OP_WRITE)
        note_stored(w, ev, t);
    if (!uses_object(ev))
        return;
    note_object(w, ev->addr, ev->site, ev->kind, t->stack.v, t->stack.n);
    if (ev->kind == BURL_OP_COND_WAIT)
        note_object(w, ev->aux, ev->site, BURL_OP_COND_WAKE, t->stack.v, t->stack.n);
}

void
burl__report_objects_note_wait(struct burl__report_walk *w, const struct burl_wire_wait *wait)
{
    const struct burl__report_thread *t = wait->tid < w->n_threads ? &w->threads[wait->tid] : NULL;

    if (noun_of(wait->kind) != NULL)
        note_object(w, wait->addr, wait->site, wait->kind, t != NULL ? t->stack.v : NULL,
                    t != NULL ? t->stack.n : 0);
}

/* Which argument of a call into the C++ library is the lock that it takes: of a guard's constructor
 * the one behind the guard, of a lock's own function the lock. */
static bool
lock_argument(const struct burl_call *call, uint32_t *arg)
{
    static const char *const guards[] = { "_ZNSt10lock_guardI", "_ZNSt11unique_lockI",
                                          "_ZNSt11shared_lockI", "_ZNSt11scoped_lockI" };
    static const char *const locks[] = { "_ZNSt5mutex",         "_ZNSt15recursive_mutex",
                                         "_ZNSt11timed_mutex",  "_ZNSt21recursive_timed_mutex",
                                         "_ZNSt12shared_mutex", "_ZNSt18shared_timed_mutex" };
    const bool constructs =
        strstr(call->callee, "EC1E") != NULL || strstr(call->callee, "EC2E") != NULL;

    for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++) {
        if (strncmp(call->callee, guards[i], strlen(guards[i])) == 0) {
            *arg = 1;
            return constructs && (call->n == 2 || i != 3); /* of one lock */
        }
    }
    for (size_t i = 0; i < sizeof locks / sizeof locks[0]; i++) {
        if (strncmp(call->callee, locks[i], strlen(locks[i])) == 0) {
            *arg = 0;
            return true;
        }
    }
    return false;
}

/* Names a lock by the call at `site`, from where the library took it; a free run has no trace that
 * leads into the library. The frames are
 * those of the access: a lock is mostly taken by a function that has not returned. */
static bool
resolve_lock(const struct burl_sites *sites, const struct burl_wire_side *side, uint32_t site,
             struct burl__report_name *name)
{
    const struct burl_site_info *info = burl_sites_get(sites, site);
    const uint32_t func = burl_site_function(info);
    struct burl__report_frame frames[BURL_WIRE_MAX_STACK + 1];
    size_t n = burl__report_wire_frames(sites, side->stack, frames);
    struct burl_call call;
    struct burl_place p;
    uint32_t arg;

    while (n > 0 && frames[n - 1].func != func)
        n--;
    if (n == 0)
        frames[n++] = (struct burl__report_frame){ .func = func };
    for (size_t i = 0; burl_sites_call(sites, func, i, &call); i++) {
        if (call.line == info->line && call.column == info->column && lock_argument(&call, &arg))
            return burl_sites_argument(sites, &call, arg, &p) &&
                   burl__report_resolve(sites, frames, n, &p, name);
    }
    return false;
}

void
burl__report_objects_note_lock(struct burl__report_walk *w, const struct burl_wire_side *side,
                               const struct burl_wire_lock *l)
{
    struct burl__report_name name;
    struct burl__report_object *obj;

    if (l->addr == 0)
        return;
    note_object(w, l->addr, l->site, l->mode == BURL_LOCK_SHARED ? BURL_OP_RDLOCK : BURL_OP_LOCK,
                NULL, 0);
    obj = object_at(&w->objects, l->addr);
    if (obj->expr != NULL || obj->member != NULL || !resolve_lock(w->sites, side, l->site, &name))
        return;
    note_name(w, obj, &name, NULL);
    burl__report_name_deinit(&name);
}

/* Is that many bytes an object of its own, and not the first member of something? */
static bool
is_alone(const char *noun, uint64_t size_b)
{
    static const struct {
        const char *noun;
        uint64_t sizes[2]; /* of x86-64 glibc; spin locks count as mutexes */
    } rows[] = {
        { "mutex", { 40, 4 } },   { "rwlock", { 56, 0 } },    { "condition", { 48, 0 } },
        { "barrier", { 32, 0 } }, { "semaphore", { 32, 0 } }, { "once", { 4, 8 } },
        { "futex", { 4, 8 } },
    };

    for (size_t i = 0; noun != NULL && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(noun, rows[i].noun) == 0)
            return size_b == rows[i].sizes[0] || size_b == rows[i].sizes[1];
    }
    return false;
}

/* A global is called by its own name rather than by the parameter through which it was reached;
 * a member of one by the expression, if there is any. */
static void
find_symbol(struct burl__report_object *obj, const struct burl_sites *sites)
{
    struct burl_buf text = BURL_BUF_INIT;
    struct burl_symbol sym;

    if (burl_sites_member(sites, obj->addr, 1, &text)) {
        obj->symbol = burl_xstrdup(burl_buf_str(&text));
        obj->exact = true;
    }
    burl_buf_deinit(&text);
    if (obj->exact || !burl_sites_symbol(sites, obj->addr, &sym))
        return;
    if (sym.addr == obj->addr && is_alone(obj->noun, sym.size_b))
        obj->symbol = burl_xstrdup(sym.name);
    else if (obj->expr == NULL)
        obj->symbol =
            burl_xasprintf("%s in %s", obj->noun != NULL ? obj->noun : "object", sym.name);
}

/* An object inside a global. */
struct inner {
    struct burl__report_object *obj;
    struct burl_symbol sym;
};

static const char *
noun_text(const struct burl__report_object *obj)
{
    return obj->noun != NULL ? obj->noun : "";
}

static bool
same_noun(const struct burl__report_object *a, const struct burl__report_object *b)
{
    return strcmp(noun_text(a), noun_text(b)) == 0;
}

static int
compare_inner(const void *pa, const void *pb)
{
    const struct inner *a = pa;
    const struct inner *b = pb;

    if (a->sym.addr != b->sym.addr)
        return a->sym.addr < b->sym.addr ? -1 : 1;
    if (!same_noun(a->obj, b->obj))
        return strcmp(noun_text(a->obj), noun_text(b->obj));
    return a->obj->addr < b->obj->addr ? -1 : a->obj->addr > b->obj->addr;
}

/* Objects at even distances that fill an array are its elements: `forks[1].mutex` says more than
 * `mutex#2`. Fewer of them, or others between, and the length of an element is a guess: no name. */
static void
name_elements(struct inner *v, size_t n)
{
    uint64_t stride = n > 1 ? v[1].obj->addr - v[0].obj->addr : 0;

    if (n < 2 || stride == 0 || v[0].sym.size_b / stride != n || v[0].sym.size_b % stride != 0 ||
        v[0].obj->addr - v[0].sym.addr >= stride)
        return;
    for (size_t i = 1; i < n; i++) {
        if (v[i].obj->addr - v[i - 1].obj->addr != stride)
            return;
    }
    for (size_t i = 0; i < n; i++) {
        struct burl__report_object *obj = v[i].obj;
        const char *member =
            obj->expr != NULL && obj->same_field ? last_member(obj->expr) : obj->expr;
        bool has_member = member != obj->expr;

        free(obj->symbol);
        obj->symbol = burl_xasprintf("%s[%zu]%s%s", v[i].sym.name, i, has_member ? "." : "",
                                     has_member ? member : "");
    }
}

static void
find_elements(struct burl__report_objects *o, const struct burl_sites *sites)
{
    struct {
        BURL_VEC_OF(struct inner);
    } list = { 0 };
    size_t first = 0;

    for (size_t i = 0; i < o->n; i++) {
        struct inner in = { .obj = &o->v[i] };

        if (!o->v[i].exact && burl_sites_symbol(sites, o->v[i].addr, &in.sym))
            BURL_VEC_PUSH(&list, in);
    }
    if (list.n > 0)
        qsort(list.v, list.n, sizeof *list.v, compare_inner);
    for (size_t i = 1; i <= list.n; i++) {
        if (i < list.n && list.v[i].sym.addr == list.v[first].sym.addr &&
            same_noun(list.v[i].obj, list.v[first].obj))
            continue;
        name_elements(&list.v[first], i - first);
        first = i;
    }
    BURL_VEC_FREE(&list);
}

/* The name before numbers; "" when only the noun is known. */
static const char *
plain_name(const struct burl__report_object *obj)
{
    if (obj->exact)
        return obj->symbol;
    if (obj->member != NULL && (obj->expr == NULL || obj->several))
        return obj->member;
    if (obj->symbol != NULL && !(obj->expr != NULL && !obj->several &&
                                 burl_variable_is_root(obj->symbol, obj->expr, strlen(obj->expr))))
        return obj->symbol;
    if (obj->expr == NULL)
        return "";
    return obj->several && obj->same_field ? last_member(obj->expr) : obj->expr;
}

/* Objects of equal keys would be shown alike. */
static uint64_t
name_key(const struct burl__report_object *obj)
{
    const char *plain = plain_name(obj);
    uint64_t h = burl_hash_str(BURL_HASH_BEGIN, plain);

    if (plain[0] == '\0')
        h = burl_hash_str(h, noun_text(obj));
    return burl_hash_end(h);
}

/* Members of a class are numbered as the objects are. */
static bool
is_numbered(const struct burl__report_object *obj)
{
    return obj->member != NULL && plain_name(obj) == obj->member && obj->offset_b != BURL_NAME_NONE;
}

static void
count_members(struct burl__report_walk *w)
{
    for (size_t i = 0; i < w->objects.n; i++) {
        const struct burl__report_object *obj = &w->objects.v[i];
        const struct burl__report_name n = { .member = obj->member,
                                             .owner = obj->owner,
                                             .offset_b = obj->offset_b };

        if (is_numbered(obj))
            burl__report_count_object(&w->accesses, &n, obj->addr);
    }
}

static void
name_member(struct burl__report_walk *w, struct burl__report_object *obj)
{
    struct burl_buf text = BURL_BUF_INIT;

    burl__report_put_member(&w->accesses, obj->owner, obj->member, obj->offset_b, obj->addr, &text);
    obj->name = burl_xstrdup(burl_buf_str(&text));
    burl_buf_deinit(&text);
}

void
burl__report_objects_name(struct burl__report_walk *w)
{
    struct burl__report_objects *o = &w->objects;
    const struct burl_sites *sites = w->sites;
    struct burl_map total = { 0 };
    struct burl_map so_far = { 0 };

    for (size_t i = 0; i < o->n; i++)
        find_symbol(&o->v[i], sites);
    find_elements(o, sites);
    count_members(w);
    for (size_t i = 0; i < o->n; i++)
        ++*burl_map_at(&total, name_key(&o->v[i]));
    for (size_t i = 0; i < o->n; i++) {
        struct burl__report_object *obj = &o->v[i];
        const char *plain = plain_name(obj);
        uint64_t key = name_key(obj);
        unsigned number = (unsigned)++*burl_map_at(&so_far, key);

        if (is_numbered(obj))
            name_member(w, obj);
        else if (plain[0] == '\0')
            obj->name = burl_xasprintf("%s#%u", obj->noun != NULL ? obj->noun : "object", number);
        else if (*burl_map_at(&total, key) > 1)
            obj->name = burl_xasprintf("%s#%u", plain, number);
        else
            obj->name = burl_xstrdup(plain);
    }
    burl_map_deinit(&total);
    burl_map_deinit(&so_far);
}

const char *
burl__report_object_name(const struct burl__report_objects *o, uint64_t addr)
{
    uint64_t i;

    return burl_map_get(&o->map, addr, &i) && o->v[i - 1].name != NULL ? o->v[i - 1].name : "";
}

bool
burl__report_is_library_object(const struct burl__report_objects *o, uint64_t addr)
{
    const char *noun;
    uint64_t i;

    if (!burl_map_get(&o->map, addr, &i) || i == 0)
        return false;
    noun = noun_text(&o->v[i - 1]);
    return noun[0] != '\0' && strcmp(noun, "futex") != 0 && strcmp(noun, "once") != 0;
}

void
burl__report_objects_deinit(struct burl__report_objects *o)
{
    for (size_t i = 0; i < o->n; i++) {
        free(o->v[i].expr);
        free(o->v[i].symbol);
        free(o->v[i].name);
        free(o->v[i].member);
        free(o->v[i].owner);
    }
    BURL_VEC_FREE(o);
    burl_map_deinit(&o->map);
    burl_map_deinit(&o->visited);
}

/* ---- signals ----------------------------------------------------------------------- */

const char *
burl__report_signal_name(int sig)
{
    static const struct {
        int sig;
        const char *name;
    } names[] = {
        { SIGSEGV, "SIGSEGV" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },
        { SIGFPE, "SIGFPE" },   { SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" },
        { SIGTERM, "SIGTERM" }, { SIGINT, "SIGINT" },   { SIGKILL, "SIGKILL" },
        { SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGHUP, "SIGHUP" },
        { SIGQUIT, "SIGQUIT" }, { SIGUSR1, "SIGUSR1" }, { SIGUSR2, "SIGUSR2" },
        { SIGCHLD, "SIGCHLD" }, { SIGSYS, "SIGSYS" },   { SIGXCPU, "SIGXCPU" },
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].sig == sig)
            return names[i].name;
    }
    return NULL;
}
