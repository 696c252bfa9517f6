#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-paths.sh - files that pages and comments name exist.
#
# - Every page: names in backquotes that begin with src/, tests/, scripts/, docs/, bench/, examples/ or
#   include/, and the targets of relative links. `*` matches, `<name>` stands for anything.
# - Pages about the tree itself (docs/internals, docs/design, CONTRIBUTING.md, README.md of src and tests):
#   also names like `engine.c` and `sched/engine.c`. Some file must end with that name.
# - Comments in src: names with a slash and the extension of a source, such as rt/sched/engine.c.
# - Invariants that src cites (INV-S1) are in docs/internals/invariants.md.
# "dir/", "file/", "./" and the end "/acct.c" mean files of a user; "build" and data.js what
# is made.
set -eu
cd "$(dirname "$0")/.."
tree=$(mktemp)
trap 'rm -f "$tree"' EXIT
find . -path './.git' -prune -o -path './build*' -prune -o -type f -print | sed 's,^\./,,' >"$tree"
find . -path './.git' -prune -o -path './build*' -prune -o -type d -print | sed 's,^\./,,; s,$,/,' >>"$tree"

pages=$(grep -E '\.md$' "$tree" | grep -vE '^(bench/.*/work|CHANGELOG)')
sources=$(grep -E '^src/.*\.(c|h|S|def)$' "$tree")

bad=0
for inv in $(grep -rhoE 'INV-[A-Z][0-9]+' src | sort -u); do
    grep -q "^| $inv |" docs/internals/invariants.md || {
        echo "$inv is cited in src and not in docs/internals/invariants.md"
        bad=1
    }
done
# shellcheck disable=SC2086
awk '
    # Every file, and every end of its name that begins at a folder.
    FILENAME == ARGV[1] {
        whole[$0] = 1
        n = split($0, part, "/")
        end = ""
        for (i = n; i > 0; i--) {
            end = end == "" ? part[i] : part[i] "/" end
            ends[end] = 1
        }
        next
    }
    FNR == 1 {
        source = FILENAME ~ /^src\/.*\.(c|h|S|def)$/
        inner = FILENAME ~ /^(docs\/(internals|design)\/|CONTRIBUTING|src\/README|tests\/.*README)/
        folder = FILENAME
        if (!sub(/\/[^\/]*$/, "/", folder)) folder = ""
        comment = fence = 0
    }
    function fail(name) { printf "%s:%d: %s does not exist\n", FILENAME, FNR, name; bad = 1 }
    # Whether some file or folder matches a name with * or <...>.
    function matches(name,    re, f) {
        if (name in memo) return memo[name]
        re = name
        gsub(/<[^>]*>/, "*", re)
        gsub(/[.+]/, "\\\\&", re)
        gsub(/\*+/, "[^/]*", re)
        memo[name] = 0
        for (f in whole) if (f ~ "^(.*/)?" re "/?$") { memo[name] = 1; break }
        return memo[name]
    }
    function exists(name, anywhere) {
        if (name ~ /[*<]/) return matches(name)
        if (name in whole || (name "/") in whole) return 1
        if ((name ".sh") in whole) return 1 # the name of a test
        return anywhere && (name in ends || (name "/") in ends)
    }
    # The path at p relative to the page, without "..".
    function resolve(p,    n, i, part, out, depth, kept) {
        p = folder p
        n = split(p, part, "/")
        depth = 0
        for (i = 1; i <= n; i++) {
            if (part[i] == "..") depth--
            else if (part[i] != "." && part[i] != "") kept[++depth] = part[i]
        }
        out = ""
        for (i = 1; i <= depth; i++) out = out (i > 1 ? "/" : "") kept[i]
        return out
    }
    source {
        line = $0
        if (!comment && line !~ /\/[*\/]/) next
        comment = line ~ /\*\// ? 0 : comment || line ~ /\/\*/
        if (line ~ /^ *#/) next
        while (match(line, /[A-Za-z0-9_.<]+(\/[A-Za-z0-9_.-]+)+\.(c|h|S|def|md|sh|txt)([^A-Za-z0-9_(]|$)/)) {
            name = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            sub(/[^A-Za-z0-9_]$/, "", name)
            if (name ~ /^(dir|file|\.|\.\.|asm|sys|linux|<.*)\//) continue
            if (!exists(name, 1)) fail(name)
        }
        next
    }
    /^ *```/ { fence = !fence }
    fence { next }
    {
        line = $0
        while (match(line, /\]\([^)#:]+[)#]/)) {
            name = substr(line, RSTART + 2, RLENGTH - 3)
            line = substr(line, RSTART + RLENGTH)
            if (!exists(resolve(name), 0)) fail(name)
        }
        n = split($0, piece, "`")
        for (i = 2; i <= n; i += 2) {
            name = piece[i]
            sub(/:[0-9]+$/, "", name)
            sub(/^\.\//, "", name)
            if (name ~ /[^A-Za-z0-9_.\/*<>+-]/ || name ~ /^build|^data\.js$|\/acct\.c$/) continue
            if (name ~ /^(src|tests|scripts|docs|bench|examples|include)\//) {
                if (!exists(name, 0)) fail(name)
            } else if (inner && name ~ /^[A-Za-z0-9_<][A-Za-z0-9_.\/*<>-]*\.(c|h|S|def|sh|inc|md|js)$/) {
                if (!exists(name, 1)) fail(name)
            }
        }
    }
    END { exit bad }' "$tree" $pages $sources || bad=1
exit $bad
