# SPDX-License-Identifier: Apache-2.0
#
# table.awk - the tables of scripts/repro-simrt.sh, from rows.tsv; -v harmless=, seeds= and single= name its
# other files. Exit code 1: a goal is missed.
#
# Columns of rows.tsv: object, tests, seeds, found by all tests, found by the selection, ms of record, ms of
# select, then for rta, dejavu, simrt-n, simrt, random-s, simrt-a, abc, random: tests, bugs, TR, ms, APFD; then
# tests with more than one thread, and those of them that are selected.
function column(technique, what) { return 7 + 5 * (technique - 1) + what }
function tests(t) { return column(t, 1) }
function bugs(t) { return column(t, 2) }
function tr(t) { return column(t, 3) }
function ms(t) { return column(t, 4) }
function apfd(t) { return column(t, 5) }
function threaded() { return column(8, 6) }
function threaded_selected() { return column(8, 7) }
function percent(x) { return x < 0 ? "-" : sprintf("%.1f", 100 * x) }
function goal(text, met) { printf "  %-6s %s\n", met ? "met" : "MISSED", text; if (!met) missed = 1 }

BEGIN { RTA = 1; DEJAVU = 2; SIMRT_N = 3; SIMRT = 4; RANDOM_S = 5; SIMRT_A = 6; ABC = 7; RANDOM = 8 }

NF != threaded_selected() { print "table.awk: " FILENAME ":" FNR ": " NF " columns" > "/dev/stderr"; exit bad = 2 }

{
    n++
    for (i = 1; i <= NF; i++) { row[n, i] = $i; if (i > 1) sum[i] += $i }
    share += $tests(DEJAVU) > 0 ? $tests(SIMRT) / $tests(DEJAVU) : 1
    for (t = SIMRT; t <= RANDOM; t++)
        if ($apfd(t) >= 0) { total[t] += $apfd(t); rated[t]++ }
    if ($bugs(SIMRT) < $bugs(RTA)) lost = lost " " $1
    if ($bugs(DEJAVU) < $bugs(RTA)) lost_dejavu = lost_dejavu " " $1
}

function line(name, i, v) {
    printf "%-10s %5d %7d | %6d %7d %5d | %5d %4d %5d | %4d %6d %5d | %6d %6d %5d | %6.1f %6.1f %5.1f\n", name,
        v[2], v[threaded()], v[tests(DEJAVU)], v[tests(SIMRT_N)], v[tests(SIMRT)], v[3], v[4], v[5],
        v[bugs(RTA)], v[bugs(DEJAVU)], v[bugs(SIMRT)], v[tr(RTA)], v[tr(DEJAVU)], v[tr(SIMRT)],
        v[ms(RTA)] / 1000, v[ms(DEJAVU)] / 1000, v[ms(SIMRT)] / 1000
}

