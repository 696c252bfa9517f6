/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/stack.c - call stacks and locks held, now and at accesses of the past.
 *
 * An entry of the shadow holds slot, clock and site of an access. The rest is found in the ring of
 * the slot, a log of the last BURL_RING_N words:
 *
 *     00 call site depth   a function was entered (its FUNC site) with that many frames around it;
 *                          call: in which call its caller was (wire/site.h), 0 unknown
 *     01 clock n_held      an epoch began; n_held locks were held, two words each:
 *     10 mode address
 *     11 site
 *     11 1 depth scope     the thread was in that scope (wire/scope.h), with so many around it
 *
 * Exits are not logged. The frame of an access is the last entry, up to the end of its epoch, of
 * the function that holds its site; its callers are the nearest entries before with one frame less
 * each. When a function was called several times within an epoch this may be another call of the
 * same function, never another function. A function that was inlined (`burl cc --late`) has no
 * entries; then the last function entered stands for the one it was inlined into, and the
 * function itself is put on top. One that is a scope has a word when it first stores an access in
 * an epoch, so that the functions around it are known.
 *
 * The owner may go on writing while we read. What it may have overwritten since is not used.
 */
#include <string.h>

#include "frames.h"
#include "free_int.h"
#include "rt/core/module.h"
#include "rt/core/shadow.h"

#define WORD_ENTER 0u
#define WORD_MARK 1u
#define WORD_HELD 2u
#define WORD_HELD_SITE 3u
#define ADDRESS 0xffffffffffffull
#define SCOPE (1ull << 61)
#define SCOPE_DEPTH_SHIFT 48
#define SCOPE_DEPTH_MAX 0x1fffu

static void
ring_put(struct burl_free_thread *f, uint64_t word)
{
    /* relaxed: readers check afterwards that it was not overwritten */
    __atomic_store_n(&f->ring[f->ring_at % BURL_RING_N], word, __ATOMIC_RELAXED);
    __atomic_store_n(&f->ring_at, f->ring_at + 1, __ATOMIC_RELAXED);
}

void
burl__ring_mark(struct burl_free_thread *f)
{
    uint32_t n = f->held.n < BURL_WIRE_MAX_LOCKS ? f->held.n : BURL_WIRE_MAX_LOCKS;

    ring_put(f, (uint64_t)WORD_MARK << 62 | (uint64_t)f->clock << 16 | n);
    for (uint32_t i = 0; i < n; i++) {
        const struct burl_held *h = &f->held.v[i];

        ring_put(f, (uint64_t)WORD_HELD << 62 | (uint64_t)h->mode << 48 | (h->addr & ADDRESS));
        ring_put(f, (uint64_t)WORD_HELD_SITE << 62 | h->site);
    }
}

void
burl__ring_scope(struct burl_free_thread *f)
{
    uint32_t at = ((uintptr_t)f->scope / sizeof *f->scope) % BURL_FREE_NOTED;
    uint64_t depth = f->depth < SCOPE_DEPTH_MAX ? f->depth : SCOPE_DEPTH_MAX;

    f->noted[at].scope = f->scope;
    f->noted[at].clock = f->clock;
    f->noted[at].ring_at = f->ring_at;
    ring_put(f, (uint64_t)WORD_HELD_SITE << 62 | SCOPE | depth << SCOPE_DEPTH_SHIFT |
                    ((uintptr_t)f->scope & ADDRESS));
}

/* ---- reading a ring ------------------------------------------------------------------------- */

struct past {
    const uint64_t *ring;
    const struct burl_free_thread *owner; /* NULL: no thread writes */
    uint32_t head;                        /* words written when we began */
};

static uint64_t
word_at(const struct past *p, uint32_t at)
{
    return __atomic_load_n(&p->ring[at % BURL_RING_N], __ATOMIC_RELAXED);
}

static uint32_t
head_now(const struct past *p)
{
    return p->owner != NULL ? __atomic_load_n(&p->owner->ring_at, __ATOMIC_RELAXED) : p->head;
}

/* Oldest word that is surely still there; some are spared for the owner, which goes on writing. */
static uint32_t
oldest_word(const struct past *p)
{
    uint32_t head = head_now(p);

    return head < BURL_RING_N ? 0 : head - BURL_RING_N + 64;
}

/* Where the epoch begins and ends; false: no longer there. */
static bool
ring_find_epoch(const struct past *p, uint32_t clock, uint32_t *begin, uint32_t *end)
{
    *end = p->head;
    for (uint32_t at = p->head; at > oldest_word(p);) {
        uint64_t w = word_at(p, --at);

        if (w >> 62 != WORD_MARK)
            continue;
        if ((w >> 16 & BURL_ENTRY_CLOCK_MAX) == clock) {
            *begin = at;
            return true;
        }
        if ((w >> 16 & BURL_ENTRY_CLOCK_MAX) < clock) {
            return false;
        }
        *end = at;
    }
    return false;
}

