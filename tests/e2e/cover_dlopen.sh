#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Code that the program loads while it runs (dlopen) is covered like the rest: named, in the target,
# the same with any number of jobs, and over campaigns; also when executions load it in different
# orders.
# BURL-TIMEOUT: 240
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >plugin.c <<'SRC'
int plugin_count;
static int calls;
static void bump(void) { calls++; plugin_count = calls; }
void *plugin_run(void *arg)
{
    int *p = arg;
    *p += 1;
    bump();
    return 0;
}
SRC
cat >host.c <<'SRC'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static int total;
int main(void)
{
    void *h = dlopen("./libplugin.so", RTLD_NOW);
    void *(*run)(void *) = (void *(*)(void *))dlsym(h, "plugin_run");
    int *count = dlsym(h, "plugin_count");
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, run, &total);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", total, *count);
    return 0;
}
SRC
"$BURL" cc -g -O1 -fPIC -shared plugin.c -o libplugin.so || fail "the plugin does not build"
"$BURL" cc -g -O1 host.c -o host -ldl -lpthread || fail "the program does not build"
run 0 "$BURL" cover --metrics=all --runs=300 --seed=3 --jobs=1 --json -d one.d ./host
cp out one.json
run 0 "$BURL" cover --metrics=all --runs=300 --seed=3 --jobs=3 --json -d three.d ./host
for q in '.lost == 0' '.states.outside == 0' '.states.covered > 5' '.target.present' \
    '[.files[].path | split("/") | last] | sort == ["host.c", "plugin.c"]'; do
    jq -e "$q" one.json >q.out || { jq '.lost, .states, .files' one.json; fail "not so: $q"; }
done
n_of() { jq -c '[.metrics[] | [.metric, .covered]]' "$1"; }
[ "$(n_of one.json)" = "$(n_of out)" ] || fail "another number of jobs: $(n_of one.json), $(n_of out)"
# What a second campaign covers again is not new.
run 0 "$BURL" cover --metrics=all --runs=300 --seed=3 --jobs=1 --json -d one.d ./host
[ "$(n_of one.json)" = "$(n_of out)" ] || fail "the same again counts: $(n_of one.json), $(n_of out)"
run 0 "$BURL" cover report --json -d one.d ./host
[ "$(n_of one.json)" = "$(n_of out)" ] || fail "the store has: $(n_of out)"
# On free threads too.
run 0 "$BURL" cover --engine=free --metrics=all --runs=5 --json -d free.d ./host
jq -e '.lost == 0 and .states.outside == 0 and .states.covered > 0' out >q.out || fail "free threads"

# A hunt finds its way there, and its schedules can be followed again.
run 0 "$BURL" cover --metrics=LP --runs=2 --strategy=nonpreemptive -d hunt.d ./host
run 0 "$BURL" cover hunt -d hunt.d ./host
has out "covered     plugin.c"
has out " 0 not covered, 0 impossible, 0 untried"
grep -q "^LP .* 100.0%" out || fail "not all is covered"
run 0 "$BURL" cover report --json -d hunt.d ./host
schedule=$(jq -r '[.pairs[] | select(.strategy == "pair" or .schedule != "")][-1].schedule' out)
run 0 "$BURL" replay --schedule="$schedule"
has out "as recorded (same steps)"
# Also to pairs of places in the plugin, which have no numbers before it is loaded.
schedule=$(grep -l '^stop-site .* plugin\.c:' hunt.d/cover/*.txt | head -n 1)
[ -n "$schedule" ] || fail "no schedule was kept for a pair in the plugin"
run 0 "$BURL" replay --times=3 --schedule="$schedule"
grep -q '^the pair .*plugin\.c:[1-9].* was covered again' out || fail "the pair in the plugin: $(cat out)"
# A plugin that was changed since takes the place of the old one.
sed -i 's/calls++;/calls += 1;/' plugin.c
"$BURL" cc -g -O1 -fPIC -shared plugin.c -o libplugin.so || fail "the plugin does not build"
run 0 "$BURL" cover --metrics=all --runs=100 --json -d hunt.d ./host
jq -e '.lost == 0 and .states.outside == 0 and .states.covered > 5' out >q.out || fail "a new plugin"

# Two threads load a plugin each, in the order of the schedule. Each has a variable that only it
# touches, so a pair over two files would be a number taken for another.
for p in a b; do
    sed "s/plugin_/$p""_/g" plugin.c >"$p.c"
    [ $p = a ] || sed -i '1i static int pad1, pad2; void more(void) { pad1 = pad2; pad2++; }' b.c
    "$BURL" cc -g -O1 -fPIC -shared $p.c -o lib$p.so || fail "plugin $p does not build"
done
cat >two.c <<'SRC'
#include <dlfcn.h>
#include <pthread.h>
static int totals[2];
static void *load(void *arg)
{
    const char *name = arg;
    void *h = dlopen(name, RTLD_NOW);
    void *(*run)(void *) = (void *(*)(void *))dlsym(h, name[5] == 'a' ? "a_run" : "b_run");
    pthread_t t;
    pthread_create(&t, NULL, run, &totals[name[5] == 'b']);
    run(&totals[name[5] == 'b']);
    pthread_join(t, NULL);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, load, "./liba.so");
    pthread_create(&t[1], NULL, load, "./libb.so");
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
SRC
"$BURL" cc -g -O1 two.c -o two -ldl -lpthread || fail "two.c does not build"
run 0 "$BURL" cover --metrics=LP --runs=400 --seed=1 --jobs=2 --json -d two.d ./two
jq -e '. as $m | [.pairs[] | select(.state == "covered" or .state == "outside") |
    [.a, .b] | map($m.sites[.].file | split("/") | last) | select(.[0] != .[1] and .[0] != "two.c" and
        .[1] != "two.c")] == []' out >q.out || fail "a pair of two plugins"
jq -e '[.sites[].file | split("/") | last] | unique | contains(["a.c", "b.c"])' out >q.out ||
    fail "a plugin is missing"
