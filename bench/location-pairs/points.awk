# SPDX-License-Identifier: Apache-2.0
#
# points.awk - what the report of scripts/repro-location-pairs.sh says, in sentences.
#
# Reads report.txt, writes the list of bench/location-pairs/README.md. Every figure of that list is
# written here, from the report that stands below it.

function num(x) { return x ~ /\./ ? sprintf("%.1f", x) + 0 : x + 0 }
function range(lo, hi) { return lo == hi ? lo : lo " to " hi }
function list(n, v,   i, s) {
    for (i = 1; i <= n; i++)
        s = s (i == 1 ? "" : i == n ? " and " : ", ") v[i]
    return s
}
# The lines of the list, broken at 100 columns.
function say(text,   n, w, i, line) {
    n = split(text, w, " ")
    line = "-"
    for (i = 1; i <= n; i++) {
        if (length(line) + 1 + length(w[i]) > 100) { print line; line = " " }
        line = line " " w[i]
    }
    print line
}

/^Table 1/ { table = 1 }
/^LP\+1 / { table = 2; next }
/^100 % is/ { table = 3 }
/^Saturation/ { table = 4 }

# Of a row of Table 1 the last 13 fields are figures: four groups of MP, DU, LP, and the passes.
table == 1 && $0 ~ / ours / {
    name = $0; sub(/ +ours.*/, "", name)
    f = NF - 12
    if (name == "mean") { mean_mp = $f; mean_du = $(f + 1); mean_lp = $(f + 2); next }
    version[++n] = name
    success[n] = $(f + 2)
    news_mp[n] = $(f + 3); news_du[n] = $(f + 4); news_lp[n] = $(f + 5)
    with_mp[n] = $(f + 6); with_du[n] = $(f + 7); with_lp[n] = $(f + 8)
    passes[n] = $NF
}
table == 1 && $1 == "paper" { if (pmin == "" || $NF < pmin) pmin = $NF; if ($NF > pmax) pmax = $NF }
table == 2 && NF > 4 { plus[$1 " " $2 ($3 ~ /^[0-9]+$/ && NF == 7 ? " " $3 : "")] = $(NF - 3) }
table == 4 && /^[a-z]+: [0-9]+ passes/ { program = $1; sub(":", "", program) }
table == 4 && /covered [0-9]+: [0-9.]+ % of SP/ {
    match($0, /: [0-9.]+ % of SP/)
    share[++programs] = program " " substr($0, RSTART + 2, RLENGTH - 8)
}

END {
    if (n == 0) exit 1
    say("As adequacy measure LP reaches " mean_lp " % on average, against " mean_du " % (DU) and " mean_mp \
        " % (MP). The paper's order of the three " (mean_lp >= mean_du && mean_du >= mean_mp ? "holds." : "does not hold."))
    for (i = 1; i <= n; i++) {
        if (success[i] < 100) {
            weak[++m] = version[i] " (" num(100 - success[i]) " % of the iterations; failing passes with something new: " \
                num(with_lp[i]) " %; LP+1: " num(100 - plus[version[i]]) " %)"
        } else {
            k++
            if (k == 1) { lo = hi = num(with_lp[i]); mlo = mhi = num(with_mp[i]); dlo = dhi = num(with_du[i]) }
            if (num(with_lp[i]) < lo) lo = num(with_lp[i]); if (num(with_lp[i]) > hi) hi = num(with_lp[i])
            if (num(with_mp[i]) < mlo) mlo = num(with_mp[i]); if (num(with_mp[i]) > mhi) mhi = num(with_mp[i])
            if (num(with_du[i]) < dlo) dlo = num(with_du[i]); if (num(with_du[i]) > dhi) dhi = num(with_du[i])
        }
        best += news_lp[i] + 0 >= news_mp[i] + 0 && news_lp[i] + 0 >= news_du[i] + 0
        if (news_mp[i] + 0 > news_lp[i] + 0 || news_du[i] + 0 > news_lp[i] + 0)
            ahead[++a] = version[i] " (" (news_mp[i] + 0 > news_du[i] + 0 ? "MP " num(news_mp[i]) : "DU " num(news_du[i])) \
                " against " num(news_lp[i]) " %)"
        if (i == 1) plo = phi = num(passes[i])
        if (num(passes[i]) < plo) plo = num(passes[i]); if (num(passes[i]) > phi) phi = num(passes[i])
    }
    if (m > 0)
        say("LP was complete before the bug in " list(m, weak) ". Where the bug takes two variables, each access of " \
            "which is adjacent to the other thread's in harmless runs too, a metric of pairs on one variable does not see it.")
    if (k > 0)
        say("In the other " k " versions " range(lo, hi) " % of the failing passes cover a new location pair, against " \
            range(mlo, mhi) " % for method pairs and " range(dlo, dhi) " % for definition-use.")
    say("Of the passes with something new, those with a new LP fail most often in " best " of " n " versions" \
        (a > 0 ? "; others are ahead in " list(a, ahead) "." : "."))
    say("Our errors are found after " range(plo, phi) " passes on average, the paper's after " range(pmin, pmax) ".")
    if (programs > 0)
        say("Of SP, which errs on the large side, the saturated programs cover " list(programs, share) ".")
}
