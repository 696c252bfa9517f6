#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Writes the runtime's export list: the hooks, and one name for each row of wire/libfn.def that is interposed.
# usage: gen-rt-map.sh CC > rt.map
set -eu
cc=$1
echo "{"
echo '  global:'
echo '    __burl_*; burl_failure_stop; burl_step_stop; burl_step_wanted; __libc_start_main;'
printf '#define RT(name, ...) name;\n#include "wire/libfn.def"\n' |
    "$cc" -E -P -x c -I"$(dirname "$0")/../src" - | tr ';' '\n' | sed -n 's/^ *\([A-Za-z_][A-Za-z0-9_]*\) *$/    \1;/p'
echo '  local: *;'
echo '};'
