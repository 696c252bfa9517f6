#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/compare-tsan.sh [build] [word...] - burl and clang's ThreadSanitizer on the same programs.
#
# Every program of tests/must_find and tests/must_pass, or those whose name contains one of the
# words, is built twice: by `burl-cc` for `burl test` with the limits that tests/run uses, and by
# clang with -fsanitize=thread, which then runs it BURL_TSAN_RUNS times (5): what any of the runs
# reports counts. Prints a table and totals.
#
# Exit code 1: burl flagged a correct program, missed what a wrong one is expected to show, or found
# fewer of the races and lock cycles than ThreadSanitizer did. 3: the comparison itself failed.
#
# What counts for ThreadSanitizer: its reports alone. A program that crashes or hangs under it was
# caught by luck, is shown as such, and counts neither way; the same holds for a program that it
# cannot run at all (C11 threads crash inside its runtime). Programs about burl's own annotations are
# not shown to it.
set -u
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
self=$root/scripts/$(basename "$0")
runs=${BURL_TSAN_RUNS:-5}
seconds=${BURL_TSAN_SECONDS:-10}
jobs=${BURL_COMPARE_JOBS:-2}

# The value of "BURL-NAME: value" at the head of a file, or nothing.
directive() {
    head -n 40 "$2" | sed -n "s|^[ /*#]*BURL-$1:[ ]*||p" | sed 's|[ ]*\*/[ ]*$||; s|[ ]*$||' | head -n 1
}

# ---- one program, in a process of its own: --one BUILD WORK FILE ----

# Prints the kinds that burl reports, or "-", or "error ...".
ours() {
    local file=$1 cc=cc args
    case $file in *.cpp) cc=c++ ;; esac
    # shellcheck disable=SC2046
    "$burl" $cc $(directive CFLAGS "$file") "$file" -o ours -lpthread >ours.log 2>&1 || {
        echo "error build"
        return
    }
    args=$(directive ARGS "$file")
    # shellcheck disable=SC2046,SC2086
    timeout -k 10 300 "$burl" test --dir=.burl --json --engine=fibers ${args:---runs=1000} ./ours \
        $(directive PROG-ARGS "$file") >ours.json 2>>ours.log </dev/null
    case $? in
        0 | 1) jq -r '[.findings[].kind] | unique | if length == 0 then "-" else join(",") end' ours.json ||
            echo "error json" ;;
        *) echo "error exit" ;;
    esac
}

# Prints what one run's exit code and output say.
tsan_run_says() {
    if grep -q 'WARNING: ThreadSanitizer:' tsan.out; then
        sed -n 's/.*WARNING: ThreadSanitizer: \(.*\) (pid.*/\1/p' tsan.out | sed '
            s/^data race.*/race/
            s/^heap-use-after-free.*/race/
            s/^lock-order-inversion.*/cycle/
            s/^\(double lock\|unlock of\|destroy of\|use of an invalid\|read unlock\|read lock\).*/misuse/
            s/^thread leak.*/leak/
            s/ /-/g' | sort -u
    elif grep -q 'FATAL: ThreadSanitizer\|nested bug in the same thread\|CHECK failed' tsan.out; then
        echo "(cannot)"
    elif [ "$1" = 124 ] || [ "$1" = 137 ]; then
        echo "(hang)"
    elif [ "$1" != 0 ]; then
        echo "(crash)"
    fi
}

# Prints ThreadSanitizer's reports, "-", or what else happened, in parentheses.
theirs() {
    local file=$1 cc=clang-19 i code
    if grep -q 'BURL_BENIGN_RACE\|BURL_HB_\|BURL_IGNORE\|__burl_' "$file"; then
        echo "(not asked)"
        return
    fi
    case $file in *.cpp) cc=clang++-19 ;; esac
    # shellcheck disable=SC2046
    $cc -fsanitize=thread -g $(directive CFLAGS "$file") -I"$root/include" "$file" -o theirs -lpthread \
        >tsan.log 2>&1 || {
        echo "error build"
        return
    }
    : >tsan.says
    for ((i = 0; i < runs; i++)); do
        # shellcheck disable=SC2046
        TSAN_OPTIONS=exitcode=66 timeout -k 2 "$seconds" ./theirs $(directive PROG-ARGS "$file") \
            >tsan.out 2>&1 </dev/null
        code=$?
        tsan_run_says $code >tsan.one
        cat tsan.one >>tsan.says
        # Once is enough of what takes long or never changes.
        grep -q '^(hang)\|^(cannot)' tsan.one && break
    done 2>/dev/null
    # Reports are what it is for; the rest is told only when there are none.
    if grep -qv '^(' tsan.says; then
        grep -v '^(' tsan.says | sort -u | paste -sd,
    elif [ -s tsan.says ]; then
        sort -u tsan.says | paste -sd,
    else
        echo "-"
    fi
}

