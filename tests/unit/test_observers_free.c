/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_observers_free.c - the metrics of free mode (free/metrics_*.c) against the
 * observers of cover/, which define them: random executions, event by event, must give the same
 * items.
 *
 * The sources are included; clocks are those of the observers' event stream, and threads are struct
 * burl_free_thread that never run. What threads do at the same time is not tested here but in
 * tests/e2e/cover_free_parallel.sh.
 */
#include <sys/mman.h>

#include "cover_rig.h"

#include "rt/free/metrics_avio.c"
#undef LIMIT
#include "rt/free/metrics_cells.c"
#include "rt/free/metrics_goldisc.c"
#include "rt/free/metrics_hbpairs.c"
#define cover synchro_cover_
#define source_of synchro_source_of_
#include "rt/free/metrics_synchro.c"
#undef cover
#undef source_of
#define name_of objects_name_of_
#undef LINE_SHIFT
#include "rt/free/metrics_objects.c"

#define THREADS 4u
#define BIG_TID 3000u
#define MEMORY_B 48u
#define LOCKS 3u

struct burl_free burl_free;
struct burl_metrics burl_metrics;
uint32_t *burl_metric_thread_names;
uint8_t *burl_metric_ended;
BURL_EXPORT __thread struct burl_free_thread *burl_free_self;
BURL_EXPORT __thread struct burl_free_thread *burl_free_me;

static _Alignas(64) char memory[MEMORY_B];
static _Alignas(64) char locks[LOCKS][64];
static char queue_object;
static struct burl_watch *watch[THREADS];
static struct burl_free_thread threads[THREADS];
static uint32_t moment;
static uint16_t tid_of[BURL_ENTRY_SLOTS];
static bool ran_out;
static uint32_t names[THREADS]; /* as the observers have them */

/* In free mode the clock moves also when a lock is taken: so many steps within one of the
 * observers' clocks, the last of which others know. */
#define STEPS 64u

static uint32_t steps[THREADS]; /* locks taken since the clock moved */

static uint32_t
last_step(uint32_t clock)
{
    return clock != 0 ? clock * STEPS + STEPS - 1 : 0;
}

/* ---- what the rest of the runtime would give ------------------------------------------------ */

