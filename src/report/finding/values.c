/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - values of accesses in words.
 *
 * Runs in the host. A value is printed as its type in the source says, if that is known. What was
 * there before a write is shown only where it means something: memory of a new block or of a new
 * stack frame holds the rest of what was there earlier. The trace cannot see every write (of code
 * without hooks, for example), so a value before a write to such memory counts only when an earlier
 * access of the trace has seen or left it there.
 */
#include <math.h>
#include <string.h>

#include "report/finding/words.h"
#include "wire/site.h"

/* Red zones and what is left of them: BURL's heap puts this byte around blocks. */
#define RED_BYTE 0xfaull
/* Where the kernel and the runtime put stacks; no block of the heap lies there. */
#define STACKS_FROM 0x7e0000000000ull
/* Newest blocks that are searched for an address. */
#define MAX_BLOCKS 512u

/* Addresses are not below this. */
#define LOWEST_ADDRESS 0x10000ull

static bool
is_sized(const struct burl_wire_event *ev)
{
    return ev->size_b == 1 || ev->size_b == 2 || ev->size_b == 4 || ev->size_b == 8;
}

static uint64_t
cut(uint64_t value, uint8_t size_b)
{
    return size_b >= 8 ? value : value & ((1ull << size_b * 8) - 1);
}

/* ---- which values before a write are known ----------------------------------------- */

static const struct burl__report_block *
block_of(const struct burl__report_values *v, uint64_t addr)
{
    for (size_t i = v->blocks.n, k = 0; i > 0 && k < MAX_BLOCKS; i--, k++) {
        const struct burl__report_block *b = &v->blocks.v[i - 1];

        if (addr >= b->addr && addr - b->addr < b->size_b)
            return b;
    }
    return NULL;
}

static bool
is_zeroing(const struct burl_site_info *call)
{
    return call->kind == BURL_SITE_CALL && strcmp(call->variable, "calloc") == 0;
}

/* Has an access after `since` left this value there? */
static bool
is_seen(const struct burl__report_walk *w, const struct burl_wire_event *ev, size_t since)
{
    uint64_t last;
    const struct burl_wire_event *before;
    uint64_t value;

    if (!burl_map_get(&w->values.last, ev->addr, &last) || last == 0 || last - 1 < since)
        return false;
    before = &w->run->events[last - 1];
    value = before->flags & BURL_EV_F_AFTER && burl__report_is_write(before->kind) ? before->after
                                                                                   : before->value;
    return before->size_b == ev->size_b && cut(value, ev->size_b) == cut(ev->value, ev->size_b);
}

static uint8_t
judge(const struct burl__report_walk *w, const struct burl_wire_event *ev, size_t frame_since)
{
    const struct burl__report_block *b = block_of(&w->values, ev->addr);
    uint64_t pattern = cut(RED_BYTE * 0x0101010101010101ull, ev->size_b);

    if (b != NULL) {
        if (b->zeroed || is_seen(w, ev, b->event))
            return BURL__OLD_KNOWN;
        return cut(ev->value, ev->size_b) == pattern ? BURL__OLD_UNINITIALIZED : BURL__OLD_UNKNOWN;
    }
    if (ev->addr < STACKS_FROM)
        return BURL__OLD_KNOWN;
    return is_seen(w, ev, frame_since) ? BURL__OLD_KNOWN : BURL__OLD_UNKNOWN;
}

