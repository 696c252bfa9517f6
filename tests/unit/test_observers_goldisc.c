/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_observers_goldisc.c - cover/goldisc.c: its states by hand and against an oracle
 * that knows no clocks; the races of detect/race.c against the same oracle.
 *
 * The oracle keeps all events of a random execution as a graph (program order, locks, semaphores,
 * wakeups, create and join, C11 release sequences and fences straight from the standard's words)
 * and asks for reachability. For every access: state E exactly when some earlier conflicting access
 * does not reach it, and then only does the happens-before observer report a race of it; every race
 * that it reports is such a pair.
 */
#include "cover_rig.h"

static uint64_t x[4];
static int m;
static int m2;
static struct burl_watch *t0;
static struct burl_watch *t1;
static struct burl_watch *t2;
static struct burl_watch *t3;

enum { SCT, SCL, LS, E };

static int
start(void **state)
{
    (void)state;
    memset(&rig_ctl, 0, sizeof rig_ctl);
    t0 = cover_begin(BURL_OB(RACE) | BURL_OB(GOLDISC));
    t1 = rig_create(t0);
    t2 = rig_create(t0);
    t3 = rig_create(t0);
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    rig_end();
    return 0;
}

/* Accesses by state, for sites that are used once each. */
static uint64_t
count_states(uint32_t state)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < rig_area.n; i++)
        n += rig_area.items[i].metric == BURL_METRIC_GOLDISC && rig_area.items[i].b == state;
    return n;
}

static void
expect_states(uint64_t sct, uint64_t scl, uint64_t ls, uint64_t e)
{
    assert_int_equal(count_states(SCT), sct);
    assert_int_equal(count_states(SCL), scl);
    assert_int_equal(count_states(LS), ls);
    assert_int_equal(count_states(E), e);
}

static void
first_and_same_thread_are_sct(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    RD(t1, x[0], 2);
    RD(t2, x[1], 3);
    RD(t1, x[1], 4); /* two reads: nothing to compare with */
    expect_states(4, 0, 0, 0);
}

static void
the_same_lock_then_and_now_is_scl(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    WR(t1, x[0], 1);
    UNLOCK(t1, m);
    LOCK(t3, m, 11); /* a third thread between does not matter */
    UNLOCK(t3, m);
    LOCK(t2, m, 12);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    expect_states(1, 1, 0, 0);
    assert_int_equal(rig_n_seen, 0);
}

/* The lock was not held at the accesses, but the two threads alone passed it on. */
static void
handed_over_by_the_two_is_scl(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    LOCK(t1, m, 10);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    UNLOCK(t2, m);
    WR(t2, x[0], 2);
    expect_states(1, 1, 0, 0);
}

static void
handed_over_by_a_third_is_ls(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    LOCK(t1, m, 10);
    UNLOCK(t1, m);
    LOCK(t3, m, 11);
    UNLOCK(t3, m);
    LOCK(t3, m2, 12);
    UNLOCK(t3, m2);
    LOCK(t2, m2, 13);
    UNLOCK(t2, m2);
    WR(t2, x[0], 2);
    expect_states(1, 0, 1, 0);
    assert_int_equal(rig_n_seen, 0);
}

/* Known through a third first, then from the very hand. */
static void
the_direct_way_counts_when_it_comes_later(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    LOCK(t1, m, 10);
    UNLOCK(t1, m);
    LOCK(t3, m, 11);
    UNLOCK(t3, m);
    burl_ob_wake(t3, t2);
    LOCK(t2, m, 13);
    UNLOCK(t2, m);
    WR(t2, x[0], 2);
    expect_states(1, 1, 0, 0);
}

static void
the_wrong_lock_is_e(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    WR(t1, x[0], 1);
    UNLOCK(t1, m);
    LOCK(t2, m2, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m2);
    expect_states(1, 0, 0, 1);
    assert_int_equal(rig_n_seen, 1);
    assert_true(RIG_HAS(BURL_SUSPECT_RACE, 1, 2));
    assert_int_equal(rig_seen[0].observer, BURL_OBSERVER_RACE);
    assert_int_equal(rig_seen[0].addr, (uintptr_t)&x[0]);
}

