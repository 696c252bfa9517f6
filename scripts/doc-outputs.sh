#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/doc-outputs.sh [--update] DOCUMENT - what a document shows is what the commands print.
#
# Runs, in the current directory and in order, every line "    $ command" of the document, and
# compares what it prints with the indented lines below it. Times and rates may differ. The exit code
# must be 0, or N where the command ends with "# exit code N". With --update the document is
# written anew with what was printed. Ends with 1 when something differs, with a diff.
set -u

update=
[ "${1-}" != --update ] || { update=yes; shift; }
[ $# -eq 1 ] && [ -f "$1" ] || { echo "usage: doc-outputs.sh [--update] DOCUMENT" >&2; exit 2; }
page=$1
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT

# Cuts the document into text.0, command.1, shown.1, text.1, command.2, ...; text has the prompt's
# line at its end. Blank lines at the end of an output are not part of it.
n=$(awk -v tmp="$tmp" '
    function put(name, line) { print line >(tmp "/" name "." n) }
    function put_blanks(name) { for (; blanks > 0; blanks--) put(name, "") }
    BEGIN { n = 0; shown = 0 }
    index($0, "    $ ") == 1 {
        put_blanks("text")
        put("text", $0)
        n++
        shown = 1
        put("command", substr($0, 7))
        next
    }
    shown && $0 == "" { blanks++; next }
    shown && index($0, "    ") == 1 { put_blanks("shown"); put("shown", $0); next }
    { shown = 0; put_blanks("text"); put("text", $0) }
    END { put_blanks("text"); print n }
' "$page") || exit 3

# As the document would show it: indented, without blanks at the ends.
indent() {
    awk '
        { sub(/[ \t\r]+$/, "") }
        $0 == "" { blanks++; next }
        { for (; blanks > 0 && any; blanks--) print ""; blanks = 0; any = 1; print "    " $0 }'
}

blank_times() {
    sed -E -e 's/(^|[^0-9A-Za-z_.])[0-9]+\.[0-9]+ m?s([^0-9A-Za-z_]|$)/\1<time>\2/g' \
        -e 's/\([0-9,]+\/s\)/(<rate>)/g' "$1"
}

bad=0
i=0
[ ! -f "$tmp/text.0" ] || cp "$tmp/text.0" "$tmp/new"
while [ $i -lt "$n" ]; do
    i=$((i + 1))
    read -r command <"$tmp/command.$i"
    sh -c "$command" </dev/null >"$tmp/raw" 2>&1
    code=$?
    indent <"$tmp/raw" >"$tmp/printed"
    touch "$tmp/shown.$i" "$tmp/text.$i"
    cat "$tmp/printed" "$tmp/text.$i" >>"$tmp/new"
    wanted=$(printf '%s\n' "$command" | sed -n 's/.*# exit code \([0-9]*\)$/\1/p')
    if [ "$code" -ne "${wanted:-0}" ]; then
        printf '$ %s\nexit code %s, expected %s\n' "$command" "$code" "${wanted:-0}"
        cat "$tmp/printed"
        bad=$((bad + 1))
        continue
    fi
    blank_times "$tmp/shown.$i" >"$tmp/document"
    blank_times "$tmp/printed" >"$tmp/now"
    if [ -z "$update" ] && ! (cd "$tmp" && diff -U 1 document now >difference); then
        printf '$ %s\n' "$command"
        cat "$tmp/difference"
        bad=$((bad + 1))
    fi
done
[ -z "$update" ] || [ "$n" -eq 0 ] || cp "$tmp/new" "$page" || exit 3
[ "$n" -gt 0 ] || echo "the document has no commands"
echo "$n commands, $bad differ"
[ "$bad" -eq 0 ] && [ "$n" -gt 0 ]
