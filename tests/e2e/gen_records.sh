#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl gen` on an API that is handed plain structs of the caller's and gives them back: the queue of
# the examples. Tests hand in zeroed memory and know it again; a taker that finds nothing is a
# finding, in a test in which no call may rightly wait for ever. The corrected queue is silent.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
cp "$BURL_TEST_ROOT"/examples/queue/queue.[ch] .

run 0 "$BURL" gen --model queue.h -- queue.c
grep -q '^type struct job: zeroed$' out || fail "the job is not the caller's"
grep -q 'job: object struct job consumed' out || fail "the job is not handed over"
grep -q 'method queue_take: returns payload' out || fail "what is taken is not compared"
cp out model.burl
run 0 "$BURL" gen --model --model-file=model.burl queue.h -- queue.c
cmp -s out model.burl || fail "the printed model does not read back"

run 1 "$BURL" gen --json --tests=1000 --seed=1 queue.h -- queue.c
[ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "another kind"
dir=$(first_finding)
grep -q 'struct job \*j = zeroed_job()' "$dir/test.c" || fail "the job is not made in the test"
cc -Wall -Wextra -Werror -g -I. "$dir/test.c" queue.c -pthread -o plain || fail "not plain C"
run 1 "$BURL" replay "$(jq -r '.findings[0].number' out)"
grep -q 'of queue_take(): NULL' out || fail "pointers are not shown by what they are"

sed 's/if (q->count == 0)/while (q->count == 0)/' queue.c >fixed.c
run 0 "$BURL" gen --json --tests=300 --seed=1 queue.h -- fixed.c
[ "$(jq .stats.set_apart out)" = 0 ] || fail "a queue that works was suspected"
[ "$(jq '[.pairs[] | select(.covered > 0)] | length' out)" = 3 ] || fail "not all pairs were covered"

# A type without a definition has no size.
printf 'type struct lost: zeroed\n' >bad.burl
printf 'struct lost;\nvoid queue_lose(struct queue *q, struct lost *l);\n' >>queue.h
run 2 "$BURL" gen --model --model-file=bad.burl queue.h -- queue.c
grep -q 'bad.burl:1: .*its size is not known' err || fail "a type without a size was taken"
