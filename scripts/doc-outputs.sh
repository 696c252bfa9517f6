#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/doc-outputs.sh [--update] [--here] DOCUMENT - what a document shows is what the commands print.
#
# Runs, in order, every line "    $ command" of the document, and compares what it prints with the
# indented lines below it. Times, rates and addresses may differ. The exit code must be 0, or N where
# the command ends with "# exit code N". With --update the document is written anew with what was
# printed. Ends with 1 when something differs, with a diff. Comments in the document say the rest:
#
#   <!-- outputs: PATH ... -->   in a new folder that has these files of the repository, by their last
#                                name (PATH/ keeps the whole path); without it, or with --here, in the
#                                current folder
#   <!-- file: NAME -->          the piece of source that follows (``` to ```) is saved as NAME; other
#                                pieces of C (```c) must stand so in a file of the folder
#   <!-- run: COMMAND -->        run it too, and show nothing; its exit code must be 0
#   <!-- filter: COMMAND -->     of what the next command prints, show what COMMAND lets through
#
# Prose that quotes an output quotes it as it is: whatever stands between backquotes or asterisks and
# has a blank and a digit in it must be in an output, a piece of source or a command of the document.
set -u

update=
here=
[ "${1-}" != --update ] || { update=yes; shift; }
[ "${1-}" != --here ] || { here=yes; shift; }
[ $# -eq 1 ] && [ -f "$1" ] || { echo "usage: doc-outputs.sh [--update] [--here] DOCUMENT" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
page=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT

# Cuts the document into text.0, kind.1, command.1, shown.1, text.1, kind.2, ...; text has the line
# that makes the part at its end. Blank lines at the end of an output are not part of it.
n=$(awk -v tmp="$tmp" '
    function put(name, line) { print line >(tmp "/" name "." n) }
    function put_blanks(name) { for (; blanks > 0; blanks--) put(name, "") }
    function inside(line) { sub(/^<!-- [a-z]+: */, "", line); sub(/ *-->$/, "", line); return line }
    function part(kind, command) { n++; put("kind", kind); put("command", command) }
    BEGIN { n = 0; shown = 0 }
    index($0, "    $ ") == 1 && !fence {
        put_blanks("text")
        put("text", $0)
        part("show", substr($0, 7))
        if (filter != "") put("filter", filter)
        filter = ""
        shown = 1
        next
    }
    shown && $0 == "" { blanks++; next }
    shown && index($0, "    ") == 1 { put_blanks("shown"); put("shown", $0); next }
    { shown = 0; put_blanks("text"); put("text", $0) }
    /^<!-- run: .* -->$/ { part("run", inside($0)) }
    /^<!-- filter: .* -->$/ { filter = inside($0) }
    /^<!-- file: .* -->$/ { name = inside($0) }
    fence && /^```$/ { fence = 0; if (name != "") part(name == "```c" ? "piece" : "file", name); name = ""; next }
    !fence && /^```/ { fence = 1; if (name == "" && $0 == "```c") name = $0; next }
    fence && name != "" { print >(tmp "/body." (n + 1)) }
    END { put_blanks("text"); print n }
' "$page") || exit 3

# As the document would show it: indented, without blanks at the ends.
indent() {
    awk '
        { sub(/[ \t\r]+$/, "") }
        $0 == "" { blanks++; next }
        { for (; blanks > 0 && any; blanks--) print ""; blanks = 0; any = 1; print "    " $0 }'
}

normalize() {
    sed -E -e 's/(^|[^0-9A-Za-z_.])[0-9]+(\.[0-9]+)? m?s([^0-9A-Za-z_]|$)/\1<time>\3/g' \
        -e 's/\([0-9,]+\/s\)/(<rate>)/g' -e 's/0x[0-9a-f]{8,}/<address>/g' "$1"
}

if [ -z "$here" ] && grep -q '^<!-- outputs:.* -->$' "$page"; then
    files=$(sed -n 's/^<!-- outputs:\(.*\) -->$/\1/p' "$page")
    mkdir "$tmp/folder" || exit 3
    for file in $files; do
        case $file in
            */) (cd "$root" && find "${file%/}" -type f | tar -cf - -T -) | tar -xf - -C "$tmp/folder" ;;
            *) cp "$root"/$file "$tmp/folder" ;;
        esac || { echo "cannot copy $file"; exit 3; }
    done
    cd "$tmp/folder" || exit 3
fi

