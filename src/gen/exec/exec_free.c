/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/exec_free.c - one run of a test on all cores, not controlled; contract in exec.h.
 *
 * Runs in the host. Each run has a process of its own, which is started, runs and ends: the paper's
 * way, for comparison and for APIs that cannot be controlled. A deadlock is found as in `burl run`;
 * any other run that takes too long is cut.
 */
#include <errno.h>
#include <string.h>

#include "engine/free/free.h"
#include "gen/exec/exec_int.h"

/* Races are failures of a free run and suspects of a controlled one; here they are suspects. */
static void
add_race(struct burl_gen_suspects *suspects, const struct burl_wire_failure *f)
{
    const struct burl_wire_verdict *v = &f->verdict;
    struct burl_wire_suspect s = { .count = f->count,
                                   .addr = v->addr,
                                   .kind = BURL_SUSPECT_RACE,
                                   .observer = BURL_OBSERVER_RACE,
                                   .n_sites = 2 };

    if (v->kind != BURL_VERDICT_RACE_DATA || v->n_sides != 2)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        s.sites[i] = v->sides[i].site;
        s.ops[i] = v->sides[i].op;
        s.tids[i] = v->sides[i].tid;
    }
    s.key = burl_wire_suspect_key(s.kind, s.sites, 2);
    burl__gen_add_suspect(suspects, &s);
}

static void
take_suspects(struct burl_gen_suspects *suspects, const struct burl_free_result *r)
{
    for (size_t i = 0; i < r->n_failures; i++)
        add_race(suspects, &r->failures[i]);
    for (size_t i = 0; i < r->n_suspects; i++)
        burl__gen_add_suspect(suspects, &r->suspects[i]);
}

static void
take_outcome(const struct burl_gen_exec *x, const struct burl_free_result *r,
             const struct burl_mail_test *test, struct burl_gen_outcome *out)
{
    size_t at = 0;
    const struct burl_mail_head *h = burl__gen_next_record(r->mail, r->mail_b, &at);
    struct burl_wire_verdict v = r->verdict;

    if (r->end != BURL_FREE_END_EXIT && r->end != BURL_FREE_END_DEADLOCK)
        v.kind = BURL_VERDICT_CUT_TIME;
    if (h) {
        struct burl_mail_head *own = burl_xmemdup(h, h->bytes);

        /* The record of a free run stays open: the process exits. */
        own->kind = v.kind;
        own->code = v.code;
        own->tid = v.tid;
        own->addr = v.addr;
        own->n_threads = 1 + (uint32_t)r->n_events;
        burl__gen_decode(own, test, x->opts.model, out);
        free(own);
    } else {
        out->failed_call = -1;
        out->n_calls = test->n_calls;
        v.kind = v.kind == BURL_VERDICT_PASS ? BURL_VERDICT_INTERNAL : v.kind;
    }
    out->verdict = v;
    out->strategy = UINT32_MAX;
    if (!h)
        burl__gen_judge_end(out, BURL_MAIL_END_NONE);
}

void
burl_gen_exec_free(struct burl_gen_exec *x, const struct burl_gen_test *t, uint32_t observers,
                   struct burl_gen_outcome *out, struct burl_gen_suspects *suspects)
{
    const struct burl__gen_encoding e = { .test = t, .mode = BURL_MAIL_FREE, .dump = true };
    const char *const argv[] = { x->program, NULL };
    struct burl_free_result r = { 0 };
    struct burl_buf mail;

    *out = (struct burl_gen_outcome){ .end = BURL_GEN_END_CUT, .failed_call = -1 };
    burl_buf_init(&mail, BURL_MAIL_IN_B);
    if (burl__gen_encode(x, &e, &mail)) {
        const struct burl_free_opts o = {
            .argv = argv,
            .observers = observers,
            .time_ms = x->opts.exec_timeout_ms,
            .captured = true,
            .out_fd = -1,
            .interrupt = x->opts.interrupt,
            .mail = mail.p,
            .mail_b = mail.n,
        };

        x->st = burl_free_run(&r, &o, &x->err);
    }
    if (x->st == BURL_OK && r.end == BURL_FREE_END_INTERRUPTED)
        x->st = burl_err_set(&x->err, BURL_E_TARGET, EINTR, "stopped");
    if (x->st == BURL_OK)
        take_outcome(x, &r, (const struct burl_mail_test *)(const void *)mail.p, out);
    if (x->st == BURL_OK && suspects)
        take_suspects(suspects, &r);
    burl_free_result_deinit(&r);
    burl_buf_deinit(&mail);
}
