#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_program.sh - burl run leaves the program what is the program's: input, output, end.
. "$(dirname "$0")/run_lib.inc"

cat >prog.c <<'SRC'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int shared;
static pthread_barrier_t both;
static void *
touch(void *arg)
{
    pthread_barrier_wait(&both);
    shared++;
    return arg;
}
static void
race(void)
{
    pthread_t t[2];
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, touch, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
static void
die(const char *how)
{
    volatile int *null = NULL;

    if (strcmp(how, "segv") == 0)
        *null = 1;
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (strcmp(how, "quick") == 0)
        quick_exit(4);
    exit(atoi(how));
}
int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char buf[4096];
    size_t n;

    if (strcmp(what, "cat") == 0) {
        while ((n = fread(buf, 1, sizeof buf, stdin)) > 0)
            fwrite(buf, 1, n, stdout);
    } else if (strcmp(what, "args") == 0) {
        for (int i = 2; i < argc; i++)
            printf("[%s]", argv[i]);
        printf("\n");
        fprintf(stderr, "to stderr\n");
    } else if (strcmp(what, "race") == 0) {
        race();
        if (argc > 2)
            die(argv[2]);
    } else if (strcmp(what, "die") == 0) {
        die(argv[2]);
    } else if (strcmp(what, "lines") == 0) {
        for (int i = 0; i < 500000; i++)
            printf("line %d\n", i);
    } else if (strcmp(what, "fork") == 0) {
        pid_t p = fork();
        if (p == 0) {
            race();
            printf("child\n");
            fflush(stdout);
            _exit(0);
        }
        waitpid(p, NULL, 0);
        printf("parent\n");
    } else if (strcmp(what, "exec") == 0) {
        race();
        execl("/bin/echo", "echo", "another program", (char *)NULL);
    } else if (strcmp(what, "again") == 0) {
        execl(argv[0], argv[0], "race", (char *)NULL);
    } else if (strcmp(what, "close") == 0) {
        for (int fd = 0; fd < 1024; fd++)
            close(fd);
        race();
    } else if (strcmp(what, "env") == 0) {
        printf("%s\n", getenv("BURL_CTL_FD") ? "seen" : "clean");
    }
    return 0;
}
SRC
build prog

# Arguments, streams, input.
run 0 "$BURL" run -q ./prog args 'a b' '' --runs=3 -v
[ "$(cat out)" = '[a b][][--runs=3][-v]' ] || fail "arguments or output"
[ "$(cat err)" = 'to stderr' ] || fail "standard error has more than the program wrote"
seq 1 100000 >in
"$BURL" run -q ./prog cat <in >out || fail "cat"
cmp in out || fail "the program's input or output is not what it was"
seq 1 100000 | "$BURL" run -q ./prog cat | cmp - in || fail "through pipes"
run 0 "$BURL" run -q ./prog env
hasnt out seen

# Much output, and a reader that goes away.
run 0 "$BURL" run ./prog lines
[ "$(wc -l <out)" -eq 500000 ] || fail "lines were lost"
tail -n 1 out | grep -qx 'line 499999' || fail "the last line"
{ "$BURL" run ./prog lines 2>err; echo $? >code; } | head -n 1 >/dev/null
[ "$(cat code)" = 4 ] || fail "a closed pipe: exit code $(cat code)"

# Its end: every exit code is ours, the summary says what it was, and nothing is lost.
rm -rf .burl
run 1 "$BURL" run ./prog die 7
has err 'exited with code 7'
has err 'exit.nonzero'
# A return from main is not at the last call that main made.
printf '#include <stdio.h>\nstatic void say(void) { puts("x"); }\nint main(void)\n{\n    say();\n    return 5;\n}\n' >returns.c
build returns
run 1 "$BURL" run ./returns
has err 'the program exited with code 5: main returned it'
hasnt err 'puts'
run 1 "$BURL" run ./prog die segv
has err 'crash.signal'
has err 'SIGSEGV'
has err 'in die'
run 1 "$BURL" run ./prog die abort
has err 'crash.abort'
run 4 "$BURL" run ./prog die kill
has err 'nothing found so far'
for how in 0 7 segv abort kill _exit quick; do
    run 1 "$BURL" run ./prog race $how
    has err 'data race on shared'
done
run 1 "$BURL" run ./prog race segv
has err '2 findings:'
has err 'crash.signal'

# Other processes, descriptors.
run 0 "$BURL" run ./prog fork
printf 'child\nparent\n' | cmp - out || fail "fork"
hasnt err 'race.data'
run 1 "$BURL" run ./prog exec
has out 'another program'
has err 'data race on shared'
run 0 "$BURL" run ./prog again
run 1 "$BURL" run ./prog close
has err 'data race on shared'

# Our own streams closed.
"$BURL" run ./prog race >&- 2>&- <&-
[ $? -eq 1 ] || fail "closed streams"

# What cannot be run or watched.
rm -rf .burl
run 2 "$BURL" run
has err 'which program'
run 2 "$BURL" run ./nothing
run 2 "$BURL" run --strategy=pct ./prog
has err 'unknown option --strategy'
run 2 "$BURL" run --detect=rcae ./prog
has err 'did you mean race?'
run 2 "$BURL" run --report=/no/such/dir/r ./prog
printf 'int main(void) { return 0; }\n' >plain.c
cc plain.c -o plain || fail "cc"
run 3 "$BURL" run ./plain
has err 'not an instrumented program'
printf '#!/bin/sh\nexit 0\n' >script
chmod +x script
run 3 "$BURL" run ./script
has err 'before the main'
[ ! -e .burl ] || fail "a store was made for nothing"
# A wrapper that starts the instrumented program is fine.
printf '#!/bin/sh\nexec ./prog race\n' >wrapper
chmod +x wrapper
run 1 "$BURL" run ./wrapper
has err 'data race on shared'
# Of several instrumented programs the first is watched.
printf '#!/bin/sh\n./prog args; ./prog race; ./prog race\n' >several
chmod +x several
run 0 "$BURL" run ./several
has err 'only the first was watched'
exit 0
