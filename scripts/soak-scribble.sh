#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/soak-scribble.sh - a program that writes at random over burl's control block must not crash or
# hang the host, or make it grow. Prints one line of counts at the end.
#
#   scripts/soak-scribble.sh --burl=build/burl [--from=1] [--runs=1000] [--max-mb=N] [--limit-s=60]
#
# Each run has a seed of its own, as program and as command: `burl test` with either engine, `burl run`,
# `burl cover`, and `burl replay` of what was found. --max-mb limits the resident memory of burl and of each
# process it starts, as the kernel counts it at their end. A failed run keeps its output and says how to
# repeat it.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
burl= from=1 runs=1000 max_mb=0 limit_s=60
for a; do
    case $a in
    --burl=*) burl=$(realpath "${a#*=}") ;;
    --from=*) from=${a#*=} ;;
    --runs=*) runs=${a#*=} ;;
    --max-mb=*) max_mb=${a#*=} ;;
    --limit-s=*) limit_s=${a#*=} ;;
    *) echo "soak-scribble.sh: unknown argument $a" >&2; exit 2 ;;
    esac
done
[ -x "$burl" ] || { echo "soak-scribble.sh: --burl=PROGRAM is missing" >&2; exit 2; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-scribble.XXXXXX")
cd "$dir" || exit 2
"$burl" cc -O1 "$root/tests/support/scribble.c" -o scribble -lpthread || exit 2
cc -O1 -o peak "$root/tests/support/peak.c" || exit 2
failed=0 found=0 clean=0 other=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

once() # seed command...
{
    seed=$1
    shift
    timeout -k 5 "$limit_s" ./peak peak.kb "$burl" "$@" >out 2>&1
    rc=$?
    if [ "$max_mb" -gt 0 ] && [ "$(cat peak.kb)" -gt $((max_mb * 1024)) ]; then
        echo "FAILED: $(cat peak.kb) KB: burl $* (in $dir)"
        failed=$((failed + 1))
    fi
    case $rc in
    0) clean=$((clean + 1)) ;;
    1) found=$((found + 1)) ;;
    3 | 4) other=$((other + 1)) ;;
    *) echo "FAILED: exit code $rc: burl $* (in $dir, output in out.$failed)"
       cp out "out.$failed"
       failed=$((failed + 1)) ;;
    esac
    if grep -q 'AddressSanitizer\|runtime error:' out; then
        echo "FAILED: sanitizer: burl $* (in $dir, output in out.$failed)"
        cp out "out.$failed"
        failed=$((failed + 1))
    fi
}

seed=$from
while [ "$seed" -lt $((from + runs)) ]; do
    mode=head
    [ $((seed % 3)) -eq 0 ] && mode=random
    rm -rf .burl
    case $((seed % 5)) in
    0 | 1) once "$seed" test --runs=4 --time=1s --seed="$seed" -- ./scribble $mode "$seed" ;;
    2) once "$seed" test --engine=threads --runs=4 --time=1s --seed="$seed" -- ./scribble $mode "$seed" ;;
    3) once "$seed" run --time=2s -- ./scribble $mode "$seed" ;;
    4) once "$seed" cover --runs=4 --time=1s --seed="$seed" -- ./scribble $mode "$seed" ;;
    esac
    # A failure that no replay reproduces has no schedule.
    [ "$rc" -eq 1 ] && [ -e .burl/findings/1/schedule.txt ] && once "$seed" replay 1
    seed=$((seed + 1))
done
echo "$runs programs: $found commands with a finding, $clean without, $other stopped with an error, $failed failed"
[ "$failed" -eq 0 ] && cd / && rm -rf "$dir"
[ "$failed" -eq 0 ]