static void
released_before_the_access_is_e(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    UNLOCK(t1, m);
    WR(t1, x[0], 1);
    LOCK(t2, m, 11);
    UNLOCK(t2, m);
    WR(t2, x[0], 2);
    expect_states(1, 0, 0, 1);
}

static void
two_readers_of_a_rwlock_are_e(void **state)
{
    (void)state;
    RDLOCK(t1, m, 10);
    WR(t1, x[0], 1);
    UNLOCK(t1, m);
    RDLOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    expect_states(1, 0, 0, 1);
}

static void
reader_then_writer_is_scl(void **state)
{
    (void)state;
    RDLOCK(t1, m, 10);
    RD(t1, x[0], 1);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    RDLOCK(t1, m, 12);
    RD(t1, x[0], 3);
    UNLOCK(t1, m);
    expect_states(1, 2, 0, 0);
}

static void
a_new_lock_at_the_old_address_orders_nothing(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    WR(t1, x[0], 1);
    UNLOCK(t1, m);
    burl_ob_forget_object(&m);
    LOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    expect_states(1, 0, 0, 1);
}

/* The order that an annotation on a variable gives is not that of the variable itself. */
static void
annotations_are_objects_of_their_own(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    burl_ob_send(t1, burl_ob_user_object(&m));
    burl_ob_forget_object(&m);
    burl_ob_receive(t2, burl_ob_user_object(&m));
    RD(t2, x[0], 2);
    assert_int_equal(rig_n_seen, 0);
    burl_ob_receive(t3, &m);
    RD(t3, x[0], 3);
    assert_true(RIG_HAS(BURL_SUSPECT_RACE, 1, 3));
}

/* Worst of the last write (handed over directly) and a read that nothing orders. */
static void
the_worst_outcome_counts(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    burl_ob_wake(t1, t2);
    burl_ob_wake(t1, t3);
    RD(t3, x[0], 2);
    WR(t2, x[0], 3);
    expect_states(1, 1, 0, 1);
    assert_int_equal(rig_n_seen, 1);
    assert_true(RIG_HAS(BURL_SUSPECT_RACE, 2, 3));
}

static void
recycled_memory_has_no_past(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    burl_ob_forget((uintptr_t)&x[0], 8);
    WR(t2, x[0], 2);
    expect_states(2, 0, 0, 0);
}

static void
the_execution_ends_at_the_key(void **state)
{
    const uint32_t sites[2] = { 1, 2 };

    (void)state;
    rig_ctl.order.stop_key = burl_wire_suspect_key(BURL_SUSPECT_RACE, sites, 2);
    rig_ctl.order.watch.n_sites = 2;
    rig_ctl.order.watch.sites[0] = 1;
    rig_ctl.order.watch.sites[1] = 2;
    WR(t1, x[0], 1);
    assert_int_equal(rig_n_verdicts, 0);
    WR(t2, x[0], 2);
    assert_int_equal(rig_n_verdicts, 1);
    assert_int_equal(rig_verdict_kind, BURL_VERDICT_RACE_DATA);
    assert_int_equal(rig_sides[0].site, 1);
    assert_int_equal(rig_sides[0].stack[0], 4711);
    assert_int_equal(rig_sides[1].site, 2);
}

static void
without_the_key_it_goes_on(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    WR(t2, x[0], 2);
    assert_int_equal(rig_n_verdicts, 0);
    WR(t3, x[0], 3);
    assert_int_equal(rig_n_verdicts, 0);
    expect_states(1, 0, 0, 2);
}

/* However much happens in between: nothing is lost, and memory does not grow. */
static void
a_long_execution_loses_nothing(void **state)
{
    size_t used = 0;

    (void)state;
    WR(t1, x[0], 1);
    WR(t1, x[1], 2);
    burl_ob_wake(t1, t2);
    for (uint32_t i = 0; i < 200000; i++) {
        LOCK(t3, m, 10);
        WR(t3, x[2], 3);
        UNLOCK(t3, m);
        if (i == 100000)
            used = rig_used;
    }
    assert_int_equal(rig_used, used);
    RD(t2, x[0], 4);
    assert_int_equal(rig_n_seen, 0);
    assert_true(cover_has(BURL_METRIC_GOLDISC, 4, SCL));
    RD(t3, x[1], 5);
    assert_true(RIG_HAS(BURL_SUSPECT_RACE, 2, 5));
    assert_true(cover_has(BURL_METRIC_GOLDISC, 5, E));
    burl_ob_wake(t2, t3);
    WR(t3, x[0], 6);
    assert_int_equal(rig_n_seen, 1);
    assert_true(cover_has(BURL_METRIC_GOLDISC, 6, LS));
}