# holds FILE PIECE: the lines of the piece stand in the file, one after the other.
holds() {
    awk 'NR == FNR { piece[++n] = $0; next } { line[++m] = $0 }
        END {
            for (i = 0; i + n <= m; i++) {
                for (k = 1; k <= n && line[i + k] == piece[k]; k++)
                    ;
                if (k > n)
                    exit 0
            }
            exit 1
        }' "$2" "$1"
}

bad=0
i=0
commands=0
: >"$tmp/said"
[ ! -f "$tmp/text.0" ] || cp "$tmp/text.0" "$tmp/new"
while [ $i -lt "$n" ]; do
    i=$((i + 1))
    read -r kind <"$tmp/kind.$i"
    IFS= read -r command <"$tmp/command.$i"
    touch "$tmp/shown.$i" "$tmp/text.$i"
    echo "$command" >>"$tmp/said"
    if [ "$kind" = file ]; then
        cp "$tmp/body.$i" "$command" || exit 3
        cat "$tmp/body.$i" >>"$tmp/said"
        cat "$tmp/text.$i" >>"$tmp/new"
        continue
    fi
    if [ "$kind" = piece ]; then
        found=
        for file in *.[ch] *.cpp; do
            [ -f "$file" ] && holds "$file" "$tmp/body.$i" && found=$file
        done
        [ -n "$found" ] || { echo "source that is in no file:"; cat "$tmp/body.$i"; bad=$((bad + 1)); }
        cat "$tmp/body.$i" >>"$tmp/said"
        cat "$tmp/text.$i" >>"$tmp/new"
        continue
    fi
    commands=$((commands + 1))
    sh -c "$command" </dev/null >"$tmp/raw" 2>&1
    code=$?
    wanted=$(printf '%s\n' "$command" | sed -n 's/.*# exit code \([0-9]*\)$/\1/p')
    if [ -f "$tmp/filter.$i" ]; then
        sh -c "$(cat "$tmp/filter.$i")" <"$tmp/raw" >"$tmp/filtered" 2>&1
        cp "$tmp/filtered" "$tmp/raw"
    fi
    indent <"$tmp/raw" >"$tmp/printed"
    cat "$tmp/raw" >>"$tmp/said"
    if [ "$code" -ne "${wanted:-0}" ]; then
        printf '$ %s\nexit code %s, expected %s\n' "$command" "$code" "${wanted:-0}"
        cat "$tmp/printed"
        bad=$((bad + 1))
    fi
    if [ "$kind" = run ]; then
        cat "$tmp/text.$i" >>"$tmp/new"
        continue
    fi
    normalize "$tmp/shown.$i" >"$tmp/document"
    normalize "$tmp/printed" >"$tmp/now"
    # What differs only in what may differ stays as it was.
    if cmp -s "$tmp/document" "$tmp/now"; then
        cat "$tmp/shown.$i" "$tmp/text.$i" >>"$tmp/new"
        continue
    fi
    cat "$tmp/printed" "$tmp/text.$i" >>"$tmp/new"
    if [ -z "$update" ] && [ "$code" -eq "${wanted:-0}" ]; then
        printf '$ %s\n' "$command"
        (cd "$tmp" && diff -U 1 document now)
        bad=$((bad + 1))
    fi
done

# Quotations in the prose, on one line or broken over two.
cat "$tmp"/text.* 2>/dev/null | awk '/^```/ { fence = !fence; next } fence || /^    / || /^<!--/ { next } { print }' |
    tr '\n' ' ' >"$tmp/prose"
# An asterisk inside backquotes is not one of the prose.
{ grep -oE '`[^`]+`' "$tmp/prose"; sed 's/`[^`]*`/`/g' "$tmp/prose" | grep -oE '\*+[^*`]+\*+'; } |
    sed -e 's/^[`*]*//' -e 's/[`*]*$//' |
    grep ' ' | grep '[0-9]' | grep -vE '^(burl|make|cc|CC=|scripts/|tests/|gdb|git|--|-D)' >"$tmp/quotations"
tr -s ' \n' '  ' <"$tmp/said" | tr 'A-Z' 'a-z' >"$tmp/flat"
while IFS= read -r words; do
    flat=$(printf '%s' "$words" | tr -s ' ' ' ' | tr 'A-Z' 'a-z')
    grep -qF -- "$flat" "$tmp/flat" && continue
    echo "quoted, and not in any output: $words"
    bad=$((bad + 1))
done <"$tmp/quotations"

[ -z "$update" ] || [ "$n" -eq 0 ] || cp "$tmp/new" "$page" || exit 3
[ "$commands" -gt 0 ] || echo "the document has no commands"
echo "$commands commands, $bad differ"
[ "$bad" -eq 0 ] && [ "$commands" -gt 0 ]