void
burl__report_values_learn(struct burl__report_walk *w, size_t event)
{
    const struct burl_wire_event *ev = &w->run->events[event];
    const struct burl__report_thread *t = &w->threads[ev->tid];
    struct burl__report_values *v = &w->values;
    struct burl_place p;
    size_t since = 0;

    if (ev->kind == BURL_OP_ALLOC && ev->addr != 0) {
        struct burl__report_block b = { .addr = ev->addr,
                                        .size_b = ev->aux,
                                        .event = event,
                                        .zeroed = is_zeroing(burl_sites_get(w->sites, ev->site)) };
        BURL_VEC_PUSH(&v->blocks, b);
    }
    if (!burl__report_is_access(ev->kind) || !is_sized(ev))
        return;
    /* A variable of the function itself begins with its frame. */
    if (t->stack.n > 0 && burl_sites_place(w->sites, ev->site, &p) &&
        (p.flags & (BURL_PLACE_OBJECT | BURL_PLACE_GLOBAL)) == BURL_PLACE_OBJECT)
        since = t->stack.v[t->stack.n - 1].entered;
    v->old[event] = judge(w, ev, since);
    *burl_map_at(&v->last, ev->addr) = event + 1;
}

void
burl__report_values_deinit(struct burl__report_values *v)
{
    free(v->old);
    BURL_VEC_FREE(&v->blocks);
    burl_map_deinit(&v->last);
}

/* ---- words ------------------------------------------------------------------------- */

static void
put_integer(struct burl_buf *out, uint64_t value, uint8_t size_b)
{
    switch (size_b) {
    case 1:
        burl_buf_printf(out, "%d", (int)(int8_t)value);
        if (value >= ' ' && value < 0x7f && value != '\'' && value != '\\')
            burl_buf_printf(out, " '%c'", (char)value);
        break;
    case 2:
        burl_buf_printf(out, "%d", (int)(int16_t)value);
        break;
    case 4:
        burl_buf_printf(out, "%d", (int)(int32_t)value);
        break;
    case 8: {
        int64_t x = (int64_t)value;

        /* Numbers that large are addresses far more often than counts. */
        if (x >= -(1ll << 31) && x < (1ll << 32))
            burl_buf_printf(out, "%lld", (long long)x);
        else
            burl_buf_printf(out, "0x%llx", (unsigned long long)value);
        break;
    }
    default:
        burl_buf_printf(out, "0x%llx...", (unsigned long long)value);
        break;
    }
}

static bool
put_float(struct burl_buf *out, uint64_t value, uint8_t size_b)
{
    uint32_t bits = (uint32_t)value;
    double x;
    float f;

    if (size_b == sizeof f) {
        memcpy(&f, &bits, sizeof f);
        burl_buf_printf(out, "%.9g", (double)f);
        return true;
    }
    if (size_b != sizeof x)
        return false;
    memcpy(&x, &value, sizeof x);
    burl_buf_printf(out, "%.15g", x);
    return true;
}

void
burl__report_value(struct burl_buf *out, uint64_t value, uint8_t size_b, uint8_t type)
{
    const uint64_t x = cut(value, size_b);

    if (type == BURL_VALUE_FLOAT && put_float(out, value, size_b))
        return;
    if (type == BURL_VALUE_BOOL && x <= 1)
        burl_buf_str_append(out, x == 1 ? "true" : "false");
    else if (type == BURL_VALUE_POINTER && size_b == 8 && x == 0)
        burl_buf_str_append(out, "NULL");
    else if (type == BURL_VALUE_POINTER && size_b == 8)
        burl_buf_printf(out, "0x%llx", (unsigned long long)x);
    else if (type == BURL_VALUE_UNSIGNED && size_b <= 8 && x < 1ull << 32)
        burl_buf_printf(out, "%llu", (unsigned long long)x);
    else if (type == BURL_VALUE_SIGNED && size_b == 1)
        burl_buf_printf(out, "%d", (int)(int8_t)value);
    else if (type == BURL_VALUE_SIGNED && size_b == 8)
        burl_buf_printf(out, "%lld", (long long)value);
    else
        put_integer(out, value, size_b);
}

static uint8_t
type_of(const struct burl__report_walk *w, const struct burl_wire_event *ev)
{
    struct burl_place p;

    return burl_sites_place(w->sites, ev->site, &p) ? p.value : BURL_VALUE_UNKNOWN;
}

