#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-commits.sh [build] [range] - subjects and bodies of commits.
#
# A subject is `area: imperative`, lower case, at most 72 characters, without a full stop. A commit
# that changes more than 30 lines has a body that says why. Merges and reverts are free. The range is
# by default all commits since the one that added this script; where that is unknown (no git, an
# archive, a shallow clone), nothing is checked.
set -eu
cd "$(dirname "$0")/.."
range=${2-}

git rev-parse --git-dir >/dev/null 2>&1 || { echo "no history here"; exit 0; }
if [ -z "$range" ]; then
    start=$(git log --diff-filter=A --format=%H -- scripts/check-commits.sh | tail -n 1)
    [ -n "$start" ] || { echo "no history here"; exit 0; }
    # Descendants only: branches that began before have commits that did not know the rules.
    range="--ancestry-path $start..HEAD"
fi

# shellcheck disable=SC2086
git log --no-merges --numstat --format='%x01%h%x02%s%x02%b%x02' $range | awk '
    function fail(text) { printf "%s \"%s\": %s\n", id, subject, text; bad = 1 }
    function check(    colon, first) {
        n_commits++
        if (subject ~ /^Revert "/) return
        if (length(subject) > 72) fail(length(subject) " characters, more than 72")
        if (subject ~ /\.$/) fail("a full stop at the end")
        colon = index(subject, ": ")
        if (!colon || subject !~ /^[a-z0-9_.\/+, -]+: [^ ]/) { fail("is not `area: imperative`"); return }
        first = substr(subject, colon + 2)
        sub(/[ ,;:].*/, "", first)
        if (first ~ /^[A-Z][a-z]/) fail("upper case after the area")
        if (first ~ /^(a|an|the|no|not|nothing|nobody|somebody|who|what|when|where|all|some|one|two|more|in|on|of|for|as)$/ ||
            (first ~ /(ing|ed)$/ && first !~ /^(bring|string|embed|feed|need|seed|shed|speed|proceed|exceed|ping)$/) ||
            (first ~ /s$/ && first !~ /(ss|us|ias)$/))
            fail("\"" first "\" is not an imperative")
        if (changed > 30 && !body) fail(changed " changed lines and no body")
    }
    # One record per commit: id, subject, body, then the numbers of lines.
    BEGIN { RS = "\001"; FS = "\002" }
    NR == 1 { next }
    {
        id = $1
        subject = $2
        body = $3
        gsub(/(^|\n)[A-Z][A-Za-z-]+-by: [^\n]*/, "", body)
        body = body ~ /[A-Za-z]/
        changed = 0
        n = split($4, line, "\n")
        for (i = 1; i <= n; i++) {
            split(line[i], f, "\t")
            changed += f[1] + 0 > f[2] + 0 ? f[1] : f[2] # a replaced line counts once
        }
        check()
    }
    END {
        if (!bad) print n_commits + 0 " commits"
        exit bad
    }'
