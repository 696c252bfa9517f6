/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_dpor.c - the exhaustive strategy explores every trace once.
 *
 * Threads are lists of operations on a few variables, locks and semaphores. All interleavings are
 * enumerated without any reduction; those that order all dependent operations alike are one trace.
 * The strategy must explore exactly one execution of each (what it gives up is not counted), and
 * see the same ends. Shapes with known numbers first, then random ones.
 */
#include "unit.h"

#include "rt/search/await.c"
#include "rt/search/dpor.c"
#include "rt/search/dpor_ops.c"
#include "rt/search/exhaustive.c"
#include "rt/search/symmetry.c"

#include "search_stubs.h"

struct burl_rt burl_rt;

#define MAX_THREADS 6u
#define MAX_OPS 8u
#define MAX_EVENTS (MAX_THREADS * MAX_OPS)
#define N_VARS 6u
#define N_LOCKS 2u
#define MAX_TRACES 200000u
#define MAX_STATES 1000003u

enum what { R, W, LOCK, UNLOCK, TRYLOCK, POST, WAIT };

struct step {
    enum what what;
    uint32_t object;
};

struct script {
    struct step ops[MAX_OPS];
    uint32_t n;
};

struct state {
    uint32_t at[MAX_THREADS];
    int owner[N_LOCKS];
    int count[N_LOCKS]; /* of semaphores */
    uint32_t value[N_VARS];
    uint32_t reg[MAX_THREADS];
    uint8_t log[MAX_EVENTS]; /* thread << 4 | operation, in order */
    uint32_t n_log;
    uint64_t trace;       /* the order of all dependent operations, whatever that of the others */
    uint64_t other_trace; /* the same with threads 1 and 2 exchanged */
};

struct set {
    uint64_t v[MAX_TRACES];
    size_t n;
};

/* States that the plain enumeration went on from, of the check with this number. */
struct passed_state {
    uint64_t hash;
    uint32_t check;
};

static struct passed_state visited[MAX_STATES];
static uint32_t n_checks, n_visited;
static struct script scripts[MAX_THREADS];
static uint32_t n_threads;
static struct burl_thread threads[MAX_THREADS];
static struct burl_wire_ctl *ctl;
static struct set all_traces, all_ends, seen_traces, seen_ends;
static uint64_t n_pruned;
static uint64_t n_done;
/* Threads 1 and 2 run the same script from the same start: which is which does not count. */
static bool alike;

/* ---- what operations do ------------------------------------------------------------ */

static const struct step *
next_step(const struct state *s, uint32_t t)
{
    return s->at[t] < scripts[t].n ? &scripts[t].ops[s->at[t]] : NULL;
}

static bool
can_run(const struct state *s, uint32_t t)
{
    const struct step *p = next_step(s, t);

    if (p == NULL)
        return false;
    if (p->what == LOCK)
        return s->owner[p->object] < 0;
    return p->what != WAIT || s->count[p->object] > 0;
}

static uint32_t
fold(uint32_t a, uint32_t b)
{
    return (uint32_t)burl_mix64((uint64_t)a << 32 | b);
}

static bool
test_depends(const struct step *a, const struct step *b)
{
    const bool memory = a->what <= W;

    if (a->object != b->object || memory != (b->what <= W) ||
        (a->what >= POST) != (b->what >= POST))
        return false;
    return !memory || a->what == W || b->what == W;
}

/* The event of the other one of the threads that are alike. */
static uint8_t
exchanged(uint8_t event)
{
    const uint32_t t = event >> 4;

    return t == 1 || t == 2 ? (uint8_t)((3 - t) << 4 | (event & 15)) : event;
}

static uint64_t
ordered(uint8_t first, uint8_t then)
{
    return burl_mix64(((uint64_t)first << 32) + then + 1);
}

static void
add_to_trace(struct state *s, uint8_t event)
{
    const struct step *b = &scripts[event >> 4].ops[event & 15];

    s->trace += burl_mix64(1000 + event);
    s->other_trace += burl_mix64(1000 + exchanged(event));
    for (uint32_t k = 0; k < s->n_log; k++) {
        const uint8_t before = s->log[k];
        const struct step *a = &scripts[before >> 4].ops[before & 15];

        if (before >> 4 == event >> 4 || !test_depends(a, b))
            continue;
        s->trace += ordered(before, event);
        s->other_trace += ordered(exchanged(before), exchanged(event));
    }
    s->log[s->n_log++] = event;
}