void *
burl__free_map_at(uintptr_t addr, size_t n)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = mmap((void *)addr, n, PROT_READ | PROT_WRITE,
                   flags | (addr != 0 ? MAP_FIXED_NOREPLACE : 0), -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

void *
burl__free_map(size_t n)
{
    return burl__free_map_at(0, n);
}

void *
burl__arena_alloc(size_t n)
{
    return burl_xcalloc(1, n);
}

void
burl__make_large(uintptr_t at)
{
    (void)at;
}

void
burl__metrics_full(const char *what)
{
    (void)what;
    ran_out = true;
    burl_metrics.on = false;
}

bool
burl__metrics_can_watch(uintptr_t addr, size_t n)
{
    (void)addr;
    (void)n;
    return true;
}

uint32_t
burl__site_of(uint32_t code)
{
    return code;
}

uint32_t
burl__own_moment(const struct burl_free_thread *f)
{
    (void)f;
    return last_step(moment);
}

uint16_t
burl__slot_tid(uint32_t slot, uint32_t clock)
{
    (void)clock;
    return tid_of[slot];
}

uint64_t
burl__metric_name(const struct burl_free_thread *f, uintptr_t addr)
{
    (void)f;
    return BURL_X_NAMED | (uint64_t)((addr - (uintptr_t)memory) / 8) << BURL_X_NAME_SHIFT;
}

uint32_t
burl__metric_variable(uint64_t name)
{
    return burl__cover_variable((uintptr_t)memory + (name >> BURL_X_NAME_SHIFT & 0x3fffff) * 8);
}

uint32_t
burl__metric_object_name(const struct burl_free_thread *f, uintptr_t addr)
{
    (void)f;
    return burl__cover_object(addr);
}

void
burl__metric_put(struct burl_metric_thread *m, enum burl_wire_metric metric, uint32_t a, uint32_t b,
                 uint32_t c, uint32_t d, uint8_t flags)
{
    (void)m;
    burl__cover_put(metric, a, b, c, d, flags);
}

/* ---- one event, to the observers or to the metrics of free mode ------------------------------ */

enum what { ACCESS, TAKE, GIVE, SEND, RECEIVE, ATOMIC, FENCE, FORGET, WAIT, SIGNAL, WHATS };

struct event {
    enum what what;
    uint32_t t;
    uint32_t at; /* place in memory, or lock */
    uint32_t n;
    uint32_t site;
    uint8_t mode; /* of a lock; order of a fence */
    bool flag;    /* by_try, stored */
};

/* Sites 1..16: plain, odd ones write. From ATOMIC_SITE: kinds and orders. */
#define ATOMIC_SITE 100u
#define ATOMICS 12u

static void
sites_init(void)
{
    static const uint8_t kinds[4] = { BURL_SITE_ATOMIC_LOAD, BURL_SITE_ATOMIC_STORE,
                                      BURL_SITE_ATOMIC_RMW, BURL_SITE_ATOMIC_CAS };
    static const uint8_t orders[3] = { BURL_MO_RELAXED, BURL_MO_ACQ_REL, BURL_MO_SEQ_CST };

    for (uint32_t i = 0; i < RIG_SITES; i++) {
        rig_sites[i].id = i;
        rig_sites[i].kind = i % 2 != 0 ? BURL_SITE_WRITE : BURL_SITE_READ;
    }
    for (uint32_t i = 0; i < ATOMICS; i++) {
        struct burl_wire_site *s = &rig_sites[ATOMIC_SITE + i];

        s->kind = kinds[i % 4];
        s->size_b = i % 3 == 0 ? 4 : 8;
        s->order = burl_wire_mo_pair(orders[i / 4], BURL_MO_RELAXED);
    }
}

static void
tell_observers(const struct event *e)
{
    struct burl_watch *w = watch[e->t];
    const void *lock = locks[e->at % LOCKS];

    rig_thread.call_site = e->site;
    w->at = e->site;
    burl_rt.exec.steps++;
    switch (e->what) {
    case ACCESS:
        rig_access(w, memory + e->at, e->n, e->site, e->site % 2 != 0 ? BURL_ACCESS_WRITE : 0);
        break;
    case TAKE:
        if (!e->flag)
            burl_ob_request(w, lock, e->site, e->mode);
        burl_ob_acquire(w, lock, e->site, e->mode, e->flag);
        break;
    case GIVE:
        burl_ob_release(w, lock);
        break;
    case SEND:
        burl_ob_send(w, &queue_object);
        break;
    case RECEIVE:
        burl_ob_receive(w, &queue_object);
        break;
    case ATOMIC:
        burl_ob_atomic_post(w, (uintptr_t)memory + e->at, &rig_sites[e->site], e->flag);
        break;
    case FENCE:
        burl_ob_fence(w, e->mode);
        break;
    case FORGET:
        burl_ob_forget((uintptr_t)memory + e->at, e->n);
        break;
    case WAIT:
        burl_ob_cond(w, &queue_object, true, 0, e->site);
        break;
    default:
        burl_ob_cond(w, &queue_object, false, e->flag ? BURL_WOKEN_ALL : BURL_WOKEN_ONE, e->site);
    }
}

static void
set_clock(struct burl_free_thread *f, uint32_t clock)
{
    f->clock = clock * STEPS + steps[f->slot];
    f->hb[f->slot] = f->clock;
    f->epoch = burl_entry_epoch(f->slot, f->clock);
}

/* What the thread knows, as the observers' event stream has it. */
static void
learn(uint32_t t)
{
    const struct burl_watch *w = watch[t];

    for (uint32_t i = 0; i < THREADS; i++)
        threads[t].hb[i] = last_step(burl_vc_get(&w->hb, i));
    set_clock(&threads[t], w->clock);
    threads[t].has_fence_release = w->fence_release.n != 0;
}

static void
tell_metrics(const struct event *e)
{
    struct burl_free_thread *f = &threads[e->t];
    const void *lock = locks[e->at % LOCKS];
    struct burl_held *h;

    f->call_site = e->site;
    switch (e->what) {
    case ACCESS:
        burl_metric_memory(f, (uintptr_t)memory + e->at, e->n, &rig_sites[e->site],
                           e->site % 2 != 0 ? BURL_ACCESS_WRITE : 0);
        break;
    case TAKE:
        if (!e->flag)
            burl__metric_request(f, lock, e->mode);
        burl_held_add(&f->held, &(struct burl_held){ .addr = (uintptr_t)lock, .mode = e->mode });
        burl__metric_acquire(f, lock, e->mode, e->flag);
        break;
    case GIVE:
        burl__metric_release(f, lock);
        h = burl_held_find(&f->held, (uintptr_t)lock);
        burl_held_remove(&f->held, h);
        break;
    case SEND:
        burl__metric_send(f, &queue_object);
        break;
    case RECEIVE:
        burl__metric_receive(f, &queue_object);
        break;
    case ATOMIC:
        burl__metric_atomic(f, (uintptr_t)memory + e->at, &rig_sites[e->site], e->flag);
        break;
    case FENCE:
        burl__metric_fence(f, e->mode, e->site);
        break;
    case FORGET:
        burl__metrics_forget(f, (uintptr_t)memory + e->at, e->n);
        break;
    case WAIT:
        burl__metric_cond(f, &queue_object, true, 0);
        break;
    default:
        burl__metric_cond(f, &queue_object, false, e->flag ? BURL_WOKEN_ALL : BURL_WOKEN_ONE);
    }
}

/* ---- random executions ----------------------------------------------------------------------- */

#define EVENTS 400u

/* Two threads that take turns at whole variables, from more sites than a log has room for: the
 * short ways of a hand-over. Fewer than the 32 accesses that the observers keep in a window. */
#define TURN_SITES 18u

struct execution {
    struct event e[EVENTS];
    uint32_t n;
    bool turns;
    uint32_t end; /* event before which the last thread ends; EVENTS: it does not */
};

struct locks_held {
    uint8_t by[LOCKS][THREADS]; /* 1 + mode */
};

static bool
can_take(const struct locks_held *l, uint32_t lock, uint32_t t, uint8_t mode)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        uint8_t held = l->by[lock][i];

        if (held != 0 && (i == t || mode == BURL_LOCK_EXCLUSIVE || held != 1 + BURL_LOCK_SHARED))
            return false;
    }
    return true;
}

