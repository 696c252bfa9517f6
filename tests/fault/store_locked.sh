#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/fault/store_locked.sh - a store that another burl uses is noticed before anything of the
# user's runs, whether or not it has a database yet.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >mark.c <<'SRC'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "api.h"
int
api_mark(struct api *a)
{
    close(open(getenv("MARK"), O_CREAT | O_WRONLY, 0600));
    return ++a->n;
}
struct api *
api_new(void)
{
    return calloc(1, sizeof(struct api));
}
SRC
cat >api.h <<'SRC'
struct api { int n; };
struct api *api_new(void);
int api_mark(struct api *a);
SRC
cat >main.c <<'SRC'
#include "api.h"
int
main(void)
{
    return api_mark(api_new()) != 1;
}
SRC
"$BURL" cc -g mark.c main.c -o prog || fail "cannot build prog"
echo 'one: ./prog' >burl.tests
MARK=$PWD/mark
export MARK

# refused COMMAND...: the store is in use; nothing of the program has run.
refused() {
    command=$1
    shift
    rm -f mark
    run 3 "$BURL" "$command" -d "$store" "$@"
    has err 'is in use by another burl'
    [ ! -e mark ] || fail "the program ran before the store was found in use"
}

mkdir empty || exit 1
run 0 "$BURL" run -d full ./prog
[ -e mark ] || fail "prog does not run"
run 0 "$BURL" cover -d full --runs=2 ./prog
for store in empty full; do
    exec 9>"$store/lock"
    flock -n 9 || fail "flock"
    refused run ./prog
    refused run --report=report ./prog
    refused tune --evaluations=2 ./prog
    refused test --runs=2 ./prog
    refused test --runs=2 --engine=free ./prog
    refused cover --runs=2 ./prog
    refused cover --runs=2 --engine=free ./prog
    refused gen --tests=2 api.h mark.c
    refused synth api.h mark.c main.c
    refused regress record
    exec 9>&-
    # The twin: nothing holds it.
    run 0 "$BURL" run -d "$store" ./prog
    [ -e mark ] || fail "prog does not run in $store"
done
