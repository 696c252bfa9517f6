/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics.c - the metrics of free mode that need no lock around every event: which, their
 * threads, stack frames, and the way of an access to them. metrics.h has the whole picture.
 */
#include <string.h>

#include "metrics_quick.h"
#include "rt/core/module.h"

#define FRAME_B (1u << 20) /* as detect/observe.c: a frame above this is taken for a hole */
#define FAST (BURL_OB(AVIO) | BURL_OB(GOLDISC) | BURL_OB(HBPAIRS) | BURL_OB(SYNCHRO))

struct burl_metrics burl_metrics;

static uint64_t n_ends; /* ends and joins, in order */

/* ---- beginning and end ---------------------------------------------------------------------- */

static const struct {
    uintptr_t lo;
    uintptr_t hi;
} watched[] = {
    { 0x000000000000, 0x004000000000 }, /* executables that are not position-independent, brk */
    { 0x555000000000, 0x568000000000 }, /* those that are */
    { 0x7e8000000000, 0x800000000000 }, /* mappings and stacks */
};

bool
burl__metrics_can_watch(uintptr_t addr, size_t n)
{
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        if (addr >= watched[i].lo && addr + n <= watched[i].hi)
            return true;
    }
    return false;
}

/* Is the program where the shadows can tell its addresses apart? */
static bool
can_watch_all(void)
{
    static int in_data;

    return burl__metrics_can_watch((uintptr_t)__builtin_frame_address(0), 1) &&
           burl__metrics_can_watch((uintptr_t)&in_data, 1) &&
           burl__metrics_can_watch((uintptr_t)BURL_SYS1(SYS_brk, 0), 0);
}

uint32_t
burl__metrics_begin(uint32_t mask)
{
    mask &= FAST;
    if (mask == 0 || !can_watch_all() || !burl__cells_map() || !burl__metric_names_map() ||
        !burl__objects_map())
        return 0;
    burl_metrics = (struct burl_metrics){
        .on = true,
        .avio = (mask & BURL_OB(AVIO)) != 0,
        .goldisc = (mask & BURL_OB(GOLDISC)) != 0,
        .hbpairs = (mask & BURL_OB(HBPAIRS)) != 0,
        .synchro = (mask & BURL_OB(SYNCHRO)) != 0,
    };
    return mask;
}

void
burl__metrics_full(const char *what)
{
    static const char why[] = "there was no room left to measure coverage: ";
    struct burl_wire_result *r = &burl_rt.ctl->result;

    /* relaxed: threads that notice later measure a little longer, and put nothing */
    if (!__atomic_exchange_n(&burl_metrics.on, false, __ATOMIC_RELAXED))
        return;
    __atomic_fetch_add(&r->counters[BURL_COUNTER_SHADOW_FULL], 1, __ATOMIC_RELAXED);
    if (r->irreversible == 0)
        r->irreversible = 1;
    memcpy(r->text, why, sizeof why);
    strncpy(r->text + sizeof why - 1, what, sizeof r->text - sizeof why);
}

uint8_t
burl__metrics_alone(const struct burl_free_thread *f)
{
    if (!burl_free.metrics || f->metric == NULL || f->special || burl_free.race ||
        burl_free.pairs || BURL_WANTS(BURL_WANT_LINES) ||
        (burl_rt.ctl->order.flags & BURL_ORDER_F_MAIL) != 0)
        return 0;
    return burl_metrics.goldisc ? 2 : burl_metrics.avio ? 1 : 0;
}

void
burl__metrics_modules(void)
{
    if (burl_metrics.avio && burl_rt.ctl->n_sites > BURL_LANE_SITE)
        burl__metrics_full("the program has more sites than a lane can name");
}

/* ---- threads -------------------------------------------------------------------------------- */

