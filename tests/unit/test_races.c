/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_races.c - what people and machines read about races, broken regions and suspects.
 *
 * Verdicts made by hand, with and without a trace. Beside the golden files stand the laws of the
 * fingerprint: one variable is one finding, whichever pair of places was met.
 */
#include "base/json.h"
#include "report/finding/suspects.h"
#include "trace_build.h"

static const char *const argv_races[] = { "./races" };

static const struct burl_report_facts facts = {
    .number = 5,
    .argv = argv_races,
    .n_argv = 1,
    .build_id = "8f3a5c0011223344",
    .engine = "fibers",
    .strategy = "directed",
    .facts.seed = 7,
    .facts.count = 12,
    .facts.confirmed = 20,
    .facts.confirm_tries = 20,
    .replay = "burl replay 5",
    .schedule = ".burl/findings/5/schedule.txt",
};

enum {
    HITS = 0x4010,
    READY = 0x4020,
    TABLE_LOCK = 0x4040,
    FROM = 0x4080,
    TO = 0x4084,
    BLOCK = 0x600000000010,
    COUNT = 0x600000000038
};

/* ---- the executions ---------------------------------------------------------------- */

struct places {
    uint32_t f_main, f_worker, f_bump, f_reader, f_lock_it, f_pusher, f_poller, f_setter, f_reset;
    uint32_t f_mover, f_auditor, f_make;
    uint32_t c1, c2;
    uint32_t bump_read, bump_write, read_hits;
    uint32_t lock_table, lock_q, push_read, push_write, poll, alloc;
    uint32_t store, reset;
    uint32_t from_read, from_write, to_write, audit_from, audit_to;
};

static struct places
make_places(struct tb *b)
{
    struct places p;

    tb_init(b, "races.c");
    p.f_main = tb_func(b, "main", "main(void)");
    p.f_worker = tb_func(b, "worker", "worker(void *arg)");
    p.f_bump = tb_func(b, "bump", "bump(int *p)");
    p.f_reader = tb_func(b, "reader", "reader(void *arg)");
    p.f_lock_it = tb_func(b, "lock_it", "lock_it(pthread_mutex_t *m)");
    p.f_pusher = tb_func(b, "pusher", "pusher(void *arg)");
    p.f_poller = tb_func(b, "poller", "poller(void *arg)");
    p.f_setter = tb_func(b, "setter", "setter(void *arg)");
    p.f_reset = tb_func(b, "reset", "reset(void)");
    p.f_mover = tb_func(b, "mover", "mover(void *arg)");
    p.f_auditor = tb_func(b, "auditor", "auditor(void *arg)");
    p.f_make = tb_func(b, "make_queue", "make_queue(void)");
    p.c1 = tb_call(b, "main", "pthread_create(&a", "pthread_create");
    p.c2 = tb_call(b, "main", "pthread_create(&b", "pthread_create");
    p.bump_read = tb_site(b, BURL_SITE_READ, "bump", "*p = *p + 1", "*p + 1", "*p");
    p.bump_write = tb_site(b, BURL_SITE_WRITE, "bump", "*p = *p + 1", "*p =", "*p");
    p.read_hits = tb_site(b, BURL_SITE_READ, "reader", "(long)hits", "hits", "hits");
    p.lock_table = tb_call(b, "lock_it", "pthread_mutex_lock(m)", "pthread_mutex_lock");
    p.lock_q = tb_call(b, "pusher", "pthread_mutex_lock(&q->m)", "pthread_mutex_lock");
    p.push_read = tb_site(b, BURL_SITE_READ, "pusher", "q->count++", "q->count", "q->count");
    p.push_write = tb_site(b, BURL_SITE_WRITE, "pusher", "q->count++", "q->count", "q->count");
    p.poll =
        tb_site(b, BURL_SITE_READ, "poller", "while (mine->count", "mine->count", "mine->count");
    p.alloc = tb_call(b, "make_queue", "calloc(1", "calloc");
    p.store = tb_site(b, BURL_SITE_ATOMIC_STORE, "setter", "atomic_store(&ready", "atomic_store",
                      "ready");
    p.reset = tb_site(b, BURL_SITE_WRITE, "reset", "*(int *)&ready = 0", "*(int", "ready");
    p.from_read = tb_site(b, BURL_SITE_READ, "mover", "from_account -= 10", "from", "from_account");
    p.from_write =
        tb_site(b, BURL_SITE_WRITE, "mover", "from_account -= 10", "from", "from_account");
    p.to_write = tb_site(b, BURL_SITE_WRITE, "mover", "to_account += 10", "to_", "to_account");
    p.audit_from =
        tb_site(b, BURL_SITE_READ, "auditor", "(from_account + to", "from", "from_account");
    p.audit_to =
        tb_site(b, BURL_SITE_READ, "auditor", "(from_account + to", "to_acc", "to_account");
    return p;
}

