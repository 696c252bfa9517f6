#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/tune_plugin.sh - the variables that threads share are in a library that the program loads while it runs: burl tune
# searches noise at shared variables.
. "$(dirname "$0")/tune_lib.inc"

cat >plugin.c <<'C'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *arg)
{
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int run(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return n != 16;
}
C
cat >host.c <<'C'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen("./plugin.so", RTLD_NOW);
    int (*run)(void) = library ? (int (*)(void))dlsym(library, "run") : 0;
    int r = run ? run() : 9;
    (void)argv;
    if (library && argc > 1)
        dlclose(library);
    return r;
}
C
"$BURL" cc -g -shared -fPIC plugin.c -o plugin.so -lpthread || fail 'cannot build plugin.so'
"$BURL" cc -g host.c -o host -ldl || fail 'cannot build host'
for unload in '' unload; do
    # shellcheck disable=SC2086
    run 0 "$BURL" tune --plain-runs=1 --evaluations=2 --executions=1 --json ./host $unload
    hasnt err 'no variable is shared'
    cp out out.json
    holds '.shared_variables and (.genome | map(select(.name == "sharedVar") | .max) == [4])' "$(cat out.json)"
done
exit 0
