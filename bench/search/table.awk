# SPDX-License-Identifier: Apache-2.0
#
# bench/search/table.awk - the tables and the verdict of scripts/bench-search.sh.
#
#     awk -F'\t' -v trials=N -v runs=N -v strategies="default ..." -v twin_runs=N -v published=FILE
#         -f table.awk programs.tsv rows.tsv
#
# A trial that found nothing counts in a median as more than any number, and not in a mean. Ends
# with 1 when a target is missed. A target about what was not measured is neither met nor missed.

function load_published(   line, f) {
    while ((getline line < published) > 0) {
        if (line ~ /^#/)
            continue
        split(line, f, "\t")
        for (i = 2; i <= 6; i++)
            pub[f[1], i] = f[i]
    }
    close(published)
}

# Sorts v[1..n] ascending.
function sort(v, n,   i, j, t) {
    for (i = 2; i <= n; i++) {
        t = v[i]
        for (j = i; j > 1 && v[j - 1] > t; j--)
            v[j] = v[j - 1]
        v[j] = t
    }
}

# The median of a list of numbers, `missing` of which are beyond all others; "-" when it is one of
# those.
function median(text, missing,   v, n, all, lo, hi, i) {
    n = split(text, v, " ")
    for (i = 1; i <= n; i++)
        v[i] += 0
    sort(v, n)
    all = n + missing
    if (all == 0)
        return "-"
    lo = int((all + 1) / 2)
    hi = int(all / 2) + 1
    if (hi > n)
        return "-"
    return (v[lo] + v[hi]) / 2
}

function number(x) {
    if (x == "-")
        return x
    return x == int(x) || x >= 100 ? sprintf("%.0f", x) : sprintf("%.1f", x)
}

function seconds(ms) {
    return ms < 100000 ? sprintf("%.2f", ms / 1000) : sprintf("%.0f", ms / 1000)
}

# "mean" or "mean (k/n)", "-" when never.
function cell(k, n, mean) {
    if (n == 0)
        return ""
    if (k == 0)
        return "-"
    return number(mean) (k < n ? sprintf(" (%d/%d)", k, n) : "")
}

function published_cell(row, i,   f) {
    if (row == "-" || !((row, i) in pub))
        return ""
    if (split(pub[row, i], f, ":") == 2)
        return f[1] " (" f[2] "/20)"
    return pub[row, i]
}

function is_other(p) {
    return p ~ /^other\//
}

function mean_of(k) {
    return found[k] > 0 ? sum[k] / found[k] : "-"
}

function print_default(others,   i, p, k, j) {
    printf "%-26s %7s %7s %7s %7s %8s %8s   %-12s %-12s %-12s %-12s %s\n", \
        (others ? "other programs" : "program"), "found", "mean", "median", "max", "mean s", "max s", \
        "RFF", "PERIOD", "POS", "PCT3", "SURW"
    for (i = 1; i <= n_programs; i++) {
        p = program[i]
        if (is_other(p) != others)
            continue
        k = p SUBSEP "default"
        printf "%-26s %7s %7s %7s %7s %8s %8s", p, found[k] + 0 "/" tried[k] + 0, number(mean_of(k)), \
            number(median(list[k], tried[k] - found[k])), (found[k] > 0 ? most[k] : "-"), \
            (found[k] > 0 ? seconds(ms[k] / found[k]) : "-"), (found[k] > 0 ? seconds(most_ms[k]) : "-")
        if (!others) {
            printf "   %-12s %-12s %-12s %-12s %s", published_cell(row_of[p], 2), published_cell(row_of[p], 3), \
                published_cell(row_of[p], 4), published_cell(row_of[p], 5), published_cell(row_of[p], 6)
        }
        if (odd[k] != "")
            printf "   %s", odd[k]
        printf "\n"
    }
}

function print_strategies(others,   i, j, p, k) {
    printf "\n%-26s", others ? "other programs" : "mean schedules"
    for (j = 1; j <= n_strategies; j++)
        printf " %-13s", strategy[j]
    printf "\n"
    for (i = 1; i <= n_programs; i++) {
        p = program[i]
        if (is_other(p) != others)
            continue
        printf "%-26s", p
        for (j = 1; j <= n_strategies; j++) {
            k = p SUBSEP strategy[j]
            printf " %-13s", cell(found[k], tried[k], mean_of(k))
        }
        printf "\n"
    }
}

# Programs found per trial within a number of schedules, as the literature counts.
function print_within(others,   j, s, b, n, budget, all, x, v, i, c, total, any, p, k, each, missing) {
    n = split("10 100 1000 10000", budget, " ")
    for (i = 1; i <= n_programs; i++)
        if (is_other(program[i]) == others)
            total++
    printf "\n%-13s %s\n", others ? "others" : "strategy", \
        "of " total + 0 " programs, found per trial within 10 / 100 / 1,000 / 10,000; in every trial; median of all trials"
    for (j = 1; j <= n_strategies; j++) {
        s = strategy[j]
        printf "%-13s", s
        all = ""
        missing = each = 0
        for (i = 1; i <= n_programs; i++) {
            if (is_other(program[i]) != others)
                continue
            k = program[i] SUBSEP s
            all = all " " list[k]
            missing += tried[k] - found[k]
            each += tried[k] > 0 && found[k] == tried[k]
        }
        for (b = 1; b <= n; b++) {
            c = 0
            x = split(all, v, " ")
            for (i = 1; i <= x; i++)
                c += v[i] + 0 <= budget[b] + 0
            printf " %6.1f", (trials > 0 ? c / trials : 0)
        }
        m = median(all, missing)
        printf "   %5d   %6s\n", each, number(m)
        if (s == "default")
            overall[others] = m
    }
}

function target(what, ok, why) {
    printf "%-74s %s\n", what, (ok == "" ? "not measured" : (ok ? "met" : "MISSED" (why != "" ? ":" why : "")))
    if (ok != "" && !ok)
        missed++
}

function judge(   i, p, k, why, ok, n) {
    print "\ntargets, for the default"
    ok = n = 0
    why = ""
    for (i = 1; i <= n_programs; i++) {
        p = program[i]
        k = p SUBSEP "default"
        if (is_other(p) || !tried[k])
            continue
        n++
        if (soon[k] == trials)
            ok++
        else
            why = why " " p " (" soon[k] + 0 "/" trials ")"
    }
    target("every program in each of " trials " trials within " runs " schedules: " ok " of " n, \
        n ? ok == n : "", why)
    target("median over all programs and trials at most 2: " (n ? number(overall[0]) : "-"), \
        n ? overall[0] != "-" && overall[0] <= 2 : "", "")
    judge_family("reorder_")
    judge_family("twostage")
    k = "safestack" SUBSEP "default"
    target("safestack in under a minute: " (tried[k] ? found[k] + 0 " of " tried[k] ", at most " \
        seconds(most_ms[k]) " s" : "-"), tried[k] ? found[k] == tried[k] && most_ms[k] < 60000 : "", "")
    n = 0
    why = ""
    for (i = 1; i <= n_programs; i++) {
        if (!(program[i] in twin))
            continue
        n++
        if (twin[program[i]] > 0)
            why = why " " program[i] " (" twin_kinds[program[i]] ")"
    }
    target("twins silent for " twin_runs " schedules: " n, n ? why == "" : "", why)
}

function judge_family(prefix,   i, k, n, worst, ok, why) {
    ok = 1
    why = ""
    for (i = 1; i <= n_programs; i++) {
        k = program[i] SUBSEP "default"
        if (index(program[i], prefix) != 1 || !tried[k])
            continue
        n++
        if (most[k] > worst)
            worst = most[k]
        if (found[k] < tried[k] || most[k] > 20) {
            ok = 0
            why = why " " program[i]
        }
    }
    target(prefix (prefix ~ /_$/ ? "" : "_") "N within 20 schedules in every trial, for every N: at most " \
        (n ? worst : "-"), n ? ok : "", why)
}

BEGIN {
    load_published()
    n_strategies = split(strategies, strategy, " ")
    for (j = 1; j <= n_strategies; j++)
        asked[strategy[j]] = 1
}

FILENAME ~ /programs\.tsv$/ {
    program[++n_programs] = $1
    row_of[$1] = $4
    known[$1] = 1
    if (is_other($1))
        n_others++
    next
}

!($1 in known) { next }

$2 == "twin" {
    twin[$1] = $4
    twin_kinds[$1] = $6
    next
}

!($2 in asked) || $3 > trials + 0 { next }

{
    k = $1 SUBSEP $2
    tried[k]++
    if ($6 ~ /^unexpected/)
        odd[k] = $6
    if ($4 == "-")
        next
    found[k]++
    sum[k] += $4
    list[k] = list[k] " " $4
    if ($4 + 0 > most[k] + 0)
        most[k] = $4 + 0
    if ($4 + 0 <= runs + 0)
        soon[k]++
    ms[k] += $5
    if ($5 + 0 > most_ms[k] + 0)
        most_ms[k] = $5 + 0
}

END {
    printf "schedules and time to the first failure, default portfolio, %d trials; published means beside\n\n", trials
    if (n_programs > n_others) {
        if ("default" in asked)
            print_default(0)
        if (strategies != "default")
            print_strategies(0)
        print_within(0)
    }
    if (n_others > 0) {
        print ""
        if ("default" in asked)
            print_default(1)
        if (strategies != "default")
            print_strategies(1)
        print_within(1)
    }
    if ("default" in asked)
        judge()
    exit missed > 0
}