static void
give_symbols(struct tb *b)
{
    tb_run(b);
    burl_sites_fix_symbol(b->table, "hits", HITS, 4);
    burl_sites_fix_symbol(b->table, "ready", READY, 4);
    burl_sites_fix_symbol(b->table, "table_lock", TABLE_LOCK, 40);
    burl_sites_fix_symbol(b->table, "from_account", FROM, 4);
    burl_sites_fix_symbol(b->table, "to_account", TO, 4);
}

static struct burl_wire_side
side(uint16_t tid, uint8_t op, uint32_t site, uint64_t addr)
{
    return (struct burl_wire_side){ .addr = addr, .site = site, .size_b = 4, .tid = tid, .op = op };
}

static void
set_race(struct tb *b, struct burl_wire_side first, struct burl_wire_side second, uint8_t origin)
{
    struct burl_wire_verdict *v = &b->run.verdict;

    v->kind = BURL_VERDICT_RACE_DATA;
    v->tid = second.tid;
    v->op = second.op;
    v->site = second.site;
    v->addr = second.addr;
    v->n_sides = 2;
    v->sides[0] = first;
    v->sides[1] = second;
    memcpy(v->stack, second.stack, sizeof v->stack);
    v->origin = (struct burl_wire_origin){ .kind = origin, .tid = BURL_TID_NONE };
}

static void
start_two(struct tb *b, const struct places *p, uint32_t f1)
{
    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 0, p->f_main);
    tb_event(b, 0, BURL_OP_CREATE, p->c1, 0, 1);
    tb_event(b, 0, BURL_OP_CREATE, p->c2, 0, 2);
    tb_switch(b, 0, BURL_OP_JOIN, 0, 1, BURL_SWITCH_BLOCKED);
    tb_event(b, 1, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 1, f1);
}

/* One side knows the name, the other only a pointer. */
static void
make_global(struct tb *b)
{
    struct places p = make_places(b);
    struct burl_wire_side first = side(1, BURL_OP_WRITE, p.bump_write, HITS);
    struct burl_wire_side second = side(2, BURL_OP_READ, p.read_hits, HITS);

    start_two(b, &p, p.f_worker);
    tb_enter(b, 1, p.f_bump);
    tb_read(b, 1, p.bump_read, HITS, 0);
    tb_write(b, 1, p.bump_write, HITS, 0, 1);
    tb_switch(b, 1, BURL_OP_EXIT_THREAD, 0, 2, BURL_SWITCH_PREEMPT);
    tb_event(b, 2, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 2, p.f_reader);
    tb_read(b, 2, p.read_hits, HITS, 1);
    first.stack[0] = p.f_bump;
    first.stack[1] = p.f_worker;
    second.stack[0] = p.f_reader;
    set_race(b, first, second, BURL_ORIGIN_GLOBAL);
}

/* Locks on one side only, and memory of the heap. */
static void
make_heap(struct tb *b)
{
    struct places p = make_places(b);
    struct burl_wire_side first = side(1, BURL_OP_WRITE, p.push_write, COUNT);
    struct burl_wire_side second = side(2, BURL_OP_READ, p.poll, COUNT);

    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 0, p.f_main);
    tb_enter(b, 0, p.f_make);
    tb_event(b, 0, BURL_OP_ALLOC, p.alloc, BLOCK, 48);
    tb_leave(b, 0);
    tb_event(b, 0, BURL_OP_CREATE, p.c1, 0, 1);
    tb_event(b, 0, BURL_OP_CREATE, p.c2, 0, 2);
    tb_switch(b, 0, BURL_OP_JOIN, 0, 1, BURL_SWITCH_BLOCKED);
    tb_event(b, 1, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 1, p.f_pusher);
    tb_enter(b, 1, p.f_lock_it);
    tb_event(b, 1, BURL_OP_LOCK, p.lock_table, TABLE_LOCK, 0);
    tb_leave(b, 1);
    tb_event(b, 1, BURL_OP_LOCK, p.lock_q, BLOCK, 0);
    tb_read(b, 1, p.push_read, COUNT, 0);
    tb_write(b, 1, p.push_write, COUNT, 0, 1);
    tb_switch(b, 1, BURL_OP_UNLOCK, 0, 2, BURL_SWITCH_PREEMPT);
    tb_event(b, 2, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 2, p.f_poller);
    first.stack[0] = p.f_pusher;
    first.n_locks = 2;
    first.locks[0] = (struct burl_wire_lock){ .addr = TABLE_LOCK, .site = p.lock_table };
    first.locks[1] = (struct burl_wire_lock){ .addr = BLOCK, .site = p.lock_q };
    second.stack[0] = p.f_poller;
    set_race(b, first, second, BURL_ORIGIN_HEAP);
    b->run.verdict.origin.addr = BLOCK;
    b->run.verdict.origin.size_b = 48;
    b->run.verdict.origin.site = p.alloc;
}

