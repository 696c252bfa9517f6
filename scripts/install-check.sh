#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/install-check.sh [build] - an installed copy works from anywhere, without the tree.
set -eu
cd "$(dirname "$0")/.."
build=${1-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make -s install B="$build" DESTDIR="$work/stage" PREFIX=/opt/burl
# Moved after the installation: nothing may remember where it was.
mv "$work/stage/opt/burl" "$work/elsewhere"
cat >"$work/lost.c" <<'SRC'
#include <assert.h>
#include <pthread.h>
static int n;
static void *add(void *arg) { n = n + 1; return arg; }
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(n == 2);
    return 0;
}
SRC
cd "$work"
PATH=$work/elsewhere/bin:$PATH
burl --version
burl-c++ -dumpmachine >/dev/null
burl-cc -g lost.c -o lost -lpthread
code=0
burl test --runs=2000 --stop-at-first ./lost || code=$?
[ $code -eq 1 ] || { echo "install-check: burl test ended with $code, not 1" >&2; exit 1; }
code=0
burl replay 1 >/dev/null || code=$?
[ $code -eq 1 ] || { echo "install-check: burl replay ended with $code, not 1" >&2; exit 1; }
code=0
burl cover --runs=200 --metrics=LP --json ./lost >cover.json || code=$?
[ $code -le 1 ] || { echo "install-check: burl cover ended with $code" >&2; exit 1; }
grep -q '"present": *true' cover.json ||
    { echo "install-check: burl cover found no static target: burl-analyze does not run" >&2; exit 1; }
printf 'struct box; struct box *box_new(void); int box_get(struct box *b);\n' >box.h
burl gen --model box.h >box.burl && grep -q '^shared struct box' box.burl ||
    { echo "install-check: burl gen does not read headers: burl-api does not run" >&2; exit 1; }
echo "install-check: the installed copy compiles, finds, replays, covers and reads headers"
