#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/soak-noise.sh - correct programs under every kind of noise: nothing may be found.
#
#     scripts/soak-noise.sh [--build=build] [--dir=DIR] [--jobs=N] [--freq=300] [--strength=1] [--time=20s]
#                           [--seeds=N] [--detect=LIST] [WORD...]
#
# Every program of tests/must_pass that may run without burl, and the correct twins of bench/noise, or those
# whose name contains one of the words. Each runs without noise, then SEEDS times under each setting: every
# seeding, every placement, haltOneThread and timeoutTamper. A finding, a failure of the program, or a hang
# is a false alarm. A run that takes longer than TIME is cut: noise in a loop takes its time. It counts as a
# hang when noise took less than a twentieth of the time, so that it does not explain the length.
# A program that fails without noise on free threads is listed and left out. DIR keeps rows.tsv and the
# report of everything that is wrong.
# Ends with 1 when there is a false alarm, 2 usage, 3 something could not be run.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
self=$root/scripts/$(basename "$0")
build=$root/build
dir=
jobs=$(nproc)
freq=300
strength=1
time=20s
seeds=1
detect=race
words=()
one=
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --jobs=*) jobs=${arg#*=} ;;
        --freq=*) freq=${arg#*=} ;;
        --strength=*) strength=${arg#*=} ;;
        --time=*) time=${arg#*=} ;;
        --seeds=*) seeds=${arg#*=} ;;
        --detect=*) detect=${arg#*=} ;;
        --one=*) one=${arg#*=} ;; # for itself
        -*) sed -n '/^# scripts/,/^# Ends/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) words+=("$arg") ;;
    esac
done
[ -x "$build/burl" ] || { echo "soak-noise: no $build/burl: run make" >&2; exit 3; }
command -v jq >/dev/null || { echo 'soak-noise: needs jq' >&2; exit 3; }

s="freq=$freq,strength=$strength"
settings=(
    "yield:$s,place=random" "sleep:$s,place=random" "wait:$s,place=random" "busyWait:$s,place=random"
    "synchYield:$s,place=random" "mixed:$s,place=random"
    "sleep:$s,place=shared+random" "wait:$s,place=shared" "mixed:$s,place=one+random" "sleep:$s,place=one"
    "sleep:$s,place=coverage" "busyWait:$s,place=adaptive"
    "yield:$s,place=random,halt" "mixed:$s,place=shared+random,halt" "sleep:$s,place=random,halt,tamper"
    "yield:$s,place=random,tamper" "wait:freq=1000,strength=$strength,place=shared+random,halt,tamper"
)

directive() {
    head -n 40 "$2" | sed -n "s|^[ /*#]*BURL-$1:[ ]*||p" | sed 's|[ ]*\*/[ ]*$||; s|[ ]*$||' | head -n 1
}

# ---- one program: FILE, or the directory of a twin

# judge JSON CODE: ok, cut, or what is wrong
judge() {
    case $2 in
        0 | 4)
            jq -r '(.noise.injected // 0) as $n | if .end != "time" then "ok"
                   elif $n * '"$strength"' * 20 > .wall_ms then "cut" else "HANG" end' "$1" 2>/dev/null ||
                echo "ERROR json" ;;
        1) jq -r '"FOUND " + ([.findings[].kind] | unique | join(","))' "$1" 2>/dev/null || echo "ERROR json" ;;
        *) echo "ERROR exit $2" ;;
    esac
}

# run_one NAME PROGRAM SETTING SEED ARGUMENT...: a row
run_one() {
    local name=$1 program=$2 setting=$3 seed=$4 code=0 verdict
    shift 4
    timeout -k 5 600 "$build/burl" run --json --detect="$detect" --time="$time" --dir=store \
        ${setting:+--noise="$setting,seed=$seed"} "$program" "$@" >out.json 2>err.txt </dev/null || code=$?
    verdict=$(judge out.json $code)
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "${setting:-none}" "$seed" "$verdict" \
        "$(jq -r '.wall_ms' out.json 2>/dev/null || echo 0)" >>"$dir/rows.tsv"
    case $verdict in
        ok | cut) return 0 ;;
        *)
            mkdir -p "$dir/wrong"
            cp out.json "$dir/wrong/$name.$(printf '%s.%s' "${setting:-none}" "$seed" | tr ':,=+' '....').json"
            return 1 ;;
    esac
}

