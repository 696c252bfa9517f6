/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/exec_seed_run.c - runs a seed once and takes what the recorder wrote.
 */
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "gen/exec/exec_int.h"
#include "gen/exec/words.h"
#include "wire/record.h"

size_t
burl_gen_exec_n_seeds(const struct burl_gen_exec *x)
{
    return x->seeds.n;
}

const char *
burl_gen_exec_seed_source(const struct burl_gen_exec *x, size_t seed)
{
    return x->seeds.v[seed].source;
}

bool
burl_gen_exec_can_stop(const struct burl_gen_exec *x, size_t seed)
{
    return !burl_gen_is_cplusplus(x->seeds.v[seed].source);
}

const char *
burl_gen_exec_seed_words(const struct burl_gen_exec *x, size_t *n)
{
    *n = x->seed_words.n;
    return x->seed_words.p;
}

const char *
burl_gen_exec_part(const struct burl_gen_exec *x, size_t i, bool *calls)
{
    if (i >= x->seeds.parts.n)
        return NULL;
    *calls = x->seeds.parts.v[i].calls;
    return x->seeds.parts.v[i].source;
}

const struct burl_sites *
burl_gen_exec_sites(const struct burl_gen_exec *x)
{
    return x->sites;
}

const char *
burl_gen_exec_program(const struct burl_gen_exec *x)
{
    return x->program;
}

bool
burl_gen_exec_is_client(const struct burl_gen_exec *x, const char *source)
{
    for (size_t i = 0; i < x->seeds.client.n; i++) {
        if (x->seeds.client.v[i] != NULL && strcmp(x->seeds.client.v[i], source) == 0)
            return true;
    }
    return false;
}

void
burl_gen_seed_run_deinit(struct burl_gen_seed_run *r)
{
    free(r->area);
    free(r->output);
    *r = (struct burl_gen_seed_run){ .area = NULL };
}

static void
mail_write(struct burl_buf *mail, size_t seed, const char *args, size_t args_b)
{
    struct burl_mail_test head = { .magic = BURL_MAIL_MAGIC,
                                   .mode = BURL_MAIL_SEED,
                                   .seed = (uint32_t)seed,
                                   .order_off = sizeof head,
                                   .n_order = (uint32_t)args_b };

    head.total_b = (uint32_t)(sizeof head + args_b);
    burl_buf_append(mail, &head, sizeof head);
    burl_buf_append(mail, args, args_b);
}

/* Bytes of the body that the recorder used. */
static size_t
record_b(const struct burl_mail_head *h)
{
    const struct burl_record_head *r = (const struct burl_record_head *)(const void *)(h + 1);
    size_t used;

    if (h->body_b < sizeof *r)
        return 0;
    used = sizeof *r + (size_t)r->n * sizeof(struct burl_record_event);
    return used < h->body_b ? used : h->body_b;
}

/* How the execution ended, and what it printed. */
static void
take_end(struct burl_gen_exec *x, struct burl_gen_seed_run *out)
{
    struct burl_run run = { .output = NULL };
    size_t n;

    if (x->t->state != BURL_TARGET_IDLE) {
        out->verdict = burl__gen_exec_lost_verdict(x->t);
        out->output = burl_target_output(x->t, &n);
        return;
    }
    x->st = burl_target_take_run(x->t, &run, &x->err);
    out->verdict = run.verdict;
    out->output = run.output;
    run.output = NULL;
    burl_run_deinit(&run);
}

void
burl_gen_exec_seed(struct burl_gen_exec *x, size_t seed, const char *args, size_t args_b,
                   struct burl_gen_seed_run *out)
{
    const enum burl_wire_engine engine = x->engine;
    const enum burl_wire_reset reset = x->reset;
    struct burl_wire_order o = burl__gen_exec_order(x);
    struct burl_buf mail;
    const struct burl_mail_head *h;

    *out = (struct burl_gen_seed_run){ .area = NULL };
    burl_buf_clear(&x->seed_words);
    burl_buf_append(&x->seed_words, args, args_b);
    burl_buf_init(&mail, BURL_MAIL_IN_B);
    mail_write(&mail, seed, args, args_b);
    o.flags |= BURL_ORDER_F_ALL_POINTS | BURL_ORDER_F_STRICT_TIME;
    o.observers = BURL_OB(RECORD);
    o.max_steps = 0;
    h = burl__gen_exec_once(x, &o, &mail);
    if (x->st == BURL_OK)
        take_end(x, out);
    if (h != NULL && x->st == BURL_OK) {
        out->n_threads = h->n_threads;
        out->area_b = record_b(h);
        out->area = out->area_b > 0 ? burl_xmemdup(h + 1, out->area_b) : NULL;
    }
    /* What the seed does besides calling the API says nothing about tests. */
    burl__gen_exec_use(x, engine, reset);
    burl_buf_deinit(&mail);
}
