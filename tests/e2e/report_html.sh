#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The page of `burl report --format=html` in a real browser, from disk, with the keyboard alone: lanes, filter,
# folds, theme, printing; without scripts; with names that want to be scripts; with 500 findings.
# BURL-TIMEOUT: 240
set -u

. "$BURL_TEST_ROOT/tests/e2e/report_lib.inc"

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "no chromium here (Debian: apt-get install chromium)"
    exit 77
}
command -v sqlite3 >/dev/null || { echo "no sqlite3 here (Debian: apt-get install sqlite3)"; exit 77; }
drive=$BURL_TEST_BUILD/support/chrome_drive
[ -x "$drive" ] || fail "not built: make tests-build"

make_rich_store
run 0 "$BURL" report --json --output=all.json
found=$(jq '.findings | length' all.json)
uaf=$(jq '.findings[] | select(.kind == "memory.use-after-free").number' all.json)
race=$(jq '.findings[] | select(.kind == "race.data" and .execution.command == "./pool").number' all.json)
hostile evil
run 0 "$BURL" report --format=html --output=page.html
run 0 "$BURL" report --dir=evil --format=html --output=evil.html
run 0 "$BURL" test --dir=none --runs=5 ./fine
run 0 "$BURL" report --dir=none --format=html --output=none.html
clean page.html
clean evil.html
# Nothing is fetched, and the policy names the hashes of the one script and the one style.
if grep -qE '(src|href)="?(https?:)?//|@import|url\(' page.html evil.html; then
    fail "the page reaches out"
fi
count page.html '<script' 1
count evil.html '<script' 1
grep -q "default-src 'none'; img-src data:; .*; style-src 'sha256-[A-Za-z0-9+/]*='; script-src 'sha256-[A-Za-z0-9+/]*='\"" page.html ||
    fail "the policy"

# Lines of a file get into the page only if the finding has one of them.
cp -r .burl spy
jq '(.. | objects | select(has("file") and has("source"))) |= (.file = "/etc/passwd" | .line = 1 | .source = "a guess")' \
    spy/findings/1/finding.json >spy.json && cp spy.json spy/findings/1/finding.json
run 0 "$BURL" report --dir=spy --format=html
hasnt out root:
has out 'a guess'
# A source that has changed is not shown beside the line that it had.
cp bank.c bank.saved
sed -i '1i/* one line more */' bank.c
run 0 "$BURL" report --format=html
hasnt out 'one line more'
has out 'pthread_mutex_lock(&amp;b);'
cp bank.saved bank.c

# ---- 500 findings
cp -r .burl many
for i in $(seq $((found + 1)) 500); do
    cp -r "many/findings/$((i % found + 1))" "many/findings/$i"
done
sqlite3 many/burl.db "CREATE TEMP TABLE t AS SELECT * FROM findings;
    WITH RECURSIVE c(i) AS (SELECT $found + 1 UNION ALL SELECT i + 1 FROM c WHERE i < 500)
    INSERT INTO findings (id, fingerprint, kind, title, program, args, seed, trace_hash, count, confirmed_k, confirmed_n, sequential,
        campaign, first_seen_ms, last_seen_ms)
    SELECT i, printf('%016x', i), kind, title, program, args, seed, trace_hash, count, confirmed_k, confirmed_n, sequential,
        campaign, first_seen_ms, last_seen_ms FROM c JOIN t ON t.id = c.i % $found + 1;" || fail "sqlite3"
run 0 "$BURL" report --dir=many --format=html --output=many.html