static void
perform(struct state *s, uint32_t t)
{
    const struct step *p = next_step(s, t);
    const uint32_t o = p->object;

    add_to_trace(s, (uint8_t)(t << 4 | s->at[t]));
    s->at[t]++;
    switch (p->what) {
    case R:
        s->reg[t] = fold(s->reg[t], s->value[o]);
        break;
    case W:
        s->value[o] = fold(s->reg[t], (alike && t == 2 ? 1 : t) * MAX_OPS + s->at[t]);
        break;
    case LOCK:
        s->owner[o] = (int)t;
        break;
    case UNLOCK:
        s->owner[o] = -1;
        break;
    case TRYLOCK:
        s->reg[t] = fold(s->reg[t], s->owner[o] < 0);
        if (s->owner[o] < 0)
            s->owner[o] = (int)t;
        else
            s->at[t] = scripts[t].n; /* without it there is nothing to do */
        break;
    case POST:
        s->count[o]++;
        break;
    case WAIT:
        s->count[o]--;
        break;
    }
}

static uint64_t
end_with(const struct state *s, const uint32_t *names)
{
    uint64_t h = 1;

    for (uint32_t i = 0; i < N_VARS; i++)
        h = burl_mix64(h + s->value[i]);
    for (uint32_t i = 0; i < n_threads; i++)
        h = burl_mix64(h * 3 + s->reg[names[i]] + s->at[names[i]]);
    return h;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t
trace_of(const struct state *s)
{
    return alike ? least(s->trace, s->other_trace) : s->trace;
}

static uint64_t
end_of(const struct state *s)
{
    static const uint32_t names[MAX_THREADS] = { 0, 1, 2, 3, 4, 5 };
    static const uint32_t others[MAX_THREADS] = { 0, 2, 1, 3, 4, 5 };

    return alike ? least(end_with(s, names), end_with(s, others)) : end_with(s, names);
}

/* False: it was there. */
static bool
set_add(struct set *set, uint64_t item)
{
    for (size_t i = 0; i < set->n; i++) {
        if (set->v[i] == item)
            return false;
    }
    assert_true(set->n < MAX_TRACES);
    set->v[set->n++] = item;
    return true;
}

static struct state
start_state(void)
{
    struct state s;

    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < N_LOCKS; i++)
        s.owner[i] = -1;
    return s;
}

/* ---- plain enumeration -------------------------------------------------------------- */

/* Whether this very state was gone on from before: all that operations look at, what was done, and
 * in which order. What follows depends on nothing else, so it need not be enumerated again. */
static bool
was_here(const struct state *s)
{
    uint64_t h = burl_mix64(s->trace) + s->other_trace;
    size_t slot;

    for (uint32_t i = 0; i < n_threads; i++)
        h = burl_mix64(h + ((uint64_t)s->reg[i] << 32) + s->at[i]);
    for (uint32_t i = 0; i < N_LOCKS; i++)
        h = burl_mix64(h + ((uint64_t)(uint32_t)s->owner[i] << 32) + (uint32_t)s->count[i]);
    for (uint32_t i = 0; i < N_VARS; i++)
        h = burl_mix64(h + s->value[i]);
    for (slot = h % MAX_STATES; visited[slot].check == n_checks; slot = (slot + 1) % MAX_STATES) {
        if (visited[slot].hash == h)
            return true;
    }
    assert_true(++n_visited < MAX_STATES);
    visited[slot].hash = h;
    visited[slot].check = n_checks;
    return false;
}

static void
enumerate(const struct state *s)
{
    bool any = false;

    if (was_here(s))
        return;
    for (uint32_t t = 0; t < n_threads; t++) {
        struct state next = *s;

        if (!can_run(s, t))
            continue;
        any = true;
        perform(&next, t);
        enumerate(&next);
    }
    if (!any) {
        set_add(&all_traces, trace_of(s));
        set_add(&all_ends, end_of(s));
    }
}

/* ---- by the strategy ----------------------------------------------------------------- */

static uint16_t runnable[MAX_THREADS];

static struct burl_op
op_of(const struct step *p)
{
    static const uint8_t kinds[] = { BURL_OP_READ,    BURL_OP_WRITE,   BURL_OP_LOCK,
                                     BURL_OP_UNLOCK,  BURL_OP_TRYLOCK, BURL_OP_SEM_POST,
                                     BURL_OP_SEM_WAIT };
    const bool memory = p->what <= W;
    const uintptr_t base = memory ? 0x1000 : p->what >= POST ? 0x3000 : 0x2000;

    return (struct burl_op){ .kind = kinds[p->what],
                             .size_b = memory ? 4 : 0,
                             .aux = memory ? 4 : 0,
                             .addr = base + 4 * p->object }; /* two share a granule */
}