static bool
event_fits(const struct execution *x, struct event *e, struct locks_held *l, uint64_t *rng)
{
    static const uint8_t sizes[8] = { 1, 2, 4, 8, 8, 3, 5, 16 };
    uint32_t lock = e->at % LOCKS;

    switch (e->what) {
    case ACCESS:
        e->n = sizes[rig_random(rng, 8)];
        e->site = 1 + rig_random(rng, x->turns ? TURN_SITES : 8);
        if (x->turns && rig_random(rng, 8) != 0) {
            e->at &= ~7u;
            e->n = e->at % 16 == 0 ? 8 : 4;
            return true;
        }
        if (rig_random(rng, 2) != 0 && e->n <= 8)
            e->at -= e->at % (e->n == 3 || e->n == 5 ? 1 : e->n);
        return e->at + e->n <= MEMORY_B;
    case TAKE:
        if (!can_take(l, lock, e->t, e->mode))
            return false;
        l->by[lock][e->t] = (uint8_t)(1 + e->mode);
        return true;
    case GIVE:
        if (l->by[lock][e->t] == 0)
            return false;
        l->by[lock][e->t] = 0;
        return true;
    case ATOMIC:
        e->site = ATOMIC_SITE + rig_random(rng, ATOMICS);
        e->at &= ~7u;
        if (rig_sites[e->site].kind == BURL_SITE_ATOMIC_LOAD)
            e->flag = false;
        else if (rig_sites[e->site].kind != BURL_SITE_ATOMIC_CAS)
            e->flag = true;
        return true;
    case FENCE:
        e->mode = e->flag ? BURL_MO_ACQUIRE : BURL_MO_RELEASE;
        return true;
    case FORGET:
        e->at &= ~7u;
        e->n = 8 + rig_random(rng, 16);
        return e->at + e->n <= MEMORY_B && rig_random(rng, 4) == 0;
    default:
        return true;
    }
}

/* One thread goes on for a while, most of the time, as threads do. */
static void
execution_make(struct execution *x, uint64_t *rng)
{
    static const uint8_t often[WHATS] = { 60, 8, 9, 2, 2, 6, 2, 2, 1, 1 };
    struct locks_held held = { 0 };
    uint32_t t = 0;

    x->n = 0;
    x->turns = rig_random(rng, 3) == 0;
    x->end = !x->turns && rig_random(rng, 2) == 0 ? 100 + rig_random(rng, EVENTS - 100) : EVENTS;
    while (x->n < EVENTS) {
        struct event e = { .t = t, .site = 40 + rig_random(rng, 6) };
        uint32_t pick = rig_random(rng, 93);

        for (e.what = ACCESS; pick >= often[e.what]; e.what++)
            pick -= often[e.what];
        e.at = rig_random(rng, MEMORY_B);
        e.mode = rig_random(rng, 3) == 0 ? BURL_LOCK_SHARED : BURL_LOCK_EXCLUSIVE;
        e.flag = rig_random(rng, 3) == 0;
        if (event_fits(x, &e, &held, rng))
            x->e[x->n++] = e;
        if (rig_random(rng, 6) == 0 || (t == THREADS - 1 && x->n >= x->end))
            t = rig_random(rng, x->turns ? 2 : THREADS - (x->n >= x->end));
    }
}

