#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-TIMEOUT: 900
# BURL-WHY: what library functions write and read through pointers are accesses: a race without a
#   lock, and under one a clean program that is proven, or whose doubt names the function.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >head.h <<'E'
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef LOCKED
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#else
#define LOCK (void)0
#define UNLOCK (void)0
#endif
static void writer(void);
static int reader(void);
static void *thread(void *a) { LOCK; writer(); UNLOCK; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, thread, 0);
    LOCK; int r = reader(); UNLOCK; pthread_join(t, 0); assert(r); return 0; }
E
build_both() { # NAME TEXT
    printf '#include "head.h"\n%s\n' "$2" >"$1.c"
    "$BURL" cc -g -w -O1 "$1.c" -o racy -lpthread -lm || fail "cannot build $1"
    "$BURL" cc -g -w -O1 -DLOCKED "$1.c" -o locked -lpthread -lm || fail "cannot build $1"
}
search() { # PROGRAM
    "$BURL" test --strategy=exhaustive --seed=1 --runs=3000 --json --fresh --dir=d "./$1" >out 2>err
}
# race NAME WHY TEXT: WHY is the doubt of the twin, "" when it is proven.
race() {
    echo "+ race $1"
    build_both "$1" "$3"
    search racy
    [ "$(jq -r '[.findings[].kind] | index("race.data") != null' out)" = true ] || fail "$1: no race"
    search locked
    [ "$(jq -r '.findings | length' out)" = 0 ] || fail "$1: a finding in the twin"
    if [ -n "$2" ]; then
        jq -r .search.why out | grep -qF "$2" || fail "$1: $(jq -r .search.why out)"
    else
        [ "$(jq -r .search.complete out)" = true ] || fail "$1: $(jq -r .search.why out)"
    fi
}
# apart NAME TEXT: no common byte, so no race and a proof without a lock.
apart() {
    echo "+ apart $1"
    build_both "$1" "$2"
    search racy
    [ "$(jq -r '.findings | length' out)" = 0 ] || fail "$1: a finding"
    [ "$(jq -r .search.complete out)" = true ] || fail "$1: $(jq -r .search.why out)"
}
W='static void writer(void)'
R='static int reader(void)'

race sscanf '' "static int g; $W { sscanf(\"5\", \"%d\", &g); } $R { return sscanf(\"6\", \"%d\", &g) == 1; }"
race sscanf_text '' "static char g[8]; static int v; $W { sscanf(\"abc 7\", \"%7s %d\", g, &v); } $R { return g[1] != 'z'; }"
race sscanf_input '' "static char g[8] = \"5\"; static int v; $W { sscanf(g, \"%d\", &v); } $R { g[0] = '6'; return 1; }"
apart sscanf_fails "static int g; $W { sscanf(\"x\", \"%d\", &g); } $R { return g == 0; }"
race strtol '' "static char *g; $W { strtol(\"5x\", &g, 10); } $R { return g != (void *)1; }"
race strtol_input '' "static char g[8] = \"512\"; static long v; $W { v = strtol(g, 0, 10); } $R { g[1] = '6'; return 1; }"
apart strtol_behind "static char g[8] = \"5 12\"; static long v; $W { v = strtol(g, 0, 10); } $R { g[2] = '6'; return 1; }"
race strtod '' "static char g[8] = \"5.12\"; static double v; $W { v = strtod(g, 0); } $R { g[3] = '6'; return 1; }"
race atoi '' "static char g[8] = \"512\"; static long v; $W { v = atoi(g); } $R { g[1] = '6'; return 1; }"
race printf '' "static char g[8] = \"512\"; $W { printf(\"%s\\n\", g); } $R { g[1] = '6'; return 1; }"
apart printf_precision "static char g[8] = \"512\"; $W { printf(\"%.1s\\n\", g); } $R { g[1] = '6'; return 1; }"
race asprintf '' "static char *g; $W { asprintf(&g, \"x%d\", 1); } $R { return g != (void *)9; }"
race getline 'accesses of getline, library code' "static char *g; static size_t n; $W { FILE *f = fopen(\"/etc/passwd\", \"r\"); getline(&g, &n, f); fclose(f); } $R { return g == 0 || g[0] != 9; }"
race fread '' "static char g[8]; $W { FILE *f = fopen(\"/etc/passwd\", \"r\"); fread(g, 1, 4, f); fclose(f); } $R { return g[0] != 1; }"
race memccpy '' "static char g[8]; $W { memccpy(g, \"abcd\", 'c', 5); } $R { return g[2] != 9; }"
apart memccpy_behind "static char g[8]; $W { memccpy(g, \"abcd\", 'c', 5); } $R { return g[3] != 9; }"
race strtok_r 'accesses of strtok_r, library code' "static char *g; $W { char b[8] = \"a b\"; strtok_r(b, \" \", &g); } $R { return g != (void *)9; }"
race frexp '' "static int g; static double d = 3; $W { d = frexp(d, &g); } $R { return g != 99; }"
race time 'clocks' "static time_t g; $W { time(&g); } $R { return g != 99; }"
race clock_gettime 'clocks' "static struct timespec g; $W { clock_gettime(CLOCK_REALTIME, &g); } $R { return g.tv_sec != 99; }"
race localtime_r '' "static struct tm g; $W { time_t x = 7; localtime_r(&x, &g); } $R { return g.tm_sec != 99; }"
race stat 'the result of stat may differ' "static struct stat g; $W { stat(\"/\", &g); } $R { return g.st_size != 99; }"
race getcwd '' "static char g[256]; $W { getcwd(g, 256); } $R { return g[0] != 9; }"
race posix_memalign '' "static void *g; $W { posix_memalign(&g, 64, 64); } $R { return g != (void *)9; }"
race sem_getvalue '' "static int g; static sem_t s; $W { sem_getvalue(&s, &g); } $R { return g != 99; }"
race sigaddset '' "static sigset_t g; $W { sigaddset(&g, SIGUSR1); } $R { return sigismember(&g, SIGUSR1) < 2; }"
race attribute '' "static size_t g; $W { pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getstacksize(&a, &g); } $R { return g != 99; }"
race qsort '' "static int g[4] = { 4, 3, 2, 1 }; static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; } $W { qsort(g, 4, 4, cmp); } $R { int k = 3; return bsearch(&k, g, 4, 4, cmp) != (void *)8; }"
echo ok
