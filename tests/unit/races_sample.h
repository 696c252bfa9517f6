/* SPDX-License-Identifier: Apache-2.0 */
/*
 * races_sample.h - the places, the race on a global and the facts that the tests of reports about
 * races and suspects share.
 */
#ifndef BURL_TESTS_RACES_SAMPLE_H
#define BURL_TESTS_RACES_SAMPLE_H

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

static const struct burl_report_style ascii = { .width = 100 };

static struct burl_finding *
finding_of(struct tb *b, const struct burl_report_facts *with)
{
    give_symbols(b);
    return burl_report_finding_new(&b->run, b->table, with);
}

#endif
