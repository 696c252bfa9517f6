#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/gen_also.sh - a bug that several generated tests show is one finding, which names them.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >count.h <<'SRC'
struct count;
struct count *count_new(void);
void count_free(struct count *c);
void count_add(struct count *c, int n);
void count_reset(struct count *c);
SRC
cat >count.c <<'SRC'
#include <stdlib.h>
#include "count.h"
struct count {
    int n;
};
struct count *
count_new(void)
{
    return calloc(1, sizeof(struct count));
}
void
count_free(struct count *c)
{
    free(c);
}
void
count_add(struct count *c, int n)
{
    c->n += n;
}
void
count_reset(struct count *c)
{
    c->n = 0;
}
SRC

# Four pairs of places, one variable without a lock.
run 1 "$BURL" gen --keep-going --json --tests=8 --time=10m --seed=1 count.h count.c
jq -e '[.findings[] | select(.kind == "race.data")] | length == 1 and (.[0].also_in | length) > 0' \
    out >/dev/null || fail "$(jq -c '[.findings[] | [.number, .kind, .also_in, .finding.cause]]' out)"
jq -r '.findings[].also_in[]' out | while read -r test; do
    [ -f "$test" ] || fail "$test is not there"
done
rm -rf .burl
run 1 "$BURL" gen --keep-going --tests=8 --time=10m --seed=1 count.h count.c
has out 'also in tests'
[ "$(grep -c '^finding .*: race.data' out)" = 1 ] || fail "the report of the race is printed again"