/* ---- random executions against the oracle -------------------------------------------- */

#define MAX_EVENTS 160u
#define THREADS 5u
#define LOCKS 3u
#define VARS 3u /* plain accesses; also atomics on the same ones */
#define FLAGS 2u

enum kind { K_ACCESS, K_ACQUIRE, K_RELEASE, K_SEND, K_RECEIVE, K_ATOMIC, K_FENCE, K_OTHER };

struct node {
    uint8_t kind;
    uint8_t tid;
    uint8_t object;
    uint8_t mode;
    uint8_t order;
    uint8_t flags;
    uint32_t at; /* first byte */
    uint32_t n;  /* bytes */
    bool update; /* atomic: continues the release sequence */
    bool writes;
    bool reads;
    uint64_t before[(MAX_EVENTS + 63) / 64]; /* nodes that reach this one */
};

struct world {
    uint64_t rng;
    struct burl_watch *w[THREADS];
    bool alive[THREADS];
    int owner[LOCKS]; /* -1 free, tid, or -2 readers */
    uint32_t readers[LOCKS];
    uint32_t held[THREADS]; /* bits of locks */
    uint32_t last[THREADS]; /* node + 1 */
    struct node nodes[MAX_EVENTS];
    uint32_t n;
    char memory[VARS * 8];
    _Atomic uint64_t flag[FLAGS];
    int lock[LOCKS];
    int sem;
};

static void
edge(struct world *o, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < sizeof o->nodes[0].before / 8; i++)
        o->nodes[to].before[i] |= o->nodes[from].before[i];
    o->nodes[to].before[from / 64] |= 1ull << (from % 64);
}

static bool
reaches(const struct world *o, uint32_t from, uint32_t to)
{
    return o->nodes[to].before[from / 64] >> (from % 64) & 1;
}

static uint32_t
node_new(struct world *o, enum kind kind, uint32_t t)
{
    struct node *n = &o->nodes[o->n];

    memset(n, 0, sizeof *n);
    n->kind = kind;
    n->tid = (uint8_t)t;
    if (o->last[t] != 0)
        edge(o, o->last[t] - 1, o->n);
    o->last[t] = o->n + 1;
    return o->n++;
}

static bool
releases(uint8_t mo)
{
    return mo == BURL_MO_RELEASE || mo == BURL_MO_ACQ_REL || mo == BURL_MO_SEQ_CST;
}

static bool
acquires(uint8_t mo)
{
    return mo == BURL_MO_ACQUIRE || mo == BURL_MO_ACQ_REL || mo == BURL_MO_SEQ_CST ||
           mo == BURL_MO_CONSUME;
}

static bool
has_release_fence(const struct world *o, uint32_t before, uint32_t tid)
{
    for (uint32_t f = 0; f < before; f++) {
        if (o->nodes[f].kind == K_FENCE && o->nodes[f].tid == tid && releases(o->nodes[f].order))
            return true;
    }
    return false;
}

/* Where the release sequence that node `reader` reads from begins: the last write that neither
 * updates nor is of the thread that began the sequence before it. UINT32_MAX: there is none. */
static uint32_t
sequence_start(const struct world *o, uint32_t object, uint32_t reader)
{
    uint32_t start = UINT32_MAX;
    uint32_t head = UINT32_MAX;

    for (uint32_t i = 0; i < reader; i++) {
        const struct node *w = &o->nodes[i];

        if (w->kind == K_OTHER && w->object == object && w->mode == 1) {
            start = UINT32_MAX; /* the object began anew */
            head = UINT32_MAX;
        }
        if (w->kind != K_ATOMIC || w->object != object || !w->writes)
            continue;
        if (start == UINT32_MAX && w->update)
            start = i;
        if (w->update || head == w->tid)
            continue;
        start = i;
        head = releases(w->order) || has_release_fence(o, i, w->tid) ? w->tid : UINT32_MAX;
    }
    return start;
}

