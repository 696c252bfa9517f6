#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Variables and functions of the user that have the names of library functions, in C and C++: the link has no
# warning, the program works alone and under burl test, and the runtime still comes before libc.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

names="send recv read write time index signal remove select stat close connect accept poll pipe wait kill sleep pause
    fork nanosleep sem_wait exit abort"
{
    for n in $names; do echo "int $n = 1;"; done
    echo 'int total(void) { return 0'
    for n in $names; do echo " + $n"; done
    echo '; }'
} >variables.c
for n in send recv index remove select stat connect poll pause; do
    echo "double $n(double x) { return x + 1; }"
done >functions.c
echo 'double calls(void) { return send(1) + recv(1) + index(1) + remove(1) + select(1) + stat(1) + connect(1) + poll(1) + pause(1); }' >>functions.c
cat >main.c <<'X'
#include <pthread.h>
#ifdef __cplusplus
extern "C"
#endif
#ifdef CALLS
double calls(void);
#define RESULT (calls() == 18)
#else
int total(void);
#define RESULT (total() == 24)
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int good;
static void *check(void *arg)
{
    pthread_mutex_lock(&m);
    good += RESULT;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, check, 0);
    check(0);
    pthread_join(t, 0);
    return good != 2;
}
X
cp main.c main.cpp
# tried OUTPUT: what the link printed is nothing, and the program is controlled.
tried() {
    [ ! -s err ] || fail "the link of $1 prints something"
    readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | head -n 1 | grep -qx libburl_rt.so || fail "$1: libc comes first"
    run 0 "./$1"
    run 0 "$BURL" test --runs=50 "./$1"
}
flags="-g -O1 -w -fno-builtin"
run 0 "$BURL" cc $flags main.c variables.c -o together -lpthread && tried together
run 0 "$BURL" cc $flags -c main.c && run 0 "$BURL" cc $flags -c variables.c
run 0 "$BURL" cc -Wl,-O1 main.o variables.o -o objects -lpthread && tried objects
run 0 "$BURL" c++ $flags -x c++ main.cpp -x none variables.o -o cxx && tried cxx
run 0 "$BURL" cc $flags -DCALLS main.c functions.c -o functions && tried functions