/* Before the metrics get the event of a thread, that thread knows what the event tells it; its own
 * clock has not moved yet. */
static void
run(const struct execution *x, bool metrics)
{
    for (uint32_t i = 0; i < x->n; i++) {
        const struct event *e = &x->e[i];

        if (i == x->end)
            burl_metric_ended[threads[THREADS - 1].tid] = 1;
        moment = watch[e->t]->clock;
        tell_observers(e);
        if (!metrics)
            continue;
        learn(e->t);
        set_clock(&threads[e->t], moment);
        tell_metrics(e);
        steps[e->t] = watch[e->t]->clock != moment ? 0 : steps[e->t] + (e->what == TAKE);
        assert_true(steps[e->t] < STEPS - 1);
        set_clock(&threads[e->t], watch[e->t]->clock);
    }
}

static const uint32_t four = BURL_OB(AVIO) | BURL_OB(GOLDISC) | BURL_OB(HBPAIRS) | BURL_OB(SYNCHRO);

static void
begin(uint32_t observers, uint32_t last_tid)
{
    watch[0] = cover_begin(observers);
    for (uint32_t i = 1; i < THREADS; i++) {
        rig_thread.call_site = 50 + i;
        watch[i] = rig_create(watch[0]);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        struct burl_free_thread *f = &threads[i];
        struct burl_metric_thread *m =
            f->metric != NULL ? f->metric : burl_xcalloc(1, sizeof *f->metric);

        memset(f, 0, sizeof *f);
        memset((char *)m + offsetof(struct burl_metric_thread, busy), 0,
               sizeof *m - offsetof(struct burl_metric_thread, busy));
        burl_vc_clear(&m->direct);
        f->metric = m;
        f->slot = i;
        f->tid = (uint16_t)(i == THREADS - 1 ? last_tid : i);
        f->first_clock = 1;
        tid_of[i] = f->tid;
        burl_metric_ended[f->tid] = 0;
        m->lane = (f->tid < BURL_LANE_BIG - 1 ? f->tid + 1u : BURL_LANE_BIG) << BURL_LANE_TAG_SHIFT;
        m->stamp = (uint64_t)f->tid << 48;
        if (observers == four)
            names[i] = burl__cover_thread(watch[i]);
        m->name = names[i];
        burl_metric_thread_names[f->tid] = m->name;
        burl__metric_fences_forget(m, m);
        steps[i] = 0;
        learn(i);
        if (i != 0)
            burl__direct_set(&m->direct, 0, last_step(i));
    }
}

/* Sorted. */
struct items {
    struct burl_wire_cover_item *v;
    uint32_t n;
};