END {
    if (bad) exit bad
    print "Selection, version 1 to version 2 with all seeded regressions"
    print ""
    print "             suite       |   tests selected     |  seeds found     |   bugs found      |  runs TR             |  seconds"
    print "object     tests threads | Dejavu SimRT-n SimRT | seeds  all SimRT |  all Dejavu SimRT |    all Dejavu SimRT |    all Dejavu SimRT"
    for (k = 1; k <= n; k++) {
        for (i = 2; i <= threaded_selected(); i++) v[i] = row[k, i]
        line(row[k, 1], i, v)
    }
    line("all", i, sum)
    print ""
    printf "Threads: tests that start threads; SimRT selects %d of these %d.\n", sum[threaded_selected()], sum[threaded()]
    print ""
    print "Order: APFD in percent"
    print ""
    print "           | of the selection   | of all tests"
    print "object     | simrt-sp random-sp | simrt-ap  abc-ap random-ap | record s select s"
    for (k = 1; k <= n; k++)
        printf "%-10s | %8s %9s | %8s %7s %9s | %8.1f %8.1f\n", row[k, 1], percent(row[k, apfd(SIMRT)]),
            percent(row[k, apfd(RANDOM_S)]), percent(row[k, apfd(SIMRT_A)]), percent(row[k, apfd(ABC)]),
            percent(row[k, apfd(RANDOM)]), row[k, 6] / 1000, row[k, 7] / 1000
    for (t = SIMRT; t <= RANDOM; t++) mean[t] = rated[t] ? total[t] / rated[t] : -1
    printf "%-10s | %8s %9s | %8s %7s %9s |\n", "mean", percent(mean[SIMRT]), percent(mean[RANDOM_S]),
        percent(mean[SIMRT_A]), percent(mean[ABC]), percent(mean[RANDOM])
    print ""
    print "Seeded regressions by rule: seeds, found by all tests, found by the selection"
    print ""
    while ((getline text < seeds) > 0) {
        split(text, f, "\t")
        if (!(f[2] in rule_n)) order[++n_rules] = f[2]
        rule_n[f[2]]++; rule_all[f[2]] += f[3]; rule_ours[f[2]] += f[4]
    }
    for (k = 1; k <= n_rules; k++)
        printf "%-10s %3d %3d %3d\n", order[k], rule_n[order[k]], rule_all[order[k]], rule_ours[order[k]]
    print ""
    print "One regression at a time, version 2 to version 2 with it: tests selected, means per seed"
    print ""
    print "object     seeds | Dejavu SimRT-n SimRT | found by SimRT"
    while ((getline text < single) > 0) {
        split(text, f, "\t")
        if (f[1] != last) { names[++n_single] = f[1]; last = f[1] }
        one_n[last]++; one_d[last] += f[3]; one_s[last] += f[4]; one[last] += f[5]; one_found[last] += f[6]
        if (!f[6]) not_found = not_found " " f[1] " " f[2]
    }
    for (k = 1; k <= n_single; k++) {
        o = names[k]
        printf "%-10s %5d | %6.1f %7.1f %5.1f | %14d\n", o, one_n[o], one_d[o] / one_n[o], one_s[o] / one_n[o],
            one[o] / one_n[o], one_found[o]
        single_n += one_n[o]; single_found += one_found[o]
        single_share += one_d[o] > 0 ? one[o] / one_d[o] : 1
    }
    print ""
    print "Harmless changes of version 1: tests selected"
    print ""
    print "object     rebuilt HARMLESS    -O0    -O2 comments moved functions"
    while ((getline text < harmless) > 0) {
        split(text, f, "\t")
        printf "%-10s %7d %8d %6d %6d %8d %15d\n", f[1], f[2], f[3], f[4], f[5], f[6], f[7]
        for (i = 2; i <= 7; i++) harm += f[i]
    }
    print ""
    print "Goals"
    print ""
    goal(sprintf("every bug that all tests show is shown by a selected one: %d of %d%s", sum[bugs(SIMRT)],
                 sum[bugs(RTA)], lost ? " (not in" lost ")" : ""), !lost)
    goal(sprintf("every seeded regression that all tests find is found by the selection: %d of %d; %d are seeded",
                 sum[5], sum[4], sum[3]), sum[5] == sum[4])
    goal(sprintf("every regression by itself is found by the selection: %d of %d%s", single_found, single_n,
                 not_found ? " (not" not_found ")" : ""), single_found == single_n)
    goal(sprintf("at most half of the tests that Dejavu selects, on average: %.0f %%", 100 * share / n),
         share / n <= 0.5)
    goal(sprintf("the same for one regression at a time: %.0f %%", n_single ? 100 * single_share / n_single : 0),
         n_single && single_share / n_single <= 0.5)
    goal(sprintf("APFD at least 10 points above random: %+.1f", 100 * (mean[SIMRT_A] - mean[RANDOM])),
         mean[SIMRT_A] - mean[RANDOM] >= 0.1)
    goal(sprintf("APFD at least 10 points above additional block coverage: %+.1f",
                 100 * (mean[SIMRT_A] - mean[ABC])), mean[SIMRT_A] - mean[ABC] >= 0.1)
    goal(sprintf("harmless changes select nothing: %d tests selected", harm), harm == 0)
    print ""
    print "The paper: Dejavu finds what all tests find" (lost_dejavu ? " (here not in" lost_dejavu ")" : " (here as well)") "; SimRT finds all real"
    print "races on all nine objects. On WebLech (here: crawler) Dejavu selects everything because main() changed."
    print "Its numbers of tests and races, savings and APFD values are lost, so that nothing else can be compared."
    printf "\n%d objects in %d s, %d at a time on %d cores; each test was run and verified %d time%s\n", n, seconds,
        jobs, cores, repeat, repeat == 1 ? "" : "s"
    exit missed
}
