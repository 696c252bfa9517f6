#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/outputs.sh - files that a user names for results: --out, --lcov, --html, --emit-suite.
# Links stay links, and what is not a regular file is refused before any work and stays as it is.
. "$(dirname "$0")/tune_lib.inc"

write_lost
build lost
mkfifo pipe
ln -s pipe to-pipe
mkdir dir
kinds="pipe to-pipe dir"
# A device of our own, where we may make one: the null device, under another name.
mknod device c 1 3 2>/dev/null && kinds="$kinds device"

type_of() { ls -ld "$1" | cut -c1; }
for name in $kinds; do
    before=$(type_of $name)
    want 2 "cannot write to $name: it is a" "$BURL" tune --out=$name --evaluations=1 ./lost
    want 2 "cannot write to $name: it is a" "$BURL" cover --lcov=$name --runs=1 ./lost
    [ "$(type_of $name)" = "$before" ] || fail "$name was replaced"
done
mkfifo lost.noise
want 2 'lost.noise: it is a pipe' "$BURL" tune --evaluations=1 ./lost
rm lost.noise
ln -s loop loop
want 2 'cannot write to loop' "$BURL" tune --out=loop --evaluations=1 ./lost
[ ! -e .burl ] || fail "a store was made"

# The file that standard output goes to would be lost.
"$BURL" cover --lcov=/dev/stdout --runs=1 ./lost >out 2>err && fail "--lcov=/dev/stdout"
has err 'the output of burl goes there'

# Through a link, to a file that is there and to one that is not.
echo old >real
ln -s real link
ln -s new dangling
"$BURL" tune --strength=1 --evaluations=2 --out=link ./lost >out 2>err
[ $? -le 1 ] || fail "tune --out=link: $(cat err)" # whether an update is lost is a matter of chance
[ "$(type_of link)" = l ] && [ "$(type_of real)" = - ] || fail "the link was replaced"
has real 'seeding ='
has out 'use it: burl run --noise=link ./lost'
"$BURL" cover --lcov=dangling --runs=5 ./lost >out 2>&1
[ "$(type_of dangling)" = l ] && [ -s new ] || fail "--lcov through a link"

# Pages: index.html is looked at before the program runs.
mkdir -p h/index.html g
mkfifo g/index.html
rm -rf .burl
want 2 'h/index.html: it is a directory' "$BURL" tune --html=h --evaluations=1 ./lost
want 2 'g/index.html: it is a pipe' "$BURL" tune --html=g --evaluations=1 ./lost
want 2 'h/index.html: it is a directory' "$BURL" cover --html=h --runs=1 ./lost
want 2 'g/index.html: it is a pipe' "$BURL" cover --html=g --runs=1 ./lost
[ ! -e .burl ] || fail "a store was made"
echo 'int one(int x);' >one.h
echo 'int one(int x) { return x; }' >one.c
want 2 'h/index.html: it is a directory' "$BURL" gen --html=h --time=1s one.h -- one.c
want 2 'g/index.html: it is a pipe' "$BURL" gen --html=g --time=1s one.h -- one.c
mkdir -p suite/Makefile
want 2 'suite/Makefile: it is a directory' "$BURL" gen --emit-suite=suite --time=1s one.h -- one.c
# Other pages of a directory that has them already: a pipe does not make burl wait for a reader.
mkdir p
mkfifo p/pairs.html
want 2 'p/pairs.html: it is a pipe' timeout 60 "$BURL" cover --html=p --runs=2 ./lost
