#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: memory that is allocated while threads run and handed over by pointers, in lists under a
#   lock or with reference counts, is no suspect: nothing is listed for a pipeline of jobs and
#   recycled buffers. A thread that goes on using what it has passed on is a race, and globals
#   and early blocks that only the luck of this execution keeps apart stay suspects.
# BURL-TIMEOUT: 120
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >jobs.c <<'EOC'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct space { unsigned char buf[64]; size_t len; int use; struct space *next; struct pool *pool; };
struct pool { pthread_mutex_t m; pthread_cond_t c; struct space *head; int limit, made; };
struct job { long seq; int more; struct space *in, *out; unsigned check; struct job *next; };
static struct pool in_pool = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 3, 0 };
static struct pool out_pool = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 8, 0 };
static pthread_mutex_t jm = PTHREAD_MUTEX_INITIALIZER, wm = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t jc = PTHREAD_COND_INITIALIZER, wc = PTHREAD_COND_INITIALIZER;
static struct job *jhead, **jtail = &jhead, *whead;
static struct space *get_space(struct pool *p)
{
    struct space *s;
    pthread_mutex_lock(&p->m);
    while (p->head == NULL && p->limit == 0)
        pthread_cond_wait(&p->c, &p->m);
    if (p->head != NULL) { s = p->head; p->head = s->next; s->use = 1; s->len = 0; pthread_mutex_unlock(&p->m); return s; }
    p->limit--; p->made++;
    pthread_mutex_unlock(&p->m);
    s = malloc(sizeof *s);
    s->pool = p; s->use = 1; s->len = 0;
    return s;
}
static void drop_space(struct space *s)
{
    struct pool *p = s->pool;
    pthread_mutex_lock(&p->m);
    s->use = 0; s->next = p->head; p->head = s;
    pthread_cond_signal(&p->c);
    pthread_mutex_unlock(&p->m);
}
static void *compress(void *a)
{
    (void)a;
    for (;;) {
        struct job *j, *here, **prior;
        pthread_mutex_lock(&jm);
        while (jhead == NULL) pthread_cond_wait(&jc, &jm);
        j = jhead;
        if (j->seq == -1) { pthread_mutex_unlock(&jm); return NULL; }
        jhead = j->next; if (jhead == NULL) jtail = &jhead;
        pthread_mutex_unlock(&jm);
        j->out = get_space(&out_pool);
        for (size_t i = 0; i < j->in->len; i++) j->out->buf[i] = j->in->buf[i] ^ 1;
        j->out->len = j->in->len;
        j->check = j->out->buf[0];
        drop_space(j->in);
        pthread_mutex_lock(&wm);
        for (prior = &whead; (here = *prior) != NULL && here->seq < j->seq; prior = &here->next) ;
        j->next = here; *prior = j;
        pthread_cond_signal(&wc);
        pthread_mutex_unlock(&wm);
    }
}
static void *writer(void *a)
{
    unsigned sum = 0; long seq = 0; struct job *j; int more;
    do {
        pthread_mutex_lock(&wm);
        while (whead == NULL || whead->seq != seq) pthread_cond_wait(&wc, &wm);
        j = whead; whead = j->next;
        pthread_mutex_unlock(&wm);
        more = j->more;
        sum += j->check + (unsigned)j->out->len;
        drop_space(j->out);
        free(j);
        seq++;
    } while (more);
    *(unsigned *)a = sum;
    return NULL;
}
int main(void)
{
    pthread_t t[2], w; unsigned sum = 0; static struct job last = { .seq = -1 };
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, compress, NULL);
    pthread_create(&w, NULL, writer, &sum);
    for (long s = 0; s < 5; s++) {
        struct job *j = malloc(sizeof *j);
        j->seq = s; j->more = s < 4; j->in = get_space(&in_pool); j->next = NULL;
        memset(j->in->buf, (int)s, 8); j->in->len = 8;
        pthread_mutex_lock(&jm);
        *jtail = j; jtail = &j->next;
        pthread_cond_signal(&jc);
        pthread_mutex_unlock(&jm);
#ifdef LATE
        j->in->len = 8;
#endif
    }
    pthread_mutex_lock(&jm); *jtail = &last; pthread_cond_broadcast(&jc); pthread_mutex_unlock(&jm);
    pthread_join(w, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return sum == 0;
}
EOC

# Ordered by the lock in the first schedule, by luck: T1 writes before its section, T2 after its own.
cat >luck.c <<'EOC'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int global, *early, count;
static void *first(void *a)
{
    global = 1;
    early[0] = 1;
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return a;
}
static void *second(void *a)
{
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    global = 2;
    early[0] = 2;
    return a;
}
int main(void)
{
    pthread_t t[2];
    early = malloc(sizeof *early);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
EOC
build jobs -w
"$BURL" cc -g -O1 -w -DLATE jobs.c -o late -lpthread || fail "cannot build late"
build luck

run 0 "$BURL" test --json --runs=120 --seed=1 ./jobs
[ "$(jq '[.suspects[] | select(.kind == "potential-race" or .kind == "race")] | length' out)" = 0 ] ||
    fail "suspects in a correct program: $(jq -c '[.suspects[].kind]' out)"
run 1 "$BURL" test --json --fresh --runs=300 --seed=1 ./late
[ "$(jq '[.findings[] | select(.kind == "race.data")] | length' out)" -ge 1 ] ||
    fail "kinds $(jq -c '[.findings[].kind]' out)"
run 1 "$BURL" test --json --fresh --runs=40 --seed=1 ./luck
[ "$(jq '[.findings[] | select(.kind == "race.data")] | length' out)" = 2 ] ||
    fail "kinds $(jq -c '[.findings[].kind]' out)"