# ---- what the page shows
cat >walk <<SCRIPT
size 1300 900 light
open file://$PWD/page.html
expect document.querySelectorAll(".finding").length === $found
expect document.querySelectorAll("details[open]").length === 1
expect document.querySelector("h1").textContent === "$found findings"
# The deadlock: a column for each thread, the preemption and the failing steps in words.
expect Array.from(document.querySelectorAll("#f1 .lanes thead th")).map(t => t.textContent).join() === "Step,T0 main,T1 forth,T2 back"
expect document.querySelector("#f1 .preempt").textContent === "preempt T1 before lock(b); run T2"
expect document.querySelectorAll("#f1 tr.fail .fails").length === 2
expect document.querySelector("#f1 tr.fail td.on").cellIndex === 2
expect document.querySelectorAll("#f1 .card.central").length === 2
# The threads show the cycle; the title and the table have it too, and nothing else.
expect document.querySelectorAll("#f1 .pattern, #f1 .detail").length === 0
expect document.querySelector("#f1 .excerpt .here").textContent.includes("pthread_mutex_lock(&b);")
expect document.querySelectorAll("#f1 .excerpt")[0].querySelectorAll(".l").length === 7
expect document.querySelector("#f1 .locks").textContent.startsWith("holds a, taken at bank.c:5")
expect document.querySelector("#f1 .cmd code").textContent === "burl replay 1"
expect /seen [0-9]+ times?, confirmed 3 of 3/.test(document.querySelector("#f1 .facts").textContent)
expect document.querySelector("#f$uaf").textContent.includes("freed by T1 closer")
expect document.querySelectorAll("#f$race .cards.two .card").length >= 2
# Keys: j and k over the findings, o and Enter fold.
key j
expect document.activeElement === document.querySelector("#f1 summary")
key j
expect document.activeElement === document.querySelector("#f2 summary")
expect (r => r.top >= 0 && r.bottom <= innerHeight)(document.activeElement.getBoundingClientRect())
expect getComputedStyle(document.activeElement).outlineStyle === "solid"
key o
expect document.querySelector("#f2 details").open
key Enter
expect !document.querySelector("#f2 details").open
key ArrowDown
expect document.activeElement === document.querySelector("#f3 summary")
key k
key ArrowUp
expect document.activeElement === document.querySelector("#f1 summary")
key o
expect document.querySelectorAll("details[open]").length === 0
key a
expect document.querySelectorAll("details[open]").length === $found && document.getElementById("fold").textContent === "Fold all"
key a
expect document.querySelectorAll("details[open]").length === 0
# Copying says so.
key c
expect document.querySelector("#f1 .copy").textContent === "Copied"
# The filter: words, all of which must be there; Escape clears it.
key /
expect document.activeElement.id === "q"
text lambda heap
expect document.getElementById("count").textContent === "1 of $found"
expect !document.getElementById("f$race").hidden && document.getElementById("f1").hidden
key Enter
expect document.activeElement === document.querySelector("#f$race summary")
key j
expect document.activeElement === document.querySelector("#f$race summary")
key /
text no such words
expect !document.getElementById("none").hidden
key Escape
expect document.getElementById("count").textContent === "" && document.getElementById("none").hidden
# Of a kind.
print (document.getElementById("kind").focus(), "focus")
text deadlock.cycle
expect document.getElementById("count").textContent === "1 of $found"
expect document.getElementById("f2").hidden && !document.getElementById("f1").hidden
open file://$PWD/page.html#f$uaf
expect document.querySelector("#f$uaf details").open && document.activeElement === document.querySelector("#f$uaf summary")
# Help.
key ?
expect document.getElementById("help").open
key Escape
expect !document.getElementById("help").open
# Dark, light, and the choice is kept.
expect getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)"
shot light.png
key t
expect getComputedStyle(document.body).backgroundColor === "rgb(20, 24, 31)"
shot dark.png
size 1300 900 dark
open file://$PWD/none.html
expect document.querySelector("h1").textContent === "No findings" && document.getElementById("filter").hidden
expect getComputedStyle(document.body).backgroundColor === "rgb(20, 24, 31)"
# Everything has a name for those who do not see it.
open file://$PWD/page.html
expect Array.from(document.querySelectorAll("input, select, button, dialog, [role=region], pre")).every(e => e.ariaLabel || e.textContent.trim())
expect document.documentElement.lang === "en" && Array.from(document.querySelectorAll(".lanes th")).every(t => t.scope)
# No sideways scrolling of the page on a small screen.
size 400 800 light
open file://$PWD/page.html#f$race
expect document.documentElement.scrollWidth <= innerWidth
size 1300 900 light
SCRIPT

cat >hostile.walk <<SCRIPT
open file://$PWD/evil.html
expect document.querySelectorAll(".finding").length === $found
expect window.evil === undefined && document.scripts.length === 1
expect document.querySelectorAll("main script, main iframe, main img, main textarea").length === 0
key a
expect window.evil === undefined
expect document.querySelector("#f1 .title").textContent.includes("</script><script>window.evil = 1</script>")
expect document.querySelector("#f1 .cmd code").textContent.startsWith("burl replay </script>")
expect document.documentElement.scrollWidth <= innerWidth
key /
text ::warning::y
expect document.getElementById("count").textContent === ""
SCRIPT

cat >plain <<SCRIPT
noscript on
open file://$PWD/page.html
expect document.querySelectorAll("details[open]").length === $found
expect document.getElementById("filter").hidden && document.querySelector(".tools").hidden
expect Array.from(document.querySelectorAll(".copy")).every(b => b.hidden)
noscript off
SCRIPT

cat >large <<SCRIPT
open file://$PWD/many.html
expect document.querySelectorAll(".finding").length === 500
print "load ms: " + Math.round(performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart)
expect performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart < 8000
print (window.t0 = performance.now(), document.getElementById("q").addEventListener("input", () => setTimeout(() => { window.took = performance.now() - window.t0; }, 0)), "listening")
key /
text closer
expect /^[0-9]+ of 500$/.test(document.getElementById("count").textContent) && window.took < 8000
print "filter ms: " + Math.round(window.took)
key Enter
key j
key o
expect document.activeElement.closest(".finding").firstElementChild.open
SCRIPT

mkdir -p profile
cat walk hostile.walk plain large >all
timeout 200 "$drive" "$chromium" "$PWD/profile" <all >all.out 2>all.err || {
    tail -n 5 all.out
    grep chrome_drive: all.err || tail -n 5 all.err
    fail "the page, see the line of the file 'all' above"
}
grep ' ms: ' all.out
echo "the page works"
