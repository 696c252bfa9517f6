/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/plausible.c - a program whose wild writes into the control block look plausible.
 *
 * usage: plausible HOW WHAT. Two threads lose an update in some interleavings, and then it aborts.
 * HOW:
 *   direct   instrumented code writes
 *   foreign  code without hooks does (plausible_poke.c), while there is one thread
 * WHAT is overwritten, before the threads are started:
 *   counts   one more execution, which has passed
 *   failed   executions that failed count as passed, and there are no failures
 *   search   no alternative is left on the stack of the search
 *   doubts   what makes a search prove nothing is forgotten
 *   points   no site is a scheduling point
 *   none     nothing, and the threads take a lock: the program must pass
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wire/control.h"
#include "wire/search.h"

void *find_block(void);
void poke(uint64_t *at, uint64_t value);

static int shared;
static int foreign;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void
put(uint64_t *at, uint64_t value)
{
    if (foreign)
        poke(at, value);
    else
        *at = value;
}

static void *
work(void *arg)
{
    if (arg)
        pthread_mutex_lock(&m);
    shared++;
    if (arg)
        pthread_mutex_unlock(&m);
    return NULL;
}

static void
overwrite_result(struct burl_wire_result *r, const char *what)
{
    if (strcmp(what, "counts") == 0) {
        put(&r->n_done, r->n_done + 1);
        put(&r->n_by_verdict[BURL_VERDICT_PASS], r->n_by_verdict[BURL_VERDICT_PASS] + 1);
    } else {
        put(&r->n_by_verdict[BURL_VERDICT_PASS], r->n_done);
        put(&r->n_by_verdict[BURL_VERDICT_CRASH_ABORT], 0);
        put((uint64_t *)(void *)&r->n_failures, (uint64_t)r->max_threads << 32);
    }
}

static void
overwrite(struct burl_wire_ctl *c, const char *what)
{
    struct burl_search_stack *s = (void *)((char *)c + c->search_off);

    if (strcmp(what, "counts") == 0 || strcmp(what, "failed") == 0) {
        overwrite_result(&c->result, what);
    } else if (strcmp(what, "search") == 0) {
        for (uint32_t i = 0; i < s->n; i++)
            put(&s->frames[i].todo, s->frames[i].tried | 1ull << s->frames[i].chosen);
    } else if (strcmp(what, "doubts") == 0) {
        put((uint64_t *)(void *)&s->unsure, (uint64_t)s->ended << 32);
    } else if (strcmp(what, "points") == 0) {
        for (uint32_t i = 0; i < c->n_sites; i += 8)
            put((uint64_t *)(void *)((char *)c + c->points_off + i), 0);
    }
}

int
main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "none";
    struct burl_wire_ctl *c = find_block();
    pthread_t t[2];

    foreign = argc > 1 && strcmp(argv[1], "foreign") == 0;
    if (strcmp(what, "doubts") == 0 && time(NULL) == 0) /* a doubt */
        return 1;
    if (c)
        overwrite(c, what);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, strcmp(what, "none") == 0 ? &m : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(shared == 2);
    return 0;
}
