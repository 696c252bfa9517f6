#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl cover prune`: lock reasoning proposes the paper's read-then-write section and accepts nothing
# by itself; the user's entries take pairs out, survive edits of the source, are reported when stale,
# and loudly when the pair is covered after all.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >acct.c <<'SRC'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *
deposit(void *a)
{
    int v;
    pthread_mutex_lock(&m);
    v = sum;     /* read */
    sum = v + 1; /* write */
    pthread_mutex_unlock(&m);
    return a;
}
static void *
reset(void *a)
{
    pthread_mutex_lock(&m);
    sum = 0; /* reset */
    pthread_mutex_unlock(&m);
    return a;
}
int
main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, deposit, 0);
    pthread_create(&t[1], 0, reset, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
SRC
build acct
line() { grep -n "/\* $1 \*/" acct.c | cut -d: -f1; }
read=$(line read) write=$(line write) reset=$(line reset)

pair_state() {
    "$BURL" cover report --json >doc.json || fail "no report"
    jq -r --argjson a "$1" --argjson b "$2" '. as $d | .pairs[] |
        select($d.sites[.a].line == $a and $d.sites[.b].line == $b) | .state' doc.json
}

run 0 "$BURL" cover --runs=20 --seed=1 ./acct
[ "$(pair_state "$read" "$reset")" = proposed ] || fail "the section is not proposed"
[ "$(pair_state "$reset" "$read")" = covered ] || fail "a possible pair is not covered"
run 0 "$BURL" cover prune ./acct
cp out named
run 0 "$BURL" cover prune
cmp out named || fail "the program covered last and its name differ"
has out "acct.c:$read"
has out "after the read at acct.c:$read its section always does the write at acct.c:$write"
[ ! -e burl.prune ] || fail "a proposal was accepted by itself"

# Accepted by number, with the argument as the reason.
run 2 "$BURL" cover prune accept 9
run 0 "$BURL" cover prune accept 1
has burl.prune "because  both hold"
run 0 "$BURL" cover prune
has out "pruned: acct.c:"
rm burl.prune

# The user's entry wants a reason, and two places that are a pair.
run 2 "$BURL" cover prune acct.c:$read acct.c:$reset
run 2 "$BURL" cover prune acct.c:$read acct.c:1 --reason=x
[ ! -e burl.prune ] || fail "a file was written"
run 0 "$BURL" cover prune acct.c:$read acct.c:$reset --reason="deposit is one section"
has burl.prune "because  deposit is one section"
[ "$(pair_state "$read" "$reset")" = pruned ] || fail "the entry does not count"
jq -e --arg r "deposit is one section" '[.pairs[] | select(.reason == $r)] | length == 1' doc.json \
    >/dev/null || fail "the reason is lost"

# A wrong prune: the pair is possible. It is covered, counts, and the entry is reported.
cat >>burl.prune <<PRUNE

# written by hand
first acct.c:$reset write sum in reset
then  acct.c:$read read sum in deposit
because never happens
PRUNE
for dir in .burl fresh; do
    run 0 "$BURL" cover --runs=20 --seed=1 --dir=$dir ./acct
    has out "covered after all"
    has out "burl.prune:6"
    jq -e '.stale_prunes[0].text | contains("(because never happens)")' <<<"$(
        "$BURL" cover report --json --dir=$dir)" >/dev/null || fail "the reason is lost"
done
[ "$(pair_state "$reset" "$read")" = covered ] || fail "a pruned pair is not measured any more"
run 2 "$BURL" cover prune acct.c:$reset acct.c:$read --reason="still never"
has err "covered"
run 0 "$BURL" cover prune acct.c:$reset acct.c:$read --remove
run 0 "$BURL" cover report
hasnt out "covered after all"
has burl.prune "deposit is one section"

# To take away what is not there is a mistake, and says what was looked for. Options that have no
# meaning here are refused.
run 2 "$BURL" cover prune acct.c:$reset acct.c:$read --remove
has err "burl.prune has no entry for acct.c:$reset then acct.c:$read"
run 2 "$BURL" cover prune --remove
run 2 "$BURL" cover prune accept 1 --reason=x
run 2 "$BURL" cover prune --reason=x
run 2 "$BURL" cover prune acct.c:$read acct.c:$reset --remove --reason=x
run 2 "$BURL" cover prune acct.c:$read acct.c:$reset --reason=x --auto-prune

# The same as a document.
run 0 "$BURL" cover prune --json
jq -e '.prune_file == "burl.prune" and .added == 0 and (.pruned | length) == 1 and
    .pruned[0].reason == "deposit is one section" and .pruned[0].first.line == '"$read"' and
    .pruned[0].then.access == "write" and .stale == []' out >/dev/null || fail "the document"
cp burl.prune kept.prune
run 0 "$BURL" cover prune acct.c:$read acct.c:$reset --remove --json
jq -e '.removed == 1 and (.proposed | length) >= 1 and .pruned == []' out >/dev/null ||
    fail "the document after removing"
run 0 "$BURL" cover prune --auto-prune --json
jq -e '.added >= 1 and .proposed == [] and .added == (.pruned | length)' out >/dev/null ||
    fail "the document after accepting all"
# All that was uncovered is pruned: the target is what was covered, or nothing.
"$BURL" cover report --json >doc.json
jq -e '.metrics[] | select(.short == "LP") | .percent == 100' doc.json >/dev/null || fail "not 100 %"
cp kept.prune burl.prune

# Entries of another program that shares the file are none of this one's business.
cat >>burl.prune <<PRUNE

first elsewhere.c:5 write total in other
then  elsewhere.c:9 read total in other
because of another program
PRUNE
run 0 "$BURL" cover report
hasnt out "stale"
hasnt err "elsewhere"
run 0 "$BURL" cover report -v
has err "1 entry of burl.prune is about files that are not part of this program"
run 0 "$BURL" cover prune -v
hasnt out "stale"
has err "1 entry of burl.prune"
[ "$("$BURL" cover report --json | jq .foreign_prunes)" = 1 ] || fail "not counted"
cp kept.prune burl.prune

# The source moves: the entry is found by its names. It changes: the entry is stale.
sed -i '1i/* a new line */' acct.c
sed -i '1i# my own words' burl.prune
build acct
run 0 "$BURL" cover --runs=100 --seed=1 ./acct
[ "$(pair_state $((read + 1)) $((reset + 1)))" = pruned ] || fail "the entry did not follow"
has burl.prune "# my own words"
sed -i 's/^deposit/credit/; s/, deposit,/, credit,/' acct.c
build acct
run 0 "$BURL" cover --runs=100 --seed=1 ./acct
[ "$(pair_state $((read + 1)) $((reset + 1)))" != pruned ] || fail "a stale entry counts"
run 0 "$BURL" cover report
has out "burl.prune:"
has out "is gone"

# All proposals at once, when asked for.
rm burl.prune
run 0 "$BURL" cover report --auto-prune
has burl.prune "because  both hold"
[ "$(pair_state $((read + 1)) $((reset + 1)))" = pruned ] || fail "--auto-prune accepts nothing"

printf 'first acct.c:1 read sum in f\nthen\n' >burl.prune
run 3 "$BURL" cover report
has err "burl.prune:2:"
