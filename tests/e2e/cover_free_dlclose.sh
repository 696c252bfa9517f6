#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Libraries that are closed and opened again while metrics are measured: the records of their sites
# are gone, and their numbers are still in use.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >lib.c <<'C'
#include <pthread.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void work(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
}
C
cat >opens.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
static void *run(void *f)
{
    ((void (*)(void))f)();
    return NULL;
}
int main(void)
{
    for (int i = 0; i < 3; i++) {
        void *lib = dlopen("./libwork.so", RTLD_NOW);
        void *f = lib ? dlsym(lib, "work") : NULL;
        pthread_t t[2];
        if (!f)
            return 9;
        for (int k = 0; k < 2; k++)
            pthread_create(&t[k], NULL, run, f);
        for (int k = 0; k < 2; k++)
            pthread_join(t[k], NULL);
        dlclose(lib);
    }
    return 0;
}
C
"$BURL" cc -g -O1 -fPIC -shared lib.c -o libwork.so || fail "cannot build the library"
"$BURL" cc -g -O1 opens.c -o opens -ldl -lpthread || fail "cannot build the program"
for metrics in synchro avio goldilocks-states happens-before-pairs pair-interleavings \
    synchro,avio,goldilocks-states,happens-before-pairs; do
    "$BURL" cover --engine=free --runs=3 --metrics=$metrics ./opens >out 2>&1 ||
        fail "$metrics: exit code $?: $(tail -n 5 out)"
done
"$BURL" run --detect=race,lockset,triple ./opens >out 2>&1 || fail "run: exit code $?: $(tail -n 5 out)"
"$BURL" run --noise=yield:freq=500,place=shared+random ./opens >out 2>&1 || fail "noise: exit code $?: $(tail -n 5 out)"
exit 0
