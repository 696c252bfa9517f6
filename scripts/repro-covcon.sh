#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/repro-covcon.sh - the experiment of the CovCon paper, in C.
#
#     scripts/repro-covcon.sh [--build=build] [--dir=DIR] [--jobs=N] [--seeds=N] [--time=SECONDS]
#                             [--free-time=SECONDS] [--twin-time=SECONDS] [--executors="controlled free"]
#                             [--guides="covcon random least-tried"] [--free-seeds=N] [--page=FILE]
#                             [--quick] [MODULE...]
#
# For each module of bench/covcon: tests and time to the bug with each guide (covcon, random,
# least-tried) under both executors, over several seeds; then every corrected twin for --twin-time
# seconds, which must stay silent. DIR keeps one JSON document per run, table.txt, and one SVG with
# coverage over tests per module; a second run with the same DIR goes on where the first ended.
# --page: the table, and in sentences what it says and what it was measured with, are written into that
# page. --quick: three modules, two seeds, five seconds per twin.
# Ends with 1 when default settings miss a bug or a twin is flagged; 2 usage, 3 something could not
# be run.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
jobs=$(nproc)
seeds=10
limit=60
free_limit=15
free_seeds=
page=
twin=60
executors="controlled free"
guides="covcon random least-tried"
modules=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --jobs=*) jobs=${arg#*=} ;;
        --seeds=*) seeds=${arg#*=} ;;
        --time=*) limit=${arg#*=} ;;
        --free-time=*) free_limit=${arg#*=} ;;
        --twin-time=*) twin=${arg#*=} ;;
        --free-seeds=*) free_seeds=${arg#*=} ;;
        --page=*) page=$(cd "$(dirname "${arg#*=}")" && pwd)/$(basename "${arg#*=}") ;;
        --executors=*) executors=${arg#*=} ;;
        --guides=*) guides=${arg#*=} ;;
        --quick) seeds=2 twin=5 modules=(bufinput syncmap vector1) ;;
        -*) sed -n '/^# scripts/,/^# be run/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) modules+=("$arg") ;;
    esac
done
for f in "$build/burl" "$build/burl-api"; do
    [ -x "$f" ] && continue
    echo "repro-covcon: no $f: run make" >&2
    exit 3
