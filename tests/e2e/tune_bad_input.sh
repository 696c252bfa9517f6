#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/tune_bad_input.sh - what burl tune refuses, with exit code 2 and the reason.
. "$(dirname "$0")/tune_lib.inc"

write_lost
build lost
build fixed -DFIXED
cat >fails.c <<'C'
int main(void) { return 3; }
C
cat >hangs.c <<'C'
#include <unistd.h>
int main(void) { for (;;) pause(); }
C
cat >alone.c <<'C'
#include <pthread.h>
static void *work(void *arg) { long x[4] = { 0 }; for (int i = 0; i < 4; i++) x[i & 3] += i; return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
C
cat >early.c <<'C'
#include <unistd.h>
__attribute__((constructor)) static void stay(void) { for (;;) pause(); }
int main(void) { return 0; }
C
build early
build fails
build hangs
build alone

# Nothing is run, and no store made.
want 2 'which program?' "$BURL" tune
want 2 'no probability' "$BURL" tune --mutation=2 ./lost
want 2 'no probability' "$BURL" tune --crossover=x ./lost
want 2 'out of range' "$BURL" tune --population=1 ./lost
want 2 'out of range' "$BURL" tune --elites=20 ./lost
want 2 'out of range' "$BURL" tune --executions=0 ./lost
want 2 'nor a range' "$BURL" tune --strength=0 ./lost
want 2 'nor a range' "$BURL" tune --strength=5..500 ./lost
want 2 'a is not used' "$BURL" tune --param 'a=1..3' -- ./lost 20
want 2 '{b} in the command is no parameter' "$BURL" tune --param 'a=1..3' -- ./lost {a} {b}
want 2 'is empty' "$BURL" tune --param 'a=3..1' -- ./lost {a}
want 2 'no range of numbers' "$BURL" tune --param 'a=1..x' -- ./lost {a}
want 2 'a is a list and cannot have a range (4..8)' "$BURL" tune --param 'a=0,4..8' -- ./lost {a}
want 2 'no range of numbers from -1000000000' "$BURL" tune --param 'a=1..99999999999' -- ./lost {a}
want 2 'out of range' "$BURL" tune --finalists=1000000 ./lost
want 2 'entry 1, noiseFreq, is 1001' "$BURL" tune --start=1001,0,0,0,0,0 ./lost
want 2 'entry 2, sharedVar, is 6; it can be 0 to 4' "$BURL" tune --start=10,6,0,0,0,0 ./lost
want 2 'has 3 numbers' "$BURL" tune --start=10,1,0 ./lost
want 2 'no list of numbers' "$BURL" tune --start=10,,0,0,0,0 ./lost
want 2 'there is no command no-such-check' "$BURL" tune --check='no-such-check -q' ./lost
want 2 'there is no command ./no-such-file' "$BURL" tune --check='./no-such-file' ./lost
want 2 '--check: the shell cannot read the command' "$BURL" tune --check='if true' ./lost
want 2 '--check: the shell cannot read the command' "$BURL" tune --check='test "x' ./lost
want 2 '--check is empty' "$BURL" tune --check=' ' ./lost
want 2 'give one of them' "$BURL" tune --paper --population=10 ./lost
want 2 'give one of them' "$BURL" tune --restart --resume ./lost
want 2 'three numbers' "$BURL" tune --f1-max=1,2 ./lost
want 2 'three numbers' "$BURL" tune --fitness=f1 --f1-max=-1,-1,-1 ./lost
want 2 'three numbers' "$BURL" tune --fitness=f1 --f1-max=1,2,99999999999 ./lost
want 2 'no effect without --fitness=f1' "$BURL" tune --f1-max=1,2,3 ./lost
want 2 'has 3 numbers; a vector has 6' "$BURL" tune --start=1,2,3 ./lost
hasnt out '6 or 6'
want 2 'the program cannot be a parameter ({p})' "$BURL" tune --param 'p=./lost,./fixed' -- {p}
want 2 'the program cannot be a parameter (./{p})' "$BURL" tune --param 'p=lost,fixed' -- ./{p}
want 2 'did not reach main within 0.001 s; give a longer --run-time' "$BURL" tune --run-time=1ms ./early
want 2 'no-such-program' "$BURL" tune ./no-such-program
# As for a compiler, by mistake: the program stays.
cp lost spared
want 2 '--out=./lost is the program; name another file' "$BURL" tune --out=./lost ./lost
want 2 '--report=lost is the program; name another file' "$BURL" run -o lost ./lost
want 2 '--lcov=./lost is the program; name another file' "$BURL" cover --lcov=./lost ./lost
cmp lost spared || fail "the program was replaced"
[ ! -e .burl ] || fail "a store was made"

# A setting file with an unknown key: the line is named.
printf 'seeding = sleep\nfrequence = 5\n' >bad.noise
want 2 'bad.noise:2' "$BURL" tune --start=bad.noise ./lost
want 2 'bad.noise:2' "$BURL" run --noise=bad.noise ./lost

# A file that cannot be one: too large, or no text.
head -c 1048577 /dev/zero >huge
for file in huge /proc/self/mem; do
    want 2 "--start: cannot read $file as a noise file" "$BURL" tune --start=$file ./lost
    want 2 "--noise: cannot read $file as a noise file" "$BURL" run --noise=$file ./lost
done
want 2 '--start=nosuch: "nosuch" is no kind of noise' "$BURL" tune --start=nosuch ./lost
printf '\357\273\277seeding = yield\n' >bom.noise
run 0 "$BURL" run --noise=bom.noise ./fixed

# Braces without --param: a note, and the word as it is.
run 0 "$BURL" tune --evaluations=1 ./fixed 4 {n}
has err "{n} in the command is no parameter and is passed as it is; give it with --param 'n=...'"

# One is singular.
want 2 'in any of 1 plain run;' "$BURL" tune --plain-runs=1 --run-time=500ms ./hangs
run 0 "$BURL" tune --evaluations=1 --executions=1 ./fixed
has fixed.noise 'the best of 1 setting in 1 evaluation;'
has out '1 evaluation, 0 final, 1 execution in'

# The store is removed during the search: that is the reason, not permissions.
cat >rm.sh <<'S'
n=$(cat calls 2>/dev/null || echo 0)
echo $((n + 1)) >calls
[ "$n" -ne 8 ] || rm -rf gone
S
want 3 'was removed or replaced while burl used it' \
    "$BURL" tune --dir=gone --evaluations=3 --check='sh rm.sh' ./fixed

# A program that always fails, and one that never ends: findings are kept.
want 2 'fails without noise, in all of 5 plain runs' "$BURL" tune ./fails
run 1 "$BURL" findings
has out 'exit.nonzero'
want 2 'did not end within' "$BURL" tune --run-time=500ms ./hangs
# Also when only the whole search has a limit: the first run must not use it up. The next one could not even reach main then.
cat >idle.c <<'C'
#include <unistd.h>
__attribute__((constructor)) static void load(void) { usleep(100000); }
int main(void) { for (;;) pause(); }
C
build idle
rm -rf .burl
want 2 'did not end within 2.0 s in any of' "$BURL" tune --time=4s ./idle

# Input that comes too late: what the program shows without it is not kept. If it has not come when the
# program has failed in all plain runs, that may be the reason, and is said.
cat >input.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *work(void *arg) { return arg; }
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    if (argc > 1)
        fclose(fopen("started", "w"));
    while (argc > 1 && access("written", F_OK) != 0)
        usleep(1000);
    return getchar() != 'd';
}
C
build input
rm -rf .burl
mkfifo pipe
{ until [ -e started ]; do :; done; echo data; : >written; } >pipe &
"$BURL" tune ./input wait <pipe >out 2>err
[ $? -eq 2 ] || fail "input that comes late"
has err 'data came through standard input after the start'
hasnt err 'finding 1'
[ ! -e .burl/findings/1 ] || fail "a finding of a run without its input was kept"
wait
exec 3<>pipe
"$BURL" tune ./input <pipe >out 2>err
[ $? -eq 2 ] || fail "input that has not come"
has err 'fails without noise, in all of 5 plain runs'
has err 'standard input is a pipe that nothing was written to'
exec 3>&-

# A check that cannot be run is noticed at the first plain run.
want 2 'the check cannot be run' "$BURL" tune --check='(./no-such-file)' ./fixed

# Exit codes 126 and 127 are the check's own once it has run.
cat >own.sh <<'S'
n=$(cat runs 2>/dev/null || echo 0)
echo $((n + 1)) >runs
[ "$n" -lt 6 ] || exit 127
S
run 1 "$BURL" tune --evaluations=2 --check='sh own.sh' --json ./fixed
cp out out.json
holds '.total.checks > 0' "127 of a check that works"

# One thread: noise has no place.
cat >single.c <<'C'
#include <stdio.h>
int main(void) { return puts("one thread") < 0; }
C
build single
want 2 'had one thread in all plain runs' "$BURL" tune ./single

# No shared variables: said, and random placement remains.
run 0 "$BURL" tune --evaluations=4 --json ./alone
cp out out.json
holds '.shared_variables == false and (.evaluations | map(.genes[1] == 0 and .genes[2] == 0) | all)' \
    "no shared variables"
has err 'no variable is shared between threads'
[ ! -e alone.noise ] || has alone.noise 'place = random'