static uint32_t
collect(const struct state *s)
{
    uint32_t n = 0;

    for (uint32_t t = 0; t < n_threads; t++) {
        const struct step *p = next_step(s, t);

        threads[t].op = p != NULL ? op_of(p) : (struct burl_op){ 0 };
        threads[t].state = p == NULL       ? BURL_THREAD_FINISHED
                           : can_run(s, t) ? BURL_THREAD_RUNNABLE
                                           : BURL_THREAD_BLOCKED;
        if (can_run(s, t))
            runnable[n++] = (uint16_t)t;
    }
    burl_rt.exec.n_runnable = n;
    return n;
}

/* As sched.c: the strategy is not asked when only the current thread can go on. */
static void
execute(struct state *s)
{
    uint16_t current = 0;
    uint32_t n;

    while ((n = collect(s)) > 0) {
        struct burl_choice c = { .runnable = runnable, .n_runnable = n, .current = current };

        for (uint32_t i = 0; i < n; i++)
            c.current_runnable |= runnable[i] == current;
        if (n > 1 || !c.current_runnable)
            current = exhaustive_pick(&c);
        burl_rt.current = &threads[current];
        exhaustive_commit(&threads[current], &threads[current].op);
        perform(s, current);
    }
    if (!set_add(&seen_traces, trace_of(s)) && !alike)
        fail_msg("a trace was explored twice");
    set_add(&seen_ends, end_of(s));
}

static bool moves; /* after each execution, to another process */

/* Nothing is left but what the host would carry over: the stack, as long as it is. */
static void
move(void)
{
    char *area = (char *)ctl + ctl->search_off;
    const struct burl_search_stack *from = (const void *)area;
    const size_t size_b = sizeof *from + from->n * sizeof from->frames[0];
    void *kept = burl_xmemdup(area, size_b);

    memset(area, 0xa5, ctl->search_b);
    memset(&x, 0, sizeof x);
    memset(&d, 0, sizeof d);
    memset(&awaits, 0, sizeof awaits);
    memset(&sym, 0, sizeof sym);
    memcpy(area, kept, size_b);
    free(kept);
}

static void
begin_search(bool anew)
{
    const union burl_wire_args args = { .exhaustive = { .begin = anew } };

    exhaustive_begin(&args);
}

static void
search(void)
{
    static struct state s;

    memset(&ctl->result, 0, sizeof ctl->result);
    burl_rt.exec.n_threads = n_threads;
    do {
        s = start_state();
        burl_rt.exec.now_ns = BURL_EXEC_START_NS;
        begin_search(ctl->result.n_done == 0);
        for (uint16_t t = 0; t < n_threads; t++)
            burl__dpor_thread_new(burl_rt.threads[t]);
        if (setjmp(ended) == 0)
            execute(&s);
        exhaustive_finish();
        if (moves)
            move();
        if (++ctl->result.n_done > 1000000)
            fail_msg("the search does not end");
    } while (ctl->result.search != BURL_SEARCH_COMPLETE);
    n_pruned = ctl->result.search_pruned;
    assert_int_equal(ctl->result.search_unsure, 0);
    n_done = ctl->result.n_done;
    if (!alike)
        assert_int_equal(n_done, seen_traces.n + n_pruned);
}

/* To repeat what failed. */
static void
print_scripts(void)
{
    static const char *const names[] = { "R", "W", "LOCK", "UNLOCK", "TRYLOCK", "POST", "WAIT" };

    for (uint32_t t = 0; t < n_threads; t++) {
        printf("thread %u:", t);
        for (uint32_t i = 0; i < scripts[t].n; i++)
            printf(" %s %u", names[scripts[t].ops[i].what], scripts[t].ops[i].object);
        printf("\n");
    }
}

static void
check(void)
{
    const struct state s = start_state();

    all_traces.n = all_ends.n = seen_traces.n = seen_ends.n = 0;
    n_checks++;
    n_visited = 0;
    enumerate(&s);
    search();
    if (seen_traces.n != all_traces.n)
        print_scripts();
    for (size_t i = 0; i < seen_traces.n; i++) {
        if (set_add(&all_traces, seen_traces.v[i]))
            fail_msg("a trace that cannot be");
    }
    assert_int_equal(seen_traces.n, all_traces.n);
    for (size_t i = 0; i < seen_ends.n; i++)
        assert_false(set_add(&all_ends, seen_ends.v[i]));
    assert_int_equal(seen_ends.n, all_ends.n);
}