/* As free mode tells it: no trace at all. */
static void
make_mixed(struct tb *b)
{
    struct places p = make_places(b);
    struct burl_wire_side first = side(1, BURL_OP_ATOMIC_STORE, p.store, READY);
    struct burl_wire_side second = side(0, BURL_OP_WRITE, p.reset, READY);

    first.flags = BURL_SIDE_F_ATOMIC;
    first.stack[0] = p.f_setter;
    second.stack[0] = p.f_reset;
    second.stack[1] = p.f_main;
    set_race(b, first, second, BURL_ORIGIN_GLOBAL);
}

static void
make_region(struct tb *b)
{
    struct places p = make_places(b);
    struct burl_wire_side first = side(1, BURL_OP_WRITE, p.from_write, FROM);
    struct burl_wire_side second = side(2, BURL_OP_READ, p.audit_from, FROM);

    start_two(b, &p, p.f_mover);
    tb_read(b, 1, p.from_read, FROM, 100);
    tb_write(b, 1, p.from_write, FROM, 100, 90);
    tb_switch(b, 1, BURL_OP_WRITE, p.to_write, 2, BURL_SWITCH_PREEMPT);
    tb_event(b, 2, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 2, p.f_auditor);
    tb_read(b, 2, p.audit_from, FROM, 90);
    tb_read(b, 2, p.audit_to, TO, 50);
    tb_switch(b, 2, BURL_OP_EXIT_THREAD, 0, 1, BURL_SWITCH_PREEMPT);
    tb_write(b, 1, p.to_write, TO, 50, 60);
    first.stack[0] = p.f_mover;
    second.stack[0] = p.f_auditor;
    set_race(b, first, second, BURL_ORIGIN_GLOBAL);
    b->run.verdict.kind = BURL_VERDICT_ATOMICITY_REGION;
    b->run.verdict.tid = 1;
    b->run.verdict.site = p.to_write;
    b->run.verdict.op = BURL_OP_WRITE;
    snprintf(b->run.verdict.text, sizeof b->run.verdict.text, "transfer");
}

/* ---- golden ------------------------------------------------------------------------ */

static const struct burl_report_style ascii = { .width = 100 };

static struct burl_finding *
finding_of(struct tb *b, const struct burl_report_facts *with)
{
    give_symbols(b);
    return burl_report_finding_new(&b->run, b->table, with);
}

static void
check(struct tb *b, const char *golden, const struct burl_report_style *style,
      const struct burl_report_facts *with)
{
    struct burl_finding *f = finding_of(b, with);
    struct burl_buf out = BURL_BUF_INIT;

    burl_report_line(f, style, &out);
    burl_buf_char(&out, '\n');
    burl_report_text(f, style, &out);
    tb_check_read(f);
    tb_golden(golden, burl_buf_str(&out));
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
    tb_deinit(b);
}

static void
a_race_on_a_global_reads_well(void **state)
{
    struct burl_report_facts with = facts;
    struct burl_wire_suspect pair = { .n_sites = 2, .count = 3, .kind = BURL_SUSPECT_RACE };
    struct tb b;

    (void)state;
    make_global(&b);
    with.outcome = BURL_FINDING_OUTCOME_DIFFERS;
    with.order_sites[0] = b.run.verdict.sides[1].site;
    with.order_sites[1] = b.run.verdict.sides[0].site;
    with.order_ends[0] = "exit 0";
    with.order_ends[1] = "crash.abort: assertion `hits == 0' failed";
    with.order_failure = 0x1234;
    pair.sites[0] = b.run.verdict.sides[0].site;
    pair.sites[1] = b.run.verdict.sides[0].site;
    pair.ops[0] = pair.ops[1] = BURL_OP_WRITE;
    with.pairs = &pair;
    with.n_pairs = 1;
    check(&b, "race-global.txt", &ascii, &with);
}

