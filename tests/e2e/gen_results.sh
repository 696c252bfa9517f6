#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl gen` on results that no order of the calls gives: nothing crashes, every access is locked.
# The finding is a C file that any compiler takes, and a schedule. The corrected twin is silent.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
write_bag

run 1 "$BURL" gen --json --tests=2000 --seed=1 bag.h -- bag.c -DBUG
[ "$(jq -r '.findings | length' out)" = 1 ] || fail "not one finding: $(jq -c '[.findings[].kind]' out)"
[ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "another kind"
[ "$(jq -r '.stats.stop' out)" = found ] || fail "it went on"
cp out first.json
dir=$(first_finding)

# The smallest test: one call against one, after what fills the bag.
grep -q 'bag_double_top(' "$dir/test.c" || fail "the function is not in the test"
for cc in gcc clang-19; do
    $cc -std=c11 -Wall -Wextra -Werror -DBUG -I. "$dir/test.c" bag.c -o "plain-$cc" -lpthread ||
        fail "$cc does not take the test"
done
gcc -std=c11 -I. "$dir/test.c" bag.c -o good -lpthread && ./good || fail "the corrected API fails its test"
number=$(jq -r '.findings[0].number' first.json)
run 1 "$BURL" replay "$number"
has out atomicity.non-linearisable
run 1 "$BURL" replay --times=5 "$number"

# Same seed, same tests, same finding.
rm -rf .burl
run 1 "$BURL" gen --json --tests=2000 --seed=1 bag.h -- bag.c -DBUG
same() { jq -S 'del(.stats.wall_ms, .stats.first_ms, .curve[].ms, .findings[].finding.found_ms)' "$1"; }
cmp <(same first.json) <(same out) || fail "another outcome with the same seed"

# Correct: silent, and every pair was tried.
run 0 "$BURL" gen --json --tests=400 --seed=2 bag.h -- bag.c
[ "$(jq '[.pairs[] | select(.tried == 0)] | length' out)" = 0 ] || fail "pairs were not tried"
[ "$(jq '[.pairs[] | select(.covered > 0)] | length' out)" -gt 20 ] || fail "hardly anything overlapped"
[ "$(jq '.stats.not_decided + .stats.unconfirmed' out)" = 0 ] || fail "something was not decided"

# As the paper does: failures only.
run 0 "$BURL" gen --no-results --tests=100 bag.h -- bag.c -DBUG
has out "findings   none"

# Races are findings, unless they were not asked for.
cat >flag.h <<'SRC'
struct flag;
struct flag *flag_new(void);
void flag_free(struct flag *f);
void flag_set(struct flag *f);
int flag_get(struct flag *f);
SRC
cat >flag.c <<'SRC'
#include "flag.h"
#include <stdlib.h>
struct flag {
    int set;
};
struct flag *flag_new(void) { return calloc(1, sizeof(struct flag)); }
void flag_free(struct flag *f) { free(f); }
void flag_set(struct flag *f) { f->set = 1; }
int flag_get(struct flag *f) { return f->set; }
SRC
run 1 "$BURL" gen --json --tests=50 -d flag.d flag.h -- flag.c
[ "$(jq -r '.findings[0].kind' out)" = race.data ] || fail "no race in flag.c"
run 0 "$BURL" gen --json --tests=50 --detect=none -d none.d flag.h -- flag.c
