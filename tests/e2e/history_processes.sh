#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# e2e: BURL_HISTORY over several processes: scripts, fork, exec, sudden ends, shared objects, dlopen.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

record() {
    rm -rf hist
    mkdir hist
    BURL_HISTORY=$PWD/hist "$@" >prog.out 2>prog.err
    code=$?
    "$BURL_TEST_BUILD/support/history" hist >out 2>err || fail "cannot read the history of $*"
}

line() { grep -qxF -- "$1" out || fail "no line \"$1\""; }
noline() { ! grep -qxF -- "$1" out || fail "line \"$1\""; }
files() { [ "$(ls hist | wc -l)" -eq "$1" ] || fail "$(ls hist | wc -l) files, expected $1"; }

cat >ends.c <<'SRC'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int x;
static void reached(void) { x++; }
static void in_child(void) { x++; }
static void in_parent(void) { x++; }
static void *child_worker(void *arg) { x++; return arg; }
static void *forker(void *arg)
{
    pid_t p = fork();
    if (p == 0) {
        in_child();
        _exit(0);
    }
    waitpid(p, NULL, 0);
    return arg;
}
int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t t;
    reached();
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "_exit") == 0)
        _exit(7);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "crash") == 0)
        *(volatile int *)argv[9] = 1;
    if (strcmp(how, "exec") == 0)
        execl(argv[2], argv[2], (char *)NULL);
    if (strcmp(how, "fork") == 0) {
        pid_t p = fork();
        if (p == 0) {
            in_child();
            pthread_create(&t, NULL, child_worker, NULL);
            pthread_join(t, NULL);
            _exit(0);
        }
        waitpid(p, NULL, 0);
        in_parent();
    }
    if (strcmp(how, "forker") == 0) {
        pthread_create(&t, NULL, forker, NULL);
        pthread_join(t, NULL);
    }
    return 0;
}
SRC
cat >next.c <<'SRC'
static int y;
static void begun(void) { y++; }
int main(void) { begun(); return 5; }
SRC
ulimit -c 0
for profile in --early --record; do
    build ends $profile
    build next $profile
    for how in kill _exit abort crash ''; do
        record ./ends $how
        line 'alone ends main.0 func reached'
        line 'program ends'
    done
    record ./ends exec ./next
    [ $code -eq 5 ] || fail "exec ended with $code"
    files 2
    line 'alone ends main.0 func reached'
    line 'alone next main.0 func begun'

    record ./ends fork
    files 1
    for f in reached in_child in_parent; do
        line "alone ends main.0 func $f"
    done
    line 'shared ends child_worker.0 func child_worker'
    line 'overlap ends main.0 child_worker.0'
    # The child of a thread is alone in its process, and has the role of that thread.
    record ./ends forker
    line 'alone ends forker.0 func in_child'
    line 'shared ends forker.0 func forker'
done

# A test that is a script: each program has its file, equal ones are merged.
cat >test.sh <<'SRC'
./ends && ./next; ./ends fork; ./ends _exit
exit 0
SRC
record sh test.sh
files 4
count out 'program ' 2
line 'alone ends main.0 func in_child'
line 'alone next main.0 func begun'

# A file for each process, also when the number of a process comes again (exec in one process).
record ./ends exec ./ends
files 2

# A shared object linked in, one that is loaded, unloaded and loaded again, and another after it.
cat >lib.c <<'SRC'
int state;
void lib_used(void) { state++; }
void lib_unused(void) { state--; }
SRC
cat >plug.c <<'SRC'
#include <pthread.h>
static int p;
static void *plug_thread(void *arg) { p++; return arg; }
void plug_alone(void) { p++; }
void plug_run(void) { pthread_t t; pthread_create(&t, 0, plug_thread, 0); p++; pthread_join(t, 0); p++; }
SRC
sed 's/plug_/other_/' plug.c >other.c
cat >host.c <<'SRC'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
extern void lib_used(void);
static int z;
static void *worker(void *arg) { z++; lib_used(); return arg; }
static void call(void *h, const char *name)
{
    void (*f)(void) = (void (*)(void))dlsym(h, name);
    if (f == NULL)
        puts(dlerror());
    else
        f();
}
int
main(void)
{
    pthread_t t;
    for (int i = 0; i < 3; i++) {
        void *h = dlopen(i == 1 ? "./other.so" : "./plug.so", RTLD_NOW);
        if (h == NULL) {
            puts(dlerror());
            return 1;
        }
        call(h, i == 1 ? "other_alone" : "plug_alone");
        call(h, i == 1 ? "other_run" : "plug_run");
        pthread_create(&t, NULL, worker, NULL);
        pthread_join(t, NULL);
        dlclose(h);
        pthread_create(&t, NULL, worker, NULL);
        pthread_join(t, NULL);
    }
    return 0;
}
SRC
sed -i 's/plug_alone/other_alone/; s/plug_thread/other_thread/g; s/plug_run/other_run/' other.c
for late in --early --late --record; do
    "$BURL" cc $late -g -O1 -fPIC -shared lib.c -o libused.so || fail 'cannot build libused.so'
    "$BURL" cc $late -g -O1 -fPIC -shared plug.c -o plug.so || fail 'cannot build plug.so'
    "$BURL" cc $late -g -O1 -fPIC -shared other.c -o other.so || fail 'cannot build other.so'
    "$BURL" cc $late -g -O1 host.c -o host -L. -lused -Wl,-rpath,"$PWD" -ldl -lpthread ||
        fail 'cannot build host'
    record ./host
    [ $code -eq 0 ] || fail "host ended with $code: $(cat prog.out prog.err)"
    line 'shared host worker.0 func lib_used'
    noline 'shared host worker.0 func lib_unused'
    line 'alone host main.0 func plug_alone'
    line 'alone host main.0 func other_alone'
    line 'shared host main.0 func plug_run'
    line 'shared host plug_thread.0 func plug_thread'
    line 'shared host other_thread.0 func other_thread'
    grep -q '^note\|partial' out && fail 'something is missing'
done

# Files that are gone or damaged.
record ./ends
mv ends gone
"$BURL_TEST_BUILD/support/history" hist >out 2>err || fail 'a program that is gone is an error'
line 'program ends partial'
has out 'note'
mv gone ends
sed -i 's/static int y;/static int y, yy;/; s/y++/yy++/' next.c
record ./next
build next -DX
touch next.c
"$BURL" cc -g -O1 -Dy=w next.c -o next || fail 'cannot build next again'
"$BURL_TEST_BUILD/support/history" hist >out 2>err || fail 'a program that was rebuilt is an error'
has out 'was built again'
record ./ends
f=$(ls hist)
printf 'XXXXXXXX' | dd of="hist/$f" bs=1 seek=4160 conv=notrunc 2>/dev/null
"$BURL_TEST_BUILD/support/history" hist >out 2>err && fail 'a damaged file is read'
has err "hist/$f: "
: >"hist/$f" # killed when it had only been created
"$BURL_TEST_BUILD/support/history" hist >out 2>err || fail 'an empty file is an error'

# No room: the program runs as ever.
mkdir -p hist
(ulimit -f 100; BURL_HISTORY=$PWD/hist ./ends) || fail 'ends fails with a limit on files'
(ulimit -f 10; BURL_HISTORY=$PWD/hist ./ends) || fail 'ends fails with a small limit on files'
(ulimit -v 200000; BURL_HISTORY=$PWD/hist ./ends) || fail 'ends fails with a limit on memory'
exit 0