static void
a_race_on_the_heap_shows_locks_and_allocation(void **state)
{
    struct tb b;

    (void)state;
    make_heap(&b);
    check(&b, "race-heap.txt", &ascii, &facts);
}

static void
the_same_narrow_with_unicode_and_color(void **state)
{
    const struct burl_report_style style = { .width = 64, .color = true, .unicode = true };
    struct tb b;

    (void)state;
    make_heap(&b);
    check(&b, "race-heap-narrow.txt", &style, &facts);
}

static void
a_mixed_race_without_a_trace_is_complete(void **state)
{
    struct burl_report_facts with = { .number = 6, .engine = "free", .facts.count = 1 };
    struct tb b;

    (void)state;
    with.argv = argv_races;
    with.n_argv = 1;
    make_mixed(&b);
    check(&b, "race-mixed.txt", &ascii, &with);
}

static void
a_broken_region_says_what_came_in_between(void **state)
{
    struct tb b;

    (void)state;
    make_region(&b);
    check(&b, "region.txt", &ascii, &facts);
}

static void
json_has_both_sides(void **state)
{
    const struct burl_json_value *accesses;
    const struct burl_json_value *memory;
    struct burl_json_value *doc = NULL;
    struct burl_finding *f;
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_err err;
    struct tb b;

    (void)state;
    make_heap(&b);
    f = finding_of(&b, &facts);
    burl_report_json(f, &out);
    tb_golden("race-heap.json", burl_buf_str(&out));
    EXPECT_OK(burl_json_parse(&doc, out.p, out.n, &err), &err);
    accesses = burl_json_get(doc, "accesses");
    assert_int_equal(burl_json_count(accesses), 2);
    assert_int_equal(burl_json_count(burl_json_get(burl_json_at(accesses, 0), "locks")), 2);
    assert_int_equal(burl_json_count(burl_json_get(burl_json_at(accesses, 1), "locks")), 0);
    memory = burl_json_get(doc, "memory");
    assert_string_equal(burl_json_as_str(burl_json_get(memory, "kind"), ""), "heap");
    assert_int_equal(burl_json_count(burl_json_get(memory, "allocated_stack")), 2);
    burl_json_free(doc);
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* ---- laws of the fingerprint ------------------------------------------------------- */

static uint64_t
print_of(struct tb *b, char *cause, size_t max)
{
    struct burl_buf text = BURL_BUF_INIT;
    uint64_t h;

    h = burl_fingerprint(&b->run.verdict, b->table, &text);
    snprintf(cause, max, "%s", burl_buf_str(&text));
    burl_buf_deinit(&text);
    return h;
}

static void
all_pairs_on_a_variable_are_one_finding(void **state)
{
    char cause[256];
    struct tb b;
    uint64_t first;

    (void)state;
    make_global(&b);
    give_symbols(&b);
    first = print_of(&b, cause, sizeof cause);
    assert_string_equal(cause, "race.data global hits");
    /* Both only know the pointer. */
    b.run.verdict.sides[1] = b.run.verdict.sides[0];
    b.run.verdict.sides[1].tid = 2;
    assert_true(print_of(&b, cause, sizeof cause) == first);
    /* The other order, other threads, and where the runtime does not know it is a global. */
    b.run.verdict.sides[1] = side(7, BURL_OP_READ, b.run.verdict.site, HITS);
    b.run.verdict.tid = 9;
    b.run.verdict.origin.kind = BURL_ORIGIN_UNKNOWN;
    assert_true(print_of(&b, cause, sizeof cause) == first);
    tb_deinit(&b);
}

static void
another_variable_is_another_finding(void **state)
{
    char cause[256];
    struct tb b;
    uint64_t first;

    (void)state;
    make_global(&b);
    give_symbols(&b);
    first = print_of(&b, cause, sizeof cause);
    /* The same places, on what the pointer led to this time. */
    b.run.verdict.sides[0].addr = READY;
    b.run.verdict.sides[1].addr = READY;
    b.run.verdict.sides[1].site = b.run.verdict.sides[0].site;
    assert_true(print_of(&b, cause, sizeof cause) != first);
    assert_string_equal(cause, "race.data global ready");
    tb_deinit(&b);
}

static void
members_of_heap_blocks_go_by_allocation_and_name(void **state)
{
    char cause[256];
    struct tb b;
    uint64_t first;

    (void)state;
    make_heap(&b);
    give_symbols(&b);
    first = print_of(&b, cause, sizeof cause);
    assert_string_equal(cause, "race.data heap make_queue calloc#1 count");
    /* `q->count` and `mine->count` in either order, and the freeing of the block. */
    b.run.verdict.sides[0].site = b.run.verdict.sides[1].site;
    assert_true(print_of(&b, cause, sizeof cause) == first);
    b.run.verdict.sides[0].site = b.run.verdict.sides[1].site + 1; /* the calloc: a call */
    assert_true(print_of(&b, cause, sizeof cause) == first);
    /* Freeing a block races on all of it at once. */
    b.run.verdict.sides[0].flags = BURL_SIDE_F_FREE;
    assert_true(print_of(&b, cause, sizeof cause) != first);
    assert_string_equal(cause, "race.data heap make_queue calloc#1 freed");
    b.run.verdict.sides[0].flags = 0;
    b.run.verdict.origin.site = 0; /* its allocation is not known */
    assert_true(print_of(&b, cause, sizeof cause) != first);
    tb_deinit(&b);
}

static void
names_are_read_as_paths(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        const char *want;
    } rows[] = {
        { "bank[].balance", "acct->balance", "race.data global bank.balance" },
        { "acct->balance", "acct->balance", "race.data global bank.balance" },
        { "*acct", "acct->balance", "race.data global bank.balance" },
        { "acct->owner[]", "acct->owner", "race.data global bank.owner" },
        { "acct->stats[].hits", "this->hits", "race.data global bank.hits" },
        { "bank[]", "p->x", "race.data global bank" },
        { "*p", "q[]", "race.data global bank" },
        { "arg->?", "q->id", "race.data global bank.id" },
        { "a->u.whole", "a->u.part", "race.data global bank.part,whole" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct burl_site_info infos[2] = {
            { .id = 1, .file = "f.c", .func = "f", .variable = rows[i].a, .kind = BURL_SITE_READ },
            { .id = 2, .file = "f.c", .func = "g", .variable = rows[i].b, .kind = BURL_SITE_WRITE },
        };
        struct burl_wire_verdict v = { .kind = BURL_VERDICT_RACE_DATA, .n_sides = 2 };
        struct burl_sites *sites = burl_sites_new_fixed(infos, 2);
        struct burl_buf cause = BURL_BUF_INIT;

        burl_sites_fix_symbol(sites, "bank", 0x1000, 640);
        v.sides[0] = side(1, BURL_OP_READ, 1, 0x1008);
        v.sides[1] = side(2, BURL_OP_WRITE, 2, 0x1008);
        v.origin.kind = BURL_ORIGIN_GLOBAL;
        burl_fingerprint(&v, sites, &cause);
        assert_string_equal(burl_buf_str(&cause), rows[i].want);
        burl_buf_deinit(&cause);
        burl_sites_free(sites);
    }
}

static void
the_inside_of_a_library_object_is_one_variable(void **state)
{
    static const char header[] = "/usr/include/c++/12/bits/stl_vector.h";
    const struct burl_site_info infos[2] = {
        { .id = 1,
          .file = header,
          .func = "push_back",
          .variable = "this->_M_finish",
          .kind = BURL_SITE_READ },
        { .id = 2,
          .file = header,
          .func = "push_back",
          .variable = "this->_M_start",
          .kind = BURL_SITE_WRITE },
    };
    struct burl_wire_verdict v = { .kind = BURL_VERDICT_RACE_DATA, .n_sides = 2 };
    struct burl_sites *sites = burl_sites_new_fixed(infos, 2);
    uint64_t finish, start;

    (void)state;
    burl_sites_fix_symbol(sites, "_ZN2db5namesE", 0x1000, 24);
    v.origin.kind = BURL_ORIGIN_GLOBAL;
    v.sides[0] = side(1, BURL_OP_WRITE, 1, 0x1008);
    v.sides[1] = side(2, BURL_OP_WRITE, 1, 0x1008);
    finish = burl_fingerprint(&v, sites, NULL);
    v.sides[0] = side(1, BURL_OP_WRITE, 2, 0x1000);
    v.sides[1] = side(2, BURL_OP_WRITE, 2, 0x1000);
    start = burl_fingerprint(&v, sites, NULL);
    assert_true(finish == start);
    burl_sites_free(sites);
}

static void
wild_counts_from_the_program_are_bounded(void **state)
{
    struct burl_finding *f;
    struct burl_buf out = BURL_BUF_INIT;
    struct tb b;

    (void)state;
    make_mixed(&b);
    b.run.verdict.sides[0].n_locks = 4000000000u;
    b.run.verdict.sides[1].tid = BURL_TID_NONE;
    b.run.verdict.sides[1].size_b = 4000000000u;
    b.run.verdict.sides[1].op = 200;
    b.run.verdict.origin.kind = 77;
    for (size_t i = 0; i < BURL_WIRE_MAX_STACK; i++)
        b.run.verdict.sides[0].stack[i] = 0xfffffff0u;
    f = finding_of(&b, &facts);
    burl_report_text(f, &ascii, &out);
    burl_report_json(f, &out);
    assert_true(out.n > 100);
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* ---- suspects ---------------------------------------------------------------------- */

static struct burl_wire_suspect
suspect(uint8_t kind, uint64_t addr, size_t n, const uint32_t *sites, const uint8_t *ops)
{
    struct burl_wire_suspect s = { .kind = kind, .addr = addr, .n_sites = (uint8_t)n, .count = 2 };

    for (size_t i = 0; i < n; i++) {
        s.sites[i] = sites[i];
        s.ops[i] = ops[i];
        s.tids[i] = (uint16_t)(1 + i / 2);
    }
    s.key = burl_wire_suspect_key(kind, sites, (uint32_t)n);
    return s;
}

struct sample {
    struct tb b;
    struct places p;
    struct burl_wire_suspect wire[6];
    struct burl_report_suspect list[6];
    struct burl_finding *finding;
    const struct burl_finding *findings[1];
    struct burl_report_suspects all;
};

static void
make_suspects(struct sample *s)
{
    struct places p = make_places(&s->b);
    static const uint8_t rw[] = { BURL_OP_READ, BURL_OP_WRITE };
    static const uint8_t rwr[] = { BURL_OP_READ, BURL_OP_WRITE, BURL_OP_WRITE };
    static const uint8_t locks[] = { BURL_OP_LOCK, BURL_OP_LOCK, BURL_OP_LOCK, BURL_OP_LOCK };
    const uint32_t count[] = { p.poll, p.push_write };
    const uint32_t hits[] = { p.read_hits, p.bump_write };
    const uint32_t triple[] = { p.from_read, p.audit_from, p.from_write };
    const uint32_t other[] = { p.push_read, p.poll, p.push_write };
    const uint32_t cycle[] = { p.lock_table, p.lock_q, p.lock_q, p.lock_table };
    const uint32_t signal[] = { p.c1, p.c2 };

    s->p = p;
    give_symbols(&s->b);
    s->wire[0] = suspect(BURL_SUSPECT_SIGNAL, 0x5000, 2, signal, rw);
    s->wire[1] = suspect(BURL_SUSPECT_TRIPLE, FROM, 3, triple, rwr);
    s->wire[1].rank = 9;
    s->wire[2] = suspect(BURL_SUSPECT_TRIPLE, COUNT, 3, other, rwr);
    s->wire[2].rank = 4;
    s->wire[3] = suspect(BURL_SUSPECT_CYCLE, TABLE_LOCK, 4, cycle, locks);
    s->wire[4] = suspect(BURL_SUSPECT_POTENTIAL, COUNT, 2, count, rw);
    s->wire[5] = suspect(BURL_SUSPECT_POTENTIAL, HITS, 2, hits, rw);
    for (size_t i = 0; i < 6; i++)
        s->list[i] = (struct burl_report_suspect){ .suspect = &s->wire[i] };
    s->list[1].state = BURL_REPORT_SUSPECT_HARMLESS;
    s->list[2].state = BURL_REPORT_SUSPECT_HARMLESS;
    s->list[3].state = BURL_REPORT_SUSPECT_UNCONFIRMED;
    s->list[3].tries = 10;
    s->list[4].state = BURL_REPORT_SUSPECT_UNCONFIRMED;
    s->list[4].tries = 1;
    s->all = (struct burl_report_suspects){ .v = s->list, .n = 6 };
}

static void
the_list_of_suspects_reads_well(void **state)
{
    struct burl_json_writer w;
    struct burl_buf out = BURL_BUF_INIT;
    struct sample s;

    (void)state;
    make_suspects(&s);
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    tb_golden("suspects.txt", burl_buf_str(&out));
    burl_buf_clear(&out);
    s.all.all = true;
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    tb_golden("suspects-all.txt", burl_buf_str(&out));
    burl_buf_clear(&out);
    burl_json_writer_init(&w, &out, 2);
    burl_json_object_begin(&w);
    burl_report_suspects_json(&s.all, s.b.table, &w);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    tb_golden("suspects.json", burl_buf_str(&out));
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 3);
    burl_buf_deinit(&out);
    tb_deinit(&s.b);
}

static size_t
count_text(const char *text, const char *piece)
{
    size_t n = 0;

    for (const char *p = strstr(text, piece); p != NULL; p = strstr(p + 1, piece))
        n++;
    return n;
}

static void
no_two_suspects_read_alike(void **state)
{
    static const uint8_t rw[] = { BURL_OP_READ, BURL_OP_WRITE };
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_suspect_count n;
    struct sample s;

    (void)state;
    make_suspects(&s);
    s.all.n = 3;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t sites[] = { s.p.read_hits, i == 1 ? s.p.bump_read : s.p.bump_write };

        s.wire[i] = suspect(i == 2 ? BURL_SUSPECT_RACE : BURL_SUSPECT_POTENTIAL, HITS, 2, sites, rw);
        s.list[i].state = BURL_REPORT_SUSPECT_NOT_TRIED;
    }
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    /* The first two differ by a column; the third is the first, seen by another detector. */
    EXPECT_CONTAINS(burl_buf_str(&out), "potential data races (2)");
    EXPECT_CONTAINS(burl_buf_str(&out), "write at races.c:21:5 in bump");
    EXPECT_CONTAINS(burl_buf_str(&out), "write at races.c:21:10 in bump");
    assert_int_equal(count_text(burl_buf_str(&out), "hits: read"), 2);
    n = burl_report_suspects_count(&s.all, s.b.table);
    assert_int_equal(n.listed, 2);
    assert_int_equal(n.hidden, 0);
    burl_buf_deinit(&out);
    tb_deinit(&s.b);
}

