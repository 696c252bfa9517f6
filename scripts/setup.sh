#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/setup.sh - installs what is missing, from Debian's packages.
#
# Run by `make demo` and `make check`. It looks first: when everything is there it
# touches nothing, needs no network and no rights. With --list it prints the
# packages and what each is for; with --check it only says what is missing. Packages that are
# named as well (scripts/setup.sh PACKAGE...) are those of one experiment: the tests do without.
# The package sources are the machine's own: this script names none.
set -eu

# package: what it is for
packages() {
    cat <<'LIST'
gcc: compiles burl
make: builds
libc6-dev: headers of the C library
g++: the run-time library of C++, whose demangler is linked into burl
clang-19: compiles the user's program, with the headers of C and C++ it needs for that
libclang-rt-19-dev: ThreadSanitizer, which burl is compared with
llvm-19-dev: the LLVM-C API of burl-instr and burl-analyze
libclang-19-dev: libclang, with which burl-api reads headers for burl gen
clang-format-19: make lint, make format
lld-19: linker for -flto
libomp-19-dev: OpenMP, for programs that burl-cc -fopenmp builds; its tests take another version as well
libsqlite3-dev: the store
libcmocka-dev: unit tests
gdb: burl replay --gdb
dpkg-dev: make deb
xz-utils: make dist
binutils: ld and objcopy, with which burl synth makes seeds of tests; readelf, nm
procps: ps and pgrep, by which the tests look for processes that were left
cmake: build-system tests of burl-cc
meson: build-system tests of burl-cc
ninja-build: build-system tests of burl-cc
autoconf: build-system tests of burl-cc
automake: build-system tests of burl-cc
libtool: build-system tests of burl-cc
sqlite3: looks into the store in the tests
jq: reads --json output in the tests
man-db: prints the man pages in the tests
zsh: completion of the command line in the tests
fish: completion of the command line in the tests
libxml2-utils: xmllint checks the XML of reports in the tests
chromium: the HTML pages in the tests, without a window
LIST
}

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 3; }

# Two versions of the OpenMP library cannot be installed side by side, and any will do for the tests.
has_openmp() { ls /usr/lib/llvm-*/lib/libomp.so >/dev/null 2>&1; }

is_installed() {
    [ "$1" = libomp-19-dev ] && has_openmp && return
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

case ${1-} in
    --list) packages; exit 0 ;;
    --check | '') ;;
    -*) printf 'usage: scripts/setup.sh [--list | --check | PACKAGE...]\n' >&2; exit 2 ;;
esac
only_check=
[ "${1-}" = --check ] && { only_check=yes; shift; }

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    # Another system may have all of it under other names: try the tools themselves.
    lacking=
    for tool in gcc make clang-19 llvm-config-19 ld objcopy; do
        command -v "$tool" >/dev/null || lacking="$lacking $tool"
    done
    [ -z "$lacking" ] && exit 0
    die "this is not Debian, and these programs are missing:$lacking
setup: install them and the libraries of \`scripts/setup.sh --list\`, then run make again"
fi

missing=
for p in $(packages | cut -d: -f1) "$@"; do
    is_installed "$p" || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
say "missing:$missing"
[ -n "$only_check" ] && exit 3

if [ "$(id -u)" -eq 0 ]; then
    root=
elif command -v sudo >/dev/null; then
    root=sudo
else
    die "not root, and there is no sudo. As root, run:
setup:     apt-get update && apt-get install --no-install-recommends$missing"
fi

export DEBIAN_FRONTEND=noninteractive
say "apt-get update"
$root apt-get update -q ||
    die "apt-get update failed (see above); the packages needed are:$missing"
say "apt-get install$missing"
# shellcheck disable=SC2086
$root apt-get install -y -q --no-install-recommends $missing ||
    die "apt-get install failed (see above); the packages needed are:$missing"

# Something may be named differently on another release: say so rather than fail in the build.
for p in $missing; do
    is_installed "$p" || die "$p is still not installed; the build needs it"
done
say "done"