static struct burl_metric_thread *
thread_reset(struct burl_free_thread *f)
{
    const size_t kept = offsetof(struct burl_metric_thread, busy);
    struct burl_metric_thread *m = f->metric;

    if (m == NULL)
        m = burl__arena_alloc(sizeof *m);
    else
        memset((char *)m + kept, 0, sizeof *m - kept);
    burl_vc_clear(&m->direct);
    m->lane = (f->tid < BURL_LANE_BIG - 1 ? f->tid + 1u : BURL_LANE_BIG) << BURL_LANE_TAG_SHIFT;
    m->stamp = (uint64_t)f->tid << 48;
    f->metric = m;
    __atomic_store_n(&burl_metric_ended[f->tid], 0, __ATOMIC_RELAXED);
    return m;
}

static void
thread_name(struct burl_free_thread *f)
{
    uintptr_t start = f->start != NULL ? (uintptr_t)f->start : (uintptr_t)f->start_c11;

    f->metric->name = burl__cover_thread_name(f->metric->birth, start);
    burl_metric_thread_names[f->tid] = f->metric->name;
}

void
burl__metric_thread_new(struct burl_free_thread *me, struct burl_free_thread *child)
{
    struct burl_metric_thread *m = thread_reset(child);
    uint32_t at;

    if (me == NULL) {
        thread_name(child);
        return;
    }
    if (burl_metric_of(me) == NULL)
        return;
    burl__metric_fences_forget(me->metric, m);
    at = burl__site_of(me->call_site);
    m->birth = burl__metric_birth(me, at);
    burl__direct_set(&m->direct, me->tid, burl__own_moment(me));
    if (burl_metrics.hbpairs)
        burl__hbpairs_create(me, m, at);
    if (burl_metrics.synchro)
        burl__synchro_put(me, at, BURL_SYNCHRO_VISITED);
    burl_metric_changed(me->metric);
}

void
burl__metric_thread_begin(struct burl_free_thread *f)
{
    if (f->metric != NULL)
        thread_name(f);
}

void
burl__metric_thread_end(struct burl_free_thread *f)
{
    if (f->metric == NULL)
        return;
    /* relaxed: its last access is behind, and until others see this they keep what they need not;
     * the number is read after the join */
    __atomic_store_n(&burl_metric_ended[f->tid], 1, __ATOMIC_RELAXED);
    f->metric->ended = __atomic_add_fetch(&n_ends, 1, __ATOMIC_RELAXED);
}

void
burl__metric_join_begin(struct burl_free_thread *f)
{
    if (f->metric != NULL)
        f->metric->join_began = __atomic_add_fetch(&n_ends, 1, __ATOMIC_RELAXED);
}

void
burl__metric_join(struct burl_free_thread *f, struct burl_free_thread *ended)
{
    struct burl_metric_thread *m = burl_metric_of(f);
    uint32_t at;

    if (m == NULL || ended->metric == NULL)
        return;
    at = burl__site_of(f->call_site);
    burl__direct_set(&m->direct, ended->tid, ended->clock);
    if (burl_metrics.hbpairs)
        burl__hbpairs_join(f, ended, at);
    if (burl_metrics.synchro)
        burl__synchro_join(f, ended, at);
    burl_metric_changed(m);
}

static void
thread_started(struct burl_free_thread *f, uint32_t site)
{
    if (burl_metric_of(f) == NULL)
        return;
    f->metric->root = site;
    if (burl_metrics.hbpairs)
        burl__hbpairs_enter(f, site);
}

/* Is something known of the frame between the two? */
static inline bool
frame_is_known(uintptr_t sp, uintptr_t above)
{
    return above - sp - 1 < FRAME_B - 1 && BURL_UNLIKELY(burl_metric_near(sp, above));
}

/* The frame of a function begins a new life, as in detect/observe.c. */
static BURL_NOINLINE void *
frame_begins(struct burl_free_thread *f, uint32_t depth, uint32_t site, uintptr_t sp)
{
    struct burl_metric_thread *m = f->metric;
    uintptr_t above;

    if (m->root == 0)
        thread_started(f, site);
    if (depth < BURL_METRIC_FLOORS) {
        above = m->floor[depth]; /* of the function below; 0 for the outermost */
        m->floor[depth + 1] = sp;
        if (frame_is_known(sp, above))
            burl__metrics_forget(f, sp, above - sp);
    }
    return (void *)((uintptr_t)depth + 1);
}

