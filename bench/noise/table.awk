# SPDX-License-Identifier: Apache-2.0
#
# table.awk - the tables of scripts/repro-noise.sh.
#
# Rows: subject, key, errors, ms, runs; several rows of a key are repetitions and are added. Ends with 1 when
# a goal is missed.
BEGIN {
    # Table 1 of the paper: best error (same/2000), best time, breeding error, error in the same time, time.
    paper["airlines"] = "3.0/1.7|3.8/2.5|3.2|8.8|3.0"
    paper["animator"] = "21.8/10.9|1.1/1.3|4.3|5.4|1.3"
    paper["crawler"] = "-/-|1.3/1.5|0.3|1.1|3.3"
    paper["ftpserver"] = "1.2/1.0|3.8/4.7|0.9|1.7|1.9"
    paper["rover"] = "*|33.7/19.4|3.2|8.8|3.0"
    split(scale, sc, " ")
}
{
    if (!($1 in known)) { known[$1] = 1; subject[++n] = $1 }
    errors[$1, $2] += $3
    ms[$1, $2] += $4
    runs[$1, $2] += $5
    count[$1, $2]++
}
function ratio(a, b) {
    if (b == 0) return a == 0 ? "-" : "inf"
    return sprintf(a / b < 100 ? "%.1f" : "%.0f", a / b)
}
# Errors per second.
function rate(s, key) { return ms[s, key] ? 1000 * errors[s, key] / ms[s, key] : 0 }
# Seconds to the first error, as the mean time between errors; > when there was none.
function first(s, key) {
    if (!((s, key) in ms)) return "-"
    if (errors[s, key] == 0) return sprintf(">%.3g", ms[s, key] / 1000)
    return sprintf("%.3g", ms[s, key] / 1000 / errors[s, key])
}
function seconds(s, key) { return ms[s, key] / 1000 / (errors[s, key] ? errors[s, key] : 1) }
function verdict(ok, text) {
    printf "%-6s %s\n", ok ? "met" : "MISSED", text
    if (!ok) missed = 1
}
END {
    if (n == 0) exit 2
    printf "Scale: population %d, %d generations, %d executions per evaluation, %d random evaluations, %d repetition%s,\n",
        sc[2], sc[3], sc[4], sc[5], sc[7], sc[7] == 1 ? "" : "s"
    printf "%d runs of each best setting; %.0f min on %d cores. The paper: 20, 100 (2000 evaluations), 5, 2000, 10.\n\n",
        sc[6], sc[1] / 60000, cores

    print "Table 1: genetic algorithm against random search (same evaluations/all random evaluations); > 1 favors it"
    printf "%-10s %5s | %-11s %-11s %6s %6s %6s | %-11s %-11s %6s %6s %6s\n", "", "", "best", "best", "breed.", "Error*",
        "Time", "paper:", "", "", "", ""
    printf "%-10s %5s | %-11s %-11s %6s %6s %6s | %-11s %-11s %6s %6s %6s\n", "subject", "lines", "Error", "Time",
        "Error", "", "", "Error", "Time", "Error", "Error*", "Time"
    for (i = 1; i <= n; i++) {
        s = subject[i]
        split(paper[s], p, "|")
        printf "%-10s %5d | %-11s %-11s %6s %6s %6s | %-11s %-11s %6s %6s %6s\n", s, errors[s, "lines"],
            ratio(errors[s, "best.ga"], errors[s, "best.random-same"]) "/" ratio(errors[s, "best.ga"], errors[s, "best.random"]),
            ratio(ms[s, "best.random-same"], ms[s, "best.ga"]) "/" ratio(ms[s, "best.random"], ms[s, "best.ga"]),
            ratio(errors[s, "breed.ga"], errors[s, "breed.random-same"]),
            ratio(errors[s, "breed.ga"], errors[s, "breed.random-time"]),
            ratio(ms[s, "breed.random-same"], ms[s, "breed.ga"]), p[1], p[2], p[3], p[4], p[5]
    }

    split("ga random-same random bandit known f2", order, " ")
    print "\nBest setting of each search: failed runs of all runs, and errors per second"
    printf "%-10s", "subject"
    for (k = 1; k <= 6; k++) printf " %18s", order[k]
    print ""
    for (i = 1; i <= n; i++) {
        s = subject[i]
        printf "%-10s", s
        for (k = 1; k <= 6; k++) {
            key = "best." order[k]
            printf " %18s", sprintf("%d/%d %7.2f", errors[s, key], runs[s, key], rate(s, key))
        }
        print ""
    }
    print "\nThe search itself: errors that it saw, and errors per second"
    printf "%-10s", "subject"
    for (k = 1; k <= 6; k++) printf " %18s", order[k]
    print ""
    for (i = 1; i <= n; i++) {
        s = subject[i]
        printf "%-10s", s
        for (k = 1; k <= 6; k++) {
            key = "breed." order[k]
            printf " %18s", sprintf("%d %7.2f", errors[s, key], rate(s, key))
        }
        print ""
    }
    print "ga, random-same (as many evaluations), random, bandit: burl's fitness, no places that burl knows."
    print "known: ga with places of suspects and uncovered pairs. f2: ga with the paper's fitness F2."

    print "\nSeconds to the first error (mean time between errors; > none in this time)"
    printf "%-10s %14s %9s %12s %12s %12s %12s\n", "subject", "plain runs", "failed", "tuned noise", "factor", "search", "burl test"
    for (i = 1; i <= n; i++) {
        s = subject[i]
        factor = errors[s, "run.ga"] ? seconds(s, "plain") / seconds(s, "run.ga") : 0
        printf "%-10s %14s %9s %12s %12s %12s %12s\n", s, first(s, "plain"), errors[s, "plain"] "/" runs[s, "plain"],
            first(s, "run.ga"), factor ? sprintf("%s%.3g", errors[s, "plain"] ? "" : ">", factor) : "-",
            first(s, "first.ga"), first(s, "test")
        if (factor >= 5) fast++
        if (rate(s, "best.ga") > rate(s, "best.random-same")) ahead++
        if (rate(s, "breed.ga") > rate(s, "breed.random-same")) ahead_breeding++
    }
    print "tuned noise: burl run with the best setting of ga, its start included; search: from the start of burl tune, nothing known."
    print "burl test: under control, until a failure that is more than a data race."

    split("ga random-same random bandit known", order, " ")
    for (i = 1; i <= n; i++)
        for (k = 1; k <= 5; k++) {
            seen += errors[subject[i], "pick." order[k]]
            bad += ms[subject[i], "pick." order[k]]
        }
    print "\nGoals"
    most = n < 5 ? n : 4
    verdict(ahead >= most, sprintf("best setting: errors per time of ga above random-same on at least %d of %d: %d", most, n, ahead))
    verdict(ahead_breeding >= most, sprintf("search: errors per time of ga above random-same on at least %d of %d: %d", most, n, ahead_breeding))
    verdict(bad == 0, sprintf("burl's fitness picks no setting without errors when one with errors was seen: %d of %d searches", bad, seen))
    verdict(fast >= most, sprintf("tuned noise at least 5 times faster than plain runs on at least %d of %d: %d", most, n, fast))
    exit missed
}
