#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a new user gets wrong, one row each: the exit code (2 the command line, 3 the environment), words of the
# message, the command. A message says what was attempted, on what, why it failed and what to do; what is in the
# store stays there.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >p.c <<'X'
#include <pthread.h>
static int x;
static void *w(void *a) { x++; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    x++;
    pthread_join(t, 0);
    return 0;
}
X
build p
cc -w p.c -o plain -lpthread || fail "cc"
printf '#!/bin/sh\nexec ./p\n' >script.sh && chmod +x script.sh
echo 'not a program' >noexec
cp noexec text && chmod +x text
mkdir folder emptystore damaged
: >empty && chmod +x empty
{ printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\267\000'; head -c 200 /dev/zero; } >arm && chmod +x arm
ln -s loop loop
echo garbage >damaged/burl.db
printf 'struct q; struct q *q_new(void); void q_free(struct q *q); int q_add(struct q *q);\n' >q.h
printf '#include <stdlib.h>\n#include "q.h"\nstruct q { int n; };\nstruct q *q_new(void) { return calloc(1, 4); }\n' >q.c
printf 'void q_free(struct q *q) { free(q); }\nint q_add(struct q *q) { return q->n++; }\n' >>q.c
run 1 "$BURL" test --runs=50 --seed=1 ./p
cp -r .burl nosched && rm nosched/findings/1/schedule.txt
cp -r .burl badsched && echo garbage >badsched/findings/1/schedule.txt
cp p away && run 1 "$BURL" test --runs=50 --seed=1 --dir=gone ./away && rm away
cp -r .burl badjson && echo '{' >badjson/findings/1/finding.json
printf '#!/no/such/shell\n' >noshell && chmod +x noshell
cp -r .burl nofiles && rm -r nofiles/findings
burl_db=$(cksum <.burl/burl.db)

rows=0
while IFS='|' read -r code text command; do
    case $code in '' | '#'*) continue ;; esac
    eval "set -- $command"
    timeout 60 "$BURL" "$@" >out 2>&1 </dev/null
    got=$?
    [ $got -eq "$code" ] || fail "exit code $got, expected $code: burl $command"
    has out "$text"
    [ "$(cksum <.burl/burl.db)" = "$burl_db" ] || fail "the store has changed: burl $command"
    rows=$((rows + 1))
