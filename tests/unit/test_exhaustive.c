/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_exhaustive.c - the exhaustive strategy finds what plain enumeration finds.
 *
 * As a hunt uses it: two reads depend on one another. test_dpor.c has the rest.
 *
 * The strategy is compiled into the test with a scheduler around it. Threads are random lists of
 * reads, writes, locks and unlocks, and choices of the tool. All behaviors are enumerated without
 * any reduction, and by the strategy: the pairs of adjacent accesses and the final values must be
 * the same sets, with fewer executions where there is something to leave out.
 */
#include "unit.h"

#include "rt/search/await.c"
#include "rt/search/dpor.c"
#include "rt/search/dpor_ops.c"
#include "rt/search/exhaustive.c"
#include "rt/search/symmetry.c"

#include "search_stubs.h"

struct burl_rt burl_rt;

#define N_THREADS 3u
#define MAX_OPS 6u
#define N_VARS 2u
#define LOCK_ADDR 0x9000u
#define VAR_ADDR 0x1000u

struct script {
    struct burl_op ops[MAX_OPS];
    uint32_t n;
};

/* Everything that can be told apart: adjacent accesses by site, and how variables end. */
#define N_SITES (N_THREADS * MAX_OPS + 1)
struct seen {
    bool pair[N_SITES][N_SITES];
    bool end[4096];
    uint64_t executions;
};

struct state {
    uint32_t at[N_THREADS];
    int owner; /* of the lock, -1 none */
    uint32_t last_site[N_VARS];
    uint32_t last_tid[N_VARS];
    bool last_write[N_VARS];
    uint32_t value[N_VARS]; /* site of the last write, mixed with what was read */
    uint32_t reg[N_THREADS];
};

static struct script scripts[N_THREADS];
static struct burl_thread threads[N_THREADS];
static struct burl_wire_ctl *ctl;

/* ---- what operations do ------------------------------------------------------------ */

static bool
can_run(const struct state *s, uint32_t t)
{
    if (s->at[t] >= scripts[t].n)
        return false;
    return scripts[t].ops[s->at[t]].kind != BURL_OP_LOCK || s->owner < 0;
}

static void
touch(struct state *s, struct seen *seen, uint32_t t, const struct burl_op *op)
{
    const uint32_t v = (uint32_t)(op->addr - VAR_ADDR) / 8;
    const bool write = op->kind == BURL_OP_WRITE;

    if (s->last_site[v] != 0 && s->last_tid[v] != t && (write || s->last_write[v]))
        seen->pair[s->last_site[v]][op->site] = true;
    s->last_site[v] = op->site;
    s->last_tid[v] = t;
    s->last_write[v] = write;
    if (write)
        s->value[v] = (s->reg[t] * 5 + op->site) % 64;
    else
        s->reg[t] = (s->reg[t] * 3 + s->value[v]) % 64;
}

static void
perform(struct state *s, struct seen *seen, uint32_t t)
{
    const struct burl_op *op = &scripts[t].ops[s->at[t]++];

    if (op->kind == BURL_OP_LOCK)
        s->owner = (int)t;
    else if (op->kind == BURL_OP_UNLOCK)
        s->owner = -1;
    else
        touch(s, seen, t, op);
}

static void
finish(const struct state *s, struct seen *seen)
{
    seen->end[s->value[0] * 64 + s->value[1]] = true;
    seen->executions++;
}

static const struct state start = { .owner = -1 };

/* ---- plain enumeration -------------------------------------------------------------- */

static void
enumerate(const struct state *s, struct seen *seen)
{
    bool any = false;

    for (uint32_t t = 0; t < N_THREADS; t++) {
        struct state next = *s;

        if (!can_run(s, t))
            continue;
        any = true;
        perform(&next, seen, t);
        enumerate(&next, seen);
    }
    if (!any)
        finish(s, seen);
}

/* ---- by the strategy ----------------------------------------------------------------- */

static uint16_t runnable[N_THREADS];

static uint32_t
collect(const struct state *s)
{
    uint32_t n = 0;

    for (uint32_t t = 0; t < N_THREADS; t++) {
        threads[t].op = s->at[t] < scripts[t].n ? scripts[t].ops[s->at[t]] : (struct burl_op){ 0 };
        if (can_run(s, t))
            runnable[n++] = (uint16_t)t;
    }
    burl_rt.exec.n_runnable = n;
    return n;
}

/* As sched.c: the strategy is not asked when only the current thread can go on. */
static void
execute(struct state *s, struct seen *seen)
{
    uint16_t current = 0;
    uint32_t n;

    while ((n = collect(s)) > 0) {
        struct burl_choice c = { .runnable = runnable, .n_runnable = n, .current = current };

        for (uint32_t i = 0; i < n; i++)
            c.current_runnable |= runnable[i] == current;
        if (n > 1 || !c.current_runnable)
            current = exhaustive_pick(&c);
        exhaustive_commit(&threads[current], &threads[current].op);
        perform(s, seen, current);
    }
    finish(s, seen);
}

static void
begin_search(bool anew)
{
    const union burl_wire_args args = { .exhaustive = { .begin = anew } };

    exhaustive_begin(&args);
}

static void
search(struct seen *seen)
{
    static struct state s;

    memset(&ctl->result, 0, sizeof ctl->result);
    do {
        s = start;
        burl_rt.exec.now_ns = BURL_EXEC_START_NS;
        begin_search(true);
        for (uint16_t t = 0; t < N_THREADS; t++)
            burl__dpor_thread_new(burl_rt.threads[t]);
        if (setjmp(ended) == 0)
            execute(&s, seen);
        exhaustive_finish();
        ctl->result.n_done++;
        if (ctl->result.n_done > 1000000)
            fail_msg("the search does not end");
    } while (ctl->result.search != BURL_SEARCH_COMPLETE);
}