/* The fields of library classes mean nothing to users; an atomic is its value. */
bool
burl__report_has_values(const struct burl__report_walk *w, const struct burl_wire_event *ev)
{
    const struct burl_site_info *site = burl_sites_get(w->sites, ev->site);

    return is_sized(ev) && (!burl_site_is_system(site) || strstr(site->func, "atomic") != NULL ||
                            (ev->kind >= BURL_OP_ATOMIC_LOAD && ev->kind <= BURL_OP_ATOMIC_CAS));
}

uint8_t
burl__report_old(const struct burl__report_walk *w, const struct burl_wire_event *ev)
{
    if (!(ev->flags & BURL_EV_F_VALUE))
        return BURL__OLD_UNKNOWN;
    return w->values.old != NULL && ev >= w->run->events && ev < w->run->events + w->run->n_events
               ? w->values.old[ev - w->run->events]
               : BURL__OLD_KNOWN;
}

/* "nodes[2]" for the address of a global or of a part of it; false for other values. */
static bool
put_global(const struct burl__report_walk *w, uint64_t addr, struct burl_buf *out)
{
    struct burl_buf whole = BURL_BUF_INIT;
    struct burl_buf first = BURL_BUF_INIT;
    const bool found = burl_sites_member(w->sites, addr, 0, &whole);

    if (found) {
        burl_buf_printf(out, "&%s", burl_buf_str(&whole));
        /* The address of an array is that of its first element, which is what pointers point to. */
        if (burl_sites_member(w->sites, addr, 1, &first) &&
            strncmp(burl_buf_str(&first) + whole.n, "[0]", 3) == 0)
            burl_buf_str_append(out, "[0]");
    }
    burl_buf_deinit(&whole);
    burl_buf_deinit(&first);
    return found;
}

static void
put_value(const struct burl__report_walk *w, uint64_t value, uint8_t size_b, uint8_t type,
          struct burl_buf *out)
{
    const bool pointer = size_b == 8 && value >= LOWEST_ADDRESS &&
                         (type == BURL_VALUE_POINTER || type == BURL_VALUE_UNKNOWN);

    if (!pointer || !put_global(w, value, out))
        burl__report_value(out, value, size_b, type);
}

void
burl__report_put_values(const struct burl__report_walk *w, const struct burl_wire_event *ev,
                        struct burl_buf *out)
{
    const uint8_t type = type_of(w, ev);
    const uint8_t old = burl__report_old(w, ev);
    const bool write = burl__report_is_write(ev->kind);
    const bool after = write && (ev->flags & BURL_EV_F_AFTER) != 0;
    const bool before = (ev->flags & BURL_EV_F_VALUE) != 0;

    if (!burl__report_has_values(w, ev))
        return;
    if (after && old == BURL__OLD_KNOWN &&
        cut(ev->value, ev->size_b) != cut(ev->after, ev->size_b)) {
        burl_buf_str_append(out, ": ");
        put_value(w, ev->value, ev->size_b, type, out);
        burl_buf_str_append(out, " -> ");
        put_value(w, ev->after, ev->size_b, type, out);
    } else if (after) {
        burl_buf_str_append(out, " = ");
        put_value(w, ev->after, ev->size_b, type, out);
        burl_buf_str_append(out, old == BURL__OLD_KNOWN           ? " (same value)"
                                 : old == BURL__OLD_UNINITIALIZED ? " (was uninitialized)"
                                                                  : "");
    } else if (before && write && old == BURL__OLD_KNOWN) {
        burl_buf_str_append(out, " (overwrites ");
        put_value(w, ev->value, ev->size_b, type, out);
        burl_buf_char(out, ')');
    } else if (before && write && old == BURL__OLD_UNINITIALIZED) {
        burl_buf_str_append(out, " (was uninitialized)");
    } else if (before && !write) {
        burl_buf_str_append(out, old == BURL__OLD_UNINITIALIZED ? " (uninitialized)" : " = ");
        if (old != BURL__OLD_UNINITIALIZED)
            put_value(w, ev->value, ev->size_b, type, out);
    }
}
