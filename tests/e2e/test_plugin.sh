#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A bug in code that the program loads while it runs (dlopen) is reported like any other: functions,
# lines and variables in text and JSON, in the replay and in gdb; after a rebuild of that
# code alone its schedules are run again; also when schedules load several in different orders.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >plugin.c <<'SRC'
#include <assert.h>
struct account { int owner; int balance; };
static struct account acc;
void *plugin_run(void *arg)
{
    int b = acc.balance;
    acc.balance = b + *(int *)arg;
    return 0;
}
void plugin_check(void) { assert(acc.balance == 2); }
SRC
cat >host.c <<'SRC'
#include <dlfcn.h>
#include <pthread.h>
int main(void)
{
    void *h = dlopen("./libplugin.so", RTLD_NOW);
    void *(*run)(void *) = (void *(*)(void *))dlsym(h, "plugin_run");
    void (*check)(void) = (void (*)(void))dlsym(h, "plugin_check");
    pthread_t t[2];
    int one = 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, run, &one);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    check();
    return 0;
}
SRC
plugin() { "$BURL" cc -g -O1 -fPIC -shared "$1.c" -o "lib$1.so" || fail "$1.c does not build"; }
plugin plugin
build host -ldl
run 1 "$BURL" test --runs=40 --seed=1 ./host
cp out first
has out "assertion \`acc.balance == 2' failed at plugin.c:10"
has out "writes acc.balance at line 7 between T"
has out "data race on acc.balance (global, 4 bytes)"
has out "plugin_run  plugin.c:7"
hasnt out "unknown place"
n=$(basename "$(dirname "$(grep -l '"kind": "crash.abort"' .burl/findings/*/finding.json)")")
jq -e '[.steps[] | select(.at.file == "plugin.c" and .at.function == "plugin_run")] | length >= 4' \
    ".burl/findings/$n/finding.json" >q.out || fail "the steps in JSON"
run 1 "$BURL" replay "$n"
has out "writes acc.balance at line 7 between T"
has out "(same steps)"
hasnt err "rebuilt"
if command -v gdb >/dev/null; then
    timeout 60 "$BURL" replay --gdb "$n" </dev/null >out 2>err
    has out "burl: the failure (crash.abort) is here"
    has out "plugin_check"
fi
# The schedules are those of the plugin's build, not only of the host's.
run 1 "$BURL" test --runs=20 --seed=2 ./host
has out "continuing after 40 schedules"
has out "known: finding $n reproduced by its schedule"
run 0 "$BURL" show "$n"
hasnt out "found by replay"
sed -i 's/struct account { int owner;/struct account { int owner; int limit;/' plugin.c
sed -i 's/^{$/{\n    acc.limit = 0;/' plugin.c
plugin plugin
run 1 "$BURL" replay "$n"
has err "the program was rebuilt since the schedule was recorded"
has out "reproduced"
run 1 "$BURL" test --runs=20 --seed=2 ./host
has out "rebuilt since the last campaign"
has out "regression: finding $n is still there"
has out "writes acc.balance at line 8 between T"

# Two threads load a plugin each, in the order of the schedule: names stay with their plugin.
for p in a b; do
    cat >$p.c <<SRC
#include <assert.h>
#include <pthread.h>
static int ${p}_total;
static void *${p}_add(void *arg) { ${p}_total++; return arg; }
void ${p}_run(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, ${p}_add, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(${p}_total == 2);
}
SRC
    plugin $p
done
cat >two.c <<'SRC'
#include <dlfcn.h>
#include <pthread.h>
static void *load(void *arg)
{
    const char *name = arg;
    void *h = dlopen(name, RTLD_NOW);
    ((void (*)(void))dlsym(h, name[5] == 'a' ? "a_run" : "b_run"))();
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
build two -ldl
for jobs in 1 3; do
    run 1 "$BURL" test --runs=200 --seed=1 --jobs=$jobs --json -d two$jobs.d ./two
    jq '[.findings[] | .detail.title]' out >titles$jobs
done
cmp -s titles1 titles3 || fail "another number of jobs: $(diff titles1 titles3)"
for p in a b; do
    has titles1 "data race on ${p}_total"
    has titles1 "assertion \`${p}_total == 2' failed at $p.c:12"
done
jq -e 'length == 4' titles1 >q.out || fail "other findings: $(cat titles1)"
hasnt out "unknown place"

# One after the other at the same address, with the variables at the same offset; and memory that
# the same call of each makes, with the race at the same offset of it.
cat >one.c <<'SRC'
#include <dlfcn.h>
static void load(const char *name, const char *run)
{
    void *h = dlopen(name, RTLD_NOW);
    ((void (*)(void))dlsym(h, run))();
    dlclose(h);
}
int main(void)
{
    load("./liba.so", "a_run");
    load("./libb.so", "b_run");
    return 0;
}
SRC
build one -ldl
run 1 "$BURL" test --runs=200 --seed=1 --jobs=1 --json -d one.d ./one
jq '[.findings[] | .detail.title]' out >titles
for p in a b; do
    has titles "data race on ${p}_total"
    sed -i "s/static int ${p}_total;/#include <stdlib.h>\nstatic int *${p}_heap;/
        s/${p}_total++/${p}_heap[1]++/; s/assert(.*/free(${p}_heap);/
        s/pthread_t t\[2\];/&\n    ${p}_heap = calloc(2, sizeof *${p}_heap);/" $p.c
    plugin $p
done
jq -e 'length == 4' titles >q.out || fail "other findings: $(cat titles)"
for program in one two; do
    run 1 "$BURL" test --runs=200 --seed=1 --jobs=1 --json -d heap.$program.d ./$program
    jq -c '[.findings[].detail.cause] | sort' out >causes
    has causes "race.data heap a_run calloc#1"
    has causes "race.data heap b_run calloc#1"
    jq -e 'length == 2' causes >q.out || fail "other findings: $(cat causes)"
done

# Code of another version of burl is refused, also when it comes in while the program runs.
cat >old.c <<'SRC'
struct module { unsigned version, n; void *sites; unsigned long hash; const char *name; unsigned b, r; };
static struct module old = { .version = 1, .name = "old.c" };
extern void __burl_module_init(struct module *m);
__attribute__((constructor)) static void begin(void) { __burl_module_init(&old); }
SRC
"$BURL" cc -g -O1 -fPIC -shared plugin.c old.c -o libplugin.so || fail "old.c does not build"
run 3 "$BURL" test --runs=5 ./host
has err "was built by another version of burl (runtime version 1"
"$BURL" cc -g -O1 host.c old.c -o host -ldl -lpthread || fail "the program does not build"
run 3 "$BURL" test --runs=5 ./host
has err "was built by another version of burl (runtime version 1"
