#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: how executions are undone is a matter of speed: both ways are measured, the JSON document has
#   the figures, and the faster one is taken. What is found does not depend on it: the same number of
#   executions shows the same findings with the same schedules, whether memory is restored, the process
#   forks, or burl chooses; in a small program, in one that writes much memory, in one with many
#   mappings and large stacks. A reset that is given is used.
# BURL-TIMEOUT: 300
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >sizes.c <<'EOC'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define MB (1u << 20)
static int n;
#ifdef DATA
static char data[2 * MB] = { 1 };
#endif
static void *work(void *arg)
{
#ifdef STACK
    char b[MB];
    memset(b, 1, sizeof b);
#endif
    n = n + 1;
    return arg;
}
int main(void)
{
    pthread_t t[2];
#ifdef HEAP
    char *p = malloc(HEAP * MB);
    memset(p, 1, HEAP * MB);
    free(p);
#endif
#ifdef MAPS
    for (int i = 0; i < MAPS; i++)
        memset(mmap(NULL, MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, MB);
#endif
#ifdef DATA
    memset(data, 2, sizeof data);
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(n == 2);
    return 0;
}
EOC

results='{executions, steps, switches, schedules, strategies, shared_sites, point_sites, verdicts, suspects, findings:
    [.findings[] | {kind, fingerprint, count, found_after, found_execution, confirmed, sequential}]}'
# results_of NAME RESET: of 20 executions; schedules are in the folder NAME.RESET
results_of() {
    run 1 "$BURL" test --seed=7 --runs=20 --reset="$2" --no-minimize --dir="$1.$2" --json "./$1" >&2
    jq "$results" out
}
for kind in SMALL HEAP=8 MAPS=8 STACK DATA; do
    name=${kind%=*}
    "$BURL" cc -g -O1 -D"$kind" sizes.c -o "$name" -lpthread || fail "cannot build $name"
    results_of "$name" snapshot >snapshot.json
    [ "$(jq -r .reset out)" = snapshot ] || fail "$name: the reset that was given is not used"
    for reset in fork auto; do
        results_of "$name" "$reset" >other.json
        cmp snapshot.json other.json || fail "$name: other results with --reset=$reset"
        for f in "$name".snapshot/findings/*/schedule.txt; do
            cmp "$f" "${f/.snapshot/.$reset}" || fail "$name: another schedule with --reset=$reset"
        done
    done
    jq -e '.reset_us.snapshot > 0 and .reset_us.fork > 0' out >/dev/null || fail "$name: not measured"
done
run 1 "$BURL" test --seed=7 --runs=20 -v ./SMALL
has out "measured: an execution takes"