static bool
is_scope_word(uint64_t word)
{
    return word >> 62 == WORD_HELD_SITE && (word & SCOPE) != 0;
}

/* Its module may be gone. */
static bool
scope_read(struct burl_wire_scope *s, uintptr_t scope)
{
    if (burl__module_n_unloads() != 0)
        return burl__mem_read(s, scope, sizeof *s);
    *s = *(const struct burl_wire_scope *)scope;
    return true;
}

/* The functions of a scope, innermost first; returns how many. */
static uint32_t
scope_functions(uintptr_t scope, uint32_t *out, uint32_t max)
{
    struct burl_wire_scope s;
    uint32_t n = 0;

    for (; scope != 0 && n < max && scope_read(&s, scope); scope = (uintptr_t)s.outer) {
        out[n] = burl__module_site_at(s.site);
        if (out[n] == 0)
            break;
        n++;
    }
    return n;
}

/* Function of an entry or of a scope; 0: it is another word. */
static uint32_t
word_function(uint64_t word)
{
    uint32_t function = 0;

    if (word >> 62 == WORD_ENTER)
        return burl__site_of((uint32_t)(word >> 16));
    if (is_scope_word(word))
        scope_functions(word & ADDRESS, &function, 1);
    return function;
}

/* The last entry before `end` of function `func` (0: of any), or its last scope. */
static bool
ring_find_enter(const struct past *p, uint32_t end, uint32_t begin, uint32_t func, uint32_t *at)
{
    for (uint32_t i = end; i > begin;) {
        uint64_t w = word_at(p, --i);

        if (func == 0 ? w >> 62 == WORD_ENTER : word_function(w) == func) {
            *at = i;
            return true;
        }
    }
    return false;
}

/* Frames that are older than the ring: still alive, since nothing of their depth is in the ring. */
static void
side_add_live(struct burl_wire_side *side, uint32_t n, const struct past *p, uint32_t depth)
{
    while (p->owner != NULL && depth > 0 && n < BURL_WIRE_MAX_STACK) {
        depth--;
        if (depth < BURL_FREE_DEPTH)
            side->stack[n++] = burl__site_of(p->owner->stack[depth]);
    }
}

/* The function of an entry, or those of a scope; returns how many frames were around them. */
static uint32_t
side_add_word(struct burl_wire_side *side, uint64_t word, uint32_t *n)
{
    uint32_t functions[BURL_WIRE_MAX_SCOPES];
    uint32_t n_functions;

    if (word >> 62 == WORD_ENTER) {
        side->stack[(*n)++] = burl__site_of((uint32_t)(word >> 16));
        return (uint16_t)word;
    }
    n_functions = scope_functions(word & ADDRESS, functions, BURL_WIRE_MAX_SCOPES);
    for (uint32_t i = 0; i < n_functions && *n < BURL_WIRE_MAX_STACK; i++)
        side->stack[(*n)++] = functions[i];
    return (uint32_t)(word >> SCOPE_DEPTH_SHIFT) & SCOPE_DEPTH_MAX;
}

/* In which call the caller of a function was, by the word of the function. */
static uint32_t
caller_call(uint64_t word)
{
    return word >> 62 == WORD_ENTER ? (uint32_t)(word >> BURL_RING_CALL_SHIFT) & BURL_RING_CALL_MAX
                                    : 0;
}

static void
side_add_frames(struct burl_wire_side *side, const struct past *p, uint32_t at, uint32_t n)
{
    uint64_t callee = word_at(p, at);
    uint32_t depth = side_add_word(side, callee, &n);

    while (depth > 0 && n < BURL_WIRE_MAX_STACK) {
        uint64_t w;

        if (at <= oldest_word(p)) {
            side_add_live(side, n, p, depth);
            return;
        }
        w = word_at(p, --at);
        if (w >> 62 != WORD_ENTER || (uint16_t)w != depth - 1)
            continue;
        side->stack[n++] =
            burl__shadow_place(burl__site_of((uint32_t)(w >> 16)), caller_call(callee));
        callee = w;
        depth--;
    }
}

static void
side_add_locks(struct burl_wire_side *side, const struct past *p, uint32_t mark)
{
    uint32_t n = (uint32_t)word_at(p, mark) & 0xffff;

    for (uint32_t i = 0; i < n && i < BURL_WIRE_MAX_LOCKS; i++) {
        uint64_t a = word_at(p, mark + 1 + 2 * i);
        uint64_t b = word_at(p, mark + 2 + 2 * i);

        if (a >> 62 != WORD_HELD || b >> 62 != WORD_HELD_SITE || is_scope_word(b))
            break;
        side->locks[i] = (struct burl_wire_lock){
            .addr = a & ADDRESS,
            .site = burl__site_of((uint32_t)b),
            .mode = (uint8_t)(a >> 48 & 1),
        };
        side->n_locks = i + 1;
    }
}

