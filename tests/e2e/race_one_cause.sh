#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Races that one mistake explains are one finding with the other variables below it: members of one
# object that the same two functions access without a lock. Other functions, other objects, or a lock
# that only one of them lacks are findings of their own.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >init.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct config {
    long (*add)(long);
    long size, depth, width;
    int counted;
};
static struct config config, other_object;
static const struct config defaults = { 0, 10, 20, 30, 0 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static struct config *heap;
static const char *what;
static long sink;

#define IS(name) (strcmp(what, name) == 0)
#define ALONE __attribute__((noinline)) static void

ALONE fill(struct config *c) /* members one by one */
{
    c->size = 10;
    c->depth = 20;
    c->width = 30;
}
ALONE copy(struct config *c) { memcpy(c, &defaults, sizeof *c); }
ALONE use(struct config *c) { __atomic_fetch_add(&sink, c->size + c->depth + c->width, 5); }
ALONE fill_other(struct config *c) { c->size = 1; }
/* It races with itself on one member, and on another with a function that reads it. */
ALONE fill_two(struct config *c, int second)
{
    c->size = 1;
    if (!second)
        c->depth = 1;
}
ALONE read_depth(struct config *c) { __atomic_fetch_add(&sink, c->depth, 5); }
ALONE fill_third(struct config *c) { c->depth = 1; }
/* The second member has a lock on one side only. */
ALONE mixed(struct config *c)
{
    c->size = 1;
    pthread_mutex_lock(&lock);
    c->depth = 1;
    pthread_mutex_unlock(&lock);
}
ALONE reads_both(struct config *c) { __atomic_fetch_add(&sink, c->size + c->depth, 5); }

static void body(int second)
{
    pthread_barrier_wait(&both);
    if (IS("fill"))
        fill(&config);
    else if (IS("heap"))
        fill(heap);
    else if (IS("copy"))
        second ? use(&config) : copy(&config);
    else if (IS("functions")) {
        fill_other(&config);
        fill_third(&config);
    } else if (IS("initializer")) {
        fill_two(&config, second);
        if (second)
            read_depth(&config);
    } else if (IS("locks"))
        second ? reads_both(&config) : mixed(&config);
    else if (IS("again")) { /* two mistakes, one of them on three variables */
        fill(&config);
        fill_third(&other_object);
    }
}
static void *second(void *arg)
{
    body(1);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    what = argv[argc - 1];
    heap = calloc(1, sizeof *heap);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t, NULL, second, NULL);
    body(0);
    pthread_join(t, NULL);
    free(heap);
    return 0;
}
SRC
build init

# count COMMAND OUTPUT PROGRAM N BEHIND [NAME]...: N findings, with BEHIND below them; every name is said.
count() {
    rm -rf .burl
    if [ "$1" = run ]; then
        "$BURL" run ./init "$3" >out 2>err
    else
        "$BURL" test --runs=400 --time=0 ./init "$3" >out 2>err
    fi
    [ $? -eq 1 ] || fail "$1 $3: races are found"
    command=$1 report=$2 program=$3 n=$4 behind=$5
    shift 5
    [ "$(grep -c '^  #[0-9]' "$report")" = "$n" ] || fail "$command $program: $n findings"
    [ "$(grep -c '^        #[0-9]' "$report")" = "$behind" ] || fail "$command $program: $behind below"
    for name; do
        sed -n '/^[0-9]* finding/,$p' "$report" | grep -q "#.*$name" || fail "$command $program: $name"
    done
    if [ "$behind" -gt 0 ]; then
        has "$report" "the same cause: these functions race on other members of the object ($behind more)"
    fi
}
for c in run:err test:out; do
    count "${c%:*}" "${c#*:}" fill 1 2 config.size config.depth config.width
    count "${c%:*}" "${c#*:}" heap 1 2 size depth width
    count "${c%:*}" "${c#*:}" functions 2 0 config.size config.depth
    count "${c%:*}" "${c#*:}" again 2 2 config.size config.depth config.width other_object.depth
done
count test out initializer 1 1 config.size config.depth
count test out copy 1 2 config.size config.depth config.width
count test out locks 2 0 config.size config.depth

# The document keeps each of them, with the number of the finding that explains it.
rm -rf .burl
"$BURL" test --json --runs=400 --time=0 ./init fill >out 2>err
[ "$(jq '[.findings[] | select(.behind == null)] | length' out)" = 1 ] || fail "JSON: one cause"
[ "$(jq '[.findings[] | select(.behind != null)] | length' out)" = 2 ] || fail "JSON: two behind it"
