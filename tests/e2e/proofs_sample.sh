#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-TIMEOUT: 300
# A sample of `make soak-proofs`: random programs, every end state that the explorer of tests/proofs
# reaches asked for, no wrong claim. And the test itself can fail: a burl that claims to have explored
# everything and found nothing is caught, and so is one that finds what cannot happen.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

proofs=$BURL_TEST_BUILD/proofs

run 0 "$proofs" --burl="$BURL" --dir=sample --seeds=1..50
cat out
has out "0 wrong proofs"
share=$(sed -n 's/^searched to the end: .*(\([0-9]*\)%)$/\1/p' out)
[ "$share" -ge 75 ] || fail "only $share% of the programs were searched to the end"

# liar NAME DOCUMENT: a burl that compiles and always answers the same.
liar() {
    printf '%s\n' '#!/bin/sh' "case \$1:\$2 in cc:* | test:--help) exec '$BURL' \"\$@\" ;; esac" \
        "cat $1.json" >"$1"
    printf '%s\n' "$2" >"$1.json"
    chmod +x "$1"
}
liar ./blind '{
  "command": "test",
  "search": {
    "complete": true,
    "why": ""
  },
  "findings": [
  ],
  "memory": {'
run 1 "$proofs" --burl=./blind --dir=blind.d --seeds=1..4
grep -q "^[1-9][0-9]* wrong proofs" out || fail "a burl that finds nothing passes"
ls blind.d/failures/seed-*.c >/dev/null || fail "no program was kept"
liar ./seer '{
  "command": "test",
  "search": {
    "complete": false,
    "why": "x"
  },
  "findings": [
      "kind": "crash.abort",
      "title": "T0 main: assertion `!\"end other\"` failed",
  ],
  "memory": {'
run 1 "$proofs" --burl=./seer --dir=seer.d --seeds=1..4
has out "4 unreachable findings"