void
burl__stack_past(struct burl_wire_side *side, uint32_t slot, uint32_t clock, uint32_t site)
{
    const struct burl_slot *s = &burl_free.slots[slot];
    uint32_t func = burl__module_function(burl__site_of(site));
    struct past p = { .ring = s->ring };
    uint32_t begin;
    uint32_t end;
    uint32_t at;

    p.owner = s->ended ? NULL : s->owner;
    p.head = p.owner != NULL ? __atomic_load_n(&p.owner->ring_at, __ATOMIC_RELAXED) : s->ring_at;
    if (!ring_find_epoch(&p, clock, &begin, &end)) {
        side->stack[0] = func;
        return;
    }
    side_add_locks(side, &p, begin);
    if (func != 0 && ring_find_enter(&p, end, oldest_word(&p), func, &at)) {
        side_add_frames(side, &p, at, 0);
    } else {
        uint32_t n = 0;

        if (func != 0)
            side->stack[n++] = func;
        if (ring_find_enter(&p, end, oldest_word(&p), 0, &at))
            side_add_frames(side, &p, at, n);
        else
            side_add_live(side, n, &p, p.owner != NULL ? p.owner->depth : 0);
    }
    if (begin < oldest_word(&p)) { /* overwritten meanwhile: nothing of it is certain */
        memset(side->stack, 0, sizeof side->stack);
        side->stack[0] = func;
        side->n_locks = 0;
    }
}

void
burl__frames_now(uint32_t stack[BURL_WIRE_MAX_STACK], uint32_t site,
                 const struct burl_free_thread *f)
{
    uint32_t depth = f->depth < BURL_FREE_DEPTH ? f->depth : BURL_FREE_DEPTH;
    uint32_t functions[BURL_WIRE_MAX_SCOPES];
    uint32_t n_functions = scope_functions((uintptr_t)f->scope, functions, BURL_WIRE_MAX_SCOPES);
    uint32_t func = burl__module_function(site);
    uint32_t top = depth > 0 ? burl__site_of(f->stack[depth - 1]) : 0;
    uint32_t n = 0;

    if (n_functions > 0)
        top = functions[0];
    /* Inlined into the function that is on the stack. */
    if (func != 0 && top != func)
        stack[n++] = func;
    for (uint32_t i = 0; i < n_functions && n < BURL_WIRE_MAX_STACK; i++)
        stack[n++] = functions[i];
    for (; depth > 0 && n < BURL_WIRE_MAX_STACK; n++) {
        func = burl__site_of(f->stack[--depth]);
        stack[n] = n == 0 ? func : burl__shadow_place(func, burl_free_call_of(f, depth));
    }
    if (n < BURL_WIRE_MAX_STACK)
        stack[n] = 0;
}

uint32_t
burl__top_now(const struct burl_free_thread *f)
{
    return f->depth > 0 && f->depth <= BURL_FREE_DEPTH
               ? burl__shadow_place(burl__site_of(f->stack[f->depth - 1]),
                                    burl_free_call_of(f, f->depth - 1))
               : 0;
}

/* The sites of a function follow its own, and so do their codes. */
uint32_t
burl__frame_code(const struct burl_free_thread *f, uint32_t depth)
{
    const uint32_t code = f->stack[depth] + burl_free_call_of(f, depth);

    return f->direct ? code & (BURL_ENTRY_SITES - 1) : code;
}

/* Functions of libraries have no word in which they note their calls. */
uint32_t
burl__user_code(const struct burl_free_thread *f)
{
    uint32_t depth = f->depth;

    if (depth > BURL_FREE_DEPTH)
        return f->call_site;
    while (depth > 0 && f->words[depth - 1] == NULL)
        depth--;
    if (depth == 0 || depth == f->depth)
        return f->call_site;
    return burl__frame_code(f, depth - 1);
}

uint64_t
burl__stack_hash(const struct burl_free_thread *f, uint32_t site, uint32_t max)
{
    uint32_t n = f->depth < max ? f->depth : max;
    uint64_t h = burl_wire_mix(17, site);

    for (uint32_t i = 0; i < n; i++)
        h = burl_wire_mix(h, burl__site_of(f->stack[i]));
    return h;
}

void
burl__stack_now(struct burl_wire_side *side, const struct burl_free_thread *f)
{
    burl__frames_now(side->stack, side->site, f);
    side->n_locks = burl_held_known(&f->held);
    for (uint32_t i = 0; i < side->n_locks && i < BURL_WIRE_MAX_LOCKS; i++)
        side->locks[i] = (struct burl_wire_lock){
            .addr = f->held.v[i].addr,
            .site = burl__site_of(f->held.v[i].site),
            .mode = f->held.v[i].mode,
        };
}
