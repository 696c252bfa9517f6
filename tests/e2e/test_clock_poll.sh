#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a loop that ends by the clock ends within a few hundred turns, whichever clock it reads
#   and whether it works meanwhile or not; virtual time stands in for the seconds.
set -eu

# ends NAME BODY
ends() {
    cat >"$1.c" <<EOF2
#include <pthread.h>
#include <sys/time.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int n;
static void *
other(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
int
main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    (void)&c;
    $2
    pthread_join(t, NULL);
    return 0;
}
EOF2
    "$BURL" cc -w -g -O1 "$1.c" -o "$1"
    code=0
    "$BURL" test --runs=400 --max-steps=30000 --dir="store.$1" "./$1" >out.txt 2>&1 </dev/null ||
        code=$?
    if [ $code -ne 0 ] || grep -q 'were cut' out.txt; then
        echo "$1: exit code $code, want 0 and no execution cut"
        cat out.txt
        exit 1
    fi
}

ends time 'time_t end = time(NULL) + 3600; while (time(NULL) < end) ;'
ends clock_gettime 'struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a);
    do clock_gettime(CLOCK_MONOTONIC, &b); while (b.tv_sec < a.tv_sec + 60);'
ends gettimeofday 'struct timeval a, b; gettimeofday(&a, NULL);
    do gettimeofday(&b, NULL); while (b.tv_sec < a.tv_sec + 60);'
ends clock 'clock_t a = clock(); while ((clock() - a) / CLOCKS_PER_SEC < 20) ;'
ends timespec_get 'struct timespec a, b; timespec_get(&a, TIME_UTC);
    do timespec_get(&b, TIME_UTC); while (b.tv_sec < a.tv_sec + 60);'
# Work in every turn: other threads are signaled, memory changes.
ends working 'time_t end = time(NULL) + 2;
    while (time(NULL) < end) { pthread_mutex_lock(&m); n++; pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m); }'
