#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/real-programs.sh - real programs, unchanged, with clang and with burl-cc: do they build, do their own
# tests pass as with clang, what do `burl run` and `burl test` say, and is it true?
#
# Each program comes as an unchanged Debian source package and is built twice by its own build system. The
# sources are fetched through a private apt configuration made from the machine's own, so nothing of the system
# changes; a source that cannot be had is listed as such. Findings are judged by bench/real/verdicts.txt.
#
#     scripts/real-programs.sh [--build=build] [--dir=DIR] [--only=NAME,...] [--jobs=N] [--time=10s] [--limit=300]
#                              [--max-ratio=1.5] [--page=PAGE] [--table] [--built] [--late] [PROGRAM...]
#
# Programs: those of scripts/real-programs.inc; the default is all. --time is the budget of each `burl run` and
# `burl test`, --limit the seconds for each build and each run of its tests, --jobs the programs at a time.
# --dir keeps the work there: a second run takes the downloads, and the results of programs that are done, from
# it. --built also takes the builds from it, and runs the rest anew. --page writes the table between the marks
# of that page, where rows of programs that were not run stay as they are; --table only what --dir has already.
# Exit codes: 0 all build, pass as with clang, no finding is judged false, and the builds together cost at most
# --max-ratio times clang's CPU time; 1 not, 2 usage, 3 environment.
set -uo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
time=10s
limit=300
jobs=1
page=
late=
max_ratio=1.5
only_table=
built=
wanted=
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) || exit 3 ;;
        --dir=*) dir=${arg#*=} ;;
        --only=*) wanted="$wanted ${arg#*=}" ;;
        --jobs=*) jobs=${arg#*=} ;;
        --time=*) time=${arg#*=} ;;
        --limit=*) limit=${arg#*=} ;;
        --max-ratio=*) max_ratio=${arg#*=} ;;
        --page=*) page=${arg#*=} ;;
        --table) only_table=yes ;;
        --built) built=yes ;;
        --late) late=--late ;;
        -*) sed -n '/^# scripts/,/^# --max-ratio times/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) wanted="$wanted $arg" ;;
    esac
done
burl=$build/burl
[ -x "$burl-cc" ] || { echo "real-programs: no $burl-cc: run make first" >&2; exit 3; }
command -v jq >/dev/null || { echo "real-programs: jq is missing: run make setup" >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-real.XXXXXX") || exit 3
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir/rows"
dir=$(cd "$dir" && pwd)
clang=${BURL_CLANG:-clang-19}
export BURL_CC_FLAGS=$late
verdicts=$root/bench/real/verdicts.txt

. "$root/scripts/sources.inc"
. "$root/scripts/real-programs.inc"
wanted=${wanted//,/ }
for name in ${wanted:=$programs}; do
    case " ${programs} " in
        *" $name "*) ;;
        *) echo "real-programs: no program \"$name\"; there are $programs" >&2; exit 2 ;;
    esac
done

# limited FUNCTION LOG [OUTPUT]: in the current folder, at most $limit seconds; 124 when it took longer. Standard
# output goes to OUTPUT, or to the log as well.
limited() {
    local pid watcher code
    # A group of its own, so that everything it started can be ended.
    set -m
    (
        set -e
        exec 2>"$2"
        if [ -n "${3-}" ]; then exec >"$3"; else exec >&2; fi
        "$1"
    ) </dev/null &
    pid=$!
    set +m
    (
        read -rt "$limit" <> <(:)
        kill -KILL -- -$pid
    ) >/dev/null 2>&1 &
    watcher=$!
    wait $pid 2>/dev/null
    code=$?
    kill -TERM $watcher 2>/dev/null && wait $watcher 2>/dev/null
    [ $code -ne 137 ] || code=124
    return $code
}