if [ "${1-}" = --one ]; then
    burl=$2/burl
    file=$4
    work=$3/$(basename "$(dirname "$file")").$(basename "$file")
    mkdir -p "$work" && cd "$work" || exit 3
    expected=$(directive KIND "$file" | tr -d ' ')
    also=$(directive ALSO "$file" | tr -d ' ')
    expected=$expected${also:+ and $also}
    case $file in */must_pass/*) expected=- ;; esac
    o=$(ours "$file")
    t=$(theirs "$file")
    printf '%s\t%s\t%s\t%s\n' "$(basename "$(dirname "$file")")/$(basename "$file")" \
        "$expected" "$o" "$t" >>"$3/results"
    cd / && rm -rf "$work"
    exit 0
fi

# ---- all programs ----

build=${1-build}
[ $# -gt 0 ] && shift
case $build in /*) ;; *) build=$root/$build ;; esac
[ -x "$build/burl" ] || {
    echo "compare-tsan: $build/burl is not there; run make first" >&2
    exit 3
}
work=$(mktemp -d "${TMPDIR:-/tmp}/burl-compare-XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/probe.c"
clang-19 -fsanitize=thread "$work/probe.c" -o "$work/probe" 2>"$work/probe.log" && "$work/probe" || {
    echo "compare-tsan: clang-19 -fsanitize=thread does not work here (package libclang-rt-19-dev):" >&2
    cat "$work/probe.log" >&2
    exit 3
}

find "$root/tests/must_find" "$root/tests/must_pass" -maxdepth 1 \( -name '*.c' -o -name '*.cpp' \) |
    sort >"$work/all"
if [ $# -gt 0 ]; then
    printf '%s\n' "$@" >"$work/words"
    grep -F -f "$work/words" "$work/all" >"$work/some"
    mv "$work/some" "$work/all"
fi
: >"$work/results"
xargs -P "$jobs" -I{} bash "$self" --one "$build" "$work" {} <"$work/all"

sort "$work/results" | awk -F'\t' -v want="$(wc -l <"$work/all")" -v runs="$runs" '
    # Is one of the expected kinds (a|b), and one of those after "and", among the found ones (x,y)?
    function meets(expected, found,    e, f, n, m, i, j) {
        if ((i = index(expected, " and ")) > 0)
            return meets(substr(expected, 1, i - 1), found) && meets(substr(expected, i + 5), found)
        n = split(expected, e, "|")
        m = split(found, f, ",")
        for (i = 1; i <= n; i++)
            for (j = 1; j <= m; j++)
                if (e[i] == f[j]) return 1
        return 0
    }
    function share(a, b) { return sprintf("%d of %d", a, b) }
    BEGIN { printf "%-42s %-34s %-34s %s\n", "program", "expected", "burl", "ThreadSanitizer" }
    {
        n++
        mark = ""
        if ($3 ~ /^error/ || $4 ~ /^error/) { n_errors++; mark = "  <- comparison failed" }
        tsan_reports = $4 != "-" && $4 !~ /^\(/ && $4 !~ /^error/
        if ($4 ~ /cannot/) n_cannot++
        if ($2 == "-") {
            n_right++
            if ($3 != "-") { our_alarms++; mark = mark "  <- FALSE ALARM of burl" }
            if (tsan_reports) { their_alarms++; mark = mark "  (false alarm of TSan)" }
        } else {
            n_wrong++
            found = meets($2, $3)
            if (found) our_any++
            else mark = mark "  <- MISSED by burl"
            if (tsan_reports) their_any++
            is_race = $2 ~ /race\.data/
            is_cycle = $2 ~ /deadlock\.cycle/
            if (is_race) {
                n_races++
                our_races += found
                their_races += $4 ~ /race/
            }
            if (is_cycle) {
                n_cycles++
                our_cycles += found
                their_cycles += $4 ~ /cycle/
            }
        }
        printf "%-42s %-34s %-34s %s%s\n", $1, $2, $3, $4, mark
    }
    END {
        print ""
        printf "%-52s %-14s %s\n", "", "burl", "ThreadSanitizer, " runs " runs"
        printf "%-52s %-14s %s\n", "data races found", share(our_races, n_races), share(their_races, n_races)
        printf "%-52s %-14s %s\n", "lock cycles found", share(our_cycles, n_cycles), share(their_cycles, n_cycles)
        printf "%-52s %-14s %s\n", "wrong programs with the expected report (TSan: any)", share(our_any, n_wrong), \
            share(their_any, n_wrong)
        printf "%-52s %-14s %s\n", "correct programs flagged", share(our_alarms, n_right), share(their_alarms, n_right)
        printf "%-52s %-14s %s\n", "programs it cannot run", 0, n_cannot + 0
        bad = 0
        if (n != want || n_errors > 0) {
            printf "compare-tsan: %d programs could not be compared\n", want - n + n_errors
            bad = 3
        } else if (our_alarms > 0 || our_any < n_wrong) {
            bad = 1
        } else if (our_races < their_races || our_cycles < their_cycles) {
            bad = 1
        }
        print bad ? "compare-tsan: FAILED" : "compare-tsan: ok"
        exit bad
    }'