/* ---- tests --------------------------------------------------------------------------- */

static uint64_t
draw(uint64_t *rng)
{
    return burl_mix64(*rng += 0x9e3779b97f4a7c15ull);
}

static void
make_scripts(uint64_t *rng)
{
    for (uint32_t t = 0; t < N_THREADS; t++) {
        struct script *p = &scripts[t];
        const uint32_t n = 1 + (uint32_t)(draw(rng) % 4);
        const bool locked = draw(rng) % 2;

        p->n = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t bits = draw(rng);

            if (locked && i == 0)
                p->ops[p->n++] = (struct burl_op){ .kind = BURL_OP_LOCK, .addr = LOCK_ADDR };
            p->ops[p->n++] = (struct burl_op){ .kind = bits & 1 ? BURL_OP_WRITE : BURL_OP_READ,
                                               .size_b = 8,
                                               .aux = 8,
                                               .addr = VAR_ADDR + 8 * (bits >> 1 & 1),
                                               .site = t * MAX_OPS + i + 1 };
            if (locked && i == (n - 1) / 2)
                p->ops[p->n++] = (struct burl_op){ .kind = BURL_OP_UNLOCK, .addr = LOCK_ADDR };
        }
    }
}

static void
the_search_sees_what_enumeration_sees(void **state)
{
    static struct seen all, found;
    uint64_t rng = unit_seed();
    uint64_t n_all = 0, n_found = 0;

    (void)state;
    for (int round = 0; round < 150; round++) {
        memset(&all, 0, sizeof all);
        memset(&found, 0, sizeof found);
        make_scripts(&rng);
        enumerate(&start, &all);
        search(&found);
        assert_int_equal(ctl->result.search_unsure, 0);
        assert_memory_equal(all.pair, found.pair, sizeof all.pair);
        assert_memory_equal(all.end, found.end, sizeof all.end);
        n_all += all.executions;
        n_found += found.executions;
    }
    if (n_found * 2 > n_all)
        fail_msg("sleep sets left out nothing: %llu executions of %llu",
                 (unsigned long long)n_found, (unsigned long long)n_all);
}

static void
outcomes_of_choices_are_enumerated_too(void **state)
{
    bool seen[3][2] = { { 0 } };

    (void)state;
    memset(&ctl->result, 0, sizeof ctl->result);
    do {
        uint32_t a, b;

        burl_rt.exec.now_ns = BURL_EXEC_START_NS;
        begin_search(true);
        a = exhaustive_choose(NULL, BURL_CHOICE_WAITER, 3, 0);
        b = a == 1 ? 0 : exhaustive_choose(NULL, BURL_CHOICE_WAITER, 2, 0);
        assert_false(seen[a][b]);
        seen[a][b] = true;
        exhaustive_finish();
        ctl->result.n_done++;
    } while (ctl->result.search != BURL_SEARCH_COMPLETE);
    assert_int_equal(ctl->result.n_done, 5);
    assert_int_equal(ctl->result.search_unsure, 0);
}

static void
what_cannot_be_enumerated_is_said(void **state)
{
    const struct burl_op io = { .kind = BURL_OP_IO };

    (void)state;
    memset(&ctl->result, 0, sizeof ctl->result);
    burl_rt.exec.now_ns = BURL_EXEC_START_NS + 1;
    begin_search(true);
    exhaustive_commit(&threads[0], &io);
    exhaustive_finish();
    assert_int_equal(ctl->result.search, BURL_SEARCH_COMPLETE);
    assert_int_equal(ctl->result.search_unsure, BURL_SEARCH_UNSURE_IO | BURL_SEARCH_UNSURE_TIME);
    /* Another execution than the choices were made for. */
    burl_rt.exec.now_ns = BURL_EXEC_START_NS;
    memset(&ctl->result, 0, sizeof ctl->result);
    begin_search(true);
    exhaustive_choose(NULL, BURL_CHOICE_WAITER, 2, 0);
    exhaustive_finish();
    assert_int_equal(ctl->result.search, BURL_SEARCH_MORE);
    ctl->result.n_done = 1;
    begin_search(true);
    exhaustive_choose(NULL, BURL_CHOICE_WAITER, 3, 0);
    exhaustive_finish();
    assert_int_equal(ctl->result.search_unsure, BURL_SEARCH_UNSURE_DIFFERS);
}

static int
setup(void **state)
{
    const size_t search_b = 100000 * sizeof(struct burl_wire_event);

    (void)state;
    ctl = burl_xcalloc(1, sizeof *ctl + search_b);
    ctl->search_off = sizeof *ctl;
    ctl->search_b = search_b;
    ctl->order.observers = BURL_OB(LOCPAIRS);
    burl_rt.ctl = ctl;
    burl_rt.all_points = true;
    burl_rt.current = &threads[0];
    for (uint16_t t = 0; t < N_THREADS; t++) {
        threads[t].tid = t;
        threads[t].arg = &threads[t];
        burl_rt.threads[t] = &threads[t];
    }
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    free(ctl);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_sees_what_enumeration_sees),
        cmocka_unit_test(outcomes_of_choices_are_enumerated_too),
        cmocka_unit_test(what_cannot_be_enumerated_is_said),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