n_sites() { # of all instrumented files built for a program
    find "$1" -type f \( -executable -o -name '*.so*' \) -print0 |
        xargs -0 -r -n 50 readelf -SW 2>/dev/null |
        awk '$0 ~ / burl_sites / { for (i = 1; i <= NF; i++) if ($i == "burl_sites") print $(i + 4) }' |
        while read -r hex; do echo $((16#$hex / 8)); done | awk '{ s += $1 } END { print s + 0 }'
}

# findings NAME COMMAND JSON: one line each: command, kind, what; judged by the file of verdicts.
findings() {
    jq -r '.findings[]? | [.kind, (.detail.title? // .kind)] | @tsv' "$3" 2>/dev/null |
        while IFS=$'\t' read -r kind detail; do
            awk -F'\t' -v name="$1" -v kind="$kind" -v detail="$detail" -v command="$2" '
                /^#/ || NF < 5 { next }
                $1 == name && $2 == kind && (index(detail, $3) || $3 == "*") { verdict = $4; why = $5; exit }
                END { printf "%s\t%s\t%s\t%s\t%s\n", command, kind, verdict ? verdict : "unknown", detail,
                          why ? why : "not judged yet" }' "$verdicts"
        done
}

# build_one NAME WAY TARBALL: unpacks and builds; the exit code of the build
build_one() {
    rm -rf "${dir:?}/$1.$2"
    mkdir "$dir/$1.$2"
    tar xf "$3" -C "$dir/$1.$2" --strip-components=1 || return
    cd "$dir/$1.$2" || return
    TIMEFORMAT='%U %S'
    { time limited "build_$1" "$dir/$1.$2.log"; } 2>"$dir/$1.$2.time" || return
    touch "$dir/$1.$2/.built"
}

cpu_of() { awk '{ print $1 + $2 }' "$1"; }

# Prints the row of a program: cells with tabs between them.
row() {
    local name=$1 package=package_$1 tarball way version code cells sites tests=
    package=${!package-$name}
    rm -rf "$dir/$name".*.json "$dir/$name".store "$dir/$name".store2
    if ! tarball=$(source_tarball "$package"); then
        printf '%s\t-\t\t\tsource not available\t\t\n' "$name"
        return
    fi
    version=$(basename "$tarball" | sed 's/^[^_]*_//; s/\.orig.*//')
    if declare -F "need_$name" >/dev/null && ! "need_$name"; then
        printf '%s\t%s\t\t\ta tool of its build is missing\t\t\n' "$name" "$version"
        return
    fi
    for way in plain burl; do
        CC=$clang CXX=${clang/clang/clang++}
        [ $way = plain ] || CC=$burl-cc CXX=$burl-c++
        export CC CXX
        code=0
        if [ -z "$built" ] || [ ! -e "$dir/$name.$way/.built" ]; then
            build_one "$name" "$way" "$tarball" || code=$?
        fi
        cd "$dir/$name.$way" || return
        if [ $code -ne 0 ]; then
            [ $code -ne 124 ] || code="more than $limit s"
            printf '%s\t%s\t\t\tdoes not build with %s (%s)\t\t\n' "$name" "$version" \
                "$(basename "$CC")" "$code"
            return
        fi
        code=0
        limited "check_$name" "$dir/$name.$way.tests" || code=$?
        echo "exit $code" >>"$dir/$name.$way.tests"
    done
    if grep -q '^exit 124$' "$dir/$name.plain.tests" "$dir/$name.burl.tests"; then
        tests="more than $limit s"
    elif cmp -s "$dir/$name.plain.tests" "$dir/$name.burl.tests"; then
        tests="as clang"
        grep -q '^exit 0$' "$dir/$name.burl.tests" || tests="as clang ($(tail -n 1 "$dir/$name.burl.tests"))"
    else
        tests=DIFFER
    fi
    sites=$(n_sites "$PWD")
    [ "$sites" -gt 0 ] || tests="DIFFER: nothing is instrumented"
    cells=$(printf '%s\t%s\t%d\t%.1f / %.1f\t%s' "$name" "$version" "$sites" \
        "$(cpu_of "$dir/$name.plain.time")" "$(cpu_of "$dir/$name.burl.time")" "$tests")
    watch="$burl run --time=$time --json --dir=$dir/$name.store"
    limited "watch_$name" "$dir/$name.watch.log" "$dir/$name.watch.json"
    cells="$cells"$'\t'$(judged "$name" run "$dir/$name.watch")
    watch="$burl test --time=$time --json --dir=$dir/$name.store2"
    limited "small_$name" "$dir/$name.small.log" "$dir/$name.small.json"
    printf '%s\t%s\n' "$cells" "$(judged "$name" "test" "$dir/$name.small")"
}

# judged NAME COMMAND STEM: what the command found, in one cell; STEM.json has its report, STEM.log its messages.
judged() {
    local json=$3.json n
    if [ ! -s "$json" ] || ! jq -e .version "$json" >/dev/null 2>&1; then
        echo "no report: $(grep -a '^burl' "$3.log" | head -n 1 | cut -c 1-80)"
        return
    fi
    n=$(jq -r '[.findings[] | .behind != null] | "\(map(select(not)) | length)" +
        (if any then " and \(map(select(.)) | length) with the same cause" else "" end)' "$json")
    case $2 in
        run) echo "$n (ended: $(jq -r '.end // "-"' "$json"))" ;;
        *) echo "$n ($(jq -r .executions "$json") executions, ended: $(jq -r '.end // "-"' "$json"))" ;;
    esac
}

# ---- all of them

running=0
for name in $wanted; do
    [ -n "$built" ] || [ ! -s "$dir/rows/$name" ] && [ -z "$only_table" ] || continue
    (row "$name" >"$dir/rows/$name.tmp" 2>"$dir/rows/$name.err"; mv "$dir/rows/$name.tmp" "$dir/rows/$name"
        tr '\t' '|' <"$dir/rows/$name") &
    running=$((running + 1))
    [ $running -lt "$jobs" ] || { wait -n; running=$((running - 1)); }
done
wait

# CPU seconds of the builds in these rows of the table: clang, burl-cc, ratio.
sum() {
    awk -F' \\| ' '$4 ~ /^[0-9.]+ \/ [0-9.]+$/ { split($4, t, " / "); a += t[1]; b += t[2] }
        END { printf "%.1f\t%.1f\t%.2f\n", a, b, (a > 0 ? b / a : 0) }' "$1"
}

# kept NAME OPTION: what the page says of a program: its row (-v), or its findings (-e).
kept() {
    [ -z "$page" ] || grep "^| $1 | " "$page" | grep "$2" "^| $1 | burl "
}

shown=$wanted
[ -z "$page" ] || shown=$programs

programs_table() {
    echo "| program | version | sites | build, CPU s: clang / burl-cc | own tests | \`burl run\`: findings | \`burl test\`: findings |"
    echo "|---|---|---|---|---|---|---|"
    for name in $shown; do
        if [ -s "$dir/rows/$name" ]; then
            suite=suite_$name
            awk -F'\t' -v suite="${!suite-its suite}" '{
                $5 ~ /^(as|DIFF|more)/ ? $5 = suite ": " $5 : 0
                for (i = 1; i <= NF; i++) printf "| %s ", $i
                print "|" }' "$dir/rows/$name"
        else
            kept "$name" -v || echo "| $name | - | | | not run | | |"
        fi
    done
}