/* ---- shapes --------------------------------------------------------------------------- */

static void
no_threads(void)
{
    n_threads = 0;
    memset(scripts, 0, sizeof scripts);
}

static void
thread(uint32_t n, ...)
{
    struct script *p = &scripts[n_threads++];
    va_list ap;

    va_start(ap, n);
    for (uint32_t i = 0; i < n; i++) {
        p->ops[i].what = (enum what)va_arg(ap, int);
        p->ops[i].object = (uint32_t)va_arg(ap, int);
    }
    p->n = n;
    va_end(ap);
}

/* Numbers of traces under sequential consistency. */
static void
litmus_shapes_have_their_numbers(void **state)
{
    (void)state;
    no_threads(); /* store buffering */
    thread(2, W, 0, R, 1);
    thread(2, W, 1, R, 0);
    check();
    assert_int_equal(seen_traces.n, 3);
    assert_int_equal(n_pruned, 0);
    no_threads(); /* message passing */
    thread(2, W, 0, W, 1);
    thread(2, R, 1, R, 0);
    check();
    assert_int_equal(seen_traces.n, 3);
    no_threads(); /* load buffering */
    thread(2, R, 0, W, 1);
    thread(2, R, 1, W, 0);
    check();
    assert_int_equal(seen_traces.n, 3);
    no_threads(); /* independent reads of independent writes */
    thread(1, W, 0);
    thread(1, W, 1);
    thread(2, R, 0, R, 1);
    thread(2, R, 1, R, 0);
    check();
    assert_int_equal(seen_traces.n, 15);
}

static void
writers_of_one_variable_come_in_every_order(void **state)
{
    static const size_t want[] = { 1, 1, 2, 6, 24, 120 };

    (void)state;
    for (uint32_t n = 1; n <= 5; n++) {
        no_threads();
        for (uint32_t i = 0; i < n; i++)
            thread(1, W, 0);
        check();
        assert_int_equal(seen_traces.n, want[n]);
        assert_int_equal(n_pruned, 0);
        no_threads();
        for (uint32_t i = 0; i < n && n < 5; i++)
            thread(3, LOCK, 0, W, 0, UNLOCK, 0);
        check();
        assert_int_equal(seen_traces.n, n < 5 ? want[n] : 1);
    }
}

static void
readers_see_a_writer_or_not(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 5; n++) {
        no_threads();
        thread(1, W, 0);
        for (uint32_t i = 0; i < n; i++)
            thread(1, R, 0);
        check();
        assert_int_equal(seen_traces.n, 1u << n);
    }
}

static void
locks_in_two_orders_deadlock_in_one_trace(void **state)
{
    (void)state;
    no_threads();
    thread(4, LOCK, 0, LOCK, 1, UNLOCK, 1, UNLOCK, 0);
    thread(4, LOCK, 1, LOCK, 0, UNLOCK, 0, UNLOCK, 1);
    check();
    assert_int_equal(seen_traces.n, 3);
}

static void
semaphores_order_what_they_order(void **state)
{
    (void)state;
    no_threads();
    thread(2, W, 0, POST, 0);
    thread(2, WAIT, 0, R, 0);
    check();
    assert_int_equal(seen_traces.n, 1);
    no_threads();
    thread(1, POST, 0);
    thread(1, POST, 0);
    thread(2, WAIT, 0, W, 0);
    check();
}

/* ---- random ones ------------------------------------------------------------------------ */

static uint64_t
draw(uint64_t *rng)
{
    return burl_mix64(*rng += 0x9e3779b97f4a7c15ull);
}

static void
add_op(struct script *p, enum what what, uint32_t object)
{
    if (p->n < MAX_OPS)
        p->ops[p->n++] = (struct step){ .what = what, .object = object };
}

static void
add_accesses(struct script *p, uint64_t *rng, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t bits = draw(rng);

        add_op(p, bits & 1 ? W : R, (uint32_t)(bits >> 1) % 3);
    }
}

