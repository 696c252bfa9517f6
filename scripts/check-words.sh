#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-words.sh [build] [counts] - words that scripts/words.txt replaces by better ones.
#
# Fails where a folder has a word that the list does not allow it any more. "counts" prints how often
# each word remains in each folder. Names that are promised to users (--no-minimise, the keys
# "minimised" and "unserialisable", the kind atomicity.non-linearisable, the pattern deadlock-circle)
# are no words, nor are names that burl looks for in other people's headers.
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2046
awk -v counts="${2-}" '
    FILENAME == ARGV[1] {
        if ($0 ~ /^#/ || split($0, f, "\t") < 2) next
        word[++n] = f[1]
        better[n] = f[2]
        n_left = split(f[3], g, " ")
        for (i = 1; i <= n_left; i++) left[n, g[i]] = 1
        next
    }
    FNR == 1 {
        split(FILENAME, part, "/")
        folder = part[1] == "src" && part[3] != "" ? part[2] : part[1]
        if (folder !~ /^(tests|scripts|docs)$/ && !(part[1] == "src" && part[3] != "")) folder = "pages"
        folders[folder] = 1
    }
    {
        line = " " tolower($0) " "
        gsub(/no[-_]minimise|[`"]minimised?[`"]|non[-_]linearisable|[`"]?unserialisable[`":]/, "", line)
        gsub(/deadlock-circle|<circle|no "who" or "nobody"|"[^"]*initialise[^"]*"|"finalise"|"serialise [^"]*"|somebody else is using/, "", line)
        if (line !~ /[a-z]/) next
        for (i = 1; i <= n; i++) {
            rest = line
            while (match(rest, "[^a-z0-9_](" word[i] ")[^a-z0-9_]")) {
                found = substr(rest, RSTART + 1, RLENGTH - 2)
                rest = substr(rest, RSTART + RLENGTH - 1)
                count[i, folder]++
                total++
                if ((i, folder) in left || counts != "") continue
                printf "%s:%d: \"%s\"; better: %s\n", FILENAME, FNR, found, better[i]
                bad = 1
            }
        }
    }
    END {
        for (i = 1; i <= n && counts != ""; i++) {
            printf "%s:", word[i]
            for (d in folders) if (count[i, d]) printf " %s %d", d, count[i, d]
            printf "\n"
        }
        for (i = 1; i <= n; i++)
            for (d in folders)
                if ((i, d) in left && !count[i, d]) clean = clean " " word[i] "/" d
        if (!bad) printf "%d remain%s\n", total, clean != "" ? "; no longer needed:" clean : ""
        exit bad
    }' scripts/words.txt $(find src tests scripts docs bench examples include -type f \( -name '*.[chS]' \
        -o -name '*.def' -o -name '*.cpp' -o -name '*.sh' -o -name '*.inc' -o -name '*.md' \) \
        ! -name check-words.sh ! -name check-commits.sh | sort) README.md CONTRIBUTING.md Makefile tests/run
