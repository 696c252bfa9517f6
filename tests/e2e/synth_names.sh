#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests that contain a seed, when names are in the way: a seed called like the test, tags and members
# called like functions of the API, functions called through pointers, macros and inline functions of
# the header. Two sources that do not fit into one file: the violation is confirmed, and lost because
# burl cannot build its test, which is not the same as no finding.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

# -DBUG takes the sequence number and writes it in two critical sections.
cat >journal.h <<'SRC'
#pragma once
enum mode { QUIET, LOUD };
struct journal;
typedef void journal_sink(void *state, enum mode mode, int number);
struct journal *journal_new(journal_sink *sink, void *state);
void journal_free(struct journal *j);
/* Changes the mode; there is a tag of this name. */
void mode(struct journal *j, enum mode m);
/* Returns the number of the entry. */
int entry(struct journal *j);
static inline int
last(struct journal *j)
{
    return entry(j);
}
#define ENTRY(j) (mode(j, (enum mode)LOUD), entry(j))
SRC
cat >journal.c <<'SRC'
#include "journal.h"
#include <pthread.h>
#include <stdlib.h>
struct journal {
    pthread_mutex_t lock;
    enum mode mode;
    int n;
    journal_sink *sink;
    void *state;
};
struct journal *
journal_new(journal_sink *sink, void *state)
{
    struct journal *j = calloc(1, sizeof *j);

    pthread_mutex_init(&j->lock, NULL);
    j->sink = sink;
    j->state = state;
    sink(state, QUIET, 0);
    return j;
}
void
journal_free(struct journal *j)
{
    pthread_mutex_destroy(&j->lock);
    free(j);
}
void
mode(struct journal *j, enum mode m)
{
    pthread_mutex_lock(&j->lock);
    j->mode = m;
    pthread_mutex_unlock(&j->lock);
}
int
entry(struct journal *j)
{
    int n;

    pthread_mutex_lock(&j->lock);
    n = j->n + 1;
#ifdef BUG
    pthread_mutex_unlock(&j->lock);
    pthread_mutex_lock(&j->lock);
#endif
    j->n = n;
    j->sink(j->state, j->mode, n);
    pthread_mutex_unlock(&j->lock);
    return n;
}
SRC
cat >test.c <<'SRC'
#include "journal.h"
#include <assert.h>
struct seen {
    enum mode mode;
    int entry;
    int *sum;
};
static const struct {
    void (*mode)(struct journal *j, enum mode m);
    int (*entry)(struct journal *j);
} api = { .mode = mode, .entry = entry };
static void
sink(void *state, enum mode m, int number)
{
    struct seen *s = state;

    s->mode = m;
    s->entry = number;
    *s->sum += number;
}
int
main(void)
{
    int sum = 0;
    struct seen seen = { .mode = QUIET, .entry = 0, .sum = &sum };
    struct journal *j = journal_new(sink, &seen);

    api.mode(j, QUIET);
    assert(ENTRY(j) == 1 && seen.mode == LOUD);
    assert(api.entry(j) == 2 && seen.entry == 2);
    assert(last(j) == 3);
    (mode)(j, QUIET);
    journal_free(j);
    return 0;
}
SRC

run 1 "$BURL" synth --dir=bug --emit-suite=suite journal.h -- -DBUG journal.c test.c
has out 'entry: results match no sequential order'
hasnt err 'cannot build'
for t in bug/findings/*/; do
    grep -q 'test.c runs up to its call' "$t/test.c" || fail "$t: no seed is stopped"
    for cc in "gcc -O0" "gcc -O2" "clang-19 -O1"; do
        run 0 $cc -std=gnu11 -Wall -Wextra -Werror -I. -DBUG "$t/test.c" journal.c -pthread -o plain
        timeout 60 ./plain >plain.out 2>&1
        case $? in
            0 | 134) ;;
            *) fail "$t does not run: $(cat plain.out)" ;;
        esac
    done
    run 1 "$BURL" replay --dir=bug "$(basename "$t")"
done
run 0 "$BURL" synth --dir=ok journal.h -- journal.c test.c

# The seed of a suite may be called like one of its tests. The suite has no path of its own to it.
mv test.c test_1.c
run 1 "$BURL" synth --dir=one --emit-suite=suite journal.h -- -DBUG journal.c test_1.c
grep -q '#include <test_1.c>' suite/test_1.c || fail "the seed is not found from where burl was run"
run 0 make -s -C suite all

# A part of the seed has a variable of the same name: one file cannot contain both.
cat >part.c <<'SRC'
#include "journal.h"
static int n_calls;
int both(struct journal *j);
int
both(struct journal *j)
{
    n_calls++;
    return entry(j) + entry(j) + n_calls;
}
SRC
sed -e 's/^int$/static long n_calls;\nint both(struct journal *j);\nint/' \
    -e 's/^    journal_free/    n_calls += both(j);\n&/' test_1.c >test_two.c
run 3 "$BURL" synth --dir=lost journal.h -- -DBUG journal.c part.c test_two.c
has out 'findings   none'
has out 'not built  tests of '
[ "$(grep -c 'burl cannot build its test' err)" = 1 ] || fail "the reason is not said once"
has err "n_calls"
run 3 "$BURL" synth --json --dir=lost2 journal.h -- -DBUG journal.c part.c test_two.c
mv out out.json
holds '.not_built > 0 and .exit_code == 3' "the document does not have the lost violations"
run 0 "$BURL" synth --dir=fine journal.h -- journal.c part.c test_two.c
