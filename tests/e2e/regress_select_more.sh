#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 300
#
# tests/e2e/regress_select_more.sh - `burl regress select` after changes that no access shows: memory
# that is freed earlier, a ring of three locks, two locks in the order of the arguments.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"
export GIT_CEILING_DIRECTORIES=$PWD

cat >old.c <<'SRC'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
struct item {
    pthread_mutex_t m;
    int a;
};
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER, p = PTHREAD_MUTEX_INITIALIZER,
                       q = PTHREAD_MUTEX_INITIALIZER, r = PTHREAD_MUTEX_INITIALIZER;
static struct item *head, items[2] = { { PTHREAD_MUTEX_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, 0 } };
static _Atomic int seen;
static sem_t ready; /* the recording must have the read of the list */

static void *
reader(void *arg)
{
    const struct item *x = arg;
    seen = x->a;
    return arg;
}

static void
joined(void)
{
    pthread_t t;
    struct item *x = calloc(1, sizeof *x);
    x->a = 7;
    pthread_create(&t, NULL, reader, x);
    /*EARLY*/
    pthread_join(t, NULL);
    free(x); /*FREE*/
}

static void *
lister(void *arg)
{
    pthread_mutex_lock(&list);
    if (head)
        seen = head->a;
    pthread_mutex_unlock(&list);
    sem_post(&ready);
    return arg;
}

static void
listed(void)
{
    pthread_t t;
    struct item *x = calloc(1, sizeof *x), *mine = calloc(1, sizeof *mine);
    head = x;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, lister, NULL);
    sem_wait(&ready);
    pthread_mutex_lock(&list);
    /*UNLOCK*/
    free(head); /*IN*/
    head = NULL;
    pthread_mutex_unlock(&list);
    free(mine); /*MINE*/
    pthread_join(t, NULL);
}

#define BOTH(x, y)                                                                                 \
    pthread_mutex_lock(&x), pthread_mutex_lock(&y), pthread_mutex_unlock(&y), pthread_mutex_unlock(&x)
static void *one(void *arg) { BOTH(p, q); return arg; }
static void *two(void *arg) { BOTH(q, r); return arg; }
static void
ring(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    BOTH(p, r); /*THREE*/
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}

static void
both(struct item *x, struct item *y)
{
    struct item *low = x <= y ? x : y, *high = x == y ? NULL : x <= y ? y : x; /*LOW*/
    pthread_mutex_lock(&low->m);
    if (high)
        pthread_mutex_lock(&high->m);
    if (high)
        pthread_mutex_unlock(&high->m);
    pthread_mutex_unlock(&low->m);
}
static void *crossing(void *arg) { both(&items[1], &items[0]); return arg; }
static void
crossed(void)
{
    pthread_t t;
    pthread_create(&t, NULL, crossing, NULL);
    both(&items[0], &items[1]);
    pthread_join(t, NULL);
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "joined") == 0)
        joined();
    else if (strcmp(what, "listed") == 0)
        listed();
    else if (strcmp(what, "ring") == 0)
        ring();
    else if (strcmp(what, "crossed") == 0)
        crossed();
    else if (strcmp(what, "alone") == 0)
        both(&items[0], &items[1]);
    return 0;
}
SRC
for t in joined listed ring crossed alone; do
    echo "$t: ./p $t"
done >burl.tests
cp old.c p.c
build p
run 0 "$BURL" regress record --as=v1

# selects WHAT TESTS SED...: the tests that are selected after the change.
selects() {
    sed "${@:3}" old.c >p.c
    ! cmp -s old.c p.c || fail "$1: nothing changed"
    build p
    run 0 "$BURL" regress select
    cp out text
    run 0 "$BURL" regress select --json
    got=$(jq -r '.selected[].name' out | sort | paste -sd' ')
    [ "$got" = "$2" ] || { cat text; fail "$1: selected \"$got\", expected \"$2\""; }
}

selects "freed before the join" joined -e '\,/\*FREE,d' -e 's,/\*EARLY\*/,free(x);,'
grep -q 'frees' text || { cat text; fail "the reason does not say that memory is freed"; }
selects "freed after the join, elsewhere" "" -e '\,/\*FREE,s/free(x)/seen = 1; free(x)/'
selects "freed outside the lock" listed -e '\,/\*IN,d' -e 's,^    /\*UNLOCK\*/,    struct item *old = head;,' \
    -e '\,/\*MINE,s/free(mine)/free(mine); free(old)/'
selects "memory of one thread freed earlier" "" -e '\,/\*MINE,d' -e 's,^    /\*UNLOCK\*/,    free(mine);,'
selects "third edge of a ring" ring -e '\,/\*THREE,s/p, r/r, p/'
grep -q 'locks .* in another' text || { cat text; fail "the reason does not name the order"; }
selects "the same order of three" "" -e '\,/\*THREE,s/BOTH(p, r)/BOTH(p, r), BOTH(p, r)/'
selects "order of the arguments" crossed -e '\,/\*LOW,s/x <= y ? x : y/x/' -e '\,/\*LOW,s/x <= y ? y : x/y/'
selects "a local more" "" -e '\,/\*LOW,s/;/; int more = 0; (void)more;/'
