# SPDX-License-Identifier: Apache-2.0
#
# rows.awk - the figures of a run of scripts/gen-libraries.sh into the table of its page.
#
#     awk -F'\t' -v seconds=N -v seed=N -f rows.awk rows.tsv PAGE
#
# rows.tsv: name, calls, pairs covered, pairs, tests, executions, tests per second, findings, tests to
# the first, kinds. Of a row of the page the name, how it was run and what the findings are stay as they
# are: these are read in the code and not measured. A run that the page does not have is an error.

function group(n,   s, out) {
    for (s = n ""; length(s) > 3; s = substr(s, 1, length(s) - 3))
        out = "," substr(s, length(s) - 2) out
    return s out
}
function plural(n, one, many) { return n " " (n == 1 ? one : many) }
# "6 atomicity.non-linearisable, 1 race.data": as a person would say it.
function kinds_of(text,   n, part, i, w, s) {
    if (text == "") return "none"
    n = split(text, part, ", ")
    for (i = 1; i <= n; i++) {
        split(part[i], w, " ")
        s = s (i > 1 ? ", " : "") \
            (w[2] == "atomicity.non-linearisable" ? plural(w[1], "result", "results") : \
             w[2] == "race.data" ? plural(w[1], "race", "races") : \
             w[2] == "memory.use-after-free" ? plural(w[1], "use after free", "uses after free") : \
             w[2] ~ /^crash/ ? plural(w[1], "crash", "crashes") : w[1] " " w[2])
    }
    return s
}

NR == FNR {
    row[$1] = sprintf(" %d | %d/%d | %s | %d | %s |%s |", $2, $3, $4, group($5), $7, kinds_of($10), \
        $9 == "-" ? "" : " " $9)
    next
}
/^\| / {
    n = split($0, cell, / *\| */)
    if (cell[2] in row) {
        print "| " cell[2] " | " cell[3] " |" row[cell[2]] " " cell[n - 1] (cell[n - 1] == "" ? "|" : " |")
        delete row[cell[2]]
        next
    }
}
/^Measured with / { print "Measured with " seconds " seconds each, seed " seed ", `--keep-going`."; next }
{ print }
END {
    for (name in row) { print "no row for " name >"/dev/stderr"; bad = 1 }
    exit bad
}