table() {
    echo
    programs_table | tee "$dir/programs"
    echo
    sum "$dir/programs" | awk -F'\t' '{ printf "Building these cost %.0f s of CPU time with clang, %.0f s with burl-cc: %.2f times.\n", $1, $2, $3 }'
    echo
    echo "| program | command | kind | judged | finding | why |"
    echo "|---|---|---|---|---|---|"
    for name in $shown; do
        [ -e "$dir/rows/$name" ] || { kept "$name" -e; continue; }
        # One line for findings that were judged by the same line of the file.
        awk -F'\t' -v name="$name" '
            NF < 5 { next }
            { key = $1 FS $2 FS $3 FS ($5 == "not judged yet" ? $4 : $5) }
            !(key in n) { order[++k] = key; first[key] = $0 }
            { n[key]++ }
            END { for (i = 1; i <= k; i++) { split(first[order[i]], f, FS)
                gsub(/\|/, "\\|", f[4])
                printf "| %s | burl %s | %s | %s | %s%s | %s |\n", name, f[1], f[2], f[3], substr(f[4], 1, 110),
                    (n[order[i]] > 1 ? " (and " n[order[i]] - 1 " more)" : ""), f[5] } }' <<<"$(
            findings "$name" run "$dir/$name.watch.json"
            findings "$name" "test" "$dir/$name.small.json")"
    done
    echo
}
table >"$dir/table"
cat "$dir/table"
[ -z "$page" ] || sh "$root/scripts/measured.sh" "$page" "real programs" <"$dir/table" || exit 3
sum "$dir/programs" | awk -F'\t' -v max="$max_ratio" '{ exit ($3 > max) }' ||
    { echo "real-programs: the builds cost more than $max_ratio times clang's" >&2; exit 1; }
# What clang cannot build either is no fault of ours.
! grep -qE 'does not build with burl|DIFFER|\| false \|' "$dir/table"
