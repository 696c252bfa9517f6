#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_races.sh - burl run reports a race once, with all that is known; its twin is silent.
. "$(dirname "$0")/run_lib.inc"

write_counter
build counter
build careful

run 1 "$BURL" run ./counter
has out 'done'
count out '' 1
count err 'finding 1: race.data' 1
hasnt err 'finding 2'
has err 'data race on counter'
# Both sides: function, place and thread; the lock of one, none of the other.
has err 'bump_locked'
has err 'bump_bare'
has err 'careful'
has err 'careless'
has err 'counter.c:10'
has err 'counter.c:16'
has err 'holds guard'
has err 'holds no lock'
has err 'created by T0 at counter.c:39'
has err 'created by T0 at counter.c:40'
has err 'global'
has err '1 finding'
has err 'exited with code 0'
# The twin is what it should be, and silent.
grep -q 'bump_bare' careful.c && fail "careful.c is not correct"
for i in 1 2 3 4 5; do
    run 0 "$BURL" run ./careful
    has err 'nothing found'
done

# Kept, listed, shown; no schedule to replay, and that is said.
"$BURL" findings -v >out 2>err
[ $? -eq 1 ] || fail "burl findings"
has out 'race.data'
has out 'free runs'
hasnt out 'burl replay'
run 0 "$BURL" show 1
has out 'data race on counter'
run 0 "$BURL" show --json 1
jq -e '.kind == "race.data" and .execution.engine == "free"' out >/dev/null || fail "show --json"
run 2 "$BURL" replay 1
has err 'burl test ./counter'
run 2 "$BURL" replay --engine=free 1

# Seen again it is the same finding, counted up.
run 1 "$BURL" run -q ./counter
has err 'finding 1: race.data'
! grep -q '^1 finding' err || fail 'a finding'
"$BURL" findings --json >out
jq -e '.findings | length == 1 and .[0].count >= 2' out >/dev/null || fail "not the same finding"

# burl test meets the same bug: same fingerprint, same number, and now there is a schedule.
run 1 "$BURL" test --runs=200 --stop-at-first ./counter
"$BURL" findings --json >out
jq -e '[.findings[] | select(.kind == "race.data")] | length == 1' out >/dev/null ||
    fail "burl test and burl run do not agree about the bug"
jq -e '.findings[0] | .id == 1 and .engine != "free"' out >/dev/null || fail "no schedule came"
run 1 "$BURL" replay 1
has out 'reproduced'
# A free run does not take the schedule away again.
run 1 "$BURL" run ./counter
has err 'replay it: burl replay 1'
run 1 "$BURL" replay 1

# Heap memory: what it is, and where it was made.
cat >heap.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
struct node {
    long key;
    int hits;
};
static pthread_barrier_t both;
static struct node *
make_node(void)
{
    return calloc(1, sizeof(struct node));
}
static void *
touch(void *arg)
{
    struct node *n = arg;
    pthread_barrier_wait(&both);
    n->hits++;
    return NULL;
}
int
main(void)
{
    pthread_t t[2];
    struct node *n = make_node();
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, touch, n);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    free(n);
    return 0;
}
SRC
build heap
run 1 "$BURL" run --dir=.heap ./heap
has err 'n->hits'
has err 'make_node'
has err 'heap.c:11'
has err '16 bytes'
count err 'race.data' 1

# The other profile.
build counter --late
run 1 "$BURL" run --dir=.late ./counter
has err 'data race on counter'
count err 'finding 1: race.data' 1
build careful --late
run 0 "$BURL" run --dir=.late ./careful
# All races with the freeing of one block have one cause, whichever comes first, the freeing or the
# accesses. A race of two accesses to the block, and the freeing of another block, have others.
cat >freed.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct node {
    int a, b, c, d;
    char rest[SIZE];
};
static struct node *block, *other;
static void
pause_if(int yes)
{
    if (yes)
        usleep(20000); /* no happens-before edge */
}
static void *
reader(void *arg)
{
    int sum;

    pause_if(LATE);
    sum = block->a;
    sum += block->b;
    block->c = sum;
#if OTHER
    block->d++;
    sum += other->a;
#endif
    return sum < 0 ? arg : NULL;
}
static void *
freer(void *arg)
{
    pause_if(!LATE);
#if OTHER
    block->d++;
    free(other);
#endif
    free(block);
    return arg;
}
int
main(void)
{
    pthread_t t[2];

    block = calloc(1, sizeof *block);
    other = calloc(2, sizeof *other);
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, freer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
EOF
for late in 0 1; do
    for size in 4 4000; do
        "$BURL" cc -g -O1 -DLATE=$late -DOTHER=0 -DSIZE=$size freed.c -o freed || fail "freed.c"
        run 1 "$BURL" run ./freed
        has err '1 finding'
        has err ' (heap, 4 bytes)'
        has err 'also with the freeing of this block'
        has err 'a heap block of'
    done
    "$BURL" cc -g -O1 -DLATE=$late -DOTHER=1 -DSIZE=4 freed.c -o freed || fail "freed.c"
    run 1 "$BURL" run ./freed
    # Late accesses race with the freeing, which is the last access to each byte of the block.
    has err "$((3 - late)) findings:"
done
# A block of more than 64 KB is in another table.
"$BURL" cc -g -O1 -DLATE=0 -DOTHER=0 -DSIZE=100000 freed.c -o freed || fail "freed.c"
run 1 "$BURL" run ./freed
has err '1 finding'
exit 0
