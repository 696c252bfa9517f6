#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a user sees of `burl synth`: the summary, the JSON document, --explain, the C tests with their
# stories, the suite. The API is the one of docs/howto/synthesize-tests.md.
. "$BURL_TEST_ROOT/tests/support/lib.inc"
cp "$BURL_TEST_ROOT"/docs/programs/{strbuf.h,strbuf.c,test_strbuf.c} .

# ---- the summary: one line per phase, findings, and the other tests apart from them
run 1 "$BURL" synth --emit-suite=suite strbuf.h -- strbuf.c test_strbuf.c
cp out summary
has out 'strbuf.h: 12 functions'
has out '  seeds      1; 14 calls of 12 functions'
grep -Eq '^  accesses   [0-9,]+ to objects that a client chooses; [0-9,]+ dependencies$' out || fail "no accesses"
grep -Eq '^  pairs      [0-9,]+ raw, [0-9,]+ unique, [0-9,]+ feasible' out || fail "no pairs"
grep -Eq '^  tests      4; 4 run, [0-9,]+ executions in [0-9.]+ s$' out || fail "no tests"
grep -Eq '^  met        by 4 tests' out || fail "not met"
grep -Eq '^  harmful    2; benign 2, not met 0, undecided 0$' out || fail "results"
has out '  benign     2 tests: met, and a sequential order'
has out '     test 1: strbuf_append x strbuf_put (pair '
has out '  suite      4 tests in suite'
# The findings name their test and pairs.
grep -Eq '^     \.burl/findings/[0-9]+/test\.c \(test [0-9]+, pairs? [0-9, ]+\)$' out || fail "findings without pairs"
# A report is printed once.
[ "$(grep '^finding ' out | sort | uniq -d)" = "" ] || fail "a report was repeated"

# ---- the same as JSON; the same again with the same seed
run 1 "$BURL" synth --json strbuf.h -- strbuf.c test_strbuf.c
jq -e '.schema == 1 and .command == "synth" and .header == "strbuf.h" and .exit_code == 1 and .stop == "done"' out \
    >/dev/null || fail "head of the document"
jq -e '.phases | .functions == 12 and .seeds == 1 and .calls == 14 and .tests == 4 and .tests_run == 4 and
    .harmful == 2 and .benign == 2 and .not_met == 0 and .undecided == 0 and .executions > 0' out >/dev/null ||
    fail "phases: $(jq -c .phases out)"
jq -e '.phases.unique_pairs == (.pairs | .kept + .kept_setter + .own_lock + .global_lock + .no_setter) and
    .phases.feasible_pairs == (.pairs | .kept + .kept_setter) and .pairs.kept_setter > 0' out >/dev/null ||
    fail "pairs: $(jq -c .pairs out)"
jq -e '.seeds == [{"source": "test_strbuf.c", "calls": 14}]' out >/dev/null || fail "seeds"
jq -e '[.tests[] | select(.result == "harmful")] | length == 2 and all((.threads | length) == 2 and .met > 0 and
    (.pairs | length) > 0)' out >/dev/null || fail "harmful tests"
# Every finding comes from a harmful test.
jq -e '([.findings[].number] | sort) == ([.tests[] | select(.result == "harmful") | .findings[]] | unique)' out \
    >/dev/null || fail "findings of no test"
# The prediction that needs setters: two writers, one page.
jq -e '[.tests[] | select(.threads | flatten | all(startswith("writer_line(")) and .[0] != .[1])] | length == 1' out \
    >/dev/null || fail "no test with two writers"
cp out first.json
rm -rf .burl
run 1 "$BURL" synth --json strbuf.h -- strbuf.c test_strbuf.c
same() { jq -S 'del(.phases.wall_ms, .findings[].finding.found_ms)' "$1"; }
cmp <(same first.json) <(same out) || fail "another outcome with the same seed"

# ---- live progress by phase; Ctrl-C keeps what was found
run 1 terminal -INT 'test 4 of 4; 3 met, 1 harmful, 1 finding; [0-9,]+ executions; writer' \
    "$BURL" synth --dir=cut strbuf.h -- strbuf.c test_strbuf.c
