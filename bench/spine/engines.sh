#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/spine/engines.sh - executions per second of both engines and both resets, and the cost of
# a switch, on bench3.c (about 60 sync operations and 95 accesses by 3 workers); and whether a small
# test (small.c: two threads, two locked increments each) reaches AIM executions per second with the
# detectors off and learning on.
#
# One process at a time, one job: the rows of one run can be compared with each other, rows of
# different machines cannot. Wall time is what a user waits; CPU time (burl and the program
# together) is what to compare when the machine has other work. The cost of a switch is the CPU
# time random needs more than nonpreemptive on the same program, per switch more; it includes the
# strategy's choice. What dominates is told by one.c, which does next to nothing: its execution is
# the reset and the hand-over between burl and the program, and little else. BURL_BENCH_TIME
# (seconds per row, default 4) trades time for noise.
set -u
export LC_ALL=C
root=${BURL_TEST_ROOT:?run it with make bench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
secs=${BURL_BENCH_TIME:-4}
TIMEFORMAT='%U %S'
AIM=100000

"$BURL" cc -O2 "$root/bench/spine/bench3.c" -o bench3 -lpthread || exit 3
"$BURL" cc -O2 "$root/bench/spine/one.c" -o one -lpthread || exit 3
"$BURL" cc -O2 "$root/bench/spine/small.c" -o small -lpthread || exit 3

# row ENGINE RESET STRATEGY [PROGRAM]: appends
# "engine reset strategy executions wall_s cpu_s switches points".
row() {
    { time "$BURL" test --json --quiet --engine="$1" --reset="$2" --strategy="$3" \
        --time="${secs}s" --jobs=1 --dir="store-$1-$2-$3" "./${4-bench3}" >out.json 2>err; } 2>cpu
    jq -e '.exit == 0' out.json >/dev/null || { cat err >&2; return 1; }
    # What was asked for must be what ran.
    [ "$(jq -r .engine out.json)/$(jq -r .reset out.json)" = "$1/$2" ] || {
        echo "bench: $1/$2 became $(jq -r '.engine + "/" + .reset + " " + .reset_why' out.json)" >&2
        return 1
    }
    echo "$1 $2 ${4-$3} $(jq -r '"\(.executions) \(.wall_ms / 1000)"' out.json)" \
        "$(awk '{ print $1 + $2 }' cpu) $(jq -r '"\(.switches) \(.points)"' out.json)" >>rows
}

printf '%-8s %-9s %-14s %12s %12s %12s %11s %10s\n' engine reset strategy 'exec/s wall' \
    'exec/s CPU' 'us CPU/exec' switches/ex points/ex
for pair in fibers/snapshot fibers/fork threads/fork; do
    for strategy in nonpreemptive random pct pos; do
        row "${pair%/*}" "${pair#*/}" "$strategy" || exit 3
        tail -n 1 rows | awk '{
            printf "%-8s %-9s %-14s %12.0f %12.0f %12.2f %11.1f %10.1f\n", $1, $2, $3,
                $4 / $5, $4 / $6, $6 * 1e6 / $4, $7 / $4, $8 / $4 }'
    done
done
for pair in fibers/snapshot fibers/fork threads/fork; do
    row "${pair%/*}" "${pair#*/}" random one || exit 3
done
echo "threads with snapshot do not exist: OS threads are always restarted by fork"
awk '
    { k = $1 "/" $2; wall[k, $3] = $4 / $5; cpu[k, $3] = $4 / $6; ns[k, $3] = $6 * 1e9 / $4
      sw[k, $3] = $7 / $4; points[k, $3] = $8 / $4 }
    function cost(k,    d) {
        d = sw[k, "random"] - sw[k, "nonpreemptive"]
        return d > 0 ? (ns[k, "random"] - ns[k, "nonpreemptive"]) / d : 0
    }
    # The three parts of an execution with random; points include the work of the program itself.
    function parts(k, name,    all, reset, switches, rest) {
        all = ns[k, "random"] / 1000
        reset = (ns[k, "one"] - cost(k) * sw[k, "one"]) / 1000
        switches = cost(k) * sw[k, "random"] / 1000
        rest = all - reset - switches
        printf "%-22s %8.1f us CPU: reset and hand-over %.1f (%.0f%%), switches %.1f (%.0f%%), " \
            "%.0f operations %.1f (%.0f%%)\n", name, all, reset, 100 * reset / all, switches,
            100 * switches / all, points[k, "random"], rest, 100 * rest / all
    }
    END {
        printf "\nan execution with random\n"
        parts("fibers/snapshot", "  fibers with snapshot")
        parts("fibers/fork", "  fibers with fork")
        parts("threads/fork", "  threads with fork")
        printf "\na switch costs %.0f ns with fibers (snapshot), %.0f ns with OS threads (fork)\n",
            cost("fibers/snapshot"), cost("threads/fork")
        printf "fibers with snapshot against OS threads with fork, random: %.0f times by wall time," \
            " %.0f by CPU time (the aim is at least 30)\n",
            wall["fibers/snapshot", "random"] / wall["threads/fork", "random"],
            cpu["fibers/snapshot", "random"] / cpu["threads/fork", "random"]
    }' rows

# With the detectors off. "per core" is by CPU time with one job, "all jobs" by wall time with one
# job per CPU: on a machine that does nothing else the two say the same, per CPU.
quick() {
    local wall cpu

    { time "$BURL" test --json --quiet --strategy="$2" --detect=none --time="${secs}s" --jobs=1 \
        --dir="quick-$1-$2" "./$1" >out.json 2>err; } 2>cpu || { cat err >&2; return 1; }
    cpu=$(jq -r .executions out.json | paste -d " " - cpu | awk '{ printf "%d", $1 / ($2 + $3) }')
    "$BURL" test --json --quiet --strategy="$2" --detect=none --time="${secs}s" --jobs=0 \
        --dir="quick-$1-$2-all" "./$1" >out.json 2>err || { cat err >&2; return 1; }
    wall=$(jq -r '.executions / .wall_ms * 1000 | floor' out.json)
    printf '%-10s %-8s %14d %-7s %14d %-7s\n' "$1" "$2" \
        "$cpu" "$([ "$cpu" -gt $AIM ] && echo met || echo MISSED)" \
        "$wall" "$([ "$wall" -gt $AIM ] && echo met || echo MISSED)"
}

printf '\ndetectors off, learning on; the aim is more than %d executions per second\n' $AIM
printf '%-10s %-8s %22s %22s\n' program strategy 'per core' "all jobs ($(nproc))"
for program in one small bench3; do
    for strategy in random pos; do
        quick $program $strategy || exit 3
    done
done
