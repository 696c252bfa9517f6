#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Writes the runtime's export list: the hooks, and one name for each row of interpose.def.
# usage: gen-rt-map.sh CC > rt.map
set -eu
cc=$1
echo "{"
echo '  global:'
echo '    __burl_*; burl_failure_stop; __libc_start_main;'
printf '#define BURL_X(name, version, family, order) name;\n#include "interpose.def"\n' |
    "$cc" -E -P -x c -I"$(dirname "$0")/../src/rt/interpose" - | tr ';' '\n' | sed -n 's/^ *\([A-Za-z_][A-Za-z0-9_]*\) *$/    \1;/p'
echo '  local: *;'
echo '};'