static int
item_order(const void *pa, const void *pb)
{
    const struct burl_wire_cover_item *a = pa;
    const struct burl_wire_cover_item *b = pb;
    const uint32_t x[5] = { a->metric, a->a, a->b, a->c, a->d };
    const uint32_t y[5] = { b->metric, b->a, b->b, b->c, b->d };

    for (uint32_t i = 0; i < 5; i++) {
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

static struct items
take_items(void)
{
    struct items r = { burl_xcalloc(rig_area.n + 1, sizeof *r.v), rig_area.n };

    memcpy(r.v, rig_area.items, r.n * sizeof *r.v);
    qsort(r.v, r.n, sizeof *r.v, item_order);
    return r;
}

/* A compare-exchange may have read, or read and written: the flags are of the first time. */
static bool
has_two_kinds(const struct burl_wire_cover_item *x)
{
    return x->metric == BURL_METRIC_AVIO && (rig_sites[x->a].kind == BURL_SITE_ATOMIC_CAS ||
                                             rig_sites[x->b].kind == BURL_SITE_ATOMIC_CAS ||
                                             rig_sites[x->c].kind == BURL_SITE_ATOMIC_CAS);
}

static void
expect_same(const struct items *a, const struct items *b, uint64_t seed)
{
    for (uint32_t i = 0; i < a->n || i < b->n; i++) {
        const struct burl_wire_cover_item *x = i < a->n ? &a->v[i] : NULL;
        const struct burl_wire_cover_item *y = i < b->n ? &b->v[i] : NULL;

        if (x != NULL && y != NULL && item_order(x, y) == 0 &&
            (x->flags == y->flags || has_two_kinds(x)))
            continue;
        for (int k = 0; k < 2; k++) {
            const struct burl_wire_cover_item *z = k == 0 ? x : y;

            if (z != NULL)
                print_message("%s: metric %u (%u %u %u %u) flags %u\n",
                              k == 0 ? "observers" : "free mode", z->metric, z->a, z->b, z->c, z->d,
                              z->flags);
        }
        fail_msg("different items, execution %llu", (unsigned long long)seed);
    }
}

/* The same execution twice: with the observers' items, and with those of the metrics (the observers
 * still run, for the clocks, and put nothing). */
static void
compare(uint64_t seed, uint32_t last_tid)
{
    static struct execution x;
    uint64_t rng = seed;
    struct items by_observers;
    struct items by_metrics;
    uint64_t area;

    execution_make(&x, &rng);
    begin(four, last_tid);
    run(&x, false);
    rig_end();
    by_observers = take_items();
    /* LOCKSET keeps the event stream going and puts no items. */
    begin(BURL_OB(LOCKSET), last_tid);
    area = rig_ctl.cover_off;
    assert_true(area != 0);
    burl__cover_begin(four);
    for (uint32_t i = 1; i < THREADS; i++)
        burl__synchro_put(&threads[0], 50 + i, BURL_SYNCHRO_VISITED); /* the creations */
    run(&x, true);
    for (uint32_t at = 0; at < MEMORY_B; at += 8)
        burl__metrics_forget(&threads[0], (uintptr_t)memory + at, 8);
    for (uint32_t i = 0; i < LOCKS; i++)
        burl__metric_objects_forget(&threads[0], (uintptr_t)locks[i], 64);
    for (uint32_t i = 0; i < MEMORY_B; i += 16)
        burl__metric_objects_forget(&threads[0], (uintptr_t)memory + i, 16);
    burl__metric_objects_forget(&threads[0], (uintptr_t)&queue_object, 1);
    rig_end();
    by_metrics = take_items();
    assert_true(by_observers.n > 20);
    expect_same(&by_observers, &by_metrics, seed);
    free(by_observers.v);
    free(by_metrics.v);
}

static int
setup(void **state)
{
    (void)state;
    memset(&rig_ctl, 0, sizeof rig_ctl);
    sites_init();
    rig_data_lo = (uintptr_t)memory;
    rig_data_hi = rig_data_lo + MEMORY_B;
    burl_free.has_fences = true;
    burl_metrics = (struct burl_metrics){
        .on = true, .avio = true, .goldisc = true, .hbpairs = true, .synchro = true
    };
    burl_metric_thread_names = burl_xcalloc(65536, sizeof *burl_metric_thread_names);
    burl_metric_ended = burl_xcalloc(65536, 1);
    return burl__cells_map() && burl__objects_map() ? 0 : -1;
}

static void
random_executions_cover_what_the_observers_say(void **state)
{
    uint64_t seed = unit_seed();

    (void)state;
    for (uint32_t i = 0; i < 400; i++)
        compare(seed + i, THREADS - 1);
    assert_false(ran_out);
}

static void
a_thread_with_a_large_number_covers_the_same(void **state)
{
    uint64_t seed = unit_seed() + 1000000;

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        compare(seed + i, BIG_TID + i);
}

static void
forgotten_memory_gives_its_nodes_back(void **state)
{
    uint32_t before;

    (void)state;
    compare(unit_seed(), THREADS - 1);
    before = n_nodes;
    for (uint32_t i = 0; i < 50; i++)
        compare(unit_seed(), THREADS - 1);
    assert_in_range(n_nodes, before, before + 4 * RUN);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_executions_cover_what_the_observers_say),
        cmocka_unit_test(a_thread_with_a_large_number_covers_the_same),
        cmocka_unit_test(forgotten_memory_gives_its_nodes_back),
    };

#ifdef __SANITIZE_ADDRESS__
    /* Its allocator lies where the shadows have their place. */
    fputs("not under AddressSanitizer\n", stderr);
    return 77;
#endif
    return cmocka_run_group_tests(tests, setup, NULL);
}