/* Edges to node `to` from all that takes part in the release sequence which a read of `object` just
 * before node `reader` sees. */
static void
synchronize(struct world *o, uint32_t object, uint32_t reader, uint32_t to)
{
    for (uint32_t i = sequence_start(o, object, reader); i < reader; i++) {
        const struct node *w = &o->nodes[i];

        if (w->kind != K_ATOMIC || w->object != object || !w->writes)
            continue;
        if (releases(w->order)) {
            edge(o, i, to);
            continue;
        }
        for (uint32_t f = 0; f < i; f++) {
            if (o->nodes[f].kind == K_FENCE && o->nodes[f].tid == w->tid &&
                releases(o->nodes[f].order))
                edge(o, f, to);
        }
    }
}

static void
do_atomic(struct world *o, uint32_t t)
{
    static const uint8_t load_orders[] = { BURL_MO_RELAXED, BURL_MO_ACQUIRE, BURL_MO_SEQ_CST };
    static const uint8_t store_orders[] = { BURL_MO_RELAXED, BURL_MO_RELEASE, BURL_MO_SEQ_CST };
    static const uint8_t rmw_orders[] = { BURL_MO_RELAXED, BURL_MO_ACQUIRE, BURL_MO_RELEASE,
                                          BURL_MO_ACQ_REL, BURL_MO_SEQ_CST };
    uint32_t what = rig_random(&o->rng, 3);
    uint32_t f = rig_random(&o->rng, FLAGS);
    uint32_t at = node_new(o, K_ATOMIC, t);
    struct node *n = &o->nodes[at];
    struct burl_wire_site site = { .id = at + 1, .size_b = 8 };

    n->object = (uint8_t)f;
    n->reads = what != 1;
    n->writes = what != 0;
    n->update = what == 2;
    site.kind = what == 0   ? BURL_SITE_ATOMIC_LOAD
                : what == 1 ? BURL_SITE_ATOMIC_STORE
                            : BURL_SITE_ATOMIC_RMW;
    site.order = what == 0   ? load_orders[rig_random(&o->rng, 3)]
                 : what == 1 ? store_orders[rig_random(&o->rng, 3)]
                             : rmw_orders[rig_random(&o->rng, 5)];
    n->order = site.order;
    if (n->reads && acquires(n->order))
        synchronize(o, f, at, at);
    burl_ob_atomic_post(o->w[t], (uintptr_t)&o->flag[f], &site, n->writes);
}

static void
do_fence(struct world *o, uint32_t t)
{
    static const uint8_t orders[] = { BURL_MO_ACQUIRE, BURL_MO_RELEASE, BURL_MO_ACQ_REL,
                                      BURL_MO_SEQ_CST };
    uint32_t at = node_new(o, K_FENCE, t);

    o->nodes[at].order = orders[rig_random(&o->rng, 4)];
    for (uint32_t i = 0; i < at && acquires(o->nodes[at].order); i++) {
        const struct node *n = &o->nodes[i];

        if (n->kind == K_ATOMIC && n->tid == t && n->reads)
            synchronize(o, n->object, i, at);
    }
    burl_ob_fence(o->w[t], o->nodes[at].order);
}

static void
do_take(struct world *o, uint32_t t)
{
    uint32_t l = rig_random(&o->rng, LOCKS);
    uint8_t mode = rig_random(&o->rng, 3) == 0 ? BURL_LOCK_SHARED : BURL_LOCK_EXCLUSIVE;
    uint32_t at;

    if ((o->held[t] >> l & 1) != 0 ||
        (mode == BURL_LOCK_SHARED ? o->owner[l] >= 0 : o->owner[l] != -1))
        return;
    at = node_new(o, K_ACQUIRE, t);
    o->nodes[at].object = (uint8_t)l;
    o->nodes[at].mode = mode;
    for (uint32_t i = 0; i < at; i++) {
        const struct node *n = &o->nodes[i];

        if (n->kind == K_RELEASE && n->object == l &&
            (mode == BURL_LOCK_EXCLUSIVE || n->mode == BURL_LOCK_EXCLUSIVE))
            edge(o, i, at);
    }
    o->held[t] |= 1u << l;
    if (mode == BURL_LOCK_SHARED) {
        o->owner[l] = -2;
        o->readers[l]++;
    } else {
        o->owner[l] = (int)t;
    }
    rig_take(o->w[t], &o->lock[l], 1000, mode, rig_random(&o->rng, 2) == 0);
}