for phase in compiling 'recording seed 1 of 1: test_strbuf.c' 'analysis: dependencies, pairs, tests'; do
    has out "$phase"
done
has out 'so far; not every test was run'
has out '#1 strbuf_clear, strbuf_append: results match'
run 1 "$BURL" findings --dir=cut

# ---- a failure is a document too
echo 'int main(void) { return 3; }' >bad.c
run 2 "$BURL" synth --json --dir=bad strbuf.h -- strbuf.c bad.c
jq -e '.exit_code == 2 and .stop == "failed" and (.error | length) > 0 and .tests == [] and .findings == []' out \
    >/dev/null || fail "document of a failure"

# ---- the C test of a finding: plain C with its story, replayed by number
number=$(jq -r '[.tests[] | select(.threads[0][0] | startswith("writer_line("))][0].findings[0]' first.json)
test=.burl/findings/$number/test.c
head_of() { sed '/^ \*\/$/q' "$1"; }
for words in 'Two calls of writer_line() can collide on one object: w->page->lines of thread A' \
    'p: read of w->page->lines at strbuf.c:' 'c: write of w->page->lines at strbuf.c:' \
    'r: write of w->page->lines at strbuf.c:' 'locks held at c (HR): w->lock' 'held from p to c (HC): w->lock' \
    'dominant lock: w->lock' 'setter of thread A: writer_' 'page := p' 'The setters install one object in two owners' \
    'A executes p, then B executes r, then A executes c' 'The run that shows it' 'It gave' \
    'cc -g -I. test.c strbuf.c -pthread -o test' "\`burl replay $number\`"; do
    head_of "$test" | tr -s ' *\n' ' ' | grep -qF -- "$words" || fail "not in the comment: $words"
done
for cc in gcc clang-19; do
    $cc -std=c11 -Wall -Wextra -Werror -I. "$test" strbuf.c -o plain -pthread || fail "$cc does not take the test"
done
run 1 "$BURL" replay "$number"
has out atomicity.non-linearisable
run 0 "$BURL" show "$number"
has out "test:     $test"
has out 'Why this test was written'

# ---- --explain: all pairs in short; one in full, with its test and only that run
run 1 "$BURL" synth --quiet --explain strbuf.h -- strbuf.c test_strbuf.c
grep -Eq '^ +[0-9]+  atomicity  R-W-W   strbuf_put +strbuf_clear +sb->n +dropped: lock of the object$' out ||
    fail "no dropped pair"
grep -Eq '^ +[0-9]+  atomicity  R-W-R   strbuf_append  strbuf_clear +other->n +kept; test [0-9]+: harmful, finding [0-9]' out ||
    fail "no kept pair"
pair=$(awk '$2 == "atomicity" && $4 == "writer_line" { print $1; exit }' out)
[ -n "$pair" ] || fail "no pair of writers"
dropped=$(awk '/dropped: lock of the object/ { print $1; exit }' out)
run 1 "$BURL" synth --quiet "--explain=$pair,$dropped" strbuf.h -- strbuf.c test_strbuf.c
has out "pair $pair: atomicity"
has out '  dominant lock: w->lock'
has out '  kept: the common lock is above the object, and a setter gives the threads different owners'
grep -Eq '^  test [0-9]+: harmful, findings? [0-9]' out || fail "no result"
has out "pair $dropped: atomicity"
has out '  dropped: the common lock is in the accessed object itself'
run 1 "$BURL" synth --json "--explain=$pair" strbuf.h -- strbuf.c test_strbuf.c
jq -e --argjson n "$pair" '.explained | length == 1 and .[0].number == $n and .[0].fate == "kept_setter"' out \
    >/dev/null || fail "explained: $(jq -c .explained out)"
jq -e '.phases.tests_run == 1 and ([.tests[] | select(.result == "not run")] | length) == 3' out >/dev/null ||
    fail "more than the test of the pair was run"
