#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/completion.sh - bash, zsh and fish complete commands, options, values, files, findings.
# BURL-TIMEOUT: 120
. "$BURL_TEST_ROOT/tests/support/lib.inc"
PATH=$BURL_TEST_BUILD:$PATH
made=$BURL_TEST_BUILD/share/completion

cp "$BURL_TEST_ROOT/docs/programs/hits.c" lost.c
build lost
run 1 "$BURL" test --runs=200 --dir=store ./lost
mkdir 'a folder'
touch 'a folder/file'
formats=$("$BURL" report --help | sed -n 's/^ *-f, --format=//p' | tr '|' ' ')

# line | words that must be offered | words that must not
cases() {
    cat <<CASES
burl te|test|run
burl |test cc c++ regress help|--late
burl report --for|--format|--dir
burl report --format=|$formats|mix
burl test --strategy=ex|exhaustive|mix
burl show --dir=store |1|test
burl replay --dir=store |1|test
burl test ./lo|lost|lost.c
burl test ./lost --ti||--time
burl cover |report hunt prune|experiment
burl cover hunt --tr|--tries|--runs
burl regress |record select run show experiment|prune
burl help re|regress replay report|test
burl cc --la|--late|--lines
burl-cc --no|--no-instrument|--late
burl-c++ --volatile=|atomic plain|always
burl gen lo|lost.c|test
CASES
}

# Reads "line -> words" and compares with the cases. A file may be offered with its path or without,
# an option with = behind it.
compare() { # SHELL FILE
    local line wanted unwanted offered w
    while IFS='|' read -r line wanted unwanted; do
        offered=$(grep -F -- "$line -> " "$2" | head -n 1)
        [ -n "$offered" ] || fail "$1: no answer for \"$line\""
        offered=" ${offered#* -> } "
        for w in $wanted; do
            [[ $offered =~ [\ /=]${w//+/\\+}[=\ ] ]] || fail "$1: \"$line\" does not offer $w but:$offered"
        done
        for w in $unwanted; do
            [[ ! $offered =~ [\ /=]${w//+/\\+}[=\ ] ]] || fail "$1: \"$line\" offers $w:$offered"
        done
    done < <(cases)
}

# ---- bash: the function that `complete` registers, with the words as bash splits them
cat >bash_case <<'EOF2'
source "$1"
shift
complete -p burl burl-cc burl-c++ | grep -c -- '-F _burl' >registered
for line; do
    words=${line//=/ = }
    read -ra COMP_WORDS <<<"$words"
    [[ $line != *[\ =] ]] || COMP_WORDS+=('')
    # bash has the = as the current word until something follows.
    [[ $line != *= ]] || unset 'COMP_WORDS[-1]'
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _burl "${COMP_WORDS[0]}"
    echo "$line -> ${COMPREPLY[*]}"
done
EOF2
mapfile -t lines < <(cases | cut -d'|' -f1)
bash --norc bash_case "$made/burl.bash" "${lines[@]}" >bash_said || fail "bash: $?"
[ "$(cat registered)" = 3 ] || fail "bash: not all commands are registered"
compare bash bash_said
# A name with a blank is one word.
bash --norc -c '. "$0"; COMP_WORDS=(burl gen a); COMP_CWORD=2; _burl burl; printf "%s\n" "${COMPREPLY[@]}"' \
    "$made/burl.bash" >blank
grep -qx 'a folder' blank || fail "bash: a name with a blank"

# A description is for one line.
! sed -n "s/.* -d '\(.*\)'$/\1/p" "$made/burl.fish" | grep -E '.{130}' || fail "fish: a description that is too long"

missing=
if command -v zsh >/dev/null; then
    mkdir functions
    cp "$made/burl.zsh" functions/_burl
    zsh -f "$BURL_TEST_ROOT/tests/support/complete.zsh" "$PWD/functions" "${lines[@]}" >zsh_said 2>&1 ||
        fail "zsh: $?"
    compare zsh zsh_said
else
    missing="$missing zsh"
fi
if command -v fish >/dev/null; then
    export XDG_CONFIG_HOME=$PWD/fish XDG_DATA_HOME=$PWD/fish
    for line in "${lines[@]}"; do
        echo "$line -> $(fish --no-config -c 'source $argv[1]; complete -C$argv[2]' "$made/burl.fish" "$line" |
            cut -f1 | tr '\n' ' ')"
    done >fish_said
    # fish keeps offering options behind the program, and all files where a program is expected.
    sed -i 's/^\(burl test .\/lost --ti -> \).*/\1/; s/ \.\/lost\.c//' fish_said
    compare fish fish_said
else
    missing="$missing fish"
fi
[ -z "$missing" ] || { echo "not installed:$missing; the rest passed"; exit 77; }
