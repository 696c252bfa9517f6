#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Suppression files that are no good: a message with file, line and reason, code 2, nothing run.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >prog.c <<'EOF'
#include <stdio.h>
int main(void) { FILE *f = fopen("was_run", "w"); if (f) fclose(f); return 0; }
EOF
"$BURL" cc prog.c -o prog || fail "cannot build"

# refused TEXT: by both commands.
refused() {
    for command in run "test --runs=2" "test --engine=free --runs=2"; do
        # shellcheck disable=SC2086
        "$BURL" $command --suppressions=rules ./prog >out 2>err
        got=$?
        cat err
        [ $got -eq 2 ] || fail "burl $command: exit code $got, expected 2"
        grep -qF -- "$1" err || fail "burl $command: nothing about \"$1\""
        [ ! -e was_run ] || fail "burl $command: the program was run"
        [ ! -e .burl ] || fail "burl $command: a store was made"
    done
}

printf 'race:ok\nrase:x\n' >rules
refused 'rules:2: "rase" is none of race, deadlock, atomicity, any'
printf '\n\n# c\nwhatever\n' >rules
refused 'rules:4: no colon'
printf 'race:\n' >rules
refused 'rules:1: no pattern after race:'
printf 'any:   # everything?\n' >rules
refused 'rules:1: no pattern after any:'
printf 'race:a\0b\n' >rules
refused 'not a text file'
printf '\377\376r\0a\0c\0e\0' >rules
refused 'rules:1:'
head -c 5000000 /dev/zero | tr '\0' 'x' >rules
refused 'rules'
cp prog rules
refused 'rules'
rm rules
refused 'rules'
mkdir rules
refused 'rules'
rmdir rules

# Strange but right.
printf '\r\n  race : x \r\n#\n\t# y\nany:a#b' >rules
for command in run "test --runs=2"; do
    # shellcheck disable=SC2086
    "$BURL" $command --suppressions=rules ./prog >out 2>err || fail "good rules were refused: $(cat err)"
done
: >rules
"$BURL" test --runs=2 --suppressions=rules ./prog >out 2>err || fail "no rules are fine too"
exit 0