static void
give(struct world *o, uint32_t t, uint32_t l)
{
    uint32_t at = node_new(o, K_RELEASE, t);

    o->nodes[at].object = (uint8_t)l;
    o->nodes[at].mode = o->owner[l] == -2 ? BURL_LOCK_SHARED : BURL_LOCK_EXCLUSIVE;
    o->held[t] &= ~(1u << l);
    if (o->owner[l] != -2 || --o->readers[l] == 0)
        o->owner[l] = -1;
    burl_ob_release(o->w[t], &o->lock[l]);
}

static void
do_give(struct world *o, uint32_t t)
{
    uint32_t l = rig_random(&o->rng, LOCKS);

    if ((o->held[t] >> l & 1) != 0)
        give(o, t, l);
}

static void
do_semaphore(struct world *o, uint32_t t)
{
    bool send = rig_random(&o->rng, 2) == 0;
    uint32_t at = node_new(o, send ? K_SEND : K_RECEIVE, t);

    if (send) {
        burl_ob_send(o->w[t], &o->sem);
        return;
    }
    for (uint32_t i = 0; i < at; i++) {
        if (o->nodes[i].kind == K_SEND)
            edge(o, i, at);
    }
    burl_ob_receive(o->w[t], &o->sem);
}

static void
do_wake(struct world *o, uint32_t t)
{
    uint32_t u = rig_random(&o->rng, THREADS);
    uint32_t at;
    uint32_t woken;

    if (u == t || !o->alive[u] || o->n + 2 > MAX_EVENTS)
        return;
    at = node_new(o, K_OTHER, t);
    woken = node_new(o, K_OTHER, u);
    o->nodes[at].object = FLAGS;
    o->nodes[woken].object = FLAGS;
    edge(o, at, woken);
    burl_ob_wake(o->w[t], o->w[u]);
}

/* Thread 0 creates and joins; a joined one is not replaced. */
static void
do_join(struct world *o)
{
    uint32_t u = 1 + rig_random(&o->rng, THREADS - 1);
    uint32_t at;

    if (!o->alive[u] || o->held[u] != 0 || u == THREADS - 1) /* one stays: never alone */
        return;
    at = node_new(o, K_OTHER, 0);
    o->nodes[at].object = FLAGS;
    o->alive[u] = false;
    if (o->last[u] != 0)
        edge(o, o->last[u] - 1, at);
    burl_ob_join(o->w[0], o->w[u]);
}

static void
do_renew(struct world *o, uint32_t t)
{
    uint32_t f = rig_random(&o->rng, FLAGS);
    uint32_t at = node_new(o, K_OTHER, t);

    o->nodes[at].object = (uint8_t)f;
    o->nodes[at].mode = 1;
    burl_ob_forget_object((const void *)&o->flag[f]);
}

static bool
conflict(const struct node *a, const struct node *b)
{
    return a->at < b->at + b->n && b->at < a->at + a->n &&
           ((a->flags | b->flags) & BURL_ACCESS_WRITE) != 0 &&
           (a->flags & b->flags & BURL_ACCESS_ATOMIC) == 0;
}

/* Every pair that an observer named is a race of the graph. */
static void
check_pairs(const struct world *o, uint32_t at, uint32_t seen_before, uint64_t seed)
{
    for (uint32_t i = seen_before; i < rig_n_seen; i++) {
        const struct rig_suspect *s = &rig_seen[i];
        uint32_t a = s->sites[0] - 1;

        if (s->sites[1] != at + 1 || o->nodes[a].kind != K_ACCESS ||
            !conflict(&o->nodes[a], &o->nodes[at]) || reaches(o, a, at))
            fail_msg("seed %llu: observer %u: %u and %u do not race", (unsigned long long)seed,
                     s->observer, a, at);
    }
}

