#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The JSON of every command obeys its schema of docs/formats, and has no member that the schema does not
# list: after success, with findings, and after errors.
# BURL-TIMEOUT: 240
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"
command -v jq >/dev/null || { echo "no jq here (Debian: apt-get install jq)"; exit 77; }
formats=$BURL_TEST_ROOT/docs/formats
# The name of a version must not depend on the repository that these tests may be run in.
export GIT_CEILING_DIRECTORIES="$PWD"

# undocumented SCHEMA DOCUMENT: prints what is wrong with it.
undocumented() {
    jq -n -r -L "$BURL_TEST_ROOT/tests/support" --slurpfile s "$formats/$1.schema.json" \
        --slurpfile r "$formats/report.schema.json" --slurpfile d "$2" \
        'include "schema"; undocumented($s[0]; {"report.schema.json": $r[0]}; $d[0])' || fail "$2: jq"
}
: >checked
# document SCHEMA CODE COMMAND...: it ends with this code and prints a document of this schema.
document() {
    schema=$1 code=$2
    shift 2
    echo "$1" >>checked
    run "$code" "$BURL" "$@"
    jq -e . out >/dev/null || fail "burl $*: no JSON"
    undocumented "$schema" out >violations
    [ ! -s violations ] || { head -n 10 violations; fail "burl $*: its document violates $schema.schema.json"; }
}

cat >shop.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int stock = 2, sold, hits, meet;
static void *sell(void *p)
{
    int left;

    hits++;
    pthread_mutex_lock(&m);
    left = stock;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    stock = left - 1;
    sold++;
    pthread_mutex_unlock(&m);
    return p;
}
static void *count(void *p)
{
    pthread_mutex_lock(p ? &n : &m);
    if (meet)
        pthread_barrier_wait(&both);
    pthread_mutex_lock(p ? &m : &n);
    pthread_mutex_unlock(p ? &m : &n);
    pthread_mutex_unlock(p ? &n : &m);
    return p;
}
int main(int argc, char **argv)
{
    pthread_t t[2];

    (void)argv;
    meet = argc > 2;
    pthread_barrier_init(&both, 0, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, argc > 1 ? count : sell, i ? &n : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    if (argc == 1 && stock + sold != 2)
        abort();
    return 0;
}
SRC
build shop
printf 'int main(void) { return 0; }\n' >fine.c
build fine
printf 'race:nothing-like-this\n' >known.supp

# ---- searches of schedules -------------------------------------------------------------------
document test 0 test --json --runs=5 ./fine
document test 1 test --json --runs=200 --seed=1 --suppressions=known.supp ./shop
document test 1 test --json --runs=200 ./shop deadlock
document test 1 test --json --fresh --dir=other --runs=30 --check-determinism ./shop
document test 1 test --json --strategy=exhaustive --runs=2 --dir=other ./shop
document test 2 test --json ./no-such-program
document corpus 0 test --json --corpus ./shop
document run 0 run --json ./fine
"$BURL" run --json --noise=yield:freq=500 ./shop >run.json 2>/dev/null
undocumented run run.json >violations
[ ! -s violations ] || { cat violations; fail "burl run --noise"; }
document run 2 run --json ./no-such-program
document run 1 run --json --time=2s --dir=free ./shop deadlock deadlock
document replay 1 replay --json 1
document findings 1 findings --json
document show 0 show --json 1
document report 0 report --json
document doctor 0 doctor --json ./shop
document doctor 3 doctor --json ./shop.c

# ---- coverage --------------------------------------------------------------------------------
document cover 1 cover --json --runs=30 ./shop
document cover 1 cover --json --context=1 --metrics=all --runs=30 ./shop
document cover 1 cover --json hunt --tries=2 ./shop
document prune 0 cover --json prune ./shop
document metrics 0 cover --json --list-metrics

# ---- generated tests -------------------------------------------------------------------------
cat >box.h <<'SRC'
struct box;
struct box *box_new(void);
void box_put(struct box *b, int v);
int box_get(struct box *b);
void box_free(struct box *b);
SRC
cat >box.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
#include "box.h"
struct box { pthread_mutex_t m; int v; };
struct box *box_new(void)
{
    struct box *b = calloc(1, sizeof *b);
    pthread_mutex_init(&b->m, 0);
    return b;
}
void box_put(struct box *b, int v)
{
    int old;
    pthread_mutex_lock(&b->m);
    old = b->v;
    pthread_mutex_unlock(&b->m);
    b->v = old + v;
}
int box_get(struct box *b) { return b->v; }
void box_free(struct box *b) { free(b); }
SRC
cat >test_box.c <<'SRC'
#include "box.h"
int main(void)
{
    struct box *b = box_new();
    box_put(b, 1);
    int v = box_get(b);
    box_free(b);
    return v != 1;
}
SRC
document gen 1 gen --json --seed=1 --dir=gen --tests=60 box.h -- box.c
document gen 2 gen --json --dir=gen no-such.h -- box.c
document synth 1 synth --json --seed=1 --dir=synth --time=10s --explain box.h -- box.c test_box.c
document tune 1 tune --json --dir=tune --evaluations=3 --executions=10 ./shop

# ---- after a change --------------------------------------------------------------------------
printf 'sell: ./shop\nfine: ./fine\n' >burl.tests
document regress-select 2 regress select --json
document regress-record 0 regress record --json --as=1
sed 's/^    hits++;$/    hits++, sold += 0;/' shop.c >new.c
mv new.c shop.c
build shop
document regress-select 0 regress select --json
document regress-select 0 regress show --json
document regress-run 1 regress run --json --verify-runs=3
document regress-experiment 0 regress experiment --json --verify-runs=2

# ---- all commands were checked, and checking finds what is wrong --------------------------------
for command in $("$BURL" --help | sed -n '/^commands:/,/^$/s/^  \([a-z+]*\) .*/\1/p'); do
    "$BURL" "$command" --help | grep -q '^ *--json$' || continue
    grep -q "^$command" checked || fail "no document of burl $command is checked"
done
run 1 "$BURL" findings --json
jq '.findings[0].news = 1' out >extra.json
[ "$(undocumented findings extra.json)" = '$.findings[0]: the member news is not documented' ] || fail "a member that no schema lists"
jq '.findings[0].count = "many"' out >wrong.json
[ -n "$(undocumented findings wrong.json)" ] || fail "a member of the wrong type"
run 0 "$BURL" show --json 1
jq 'del(.title)' out >lacks.json
[ -n "$(undocumented show lacks.json)" ] || fail "a reference to another schema"
for schema in "$formats"/*.schema.json; do
    name=$(basename "$schema")
    case $name in report*) continue ;; esac
    grep -qF "\`$name\`" "$formats/json.md" || fail "docs/formats/json.md does not name $name"
done
