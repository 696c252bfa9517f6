# SPDX-License-Identifier: Apache-2.0
#
# table.awk - what scripts/repro-intruder.sh measured, beside the paper's figures.
#
#     awk -F'\t' -v ms=N -v jobs=N -v cores=N -v limit=N -v n_modules=N -v differences=FILE
#         -f table.awk modules.tsv rows.tsv
#
# Prints the table and the goals; FILE gets the differences, a sentence per module. Exit code 1 when a
# goal is missed.

function group(n,   s, out) {
    for (s = n ""; length(s) > 3; s = substr(s, 1, length(s) - 3))
        out = "," substr(s, length(s) - 2) out
    return s out
}
# A paragraph, broken at 100 columns.
function say(text, hang,   n, w, i, line) {
    n = split(text, w, " ")
    for (i = 1; i <= n; i++) {
        if (line != "" && length(line) + 1 + length(w[i]) > 100) { print line >differences; line = hang w[i] }
        else line = line (line == "" ? "" : " ") w[i]
    }
    print line >differences
}
function goal(met, text) {
    printf "%-6s  %s\n", met ? "PASS" : "MISSED", text
    if (!met) missed = 1
}

NR == FNR {
    if (FNR > 1) for (i = 2; i <= 10; i++) paper[$1, i] = $i
    next
}
{
    name[++n] = $1
    for (i = 2; i <= 16; i++) ours[$1, i] = $i
}
END {
    print "of each column the paper's figure, then ours"
    printf "%-21s %7s %8s %11s %11s %11s %8s %5s %8s %8s %5s %8s %5s\n", "module", "methods", "lines", \
        "seconds", "raw pairs", "unique", "tests", "met", "harmful", "findings", "twin", "no seeds", "gen"
    for (k = 1; k <= n; k++) {
        m = name[k]
        printf "%-21s %7s %8s %11s %11s %11s %8s %5s %8s %8s %5s %8s %5s\n", m, \
            paper[m, 3] "/" ours[m, 2], paper[m, 4] "/" ours[m, 3], \
            sprintf("%s/%.1f", paper[m, 5], ours[m, 4] / 1000), paper[m, 6] "/" ours[m, 5], \
            paper[m, 7] "/" ours[m, 6], paper[m, 8] "/" ours[m, 8], ours[m, 9], \
            paper[m, 9] "/" ours[m, 10], paper[m, 10] "/" ours[m, 11], ours[m, 14], ours[m, 15], ours[m, 16]
        seconds += paper[m, 5]; tests += ours[m, 8]; paper_tests += paper[m, 8]
        found += ours[m, 11]; true_ones += paper[m, 10]; reported += paper[m, 9]; replayed += ours[m, 12]
        twin += ours[m, 14]; machine += ours[m, 15]; gen += ours[m, 16]; raw += ours[m, 5]; unique += ours[m, 6]
        harmful += ours[m, 10]; met += ours[m, 9]; paper_raw += paper[m, 6]; paper_unique += paper[m, 7]
        same += ours[m, 13]
        with_machine += ours[m, 15] > 0; with_gen += ours[m, 16] > 0; with += ours[m, 11] > 0
        if (paper[m, 10] > 0) { wanted++; if (ours[m, 11] > 0) got++; else lacking = lacking " " m }
        else if (ours[m, 11] > 0) more = more " " m
    }
    printf "%-21s %7s %8s %11s %11s %11s %8s %5s %8s %8s %5s %8s %5s\n", "total", "", "", \
        sprintf("%s/%.1f", seconds, ms / 1000), paper_raw "/" raw, paper_unique "/" unique, \
        paper_tests "/" tests, met, reported "/" harmful, true_ones "/" found, twin, machine, gen
    print ""
    goal(got == wanted, "a harmful violation in every module where the paper has a true one: " got + 0 " of " \
        wanted + 0 (lacking != "" ? "; not in" lacking : ""))
    goal(replayed == found, "every finding is reproduced by burl replay: " replayed " of " found \
        " (the paper: " true_ones " of " reported " reports are true)")
    if (n_modules == 9)
        goal(ms < 60000, sprintf("all nine in less than 60 s: %.1f s, %d at a time on %d cores (the paper: %s s)", \
            ms / 1000, jobs, cores, seconds))
    goal(twin == 0, "nothing on the corrected twins: " twin " findings")
    goal(same == n, "the same seed gives the same tests, order, verdicts and findings: " same " of " n " modules")

    say("Differences from the paper, module by module:")
    print "" >differences
    for (k = 1; k <= n; k++) {
        m = name[k]
        say(sprintf("* `%s`: %d functions instead of %d methods, %d lines instead of %d; %s raw pairs instead " \
            "of %s, %s unique instead of %s, %s tests instead of %s; %s instead of %s true (of %s " \
            "reported) violations, in %.1f s instead of %s s.", m, ours[m, 2], paper[m, 3], ours[m, 3], paper[m, 4], \
            group(ours[m, 5]), paper[m, 6], group(ours[m, 6]), paper[m, 7], ours[m, 8], paper[m, 8], \
            ours[m, 11] (ours[m, 11] == 1 ? " finding" : " findings"), paper[m, 10], paper[m, 9], \
            ours[m, 4] / 1000, paper[m, 5]), "  ")
    }
    print "" >differences
    say(sprintf("With seeds that burl wrote it finds violations in %d of %d modules, with ours in %d; `burl gen` " \
        "finds some in %d in the time that each synthesis took, rounded up to a second.", with_machine, n, with, with_gen))
    exit missed
}