done <<'ROWS'
# commands and options
2|usage: burl <command>|
2|unknown command "tset"; did you mean test?|tset ./p
2|unknown command "Test"; did you mean test?|Test ./p
2|there is no command "tset"; did you mean test?|help tset
2|"x" is one word too many|help test x
2|x: this command takes no words|version x
2|unknown option --sede; did you mean --seed?|test --sede=1 ./p
2|unknown option -runs; did you mean --runs?|test -runs=3 ./p
2|unknown option ---runs; did you mean --runs?|test ---runs=3 ./p
2|unknown option --html here; it belongs to burl cover, gen, tune|test --html=x ./p
2|unknown option --gdb here; it belongs to burl replay|test --gdb ./p
2|unknown option -x|test -x ./p
2|--json expects yes or no, not "3"|test --json=3 ./p
2|--runs expects a number from 0 to 18,446,744,073,709,551,615, not "-1"|test --runs=-1 ./p
2|--runs expects a number from 0 to|test --runs=99999999999999999999 ./p
2|--runs expects a number from 0 to|test --runs=1e3 ./p
2|--runs expects a number from 0 to|test --runs= ./p
2|--runs expects a number from 0 to 18,446,744,073,709,551,615, not "./p"|test --runs ./p
2|not "--time"|test --runs --time ./p
2|--jobs expects a number from 0 to 4,294,967,295, not "-2"|test --jobs=-2 ./p
2|--time expects a time such as 500ms, 30s, 5m or 2h, not "-5s"|test --time=-5s ./p
2|--time expects a time such as 500ms|test --time=999999999h ./p
2|--engine expects one of auto|test --engine=fibre ./p
2|did you mean snapshot?|test --reset=snap ./p
2|--engine=threads cannot be combined with --reset=snapshot|test --engine=threads --reset=snapshot ./p
2|did you mean race?|test --detect=rac ./p
2|--detect: none stands alone; omit it or the others|test --detect=race,none ./p
2|--suppressions: cannot open missing: No such file or directory|test --suppressions=missing ./p
2|--suppressions: folder is a directory, not a regular file; give a file|test --suppressions=folder ./p
2|--dir expects a text, not ""|test --dir= ./p
2|p.c is a file, and a store is a directory; give another with --dir|test --dir=p.c ./p
2|p.c is a file, and a store is a directory; give another with --dir|run --dir=p.c ./p
2|p.c is a file, and a store is a directory; give another with --dir|findings --dir=p.c
# programs
2|which program? Give the program to test and its arguments|test
2|which program? Give the program to test and its arguments|test --
2|cannot run ./missing: No such file or directory; check the path, or build the program first|test ./missing
2|cannot run ./missing: No such file or directory; check the path, or build the program first|run ./missing
2|cannot run ./missing: No such file or directory; check the path, or build the program first|cover ./missing
2|cannot run ./missing: No such file or directory; check the path, or build the program first|tune ./missing
2|cannot find a program named "missing" in PATH (for one in this directory write ./missing)|test missing
2|cannot run ./folder: Is a directory; give a program in it|test ./folder
2|cannot run ./noexec: Permission denied; if it is a program, make it executable with chmod +x|test ./noexec
2|cannot run ./text: it is neither a program nor a script that begins with #!|test ./text
2|cannot run ./text: it is neither a program nor a script that begins with #!|run ./text
2|cannot run ./empty: it is neither a program nor a script that begins with #!|test ./empty
2|cannot run ./noshell: the interpreter that it names (the first line of a script, the loader of a program) does not exist|test ./noshell
2|cannot run ./noshell: the interpreter that it names|run ./noshell
2|--html: cannot write to p.c/x; name another directory: Not a directory|cover --html=p.c/x ./p
2|--help takes no value|test --help=x
2|cannot run ./loop: Too many levels of symbolic links|test ./loop
2|cannot run /dev/null: Permission denied; give a program|test /dev/null
2|the name of the program is empty; is a variable in the command not set?|test ''
3|./plain is not an instrumented program; build it with `burl-cc`|test ./plain
3|./plain is not an instrumented program; build it with `burl-cc`|run ./plain
3|./plain is not an instrumented program; build it with `burl-cc`|tune ./plain
3|./arm is not a program for this machine; burl tests x86-64 programs|test ./arm
3|./text is neither a program nor a script that begins with #!|doctor ./text
0|./script.sh is a script; the program that it starts was not examined|doctor ./script.sh
3|cannot run ./missing: No such file or directory|doctor ./missing
# findings and stores
2|which finding? Give its number|replay
2|x is not the number of a finding; `burl findings` lists them|replay x
2|0 is not the number of a finding|replay 0
2|18446744073709551617 is not the number of a finding|replay 18446744073709551617
2|there is no finding 99 in .burl: it has 1, numbered 1 to 1 (see `burl findings`)|replay 99
2|there is no store in missing; run `burl test` first, or give its directory with --dir|replay 1 --dir=missing
2|there is no store in emptystore|replay 1 --dir=emptystore
3|damaged/burl.db is damaged (file is not a database); move it away|replay 1 --dir=damaged
3|damaged/burl.db is damaged (file is not a database); move it away|test --dir=damaged ./p
3|schedule.txt is missing: the store is not complete; copy it again|replay 1 --dir=nosched
3|schedule.txt is not a burl schedule|replay 1 --dir=badsched
3|report.txt is missing: the store is not complete; copy it again|show 1 --dir=nofiles
3|badjson/findings/1/finding.json is damaged|show 1 --json --dir=badjson
2|cannot open missing: No such file or directory|replay --schedule=missing
2|--schedule=p.c and finding 1 are two schedules; give one|replay 1 --schedule=p.c
2|x: this command takes no words|version x
0|usage: burl version|version --help
0|usage: burl help [command]|help --help
2|folder is a directory, not a regular file; give a file|replay --schedule=folder
2|p.c is not a burl schedule: it does not begin with 'burl-schedule'|replay --schedule=p.c
2|free threads cannot follow a schedule; use --engine=fibers or --engine=threads|replay 1 --engine=free
2|cannot run ./missing|replay 1 ./missing
2|cannot run ./away: No such file or directory; build it, or say where it is: burl replay 1 PROGRAM|replay 1 --dir=gone
1|reproduced exactly|replay 1 --dir=gone ./p
3|not an instrumented program|replay 1 ./plain
2|which finding? Give its number; `burl findings` lists them|show
2|give the number of one finding|show 1 2
2|x is not the number of a finding; `burl findings` lists them|show x
2|x: this command takes options only|findings x
2|--format expects one of line|report --format=docx
2|cannot write to folder: it is a directory, not a regular file; name another file|report --output=folder
2|cannot write to missing/x: No such file or directory|report --output=missing/x
# the other commands
2|cannot write the report to folder: Is a directory|run --report=folder ./p
2|--noise=missing: "missing" is no kind of noise; allowed are|run --noise=missing ./p
2|nothing has been covered yet in .burl; run `burl cover ./program` first|cover report
2|--metrics: there is no metric "foo"; --list-metrics lists them|cover --metrics=foo ./p
2|--fail-under expects METRIC=PERCENT such as LP=80, not "200"|cover --fail-under=200 ./p
2|--html=p.c is a file; give a directory, or a new name|cover --html=p.c ./p
2|--html: cannot write to /proc/x; name another directory|cover --html=/proc/x ./p
2|--lcov: cannot write to folder: it is a directory|cover --lcov=folder ./p
2|--population: 1 is out of range, 2 to 10000|tune --population=1 ./p
2|--out: cannot write to folder: it is a directory|tune --out=folder ./p
2|which header? Give the header of the API to test|gen
2|there is no header missing.h|gen missing.h -- q.c
2|no sources: give those of the API after "--", as to a compiler|gen q.h
2|missing.c does not compile|gen q.h -- missing.c
2|folder is a directory, not a header|gen folder -- q.c
2|--threads=99: a test has 2 to 8 threads|gen --threads=99 q.h -- q.c
2|--emit-suite=p.c is a file; give a directory, or a new name|gen --emit-suite=p.c q.h -- q.c
2|which header? Give the header of the API, its sources and sequential tests|synth
2|there is no header missing.h|synth missing.h -- q.c
2|what? record, select, run or show|regress
2|there is no `burl regress recrd`; there are record, select, run, show and experiment|regress recrd
2|there is no burl.tests; write one `name: command` per line into it|regress record
ROWS
[ $rows -ge 90 ] || fail "only $rows rows were read"

# Nothing was lost, and the programs still work.
run 1 "$BURL" findings
run 1 "$BURL" replay 1
run 1 "$BURL" test --runs=50 --dir=script ./script.sh
# A program that we may not read, or not execute, as another user.
[ "$(id -u)" -eq 0 ] || exit 0
open=$(mktemp -d /tmp/burl-bad.XXXXXX) || exit 1
trap 'rm -rf "$open"' EXIT
cp p "$open/closed" && chmod 700 "$open/closed" && chmod 755 "$open"
out=$PWD/out
cd "$open" && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$BURL" || exit 0
setpriv --reuid=65534 --regid=65534 --clear-groups "$BURL" test --dir=s ./closed >"$out" 2>&1 </dev/null
[ $? -eq 2 ] || fail "a program of another user"
has "$out" "cannot run ./closed: Permission denied"
