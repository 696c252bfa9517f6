#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/target-sound.sh [--build=DIR] [--runs=N] [word...] - is the static target sound in practice?
#
# Every program of tests/must_find and tests/must_pass (those whose path contains a word, when words
# are given) is built, executed N times (default 300) under control, and every location pair that
# was covered must lie in the static target, in any tier, and must not be one that lock reasoning
# says cannot happen. A pair outside, a contradiction and a program without a target are printed by
# name; each fails. Ends with "N programs, N pairs covered, ...".
set -u
export LC_ALL=C
root=$(cd "$(dirname "$0")/.." && pwd)
build=build
runs=300
words=()
for arg in "$@"; do
    case $arg in
        --build=*) build=${arg#*=} ;;
        --runs=*) runs=${arg#*=} ;;
        -*) sed -n 's/^# \{0,1\}//p' "$0" | sed -n 2,8p >&2; exit 2 ;;
        *) words+=("$arg") ;;
    esac
done
case $build in /*) ;; *) build=$root/$build ;; esac
burl=$build/burl
[ -x "$burl" ] && [ -x "$build/burl-analyze" ] || {
    echo "check-target: $burl or burl-analyze is not there; run make first" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

directive() {
    head -n 40 "$2" | sed -n "s|^[ /*#]*BURL-$1:[ ]*||p" | sed 's|[ ]*\*/[ ]*$||; s|[ ]*$||' | head -n 1
}

selected() {
    local w
    [ ${#words[@]} -eq 0 ] && return 0
    for w in "${words[@]}"; do
        case $1 in *"$w"*) return 0 ;; esac
    done
    return 1
}

n=0 bad=0 covered=0 outside=0 uncovered=0 proposed=0 wrong=0
for file in "$root"/tests/must_find/*.c* "$root"/tests/must_pass/*.c*; do
    name=${file#"$root"/tests/}
    selected "$name" || continue
    n=$((n + 1))
    dir=$work/$n
    mkdir "$dir"
    cd "$dir" || exit 2
    cc=cc
    case $file in *.cpp) cc=c++ ;; esac
    engine=$(directive ENGINES "$file")
    case $engine in threads) engine=--engine=threads ;; *) engine= ;; esac
    # shellcheck disable=SC2046
    "$burl" $cc $(directive CFLAGS "$file") "$file" -o prog -lpthread 2>build.log || {
        echo "$name: does not build"
        bad=$((bad + 1))
        continue
    }
    # shellcheck disable=SC2046,SC2086
    timeout 120 "$burl" cover --dir=.burl --json $engine --metrics=LP --runs="$runs" ./prog \
        $(directive PROG-ARGS "$file") >out.json 2>err.log </dev/null
    jq -e .target.present out.json >present.log 2>&1 || {
        echo "$name: no target: $(jq -r '.target.problem // empty' out.json 2>/dev/null) $(tail -n 1 err.log)"
        bad=$((bad + 1))
        continue
    }
    # The first line holds the numbers, the others are for people.
    jq -r --arg name "$name" '. as $m
        | def words: [.a, .b] | map($m.sites[.] |
            "\(if .writes then "write" else "read" end) \(.variable) at \(.file | split("/") | last):\(.line):\(.column) in \(.function)") |
            join(" -> ");
        "\(.states.covered) \(.states.outside) \(.states.uncovered) \(.states.proposed) \(
            [.pairs[] | select(.contradicts)] | length)",
        (.pairs[] | select(.state == "outside") | "\($name): outside: \(words)"),
        (.pairs[] | select(.contradicts) | "\($name): contradiction: \(words), but \(.contradicts)")
        ' out.json >facts || {
        echo "$name: burl cover --json is not what it promises"
        bad=$((bad + 1))
        continue
    }
    read -r c o u p x <facts
    sed 1d facts
    covered=$((covered + c)) outside=$((outside + o)) uncovered=$((uncovered + u))
    proposed=$((proposed + p)) wrong=$((wrong + x))
    cd "$work" && rm -rf "$dir"
done
echo "check-target: $n programs, $covered pairs covered, $uncovered not, $proposed ruled out by locks," \
    "$wrong ruled out and covered, $outside outside the target, $bad not checked"
[ "$n" -gt 0 ] && [ "$outside" -eq 0 ] && [ "$wrong" -eq 0 ] && [ "$bad" -eq 0 ] &&
    [ "$covered" -gt 0 ]
