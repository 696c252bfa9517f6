#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl cover hunt` covers what exploration misses. The reader's one access must wait through hundreds
# of steps of the writer, both locked, and then come between two of its sections: a random walk does
# not do that in 1000 executions. Each pair that is covered has a schedule, and following it in a
# fresh process covers the pair again. The number of jobs changes nothing.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >narrow.c <<'SRC'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int noise;
static int value;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void
wander(int n)
{
    for (int i = 0; i < n; i++)
        atomic_fetch_add(&noise, 1);
}
static void *
writer(void *a)
{
    wander(200);
    pthread_mutex_lock(&m);
    value = 1; /* first */
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    value = 2; /* second */
    pthread_mutex_unlock(&m);
    wander(200);
    return a;
}
static void *
reader(void *a)
{
    int v;
    pthread_mutex_lock(&m);
    v = value; /* look */
    pthread_mutex_unlock(&m);
    wander(200);
    return v == 99 ? a : 0;
}
int
main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, reader, 0);
    pthread_create(&t[1], 0, writer, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
SRC
build narrow
line() { grep -n "/\* $1 \*/" narrow.c | cut -d: -f1; }
first=$(line first) second=$(line second) look=$(line look)

# state DIR A B: what is known of the pair of these lines.
state() {
    "$BURL" cover report --json --dir="$1" >doc.json || fail "no report of $1"
    jq -r --argjson a "$2" --argjson b "$3" '. as $d | .pairs[] |
        select($d.sites[.a].line == $a and $d.sites[.b].line == $b) | .state' doc.json
}

for jobs in 1 3; do
    run 0 "$BURL" cover --runs=1000 --strategy=random --seed=1 --jobs=$jobs --dir=d$jobs ./narrow
    [ "$(state d$jobs "$first" "$look")" = uncovered ] || fail "random covers it: no test of hunting"
    [ "$(state d$jobs "$look" "$second")" = uncovered ] || fail "random covers look then second"
    run 0 "$BURL" cover hunt --seed=1 --jobs=$jobs --gaps=0 --dir=d$jobs ./narrow
    grep -E '^(covered|not covered|impossible)' out >hunt$jobs
    for pair in "$first $look" "$look $second" "$second $look"; do
        read -r a b <<<"$pair"
        [ "$(state d$jobs "$a" "$b")" = covered ] || fail "$a then $b is not covered"
        schedule=$(jq -r --argjson a "$a" --argjson b "$b" '. as $d | .pairs[] |
            select($d.sites[.a].line == $a and $d.sites[.b].line == $b) | .schedule' doc.json)
        [ -s "$schedule" ] || fail "$a then $b has no schedule"
        run 0 "$BURL" replay "./$schedule"
        has out "was covered again"
        has out "(same steps)"
    done
    # No thread of this program writes twice, so no pair of two writes of `value` can be covered.
    for a in $first $second; do
        for b in $first $second; do
            case $(state d$jobs "$a" "$b") in
            covered | outside) fail "the impossible pair $a then $b is said to be covered" ;;
            esac
        done
    done
done
[ -s hunt1 ] || fail "the hunt says nothing"
cmp hunt1 hunt3 || fail "the number of jobs changes the hunt"
cat d1/cover/*.txt >s1 && cat d3/cover/*.txt >s3 && cmp s1 s3 || fail "other schedules"

# A schedule that does not lead to the pair says so.
sed -e '/^switch /d' -e 's/^switches .*/switches 0/' -e 's/^end .*/end 0/' \
    -e 's/^checksum .*/checksum none/' "$schedule" >straight.txt
run 3 "$BURL" replay --schedule=straight.txt
has out "not covered"

# Without a word of the program, the one covered last.
run 0 "$BURL" cover hunt --tries=8 --dir=d1
has out "0 covered"

# One pair is hunted, others are met on the way: each has a schedule that covers it.
for jobs in 1 3; do
    run 0 "$BURL" cover --runs=1 --seed=1 --dir=few$jobs ./narrow
    run 0 "$BURL" cover hunt --seed=1 --gaps=1 --jobs=$jobs --dir=few$jobs ./narrow
    "$BURL" cover report --json --dir=few$jobs >doc.json || fail "no report of few$jobs"
    jq -c '[.pairs[] | select(.state == "covered") | .schedule]' doc.json | sed "s/few$jobs//g" >met$jobs
    jq -e '[.pairs[] | select(.state == "covered" and .first_execution > 1)] | length > 1' doc.json \
        >/dev/null || fail "nothing was met on the way: no test"
    jq -e '[.pairs[] | select(.state == "covered" and .schedule == null)] == []' doc.json >/dev/null ||
        fail "covered without a schedule"
    for schedule in few$jobs/cover/*.txt; do
        run 0 "$BURL" replay --schedule="$schedule"
        has out "(same steps)"
    done
done
cmp met1 met3 || fail "the number of jobs changes the schedules"

# What needed no execution of its own says so: without the wandering, the first executions that every
# campaign makes cover something.
sed '/wander(200);/d; /^static void$/,/^}$/d' narrow.c >easy.c
build easy
run 0 "$BURL" cover --runs=1 --seed=1 --dir=way ./easy
run 0 "$BURL" cover hunt --seed=1 --dir=way ./easy
has out "(covered on the way)"
hasnt out "(0 tries)"
