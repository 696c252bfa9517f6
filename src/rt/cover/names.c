/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/names.c - abstract names of threads, variables and locks (PAPERS 5.6).
 *
 * Runs in the target. Concrete threads and addresses differ from run to run; a task of a metric
 * that speaks of them must not. A thread is (start routine, hash of the stack that created it,
 * ordinal among equal creations); memory is (allocation site, or the file whose static storage it
 * is) and a place in it. Addresses of code and data count from where their file was loaded.
 *
 * Places are in units of 8 bytes and folded (BURL_FOLD_*): the elements of one array are few tasks.
 * Direction of the error: two variables of one block, FOLD * 8 bytes apart, are taken for one.
 * Memory on stacks is one variable; the sites say what it is.
 */
#include "cover.h"
#include "rt/core/core.h"
#include "rt/core/heap.h"
#include "rt/core/module.h"

#define MEMO 256u

bool (*burl__cover_block)(uintptr_t addr, uint64_t *start, uint32_t *site);

struct birth {
    struct burl_chain chain; /* key: hash of the creating stack */
    uint32_t n;
};

/* Finding a place is slow where the heap is libc's. */
struct memo {
    uintptr_t unit; /* address / 8 + 1 */
    struct burl_cover_place place;
};

static struct burl_chains births;
static struct memo memos[MEMO];
static uint8_t *asserts; /* a byte per site number below n_asserts: 0 not known, 1 no, 2 yes */
static uint32_t n_asserts;

static uint32_t
fold(uint64_t h)
{
    uint32_t x = (uint32_t)(h ^ h >> 32);

    return x != 0 ? x : 1;
}

static void
map_asserts(void)
{
    const struct burl_wire_module *m;

    if (n_asserts == burl_rt.ctl->n_sites)
        return;
    asserts = burl_rt_alloc(burl_rt.ctl->n_sites);
    n_asserts = burl_rt.ctl->n_sites;
    for (uint32_t i = 0; (m = burl__module_at(i)) != NULL; i++) {
        for (uint32_t k = 0; k < m->n_sites && m->base + k < n_asserts; k++)
            asserts[m->base + k] = (m->sites[k].flags & BURL_SITE_F_ASSERT) != 0 ? 2 : 1;
    }
}

static void
forget_places(void)
{
    for (uint32_t i = 0; i < MEMO; i++)
        memos[i].unit = 0;
}

void
burl__cover_names_begin(void)
{
    forget_places();
    map_asserts();
}

bool
burl__cover_is_assert(uint32_t site)
{
    const struct burl_wire_site *s;

    if (BURL_LIKELY(site < n_asserts && asserts[site] != 0))
        return asserts[site] == 2;
    s = burl__module_site(site); /* loaded since */
    return s != NULL && (s->flags & BURL_SITE_F_ASSERT) != 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

uint64_t
burl__cover_birth(struct burl_watch *parent)
{
    uint32_t n = parent->depth < BURL_FRAMES ? parent->depth : BURL_FRAMES;
    uint64_t h = burl_wire_mix(17, parent->at);
    struct birth *b;

    for (uint32_t i = 0; i < n; i++)
        h = burl_wire_mix(h, parent->frames->site[i]);
    b = burl_chains_get(&births, (uintptr_t)h, sizeof *b);
    return burl_wire_mix(h, b->n++);
}

uint32_t
burl__cover_code(uintptr_t pc)
{
    uint32_t file;
    uint64_t h = burl_wire_mix(11, burl__module_offset(pc, &file));

    return fold(burl_wire_mix(h, file));
}

static uintptr_t
start_of(const struct burl_watch *w)
{
    if (w->thread == NULL)
        return w->start;
    return w->thread->start != NULL ? (uintptr_t)w->thread->start : (uintptr_t)w->thread->start_c11;
}

uint32_t
burl__cover_thread_name(uint64_t birth, uintptr_t start)
{
    uint64_t h = birth;
    uint32_t file;

    if (start != 0) {
        h = burl_wire_mix(h, burl__module_offset(start, &file));
        h = burl_wire_mix(h, file);
    }
    return fold(burl_wire_mix(h, 3));
}

uint32_t
burl__cover_thread(struct burl_watch *w)
{
    if (w->thread_name == 0)
        w->thread_name = burl__cover_thread_name(w->birth, start_of(w));
    return w->thread_name;
}

uint32_t
burl__cover_context(const struct burl_watch *w)
{
    uint32_t n = burl_rt.ctl->order.context;
    uint32_t depth = w->depth < BURL_FRAMES ? w->depth : BURL_FRAMES;
    uint64_t h = 29;

    if (n == 0)
        return 0;
    for (uint32_t i = 1; i <= n && i <= depth; i++) {
        uint32_t call = w->frames->call[depth - i];

        if (call == 0 && i < depth)
            call = w->frames->site[depth - 1 - i]; /* not known: at least the caller */
        h = burl_wire_mix(h, call);
    }
    return fold(h);
}

/* ---- memory ---------------------------------------------------------------------------------- */

void
burl__cover_place(uintptr_t addr, struct burl_cover_place *p)
{
    uint64_t start = 0;
    uint64_t size_b;

    *p = (struct burl_cover_place){ .kind = BURL_PLACE_OTHER };
    if (burl__heap_owns(addr)) {
        if (burl__heap_block(addr, &start, &size_b))
            p->base = burl__heap_site(start);
    } else if (burl__module_is_data(addr)) {
        p->kind = BURL_PLACE_STATIC;
        p->offset = burl__module_offset(addr, &p->base);
    } else if (burl__cover_block != NULL && !burl__cover_block(addr, &start, &p->base)) {
        start = 0;
    }
    if (start != 0) {
        p->kind = BURL_PLACE_HEAP;
        p->offset = addr - start;
    }
}

static const struct burl_cover_place *
names_place_of(uintptr_t addr)
{
    static struct burl_cover_place heap;
    uintptr_t unit = addr / 8 + 1;
    struct memo *m = &memos[(unit * 0x9e3779b97f4a7c15ull) >> 56];

    if (burl__heap_owns(addr)) { /* our own heap is quick to ask, and recycles */
        burl__cover_place(addr, &heap);
        return &heap;
    }
    if (m->unit != unit) {
        m->unit = unit;
        burl__cover_place(addr, &m->place);
    }
    return &m->place;
}

void
burl__cover_names_forget(void)
{
    if (burl__cover_block != NULL)
        forget_places();
}

uint32_t
burl__cover_place_name(enum burl_place_kind kind, uint32_t base, uint64_t folded)
{
    if (kind == BURL_PLACE_OTHER)
        return BURL_PLACE_OTHER;
    return fold(burl_wire_mix(burl_wire_mix((uint64_t)kind, base), folded));
}

static uint32_t
name_of(uintptr_t addr, uint32_t folds)
{
    const struct burl_cover_place *p = names_place_of(addr);

    return burl__cover_place_name(p->kind, p->base, p->offset / 8 % folds);
}

uint32_t
burl__cover_variable(uintptr_t addr)
{
    return name_of(addr, BURL_FOLD_DATA);
}

uint32_t
burl__cover_object(uintptr_t addr)
{
    return addr != 0 ? name_of(addr, BURL_FOLD_OBJECT) : 0;
}
