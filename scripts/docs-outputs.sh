#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/docs-outputs.sh [--update] [--build=build] [DOCUMENT...] - scripts/doc-outputs.sh on every
# document that has outputs of burl: README, tutorials, how-tos, examples. `make docs-outputs` is this
# with --update: after a change of words or of the search, run it and read the diff. Ends with 1 when a
# document shows what burl does not print.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
update=
while [ $# -gt 0 ]; do
    case $1 in
        --update) update=--update ;;
        --build=*) build=$(cd "${1#*=}" && pwd) || exit 3 ;;
        -*) sed -n '/^# scripts/,/^# document/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) break ;;
    esac
    shift
done
[ -x "$build/burl" ] || { echo "docs-outputs: no $build/burl: run make" >&2; exit 3; }
[ $# -gt 0 ] || set -- $(cd "$root" && grep -l '^<!-- outputs:.* -->$' README.md docs/*.md docs/*/*.md examples/*/README.md)
PATH=$build:$PATH
LC_ALL=C.UTF-8
export PATH LC_ALL
rc=0
for page in "$@"; do
    "$root/scripts/doc-outputs.sh" $update "$root/$page" >"${TMPDIR:-/tmp}/docs-outputs.$$" || rc=1
    sed "s|^|$page: |" "${TMPDIR:-/tmp}/docs-outputs.$$"
    rm -f "${TMPDIR:-/tmp}/docs-outputs.$$"
done
exit $rc