static void
do_access(struct world *o, uint32_t t, uint64_t seed)
{
    static const uint8_t kinds[] = { 0,
                                     0,
                                     BURL_ACCESS_WRITE,
                                     BURL_ACCESS_ATOMIC,
                                     BURL_ACCESS_ATOMIC | BURL_ACCESS_WRITE,
                                     BURL_ACCESS_ATOMIC | BURL_ACCESS_WRITE | BURL_ACCESS_RMW };
    uint32_t at = node_new(o, K_ACCESS, t);
    struct node *n = &o->nodes[at];
    uint32_t seen = rig_n_seen;
    bool race = false;

    n->flags = kinds[rig_random(&o->rng, sizeof kinds)];
    n->n = 1u << rig_random(&o->rng, 4);
    n->at = rig_random(&o->rng, VARS * 8 / n->n) * n->n;
    if (rig_random(&o->rng, 8) == 0 && n->at + n->n + 1 < sizeof o->memory)
        n->at++; /* not aligned, across granules */
    rig_access(o->w[t], o->memory + n->at, n->n, at + 1, n->flags);
    for (uint32_t i = 0; i < at; i++) {
        if (o->nodes[i].kind == K_ACCESS && conflict(&o->nodes[i], n) && !reaches(o, i, at))
            race = true;
    }
    if (race != cover_has(BURL_METRIC_GOLDISC, at + 1, E))
        fail_msg("seed %llu: access %u: race %d, E %d", (unsigned long long)seed, at, race, !race);
    if (race != (rig_n_seen > seen))
        fail_msg("seed %llu: access %u: race %d, reported %d", (unsigned long long)seed, at, race,
                 !race);
    check_pairs(o, at, seen, seed);
}

static void
step(struct world *o, uint64_t seed)
{
    uint32_t t = rig_random(&o->rng, THREADS);
    uint32_t what = rig_random(&o->rng, 20);

    if (!o->alive[t])
        return;
    if (what < 8)
        do_access(o, t, seed);
    else if (what < 11)
        do_take(o, t);
    else if (what < 13)
        do_give(o, t);
    else if (what < 16)
        do_atomic(o, t);
    else if (what == 16)
        do_fence(o, t);
    else if (what == 17)
        do_semaphore(o, t);
    else if (what == 18)
        do_wake(o, t);
    else if (rig_random(&o->rng, 3) == 0)
        do_renew(o, t);
    else if (t == 0)
        do_join(o);
}

static uint32_t
one_execution(uint64_t seed)
{
    static struct world o;

    memset(&o, 0, sizeof o);
    memset(&rig_ctl, 0, sizeof rig_ctl);
    o.rng = seed;
    o.w[0] = cover_begin(BURL_OB(RACE) | BURL_OB(GOLDISC));
    o.alive[0] = true;
    for (uint32_t i = 0; i < LOCKS; i++)
        o.owner[i] = -1;
    for (uint32_t t = 1; t < THREADS; t++) {
        o.w[t] = rig_create(o.w[0]);
        o.alive[t] = true;
    }
    /* What thread 0 did before it created the others reaches all of them; it did nothing yet. */
    while (o.n + 2 < MAX_EVENTS)
        step(&o, seed);
    rig_end();
    return rig_n_seen;
}

static void
races_are_those_of_the_graph(void **state)
{
    uint64_t n_pairs = 0;
    uint64_t states[4] = { 0 };

    (void)state;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        n_pairs += one_execution(unit_seed() + seed);
        for (int i = 0; i < 4; i++)
            states[i] += count_states((uint32_t)i);
    }
    /* The random executions have something of everything. */
    assert_true(n_pairs > 1000);
    for (int i = 0; i < 4; i++)
        assert_true(states[i] > 1000);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, stop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(first_and_same_thread_are_sct),
        T(the_same_lock_then_and_now_is_scl),
        T(handed_over_by_the_two_is_scl),
        T(handed_over_by_a_third_is_ls),
        T(the_direct_way_counts_when_it_comes_later),
        T(the_wrong_lock_is_e),
        T(released_before_the_access_is_e),
        T(two_readers_of_a_rwlock_are_e),
        T(reader_then_writer_is_scl),
        T(a_new_lock_at_the_old_address_orders_nothing),
        T(annotations_are_objects_of_their_own),
        T(the_worst_outcome_counts),
        T(recycled_memory_has_no_past),
        T(the_execution_ends_at_the_key),
        T(without_the_key_it_goes_on),
        T(a_long_execution_loses_nothing),
        cmocka_unit_test(races_are_those_of_the_graph),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