static void
the_order_of_arrival_does_not_matter(void **state)
{
    struct burl_buf first, second;
    struct sample s;

    (void)state;
    make_suspects(&s);
    burl_buf_init(&first, BURL_BUF_NO_LIMIT);
    burl_buf_init(&second, BURL_BUF_NO_LIMIT);
    burl_report_suspects(&s.all, s.b.table, &ascii, &first);
    for (size_t i = 0; i < 3; i++) {
        struct burl_report_suspect swap = s.list[i];

        s.list[i] = s.list[5 - i];
        s.list[5 - i] = swap;
    }
    burl_report_suspects(&s.all, s.b.table, &ascii, &second);
    assert_string_equal(burl_buf_str(&first), burl_buf_str(&second));
    burl_buf_deinit(&first);
    burl_buf_deinit(&second);
    tb_deinit(&s.b);
}

static void
pairs_of_a_found_variable_are_only_counted(void **state)
{
    struct burl_buf out = BURL_BUF_INIT;
    struct sample s;
    struct tb b;

    (void)state;
    make_suspects(&s);
    make_global(&b);
    s.finding = finding_of(&b, &facts);
    s.findings[0] = s.finding;
    s.all.findings = s.findings;
    s.all.n_findings = 1;
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    EXPECT_CONTAINS(burl_buf_str(&out), "potential data races (1)");
    EXPECT_CONTAINS(burl_buf_str(&out), "and 1 pair on variables that have a finding");
    assert_null(strstr(burl_buf_str(&out), "hits:"));
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 2);
    /* Alone they are not mentioned: no heading with a zero, no empty list. */
    burl_buf_clear(&out);
    s.all.v = &s.list[5];
    s.all.n = 1;
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    assert_string_equal(burl_buf_str(&out), "");
    burl_buf_deinit(&out);
    burl_report_finding_free(s.finding);
    tb_deinit(&b);
    tb_deinit(&s.b);
}