if [ -n "$one" ]; then
    dir=$(cd "$dir" && pwd)
    name=$(basename "$one")
    mkdir -p "$dir/work/$name"
    cd "$dir/work/$name"
    args=()
    if [ -d "$one" ]; then
        name=$name-fixed
        program=$dir/twins/$name
    else
        cc=cc
        case $one in *.cpp) cc=c++ ;; esac
        # shellcheck disable=SC2046
        "$build/burl" $cc -I"$root/include" $(directive CFLAGS "$one") "$one" -o prog -lpthread >log 2>&1 ||
            { printf '%s\tnone\t0\tERROR build\t0\n' "$name" >>"$dir/rows.tsv"; exit 0; }
        program=./prog
        read -ra args <<<"$(directive PROG-ARGS "$one")"
    fi
    run_one "$name" "$program" '' 0 "${args[@]}" || exit 0
    for setting in "${settings[@]}"; do
        for seed in $(seq "$seeds"); do
            run_one "$name" "$program" "$setting" "$seed" "${args[@]}" || :
        done
    done
    cd "$dir"
    rm -rf "work/$name"
    exit 0
fi

# ---- all of them

if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-soak-noise.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
rm -rf "$dir/wrong" "$dir/work" "$dir/twins" "$dir/rows.tsv"
touch "$dir/rows.tsv"

wanted() {
    local w
    [ ${#words[@]} -gt 0 ] || return 0
    for w in "${words[@]}"; do
        case $1 in *"$w"*) return 0 ;; esac
    done
    return 1
}

for f in "$root"/bench/noise/*/ "$root"/tests/must_pass/*.c "$root"/tests/must_pass/*.cpp; do
    f=${f%/}
    if [ -d "$f" ]; then
        wanted "$(basename "$f")-fixed" && echo "$f"
    elif wanted "$(basename "$f")" && [ "$(directive NATIVE "$f")" != no ]; then
        echo "$f"
    fi
done >"$dir/list"
[ -s "$dir/list" ] || { echo "soak-noise: no program has such a name" >&2; exit 2; }
if grep -q /bench/noise/ "$dir/list"; then
    make -C "$root/bench/noise" CC="$build/burl-cc" OUT="$dir/twins" >"$dir/twins.log" 2>&1 ||
        { echo "soak-noise: the twins do not build, see $dir/twins.log" >&2; exit 3; }
fi
xargs -a "$dir/list" -P "$jobs" -I{} "$self" --build="$build" --dir="$dir" --freq="$freq" \
    --strength="$strength" --time="$time" --seeds="$seeds" --detect="$detect" --one={}

awk -F'\t' '
    $4 ~ /^ERROR/ { n_error++; error[n_error] = $1 ", " $2 ": " $4; next }
    $2 == "none" && $4 != "ok" { left_out[$1] = $4; next }
    $2 == "none" { programs++; next }
    { n[$2]++; total++ }
    $4 == "cut" { cut[$2]++; n_cut++ }
    $4 != "ok" && $4 != "cut" { wrong[$2]++; n_wrong++; line[n_wrong] = $1 ", " $2 ",seed=" $3 ": " $4 }
    END {
        printf "%-58s %6s %6s %6s\n", "setting", "runs", "cut", "wrong"
        for (s in n) printf "%-58s %6d %6d %6d\n", s, n[s], cut[s], wrong[s] | "sort"
        close("sort")
        printf "%d programs, %d runs, %d cut, %d false alarms\n", programs, total, n_cut, n_wrong
        for (i = 1; i <= n_wrong; i++) print "wrong: " line[i]
        for (p in left_out) print "left out, wrong without noise: " p ": " left_out[p]
        for (i = 1; i <= n_error; i++) print "could not be run: " error[i]
        if (n_error || !programs) exit 3
        if (n_wrong) exit 1
    }' "$dir/rows.tsv"