void
burl__metric_enter(struct burl_free_thread *f, uint32_t depth, uint32_t site, uintptr_t sp)
{
    if (f->metric != NULL && sp != 0)
        (void)frame_begins(f, depth, site, sp);
}

void *
burl_free_metric_call(struct burl_free_thread *f, const struct burl_wire_site *site,
                      const uint32_t *word, uintptr_t sp)
{
    uint32_t depth = f->depth++;
    struct burl_metric_thread *m = f->metric;

    if (BURL_LIKELY(depth < BURL_FREE_DEPTH)) {
        f->stack[depth] = burl_free_code(f, site);
        f->words[depth] = word;
    }
    /* What is not the common case is called last, so that the rest needs no frame. */
    if (BURL_UNLIKELY(m->root == 0 || depth >= BURL_METRIC_FLOORS ||
                      frame_is_known(sp, m->floor[depth])))
        return frame_begins(f, depth, site->id, sp);
    m->floor[depth + 1] = sp;
    return (void *)((uintptr_t)depth + 1);
}

/* ---- accesses ------------------------------------------------------------------------------- */

void
burl__metric_access(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                    const struct burl_wire_site *site, uint64_t kind)
{
    if (BURL_LIKELY(f->metric != NULL && burl_metrics.on))
        burl_metric_memory(f, addr, n, site,
                           (kind & BURL_ENTRY_WRITE) != 0 ? BURL_ACCESS_WRITE : 0);
}

/* With n as a constant each case is a straight line. */
#define BY_SIZE(n, call)                           \
    do {                                           \
        if ((n) == 8)                              \
            call(f, addr, 8, site, BY_SIZE_FLAGS); \
        else if ((n) == 4)                         \
            call(f, addr, 4, site, BY_SIZE_FLAGS); \
        else if ((n) == 1)                         \
            call(f, addr, 1, site, BY_SIZE_FLAGS); \
        else if ((n) == 2)                         \
            call(f, addr, 2, site, BY_SIZE_FLAGS); \
        else                                       \
            call(f, addr, n, site, BY_SIZE_FLAGS); \
    } while (0)

/* AVIO alone calls its long way last, and so needs no frame. */
static inline __attribute__((always_inline)) void
avio_alone(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
           const struct burl_wire_site *site, uint8_t flags)
{
    if (BURL_LIKELY((site->flags & BURL_SITE_F_ASSERT) == 0))
        burl_avio_access(f, addr, n, site->id, flags);
}

#define BY_SIZE_FLAGS 0

static BURL_NOINLINE void
read_for_all(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
             const struct burl_wire_site *site)
{
    BY_SIZE(n, burl_metric_memory);
}

void
burl_free_metric_read(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                      const struct burl_wire_site *site)
{
    if (f->metric_only != 1)
        read_for_all(f, addr, n, site);
    else
        BY_SIZE(n, avio_alone);
}

#undef BY_SIZE_FLAGS
#define BY_SIZE_FLAGS BURL_ACCESS_WRITE

static BURL_NOINLINE void
write_for_all(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
              const struct burl_wire_site *site)
{
    BY_SIZE(n, burl_metric_memory);
}

void
burl_free_metric_write(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                       const struct burl_wire_site *site)
{
    if (f->metric_only != 1)
        write_for_all(f, addr, n, site);
    else
        BY_SIZE(n, avio_alone);
}

/* Freeing is a write, of no site. For AVIO the history of a block ends when it is given out again.
 * */
void
burl__metric_freed(struct burl_free_thread *f, uintptr_t addr, uint64_t n)
{
    uint64_t x;

    if (burl_metric_of(f) != NULL && burl_metrics.goldisc)
        (void)burl_goldisc_access(f, addr, n, BURL_ACCESS_WRITE | BURL_ACCESS_FREE, &x);
}
