#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Flags of compile_commands.json hold for the header, the driver and the C test of a finding.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
write_bag
mkdir -p include/deep
sed 's|^struct bag;|#include "deep/type.h"|' bag.h >include/bag.h
printf '#ifndef NEEDED\n#error "NEEDED"\n#endif\nstruct bag;\n' >include/deep/type.h
rm bag.h
printf '[{"directory":"%s","file":"bag.c","command":"cc -Iinclude -DNEEDED -DBUG -c bag.c"}]' "$PWD" \
    >compile_commands.json

run 1 "$BURL" gen --json --tests=400 --seed=1 --compile-commands=compile_commands.json \
    include/bag.h -- bag.c
[ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "another kind"