run 2 "$BURL" synth --explain=9999 strbuf.h -- strbuf.c test_strbuf.c
has err '--explain expects numbers of pairs, 1 to '
run 2 "$BURL" synth --explain=1x strbuf.h -- strbuf.c test_strbuf.c
has err 'not "1x"'

# ---- the suite: every test, compiled by the system's compiler, with its table and its story
[ "$(ls suite/test_*.c | wc -l)" = 4 ] || fail "not every test is in the suite"
for f in suite/test_*.c; do
    grep -qF 'Why this test was written' "$f" || fail "$f: no story"
    grep -qF 'static const struct results possible[]' "$f" || fail "$f: checks nothing"
done
run 0 make -C suite CC=gcc CFLAGS='-O1 -Wall -Wextra -Werror' all
# A correct API passes; whether this one fails depends on the machine's threads.
sed 's/pthread_mutex_lock(&w->lock);$/pthread_mutex_lock(\&all);/; s/pthread_mutex_unlock(&w->lock);/pthread_mutex_unlock(\&all);/
    s/^struct page {/static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;\n&/' strbuf.c >one_lock.c
sed '/int n = strbuf_length(other);/,/return -1;/c\
    int n = 0;\n    char copy[sizeof sb->text];\n    int rc = -1;\n\n    pthread_mutex_lock(\&other->lock);\n\
    for (; n < other->n; n++)\n        copy[n] = other->text[n];\n    pthread_mutex_unlock(\&other->lock);' one_lock.c |
    sed '/^static int$/{N;/get_chars/,/^}$/d}' >right.c
sed -i '/^\/\* Copies the first n/,/^}$/d' right.c
run 0 "$BURL" synth --dir=right strbuf.h -- right.c test_strbuf.c
has out '  findings   none'
cp strbuf.c wrong.c; cp right.c strbuf.c
run 0 make -C suite CC=gcc check
cp wrong.c strbuf.c

# ---- a test that the oracle cannot decide is listed with the reason
run 0 "$BURL" synth --dir=limit --for=atomicity --max-linear=1 strbuf.h -- strbuf.c test_strbuf.c
has out '  harmful    0; benign 0, not met 0, undecided 4'
grep -Eq '^     test 3: strbuf_append x strbuf_clear \(pair [0-9]+\): 2 orders of the calls, and the limit is 1$' out ||
    fail "no reason"

# ---- deadlocks: the pair of nested locks has a number, and its test a story
cat >pot.h <<'SRC'
struct pot;
struct pot *pot_new(void);
void pot_free(struct pot *p);
void pot_pour(struct pot *from, struct pot *to);
SRC
cat >pot.c <<'SRC'
#include "pot.h"
#include <pthread.h>
#include <stdlib.h>
struct pot {
    pthread_mutex_t lock;
    int level;
};
struct pot *
pot_new(void)
{
    struct pot *p = calloc(1, sizeof *p);

    pthread_mutex_init(&p->lock, NULL);
    return p;
}
void
pot_free(struct pot *p)
{
    pthread_mutex_destroy(&p->lock);
    free(p);
}
void
pot_pour(struct pot *from, struct pot *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    to->level += from->level;
    from->level = 0;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}
SRC
cat >test_pot.c <<'SRC'
#include "pot.h"
int
main(void)
{
    struct pot *a = pot_new();
    struct pot *b = pot_new();

    pot_pour(a, b);
    pot_free(a);
    pot_free(b);
    return 0;
}
SRC
run 1 "$BURL" synth --json --explain --dir=pot pot.h -- pot.c test_pot.c
jq -e '[.findings[].kind] == ["deadlock.cycle"] and .phases.lock_pairs == 1' out >/dev/null || fail "$(jq -c .phases out)"
jq -r '.explained[] | select(.for == "deadlock") | .text' out >text
has text '    takes from->lock at pot.c:25, then to->lock at pot.c:26'
has text ', finding 1'
has pot/findings/1/test.c 'The calls take the same two locks in opposite orders:'
run 1 "$BURL" replay --dir=pot 1
has out deadlock.cycle