static void
a_cycle_that_is_a_finding_is_not_listed(void **state)
{
    struct burl_finding_thread threads[2] = { { .tid = 1 }, { .tid = 2 } };
    struct burl_finding deadlock = {
        .verdict = BURL_VERDICT_DEADLOCK_CYCLE, .cause = "", .threads = threads, .n_threads = 2
    };
    struct burl_buf out = BURL_BUF_INIT;
    struct sample s;

    (void)state;
    make_suspects(&s);
    s.findings[0] = &deadlock;
    s.all.findings = s.findings;
    s.all.n_findings = 1;
    threads[0].wait.in_cycle = threads[1].wait.in_cycle = true;
    threads[0].wait.loc.site = s.wire[3].sites[1];
    threads[1].wait.loc.site = s.wire[3].sites[1]; /* another cycle */
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 3);
    threads[1].wait.loc.site = s.wire[3].sites[3];
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 2);
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    assert_null(strstr(burl_buf_str(&out), "possible deadlocks"));
    burl_buf_deinit(&out);
    tb_deinit(&s.b);
}

/* Names of templates fill screens; operators keep theirs. */
static void
functions_have_short_names(void **state)
{
    static const struct {
        const char *func;
        const char *want;
    } rows[] = {
        { "std::vector<int, std::allocator<int> >::push_back", "in std::vector<int>::push_back;" },
        { "box<int>::operator<<", "in box<int>::operator<<;" },
        { "box<a<b> >::operator->", "in box<a<b>>::operator->;" },
        { "main::(anonymous)::operator()", "in main::lambda:3;" },
        { "plain", "in plain;" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct burl_site_info info = { .id = 1,
                                             .file = "f.cc",
                                             .func = rows[i].func,
                                             .variable = "x",
                                             .line = 3,
                                             .kind = BURL_SITE_WRITE };
        static const uint32_t two[] = { 1, 1 };
        static const uint8_t ops[] = { BURL_OP_WRITE, BURL_OP_WRITE };
        struct burl_wire_suspect s = suspect(BURL_SUSPECT_POTENTIAL, 0x10, 2, two, ops);
        const struct burl_report_suspect r = { .suspect = &s };
        const struct burl_report_suspects list = { .v = &r, .n = 1 };
        const struct burl_report_style wide = { .width = 1000 };
        struct burl_sites *sites = burl_sites_new_fixed(&info, 1);
        struct burl_buf out = BURL_BUF_INIT;

        burl_report_suspects(&list, sites, &wide, &out);
        EXPECT_CONTAINS(burl_buf_str(&out), rows[i].want);
        burl_buf_deinit(&out);
        burl_sites_free(sites);
    }
}

static void
what_was_confirmed_is_not_listed(void **state)
{
    struct burl_buf out = BURL_BUF_INIT;
    struct sample s;

    (void)state;
    make_suspects(&s);
    for (size_t i = 0; i < 6; i++)
        s.list[i].state = BURL_REPORT_SUSPECT_CONFIRMED;
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    assert_int_equal(out.n, 0);
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 0);
    burl_buf_deinit(&out);
    tb_deinit(&s.b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_on_a_global_reads_well),
        cmocka_unit_test(a_race_on_the_heap_shows_locks_and_allocation),
        cmocka_unit_test(the_same_narrow_with_unicode_and_color),
        cmocka_unit_test(a_mixed_race_without_a_trace_is_complete),
        cmocka_unit_test(a_broken_region_says_what_came_in_between),
        cmocka_unit_test(json_has_both_sides),
        cmocka_unit_test(all_pairs_on_a_variable_are_one_finding),
        cmocka_unit_test(another_variable_is_another_finding),
        cmocka_unit_test(members_of_heap_blocks_go_by_allocation_and_name),
        cmocka_unit_test(names_are_read_as_paths),
        cmocka_unit_test(the_inside_of_a_library_object_is_one_variable),
        cmocka_unit_test(wild_counts_from_the_program_are_bounded),
        cmocka_unit_test(the_list_of_suspects_reads_well),
        cmocka_unit_test(no_two_suspects_read_alike),
        cmocka_unit_test(the_order_of_arrival_does_not_matter),
        cmocka_unit_test(pairs_of_a_found_variable_are_only_counted),
        cmocka_unit_test(a_cycle_that_is_a_finding_is_not_listed),
        cmocka_unit_test(functions_have_short_names),
        cmocka_unit_test(what_was_confirmed_is_not_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
