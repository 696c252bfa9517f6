#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/help_pages.sh - help, reference and man pages show every option; man finds no fault.
. "$BURL_TEST_ROOT/tests/support/lib.inc"
man=$BURL_TEST_BUILD/share/man

# ---- burl-cc --help: its own options, from the one table
flags=$(sed -n 's/^BURL_CC_[A-Z]*("\([a-z-]*\)".*/\1/p' "$BURL_TEST_ROOT/src/cc/flags.def" | grep -v redirect)
[ "$(echo "$flags" | wc -l)" -ge 8 ] || fail "the options of burl-cc were not read"
run 0 "$BURL" help --markdown
mv out reference
for command in cc c++; do
    run 0 "$BURL" $command --help
    cp out help
    run 0 "$BURL_TEST_BUILD/burl-$command" --help
    cmp -s help out || fail "burl-$command --help is not burl $command --help"
    for flag in $flags; do
        grep -qE "^ +--$flag(\$|=)" help || fail "burl $command --help lacks --$flag"
        sed -n "/^## burl $command\$/,/^Example/p" reference | grep -q "^| \`--$flag[\`=]" ||
            fail "the reference of burl $command lacks --$flag"
        sed 's/\\-/-/g' "$man/burl-$command.1" | grep -q "^.fB--$flag.fR" ||
            fail "the page burl-$command(1) lacks --$flag"
    done
    for variable in BURL_CC_FLAGS BURL_CLANG; do
        has help "$variable"
        grep -q "$variable" "$man/burl-$command.1" || fail "burl-$command(1) lacks $variable"
    done
    ! grep -q redirect help || fail "an internal option is documented"
done
run 0 "$BURL_TEST_BUILD/burl-cc" --help -v
has out 'OVERVIEW: clang'
printf 'int main(void) { return 0; }\n' >fine.c
BURL_CC_FLAGS=--nonsense run 2 "$BURL" cc fine.c
for flag in $flags; do has err "--$flag"; done

# ---- every option of every command is in its page, which man prints without a warning
commands=$("$BURL" help | sed -n '/^commands:/,/^$/s/^  \([a-z+]*\) .*/\1/p' | grep -vxE 'help|version')
for command in $commands; do
    page=$man/burl-$command.1
    [ -s "$page" ] || fail "there is no $page"
    "$BURL" "$command" --help | sed -nE 's/^  (-., |    )--([a-z0-9-]+).*/\2/p' >options
    for option in $(cat options); do
        sed 's/\\-/-/g' "$page" | grep -q -- "--$option.fR" || fail "burl-$command(1) lacks --$option"
    done
    grep -q "fB$command.fR" "$man/burl.1" || fail "burl(1) lacks $command"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' ENVIRONMENT EXAMPLES 'SEE ALSO'; do
        grep -qx ".SH $section" "$page" || fail "burl-$command(1) has no section $section"
    done
done
run 2 "$BURL" help --man=nothing
run 2 "$BURL" help --man=version
run 2 "$BURL" help --completion=csh
command -v man >/dev/null || { echo "man is not installed"; exit 77; }
for page in "$man"/*.1; do
    LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>err >/dev/null ||
        fail "man fails on $page"
    [ ! -s err ] || { cat err; fail "man warns about $page"; }
    LC_ALL=C.UTF-8 MANWIDTH=80 man -l "$page" >text 2>/dev/null
    has text 'EXIT STATUS'
done
