#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-figures.sh - figures in the pages of bench/ are measured and not typed.
#
# In bench/*/README.md per cent, "N of M", and seconds, minutes or milliseconds may stand only between
# the marks of scripts/measured.sh, or between "<!-- given -->" and "<!-- end of given -->": what a paper
# says or how an experiment is set up. Lines of a table or of an indented command are looked at too.
set -u
cd "$(dirname "$0")/.." || exit 3
rc=0
for page in bench/*/README.md; do
    awk -v page="$page" '
        /^<!-- (measured: .*|given) -->$/ { inside = 1 }
        /^<!-- end of .* -->$/ { inside = 0; next }
        inside { next }
        /[0-9] ?%|[0-9] (of|in) [0-9]|[0-9] (s|ms|min|minutes|seconds)([^a-z]|$)/ {
            print page ":" NR ": a figure outside the marks: " $0; bad = 1 }
        END { exit bad }' "$page" || rc=1
done
exit $rc