done
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-covcon.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
free_seeds=${free_seeds:-$seeds}
mkdir -p "$dir/runs"
dir=$(cd "$dir" && pwd)
bench=$root/bench/covcon
if [ ${#modules[@]} -eq 0 ]; then
    for m in "$bench"/*/; do modules+=("$(basename "$m")"); done
fi

# One run of burl gen: MODULE SOURCE GUIDE EXECUTOR SEED SECONDS -> a JSON document.
one() {
    local m=$1 source=$2 guide=$3 executor=$4 seed=$5 seconds=$6
    local out=$dir/runs/$m.$source.$guide.$executor.$seed.json
    local work=$dir/work/$m.$source.$guide.$executor.$seed
    [ -s "$out" ] && return 0
    mkdir -p "$work"
    cp "$bench/$m/$m.h" "$bench/$m/$source.c" "$work"
    [ ! -e "$bench/$m/$m.burl" ] || cp "$bench/$m/$m.burl" "$work"
    local rc=0
    (cd "$work" && timeout $((seconds * 3 + 120)) "$build/burl" gen --json --guide="$guide" \
        --executor="$executor" --seed="$seed" --time="${seconds}s" "$m.h" -- "$source.c" -lm) \
        >"$out.tmp" 2>"$out.err" || rc=$?
    if [ $rc -gt 1 ]; then
        echo "repro-covcon: $m $source $guide $executor seed $seed: exit $rc: $(head -c 300 "$out.err")" >&2
        rm -rf "$work"
        return 0
    fi
    mv "$out.tmp" "$out"
    rm -rf "$work" "$out.err"
}

running=0
start() {
    one "$@" &
    running=$((running + 1))
    if [ $running -ge "$jobs" ]; then
        wait -n || true
        running=$((running - 1))
    fi
}

echo "repro-covcon: ${#modules[@]} modules, $seeds seeds, at most $limit s each ($free_limit s free)" >&2
for m in "${modules[@]}"; do
    for executor in $executors; do
        for guide in $guides; do
            for ((s = 1; s <= ($([ "$executor" = free ] && echo "$free_seeds" || echo "$seeds")); s++)); do
                start "$m" "$m" "$guide" "$executor" "$s" \
                    "$([ "$executor" = free ] && echo "$free_limit" || echo "$limit")"
            done
        done
    done
    echo "repro-covcon: $m done" >&2
done
# The twins: silent for long with the default; and for the curves, which end at no bug, shorter with
# the other guides.
for m in "${modules[@]}"; do
    [ "$twin" = 0 ] && break
    start "$m" "${m}_fixed" covcon controlled 1 "$twin"
    for guide in random least-tried; do
        start "$m" "${m}_fixed" $guide controlled 1 $((twin < 20 ? twin : 20))
    done
done
wait

# Pairs covered over tests, one line per guide.
plot() {
    local m=$1 guide
    for guide in covcon random least-tried; do
        local f=$dir/runs/$m.${m}_fixed.$guide.controlled.1.json
        [ -s "$f" ] || continue
        jq -r --arg g $guide '(.pairs | length) as $n | .curve[] | [$g, .tests, .covered, $n] | @tsv' "$f"
    done | awk -F'\t' -v m="$m" '
    { g[NR] = $1; t[NR] = $2; c[NR] = $3; n = $4; if ($2 > max) max = $2 }
    END {
        if (NR == 0) exit
        w = 640; h = 300
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-50 -30 760 370\" font-family=\"sans-serif\" font-size=\"12\">"
        printf "<rect x=\"-50\" y=\"-30\" width=\"760\" height=\"370\" fill=\"#fff\"/><text x=\"0\" y=\"-12\">%s: pairs covered (of %d) over tests (logarithmic)</text>", m, n
        printf "<path d=\"M0 0V%dH%d\" fill=\"none\" stroke=\"#888\"/><text x=\"-6\" y=\"5\" text-anchor=\"end\">%d</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>", h, w, n, w, h + 16, max
        ink["covcon"] = "#c22"; ink["random"] = "#26c"; ink["least-tried"] = "#292"
        for (i = 1; i <= NR; i++) {
            x = log(t[i] > 1 ? t[i] : 1) / log(max > 1 ? max : 2) * w; y = h - c[i] / n * h
            if (g[i] != last) { if (last != "") printf "\"/>"; printf "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text><path fill=\"none\" stroke=\"%s\" d=\"M%.1f %.1f", 20, 20 + 16 * k++, ink[g[i]], g[i], ink[g[i]], x, y; last = g[i] }
            else printf "L%.1f %.1f", x, y
        }
        print "\"/></svg>"
    }' >"$dir/$m.svg"
}
for m in "${modules[@]}"; do plot "$m"; done

# module guide executor seed found tests ms pairs
rows=$dir/rows.txt
for f in "$dir"/runs/*.json; do
    name=$(basename "$f" .json)
    jq -r --arg name "$name" '[($name | split(".") | .[]), (.findings | length),
        (.stats.first_tests // .stats.tests), (.stats.first_ms // .stats.wall_ms), (.pairs | length),
        (.stats.tests), (.findings[0].kind // "-")] | @tsv' "$f"
done >"$rows"

awk -F'\t' -v seeds="$seeds" -v free_seeds="$free_seeds" -v limit="$limit" -v free_limit="$free_limit" \
    -v twin_time="$twin" -v modules="${modules[*]}" -v executors="$executors" -v points="$dir/points.txt" \
    -v cores="$(nproc)" '
function median(key,   n, i, j, t, a) {
    n = split(list[key], a, " ")
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && a[j] + 0 < a[j - 1] + 0; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
    if (n == 0) return "-"
    return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}
# A paragraph of the page, broken at 100 columns.
function say(text,   n, w, i, line) {
    n = split(text, w, " ")
    for (i = 1; i <= n; i++) {
        if (line != "" && length(line) + 1 + length(w[i]) > 100) { print line >points; line = "" }
        line = line (line == "" ? "" : " ") w[i]
    }
    print line "\n" >points
}
# What was measured with: with another seed or limit it is another run.
$2 == $1 && $5 + 0 > ($4 == "free" ? free_seeds : seeds) + 0 { next }
$2 == $1 {
    k = $1 " " $3 " " $4
    runs[k]++
    if ($6 > 0) found[k]++
    # A run that found nothing counts as its limit: a lower bound.
    list["t " k] = list["t " k] " " $7
    list["m " k] = list["m " k] " " $8
    pairs[$1] = $9
    if ($11 != "-") kind[$1] = $11
}
$2 == $1 "_fixed" && $3 == "covcon" { twin[$1] = $6 " " $10; flagged += $6 > 0; twins++ }
END {
    n = split(modules, name, " ")
    g = split("covcon random least-tried", guide, " ")
    for (e = 1; e <= 2; e++) {
        x = e == 1 ? "controlled" : "free"
        if (index(executors, x) == 0) continue
        if (e == 2) seeds = free_seeds
        printf "\n%s executor: found of %d seeds, median tests and median seconds to the bug (not found: the limit)\n", x, seeds
        printf "%-12s %5s  %-27s %-27s %-27s\n", "module", "pairs", "covcon", "random", "least-tried"
        fewer = 0; all = 0; same = 0; by_covcon = 0; by_random = 0; tried = 0
        for (i = 1; i <= n; i++) {
            m = name[i]
            printf "%-12s %5d", m, pairs[m]
            for (j = 1; j <= g; j++) {
                k = m " " guide[j] " " x
                printf "  %2d/%-2d %9s %8.2f s", found[k], runs[k], median("t " k), median("m " k) / 1000
            }
            printf "  %s\n", kind[m]
            k = m " covcon " x; r = m " random " x
            # Found by more seeds, or by as many and sooner.
            if (found[k] > found[r] || (found[k] == found[r] && found[k] > 0 && median("t " k) + 0 < median("t " r) + 0)) fewer++
            else if (found[k] == found[r] && median("t " k) + 0 == median("t " r) + 0) same++
            by_covcon += found[k]; by_random += found[r]; tried += runs[k]
            if (found[k] == seeds) all++
            if (e == 1) meds = meds " " median("m " k)
        }
        printf "covcon finds all %d seeds on %d of %d modules; needs fewer tests than random on %d\n", seeds, all, n, fewer
        if (e == 1) {
            say("Measured with " seeds " seeds, at most " limit " s each, on " cores " cores that may have had " \
                "other work: tests do not depend on that, seconds do.")
            say("With default settings covcon finds the bug with every seed in " all " of " n " modules.")
            say("**Guided by coverage needs fewer tests than random on " fewer " of " n " modules**" \
                (same > 0 ? ", as many on " same : "") " and more on " n - fewer - same ".")
        } else {
            say("On free threads (" seeds " seeds, at most " free_limit " s each) covcon found the bug in " by_covcon \
                " of " tried " runs and random in " by_random ".")
        }
        if (e == 1) { all_default = all; list["x"] = meds; printf "median over modules of the median time: %.2f s\n", median("x") / 1000 }
    }
    if (twin_time > 0) printf "\ncorrected twins, controlled, covcon\n"
    for (i = 1; i <= n && twin_time > 0; i++) {
        split(twin[name[i]], t, " ")
        printf "%-12s %s after %s tests\n", name[i], (t[1] > 0 ? "FLAGGED" : "silent"), t[2]
    }
    if (twin_time > 0)
        say((flagged > 0 ? flagged " of " n " twins were flagged" : "All " n " twins were silent") " in " twin_time " s.")
    exit ((all_default < n && index(executors, "controlled")) || flagged > 0 || (twin_time > 0 && twins < n)) ? 1 : 0
}' "$rows" | tee "$dir/table.txt" && rc=0 || rc=${PIPESTATUS[0]}
if [ -n "$page" ]; then
    { cat "$dir/points.txt"; awk '{ sub(/ +$/, "") } NF { print "    " $0 } !NF && NR > 1' "$dir/table.txt"; } |
        "$root/scripts/measured.sh" "$page" covcon || exit 3
fi
[ "${rc:-0}" = 0 ] || { echo "repro-covcon: a bug was missed or a twin flagged" >&2; exit 1; }
