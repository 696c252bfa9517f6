#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The coverage page in a real browser, from disk, with the keyboard alone: open, filter, follow a
# pair to both of its lines; the matrix; a page without scripts; names that want to be scripts; and
# a page of 500 files and 20000 pairs that answers at once.
# BURL-TIMEOUT: 240
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "no chromium here (Debian: apt-get install chromium)"
    exit 77
}
page=$BURL_TEST_BUILD/support/cover_page
drive=$BURL_TEST_BUILD/support/chrome_drive
[ -x "$page" ] && [ -x "$drive" ] || fail "not built: make tests-build"
mkdir -p src big/src evil/src profile
mkdir -p .burl/pairs
cat >.burl/pairs/3.sched <<'SCHEDULE'
burl-schedule 1
program ./bank --threads 2
switches 2
switch  T1 op 2  write total  bank.c:17:11  in deposit  [5f2a31c0aabbccdd:9]  -> T2  preempt
switch  T2 op 3  none ?  [-]  -> T1  finished
end 2
checksum none
SCHEDULE
cp "$BURL_TEST_ROOT"/tests/golden/src/*.c src/
printf '<script>window.evil = 1</script> x = 1;\nint y;\n' >"evil/src/h<i>\"'&.c"
"$page" small "$PWD/src" page || fail "cannot write the page"
"$page" hostile "$PWD/evil/src" evil/page || fail "cannot write the hostile page"
"$page" large "$PWD/big/src" big/page || fail "cannot write the large page"
# Nothing on the page is fetched from elsewhere.
if grep -rlE '(src|href)="?(https?:)?//' page evil/page; then
    fail "the page reaches out"
fi
mv src gone # the page holds what it shows
# ---- open, filter, follow a pair to both lines -------------------------------------------------
cat >walk <<SCRIPT
size 1300 900 light
open file://$PWD/page/index.html
expect document.querySelectorAll("svg .log .curve").length === 12
expect document.querySelector(".tile.main b").textContent === "53.8%"
expect Array.from(document.querySelector("svg .log").querySelectorAll("text")).map(t => t.textContent).join(" ") === "1 10 100 1k"
# Curves: executions on a logarithmic axis, on a linear one when asked.
expect getComputedStyle(document.querySelector("svg .lin")).display === "none"
print (document.getElementById("linear").focus(), "focus")
key Space
expect getComputedStyle(document.querySelector("svg .log")).display === "none"
# A gap of the summary leads to its first line.
expect document.querySelector("ol.gaps a").href.endsWith("/file/2-queue.c.html#p=7&s=a")
# Key 2 is the list of pairs: gaps first.
key 2
expect location.pathname.endsWith("/pairs.html") && document.querySelectorAll("#pairs tbody tr").length === 16
expect document.getElementById("count").textContent === "16 pairs"
expect document.querySelector("#pairs tr.on td").textContent === "1"
# The filter: words, all of which must be there.
key /
expect document.activeElement.id === "q"
text transfer acct
expect document.getElementById("count").textContent === "9 of 16 pairs"
text  uncovered
expect document.getElementById("count").textContent === "2 of 16 pairs"
# Enter leaves the filter for the first row, j is the second: bank.c:32 then bank.c:32.
key Enter
expect document.activeElement === document.querySelectorAll("#pairs tbody tr")[0]
expect document.querySelector("#panel .side[data-side=b]").textContent.includes("bank.c:33:17")
key j
expect document.querySelectorAll("#pairs tbody tr")[1].classList.contains("on")
key k
expect document.querySelectorAll("#pairs tbody tr")[0].classList.contains("on")
# Enter: its first line.
key Enter
expect location.pathname.endsWith("/file/1-bank.c.html") && document.querySelector(".l.aim")
expect document.querySelector(".l.aim").id === "L32" && document.querySelectorAll(".l.aim").length === 1
expect document.querySelector(".l.aim code").textContent.trim() === "from->balance -= n;"
expect (function (r) { return r.top > 40 && r.bottom < innerHeight - document.getElementById("panel").offsetHeight; })(document.querySelector(".l.aim").getBoundingClientRect())
expect document.querySelector("#panel .side.now").getAttribute("data-side") === "a"
# Enter again: its second.
key Enter
expect document.querySelector(".l.aim") && document.querySelector(".l.aim").id === "L33"
expect document.querySelector("#panel .side.now").getAttribute("data-side") === "b"
# Escape: back to the list as it was.
key Escape
expect location.pathname.endsWith("/pairs.html") && document.getElementById("q").value === "transfer acct uncovered"
expect document.getElementById("count").textContent === "2 of 16 pairs"
# A pair between two lines of another file, with the state filter of the address.
open file://$PWD/page/pairs.html#state=uncovered
expect document.getElementById("count").textContent === "4 of 16 pairs"
key Enter
expect location.pathname.endsWith("/file/2-queue.c.html") && document.querySelector(".l.aim").id === "L28"
key Enter
expect document.querySelector(".l.aim").id === "L18"
# One that was covered says how, and how to see it again.
open file://$PWD/page/pairs.html#q=directed
expect document.getElementById("panel").textContent.includes("burl replay --schedule=.burl/pairs/3.sched")
expect document.querySelectorAll("#panel details li").length === 2
expect document.querySelector("#panel details li").textContent.includes("T1 op 2  write total  bank.c:17:11  in deposit")
expect document.getElementById("panel").textContent.includes("seed 0xfedcba9876543210")
# Sorting by a column from the keyboard: Tab reaches the heads of the table.
open file://$PWD/page/pairs.html
key /
key Tab
key Tab
key Tab
key Tab
key Tab
expect document.activeElement.textContent.startsWith("Rank")
key Tab
key Tab
key Enter
expect document.querySelector("th[aria-sort]").textContent.startsWith("Variable")
expect document.querySelector("#pairs tbody tr td.mono").textContent === "struct acct.balance"
SCRIPT

# ---- a source by itself ------------------------------------------------------------------------
cat >source <<SCRIPT
open file://$PWD/page/file/1-bank.c.html
expect document.querySelectorAll(".l").length === 58
expect document.querySelector("#L41.miss .x").textContent === "\u2717"
# j goes to the first line with pairs, Enter lists them, Tab and Enter follow one.
key j
expect document.querySelector(".l.cur").id === "L16"
key j
expect document.querySelector(".l.cur").id === "L17"
key Enter
expect document.querySelectorAll("#L17 + ul.here li").length === 4
key Tab
expect document.activeElement.closest("ul.here") !== null
key Enter
expect document.querySelector(".l.aim") !== null && document.getElementById("panel").textContent.includes("covered")
SCRIPT

# ---- the matrix --------------------------------------------------------------------------------
cat >matrix <<SCRIPT
open file://$PWD/page/variables.html
expect document.querySelectorAll("#variables tbody tr").length === 3
# Pruned by the user and proven impossible are distinguished.
expect Array.from(document.querySelectorAll("#variables thead th")).map(h => h.textContent.replace(/ [\\u25bc\\u25b2]/, "")).join("|") === "Variable|\u25cf covered|\u25cb uncovered|P pruned|\u00d7 impossible|Sites"
expect Array.from(document.querySelector("#variables tr.on").cells).slice(1).map(c => c.textContent).join("|") === "3|4|1|1|4"
expect document.querySelector("#matrix h2 code").textContent === "struct acct.balance"
expect document.querySelectorAll("#matrix tbody tr").length === 4
expect Array.from(document.querySelectorAll("#matrix tbody tr")).map(r => Array.from(r.cells).slice(1).map(c => c.textContent || ".").join("")).join("/") === ".?.P/\u25cf\u25cb\u25cb./.\u00d7.?/\u25cf.\u25cf."
# Enter goes into it, arrows move between pairs, Enter follows.
key Enter
expect document.activeElement.matches("#matrix td button") && document.activeElement.textContent === "?"
expect document.getElementById("panel").textContent.includes("both hold from->lock")
key ArrowDown
key ArrowRight
expect document.activeElement.getAttribute("aria-label") === "bank.c:32:19 write, then bank.c:33:17 read: uncovered"
key Enter
expect location.pathname.endsWith("/file/1-bank.c.html") && document.querySelector(".l.aim").id === "L32"
key Enter
expect document.querySelector(".l.aim").id === "L33"
SCRIPT

# ---- without scripts, dark, narrow ---------------------------------------------------------------
cat >plain <<SCRIPT
size 400 800 dark
noscript on
open file://$PWD/page/index.html
expect document.querySelectorAll("svg").length === 12 && document.querySelectorAll("table.list tbody tr").length === 2
expect document.documentElement.scrollWidth <= 400
open file://$PWD/page/pairs.html
expect document.querySelectorAll("noscript table tr").length === 17
open file://$PWD/page/file/1-bank.c.html
expect document.getElementById("L32").textContent.includes("\u25cf2 \u25cb2")
noscript off
open file://$PWD/page/pairs.html
expect document.documentElement.scrollWidth <= 400
expect getComputedStyle(document.body).backgroundColor === "rgb(20, 24, 31)"
SCRIPT

# ---- names that want to be something else ------------------------------------------------------
cat >evil.walk <<SCRIPT
size 1300 900 light
open file://$PWD/evil/page/index.html
expect window.evil === undefined && document.querySelector(".brand")
key 2
expect document.querySelectorAll("#pairs tbody tr").length === 4
expect document.querySelector("#pairs tbody td.mono").textContent === "</script><script>alert(1)</script>&\"'\`"
key j
key j
key j
open file://$PWD/evil/page/pairs.html#state=covered
expect document.getElementById("count").textContent === "1 of 4 pairs"
key Enter
expect document.querySelector(".l.aim code") && document.querySelector(".l.aim code").textContent === "<script>window.evil = 1</script> x = 1;"
expect window.evil === undefined && document.scripts.length === 3
key Enter
expect location.pathname.endsWith("/file/2-there_SF_fake.c.html") && document.querySelector(".l.aim").id === "L7"
open file://$PWD/evil/page/variables.html
expect document.querySelectorAll("#matrix tbody tr").length === 2 && window.evil === undefined
SCRIPT

# ---- 500 files, 20000 pairs --------------------------------------------------------------------
# Generous bounds: the machine may be busy, and what they guard against is a hundred times as slow.
cat >large <<SCRIPT
size 1300 900 light
open file://$PWD/big/page/pairs.html
expect document.getElementById("count").textContent === "20000 pairs"
expect document.querySelectorAll("#pairs tbody tr").length === 100
print "load ms: " + Math.round(performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart)
expect performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart < 8000
print (window.t0 = performance.now(), document.getElementById("q").addEventListener("input", () => setTimeout(() => { window.took = performance.now() - window.t0; }, 0)), "listening")
key /
text part41.c report
expect /^[0-9]+ of 20000 pairs$/.test(document.getElementById("count").textContent) && window.took < 8000
print "filter ms: " + Math.round(window.took)
key Enter
key Enter
expect document.querySelector(".l.aim") !== null
open file://$PWD/big/page/variables.html
expect document.querySelectorAll("#variables tbody tr").length === 100 && document.querySelectorAll("#matrix select").length === 2
expect document.querySelectorAll("#matrix tbody tr").length === 60
open file://$PWD/big/page/index.html
key /
text part499
expect Array.from(document.querySelectorAll("table[data-nav] tbody tr")).filter(r => !r.hidden).length === 1
key Enter
key Enter
expect location.pathname.endsWith("/file/500-part499.c.html")
SCRIPT
# One browser for all of it: starting one costs more than the rest.
cat walk source matrix plain evil.walk large >all
timeout 200 "$drive" "$chromium" "$PWD/profile" <all >all.out 2>all.err || {
    tail -n 5 all.out
    grep chrome_drive: all.err || tail -n 5 all.err
    fail "the page, see the line of the file 'all' above"
}
grep ' ms: ' all.out
echo "the page works"
