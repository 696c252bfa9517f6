/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burl_stop.c - runs a seed on a stack of its own up to one of its client calls, and leaves it
 * there for good.
 *
 * Runs in the target, without hooks, in the main thread before any other one exists. The stack is
 * never freed and the seed never resumed, so that its local variables live as long as the test. The
 * arguments of the call that it stops at stay where they are, in the frame of its recorder.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "burl_stop.h"

#include <string.h>
#include <ucontext.h>

#include "burl_driver.h"
#include "burl_record.h"

#define STACK_B (512u << 10)
#define MAX_STOPS 8
#define MAX_PARAMS 64

int burl_s_stop(const struct burl_mail_test *t, uint32_t k, void **slots);
const void *burl_s_argument(uint32_t stop, uint32_t param);

struct stop {
    const struct burl_mail_stop *wanted;
    const struct burl_mail_kept *kept;
    void **slots;
    ucontext_t seed;
    ucontext_t test;
    int argc;
    char **argv;
    uint32_t n_calls; /* that have begun */
    uint32_t fn;      /* of the last one */
    int reached;
    const void *args[MAX_PARAMS]; /* of the last one */
};

static struct stop stops[MAX_STOPS];
static struct stop *now; /* NULL: the test runs */

int
burl_s_is_running(void)
{
    return now != NULL;
}

/* A value of the call that is running: an object that the test wants? */
static void
keep(uint32_t param, void *object)
{
    const struct burl_mail_kept *all = now->kept + now->wanted->kept;

    for (uint32_t i = 0; i < now->wanted->n_kept; i++) {
        if (all[i].nth == now->n_calls - 1 && all[i].param == param)
            now->slots[all[i].slot] = object;
    }
}

void
burl_s_enter(uint32_t fn)
{
    now->fn = fn;
    now->n_calls++;
    memset(now->args, 0, sizeof now->args);
}

void
burl_s_arg(uint32_t param, const void *value)
{
    if (param < MAX_PARAMS)
        now->args[param] = value;
}

void
burl_s_call(void)
{
    struct stop *s = now;

    for (uint32_t i = 0; i < s->wanted->n_kept; i++) {
        const struct burl_mail_kept *k = &s->kept[s->wanted->kept + i];

        if (k->nth == s->n_calls - 1 && k->param < MAX_PARAMS && s->args[k->param] != NULL)
            memcpy(&s->slots[k->slot], s->args[k->param], sizeof(void *));
    }
    if (s->n_calls - 1 != s->wanted->nth)
        return;
    s->reached = s->fn == s->wanted->fn;
    swapcontext(&s->seed, &s->test); /* for good */
}

void
burl_s_out(uint32_t param, void *object)
{
    keep(param, object);
}

void
burl_s_leave(const void *result, size_t size_b)
{
    void *object = NULL;

    if (result == NULL || size_b != sizeof object)
        return;
    memcpy(&object, result, sizeof object);
    keep(BURL_MAIL_NONE, object);
}

static void
run_seed(void)
{
    burl_r_seeds[now->wanted->seed](now->argc, now->argv);
    swapcontext(&now->seed, &now->test); /* it did not come to the call */
}

int
burl_s_stop(const struct burl_mail_test *t, uint32_t k, void **slots)
{
    struct stop *s = &stops[k];

    if (k >= MAX_STOPS)
        return 0;
    s->wanted = (const struct burl_mail_stop *)((const char *)t + t->stops_off) + k;
    s->kept = (const struct burl_mail_kept *)((const char *)t + t->kept_off);
    s->slots = slots;
    if (s->wanted->seed >= burl_r_n_seeds)
        return 0;
    s->argv = burl_d_memory((BURL_R_MAX_ARGS + 2) * sizeof *s->argv);
    s->argc = burl_r_words(s->argv, (const char *)t + t->words_off, t->words_b);
    getcontext(&s->seed);
    s->seed.uc_stack.ss_sp = burl_d_stack(STACK_B);
    s->seed.uc_stack.ss_size = STACK_B;
    s->seed.uc_link = NULL;
    makecontext(&s->seed, run_seed, 0);
    now = s;
    swapcontext(&s->test, &s->seed);
    now = NULL;
    burl_r_left();
    for (uint32_t i = 0; i < s->wanted->n_kept; i++) {
        if (slots[s->kept[s->wanted->kept + i].slot] == NULL)
            return 0;
    }
    return s->reached;
}

const void *
burl_s_argument(uint32_t stop, uint32_t param)
{
    return stop < MAX_STOPS && param < MAX_PARAMS ? stops[stop].args[param] : NULL;
}
