# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/cc_lib.sh - what the tests of `burl cc` share. Sourced, not run.
#
# Sets BURL, CC (burl cc), CLANG, work (a private directory, removed at the end,
# also the current directory). Prints "ok NAME" or "FAIL NAME"; finish exits.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
BURL=${BURL:-$root/build/burl}
case $BURL in
/*) ;;
*) BURL=$PWD/$BURL ;;
esac
CLANG=${BURL_CLANG:-clang-19}
unset BURL_CC_FLAGS || :
work=$(mktemp -d "${TMPDIR:-/tmp}/burl-cc-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work"
# Our own temporary files go here, so that the tests can see whether any are left.
mkdir "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR
BURL_INSTR_VERIFY=1
export BURL_INSTR_VERIFY
n_failed=0

check() { # NAME COMMAND...: the command's exit code decides; its output is shown when it fails.
    name=$1
    shift
    if "$@" >"$work/.out" 2>&1; then
        echo "ok $name"
    else
        echo "FAIL $name"
        sed 's/^/    /' "$work/.out" | head -20
        n_failed=$((n_failed + 1))
    fi
}

not() { ! "$@"; }

# Whether a file carries a site table.
instrumented() { readelf -SW "$1" 2>/dev/null | grep -q '\.burl\.sites'; }

finish() {
    check "no temporary files are left" test -z "$(ls -A "$work/tmp")"
    [ $n_failed -eq 0 ] || exit 1
    exit 0
}