static void
make_more_of(struct script *p, uint64_t *rng)
{
    const uint64_t bits = draw(rng);
    const uint32_t lock = bits >> 8 & 1;

    switch (bits % 6) {
    case 0: /* a critical section */
        add_op(p, LOCK, lock);
        add_accesses(p, rng, 1);
        add_op(p, UNLOCK, lock);
        add_accesses(p, rng, 1);
        break;
    case 1: /* two of them, one in the other */
        add_op(p, LOCK, lock);
        add_op(p, LOCK, !lock);
        add_accesses(p, rng, 1);
        add_op(p, UNLOCK, !lock);
        add_op(p, UNLOCK, lock);
        break;
    case 2:
        add_accesses(p, rng, 1);
        add_op(p, TRYLOCK, lock);
        add_accesses(p, rng, 1);
        add_op(p, UNLOCK, lock);
        break;
    case 3:
        add_accesses(p, rng, 1);
        add_op(p, bits & 512 ? POST : WAIT, lock);
        add_op(p, bits & 1024 ? POST : WAIT, 0);
        add_accesses(p, rng, 1);
        break;
    default:
        add_accesses(p, rng, 2 + (uint32_t)(bits >> 4) % 3);
        break;
    }
}

static void
make_thread(struct script *p, uint64_t *rng)
{
    p->n = 0;
    make_more_of(p, rng);
}

static void
each_trace_is_explored_once(void **state)
{
    uint64_t rng = unit_seed();
    uint64_t traces = 0, pruned = 0;

    (void)state;
    for (int round = 0; round < 1200; round++) {
        no_threads();
        n_threads = 2 + (uint32_t)draw(&rng) % 2;
        for (uint32_t t = 0; t < n_threads; t++)
            make_thread(&scripts[t], &rng);
        check();
        traces += seen_traces.n;
        pruned += n_pruned;
    }
    /* Source sets give up few; plain sleep sets give up as many as they explore. */
    if (pruned * 4 > traces)
        fail_msg("%llu executions given up for %llu traces", (unsigned long long)pruned,
                 (unsigned long long)traces);
}

/* All but the names, with fewer executions than there are traces with names. */
static void
threads_that_are_alike_wait_for_one_another(void **state)
{
    uint64_t rng = unit_seed() + 1;
    uint64_t with = 0, without = 0;

    (void)state;
    for (int round = 0; round < 800; round++) {
        no_threads();
        n_threads = 3;
        make_thread(&scripts[0], &rng);
        scripts[1].n = 0;
        add_op(&scripts[1], R, N_VARS - 1); /* it starts: no thread writes this */
        make_more_of(&scripts[1], &rng);
        scripts[2] = scripts[1];
        for (int turn = 0; turn < 2; turn++) {
            alike = turn == 0;
            threads[2].arg = alike ? threads[1].arg : &threads[2];
            check();
            *(alike ? &with : &without) += n_done;
        }
    }
    alike = false;
    threads[2].arg = &threads[2];
    if (with * 3 > without * 2)
        fail_msg("%llu executions instead of %llu", (unsigned long long)with,
                 (unsigned long long)without);
}

/* A search that goes on in a new process after every single execution is the same search. */
static void
a_search_can_be_moved(void **state)
{
    uint64_t rng = unit_seed() + 2;

    (void)state;
    for (int round = 0; round < 300; round++) {
        uint64_t done, pruned, ends;

        no_threads();
        n_threads = 3;
        make_thread(&scripts[0], &rng);
        scripts[1].n = 0;
        add_op(&scripts[1], R, N_VARS - 1); /* it starts: no thread writes this */
        make_more_of(&scripts[1], &rng);
        scripts[2] = scripts[1];
        alike = round % 2;
        threads[2].arg = alike ? threads[1].arg : &threads[2];
        check();
        done = n_done;
        pruned = n_pruned;
        ends = seen_ends.n;
        moves = true;
        check();
        moves = false;
        assert_int_equal(n_done, done);
        assert_int_equal(n_pruned, pruned);
        assert_int_equal(seen_ends.n, ends);
    }
    alike = false;
    threads[2].arg = &threads[2];
}

static int
setup(void **state)
{
    const size_t search_b = 100000 * sizeof(struct burl_wire_event);

    (void)state;
    ctl = burl_xcalloc(1, sizeof *ctl + search_b);
    ctl->search_off = sizeof *ctl;
    ctl->search_b = search_b;
    burl_rt.ctl = ctl;
    burl_rt.all_points = true;
    burl_rt.current = &threads[0];
    for (uint16_t t = 0; t < MAX_THREADS; t++) {
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
        cmocka_unit_test(litmus_shapes_have_their_numbers),
        cmocka_unit_test(writers_of_one_variable_come_in_every_order),
        cmocka_unit_test(readers_see_a_writer_or_not),
        cmocka_unit_test(locks_in_two_orders_deadlock_in_one_trace),
        cmocka_unit_test(semaphores_order_what_they_order),
        cmocka_unit_test(each_trace_is_explored_once),
        cmocka_unit_test(threads_that_are_alike_wait_for_one_another),
        cmocka_unit_test(a_search_can_be_moved),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
