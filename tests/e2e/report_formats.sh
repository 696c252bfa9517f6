#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `burl report`: choice of findings and output, exit codes, and the formats json, line and markdown,
# also with hostile names.
# BURL-TIMEOUT: 120
. "$BURL_TEST_ROOT/tests/e2e/report_lib.inc"

# ---- no store, no findings
run 2 "$BURL" report
has err 'burl test'
[ ! -e .burl ] || fail "burl report created a store"
printf 'int main(void) { return 0; }\n' >fine.c
build fine
run 0 "$BURL" test --runs=2 --dir=fine.d ./fine
run 0 "$BURL" report --dir=fine.d
[ ! -s out ] || fail "lines without findings"
run 0 "$BURL" report --dir=fine.d --format=markdown
has out '# burl: no findings'
run 0 "$BURL" report --dir=fine.d --json
valid report.schema.json out
jq -e '.findings == [] and .campaign == null' out >/dev/null || fail "the empty document"

make_store

# ---- line
run 0 "$BURL" report
n=$("$BURL" findings --json | jq '.findings | length')
[ "$n" -ge 3 ] || fail "expected at least three findings"
[ "$(wc -l <out)" -eq "$n" ] || fail "not one line per finding"
grep -qE '^bank\.c:(6|14): deadlock\.cycle: .* \[burl replay 1\]$' out || fail "the line of the deadlock"
grep -qE '^total\.c:6: race\.data: .*total.* \[burl replay [0-9]+\]$' out || fail "the line of the race"
grep -qE '^total\.c:16: crash\.abort: ' out || fail "the line of the assertion"
[ ! -s err ] || fail "standard error"

# ---- json
run 0 "$BURL" report --format=json
valid report.schema.json out
cp out all.json
run 0 "$BURL" report --json
cmp -s out all.json || fail "--json is not --format=json"
jq -e --argjson n "$n" '.burl_report == 1 and (.findings | length) == $n and ([.findings[].number] | sort) == [range(1; $n + 1)]' \
    all.json >/dev/null || fail "the document"
for i in $(seq 1 "$n"); do
    jq -S ".findings[] | select(.number == $i)" all.json >one
    "$BURL" show --json "$i" | jq -S . >two
    cmp -s one two || { diff one two; fail "finding $i is not as in burl show --json"; }
done

# ---- one campaign
run 0 "$BURL" report --campaign=1
[ "$(cut -d: -f1 out | sort -u)" = bank.c ] || fail "campaign 1"
run 0 "$BURL" report --campaign=last
[ "$(cut -d: -f1 out | sort -u)" = total.c ] || fail "the last campaign"
run 0 "$BURL" report --campaign=2 --json
valid report.schema.json out
jq -e '.campaign == 2' out >/dev/null || fail "the campaign of the document"
want 2 'there is no campaign 3' "$BURL" report --campaign=3
for word in 0 -1 x '' 99999999999999999999; do
    want 2 'campaign' "$BURL" report "--campaign=$word"
done

# ---- markdown
run 0 "$BURL" report --format=markdown
grep -q "^# burl: $n findings\$" out || fail "the heading"
count out '<details>' "$n"
count out '</details>' "$n"
grep -qE '^\| 1 \| `deadlock.cycle` \| .* \| `bank.c:(6|14)` \| `./bank` \| `burl replay 1` \|$' out ||
    fail "the row of the deadlock"
has out 'how it happened'

# ---- a file, other streams, other directories
run 0 "$BURL" report --format=markdown --output=r.md
[ ! -s out ] || fail "--output and standard output"
has r.md '# burl:'
(mkdir -p sub && cd sub && "$BURL" report --dir=../.burl) >out || fail "from another directory"
has out 'bank.c:'
want 2 'output' "$BURL" report --output=missing/r.md
want 2 'output' "$BURL" report --output=sub
run 3 sh -c '"$1" report >/dev/full' sh "$BURL"
"$BURL" report --json 2>err | head -n 1 >out
[ ! -s err ] || fail "a closed pipe is an error"
want 2 'two formats' "$BURL" report --json --format=markdown
want 2 'format' "$BURL" report --format=pdf
want 2 'options only' "$BURL" report 1
cp -r .burl ro
chmod -R a-w ro
run 0 "$BURL" report --dir=ro
chmod -R u+w ro

# ---- a damaged finding does not hide the others
cp -r .burl damaged
echo '{' >damaged/findings/1/finding.json
rm damaged/findings/2/finding.json
run 3 "$BURL" report --dir=damaged
[ "$(wc -l <out)" -eq "$n" ] || fail "a damaged finding hides others"
grep -q '^burl: deadlock.cycle: ' out || fail "the damaged finding"
has err 'damaged/findings/1/finding.json is damaged'
run 3 "$BURL" report --dir=damaged --json
valid report.schema.json out
jq '.burl_finding = 9' .burl/findings/1/finding.json >damaged/findings/1/finding.json
run 3 "$BURL" report --dir=damaged
has err 'version 9'
rm damaged/findings/1/finding.json
ln -s /etc/passwd damaged/findings/1/finding.json
run 3 "$BURL" report --dir=damaged --json
hasnt out root:

# ---- a finding.json of an earlier release: members may be missing
cp -r .burl old
for f in old/findings/*/finding.json; do
    jq 'del(.pattern, .found_after, .found_execution, .found_ms, .execution.needs, .threads[].stack, .output_cut)
        | del(.steps[]?.failure)' "$f" >old.json && cp old.json "$f"
done
for format in line json markdown; do
    run 0 "$BURL" report --dir=old --format=$format
    [ -s out ] || fail "$format of an older store"
done

# ---- hostile names
hostile evil
run 0 "$BURL" report --dir=evil
[ "$(wc -l <out)" -eq "$n" ] || fail "a name broke a line"
clean out
run 0 "$BURL" report --dir=evil --json
valid report.schema.json out
# Characters that are not ASCII stay as they are, in the folded text too.
cp -r .burl umlaut
jq '.title = "caf\u00e9 @me \u65e5"' umlaut/findings/1/finding.json >umlaut.json && cp umlaut.json umlaut/findings/1/finding.json
run 0 "$BURL" report --dir=umlaut --format=markdown
has out '| café &#64;me 日 |'
has out ': café &#64;me 日</summary>'
run 0 "$BURL" report --dir=evil --format=markdown
clean out
# Outside of fenced text no markup but our own is left.
awk '/^````*text$/ { fenced = 1 } !fenced { print } /^````*$/ { fenced = 0 }' out >open
hasnt open '<script'
hasnt open '@x'
count open '<details>' "$n"
[ "$(grep -c '^| [0-9]* | ' open)" -eq "$n" ] || fail "rows"
grep '^| [0-9]* | ' open | sed 's/\\|//g' | awk -F'|' 'NF != 8 { exit 1 }' || fail "cells of a row"
echo "reports in json, line and markdown"
