#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `burl report` for CI systems: SARIF, JUnit, GitHub and GitLab. Each is valid for its readers, also
# with names that try to be markup or commands, with damaged findings, and with none.
# BURL-TIMEOUT: 120
set -u

. "$BURL_TEST_ROOT/tests/e2e/report_lib.inc"
command -v xmllint >/dev/null || { echo "no xmllint here (Debian: apt-get install libxml2-utils)"; exit 77; }
command -v jq >/dev/null || { echo "no jq here (Debian: apt-get install jq)"; exit 77; }

make_rich_store
n=$("$BURL" findings --json | jq '.findings | length')
[ "$n" -ge 8 ] || fail "only $n findings"
title=$(jq -r .title .burl/findings/1/finding.json)
hostile evil
cp -r .burl damaged
echo '{' >damaged/findings/1/finding.json
rm damaged/findings/2/finding.json
run 0 "$BURL" test --dir=none --runs=5 ./fine

# each FORMAT CHECK: runs `CHECK NAME` on a file with the report of each store.
each() {
    for store in .burl evil damaged none; do
        code=0
        [ $store != damaged ] || code=3
        run $code "$BURL" report --dir=$store --format="$1" --output="report$store.$1"
        clean "report$store.$1"
        $2 "report$store.$1"
    done
}

# ---- SARIF -----------------------------------------------------------------------------------
# What the schema cannot say: indexes lead to something, the orders of all threads make one interleaving, and
# URIs are either below the root or absolute.
sarif() {
    valid report-sarif.schema.json "$1"
    jq -e '.runs[0] as $run | [$run.tool.driver.rules[].id] as $ids
        | ($ids | unique | length) == ($ids | length)
        and all($run.results[]; . as $r
            | $ids[$r.ruleIndex] == $r.ruleId
            and ([$r.relatedLocations[].id] | . == [range(1; length + 1)])
            and all($r.codeFlows[]?;
                ([.threadFlows[].id] | length == (unique | length))
                and ([.threadFlows[].locations[].executionOrder // empty] | length == (unique | length))
                and all(.threadFlows[]; [.locations[].executionOrder // empty] | . == sort)))
        and all($run | .. | objects | select(has("uri")); (.uri | startswith("file:///")) != has("uriBaseId"))
        and all($run | .. | objects | select(has("uriBaseId")).uri;
            (startswith("/") | not) and (split("/") | all(. != ".." and . != "." and . != "")))' "$1" >/dev/null ||
        fail "$1: indexes, orders or URIs"
}
each sarif sarif
jq -e --argjson n "$n" '.runs[0] | (.results | length) == $n and .invocations[0].executionSuccessful' \
    report.burl.sarif >/dev/null || fail "results"
jq -e '.runs[0].invocations[0].executionSuccessful | not' reportdamaged.sarif >/dev/null || fail "a damaged finding is success"
# The interleaving of the deadlock: each thread its flow, merged by executionOrder.
jq -r '.runs[0].results[] | select(.ruleId == "deadlock.cycle") | .codeFlows[0].threadFlows[] | .id as $t
    | .locations[] | "\(.executionOrder) \($t) \(.location.physicalLocation.region.startLine) \(.importance) \(.location.message.text)"' \
    report.burl.sarif | sort -n >flow
grep -qE '^[0-9]+ T1 forth 5 essential lock a; then preempt T1 before lock\(b\); run T2$' flow || { cat flow; fail "the preemption"; }
[ "$(tail -n 2 flow | grep -c 'essential lock [ab]: forever')" -eq 2 ] || { cat flow; fail "the failing steps"; }
[ "$(cut -d' ' -f2 flow | sort -u | tr '\n' ' ')" = "T0 T1 T2 " ] || { cat flow; fail "the threads"; }
jq -e '.runs[0].results[] | select(.ruleId == "memory.use-after-free")
    | [.relatedLocations[].message.text] | any(contains("allocated the block")) and any(contains("freed the block"))' \
    report.burl.sarif >/dev/null || fail "the heap block"
# A race of a free run has no steps, but its two accesses in their order.
jq -e '.runs[0].results[] | select(.properties.command == "./hits")
    | [.codeFlows[0].threadFlows[].locations[] | .executionOrder, (.stack.frames | length > 0)] == [1, true, 2, true]' \
    report.burl.sarif >/dev/null || fail "the free race"
jq -e '[.runs[0].results[] | select(.properties.command == "./hits" or .properties.command == "./pool").level] == ["warning", "warning"]' \
    report.burl.sarif >/dev/null || fail "races without a failure are warnings"
# Files outside of the working directory, and names that are no URIs.
jq -e 'all(.runs[0].results[].locations[].physicalLocation.artifactLocation;
    .uri | startswith("file:///x%20y/%3C/script%3E%3Cscript%3E") and contains("%250A%2525") and contains("%E2%80%AE"))' \
    reportevil.sarif >/dev/null || fail "hostile URIs"
run 0 "$BURL" report --format=sarif --campaign=1
valid report-sarif.schema.json out
jq -e '.runs[0].automationDetails.id == "burl/campaign/1"' out >/dev/null || fail "the campaign"
(mkdir -p 'a b/c' && cd 'a b/c' && "$BURL" report --dir=../../.burl --format=sarif) >out || fail "from another directory"
jq -e '.runs[0].originalUriBaseIds.SRCROOT.uri | endswith("/a%20b/c/")' out >/dev/null || fail "the root"

# ---- JUnit -----------------------------------------------------------------------------------
junit() {
    xmllint --noout "$1" || fail "$1 is no XML"
    for sum in tests failures; do
        [ "$(xmllint --xpath "/testsuites/@$sum = sum(//testsuite/@$sum)" "$1")" = true ] || fail "$1: $sum"
    done
    [ "$(xmllint --xpath 'count(//testcase) = sum(//testsuite/@tests) and count(//failure) = sum(//testsuite/@failures)' "$1")" = true ] ||
        fail "$1: counts"
}
each junit junit
[ "$(xmllint --xpath 'count(//testsuite)' report.burl.junit)" -eq 7 ] || fail "a suite for each program"
[ "$(xmllint --xpath 'count(//testsuite[@name="./fine"]/testcase[@name="no findings" and not(*)])' report.burl.junit)" -eq 1 ] ||
    fail "a program without findings passes"
[ "$(xmllint --xpath 'string(//failure[@type="deadlock.cycle"]/@message)' report.burl.junit)" = \
    "$title" ] || fail "the message"
[ "$(xmllint --xpath 'contains(//failure[@type="deadlock.cycle"], "how it happened")' report.burl.junit)" = true ] || fail "the text"
[ "$(xmllint --xpath 'count(//testcase[@file="bank.c" and @line="6"])' report.burl.junit)" -eq 1 ] || fail "the place"
[ "$(xmllint --xpath 'count(//failure) + count(//*[local-name() = "script"])' reportnone.junit)" -eq 0 ] || fail "no findings"
[ "$(xmllint --xpath 'count(//*[not(self::testsuites or self::testsuite or self::testcase or self::failure)])' reportevil.junit)" -eq 0 ] ||
    fail "a name became an element"
# A finding that two programs have names the last of them; the first has not passed. Neither has a campaign
# that failed.
mkdir shared && cp bank shared/one && cp bank shared/two
(cd shared && for name in one two; do "$BURL" test --runs=300 --seed=1 ./$name; done) >out 2>&1
run 0 "$BURL" findings --dir=none
[ "$("$BURL" findings --dir=shared/.burl --json | jq -r '[.findings[].program] | unique | join(" ")')" = ./two ] || fail "one finding of two programs"
run 0 "$BURL" report --dir=shared/.burl --format=junit
junit out
[ "$(xmllint --xpath 'count(//testsuite[@name="./one"]/testcase[@name="findings"]/failure)' out)" -eq 1 ] || fail "a program with findings passes"
run 0 "$BURL" report --dir=shared/.burl --campaign=1 --format=junit
[ "$(xmllint --xpath 'string(/testsuites/@failures)' out)" -eq 1 ] || fail "a campaign with findings passes"
sqlite3 shared/.burl/burl.db 'UPDATE campaigns SET exit_code = 3 WHERE id = 1'
run 0 "$BURL" report --dir=shared/.burl --format=junit
junit out
[ "$(xmllint --xpath 'string(//testsuite[@name="./one" and @errors=1]/testcase/error/@message)' out)" = \
    'the campaign ended with exit code 3' ] || fail "a campaign that failed passes"
[ "$(xmllint --xpath 'string(//testsuite[@name="./one"]/testcase/error)' out)" = 'the campaign ended with exit code 3' ] || fail "an error without text"
# A name that is not UTF-8 is one program.
odd=$(printf 'odd\377')
mv shared/one "shared/$odd"
(cd shared && "$BURL" test --runs=300 --seed=1 --dir=.odd "./$odd") >out 2>&1
run 0 "$BURL" report --dir=shared/.odd --format=junit
junit out
[ "$(xmllint --xpath 'count(//testsuite)' out)" -eq 1 ] || fail "two names of one program"
# Of test cases with one name readers show the first.
cp -r .burl same
for f in same/findings/*/finding.json; do
    jq 'if .execution.command == "./total" then .kind = "race.data" | .title = "one title" else . end' "$f" >same.json && cp same.json "$f"
done
run 0 "$BURL" report --dir=same --format=junit
junit out
[ "$(xmllint --xpath 'count(//testcase[@name="one title"]) = 1 and count(//testcase[@name="one title (2)"]) = 1' out)" = true ] || fail "two findings of one title"
[ "$(xmllint --xpath 'count(//failure[@message="one title"]) > 1' out)" = true ] || fail "the message is the title"
# Compilers run elsewhere: in the directory of a makefile, in a build directory beside the sources. A file of
# the same name outside of the repository is not meant.
mkdir -p repo/src repo/out
cp bank.c repo/src/ && echo other >bank.c
(cd repo/src && "$BURL" cc -g bank.c -o bank -lpthread && cd ../out && "$BURL" cc -g ../src/bank.c -o bank -lpthread) || fail "cc"
(cd repo && "$BURL" test --runs=300 --seed=1 ./src/bank) >out 2>&1
(cd repo/out && "$BURL" test --runs=300 --seed=1 --dir=.burl/bank ./bank) >out 2>&1
for store in .burl out/.burl/bank; do
    (cd repo && "$BURL" report --dir=$store --format=github) >out || fail "report"
    grep -q '^::error file=src/bank.c,line=6,' out || { cat out; fail "the path of the file from the root of the repository"; }
done
(cd repo && "$BURL" report --dir=out/.burl/bank --json) >out || fail "report"
jq -e '.findings[0].where == null and ([.. | .file? // empty] | unique == ["../src/bank.c"])' out >/dev/null || fail "JSON has what the compiler saw"
(cd repo/out && "$BURL" report --dir=.burl/bank) >out || fail "report"
grep -q '^\.\./src/bank.c:6: ' out || { cat out; fail "the path of the file from the build directory"; }
# U+FFFF is no character of XML.
cp -r .burl odd
jq '.title = "a\uffff\ufffeb]]>"' odd/findings/1/finding.json >odd.json && cp odd.json odd/findings/1/finding.json
run 0 "$BURL" report --dir=odd --format=junit
junit out
has out 'name="a??b]]&gt;"'

# ---- GitHub ----------------------------------------------------------------------------------
# As the runner reads a command: "::name properties::message" on one line, no other line is one.
github() {
    awk '!/^::(error|warning) (file=[^,:]*,line=[1-9][0-9]*,(col=[1-9][0-9]*,)?)?title=burl%3A [a-z.-]+::[^\r]+$/ {
        print; bad = 1 } END { exit bad }' "$1" || fail "$1 has a line that is no command"
}
each github github
[ "$(wc -l <report.burl.github)" -eq "$n" ] && [ "$(wc -l <reportevil.github)" -eq "$n" ] || fail "a line for each finding"
[ ! -s reportnone.github ] || fail "an annotation of nothing"
grep -F "::error file=bank.c,line=6,col=5,title=burl%3A deadlock.cycle::$title%0A" report.burl.github | grep -q '%0Areplay it: burl replay 1$' || fail "the annotation of the deadlock"
grep -q '^::warning file=pool.cpp,' report.burl.github || fail "the warning"
has reportevil.github '%250A%2525' # what was %0A%25 in the name

# ---- GitLab ----------------------------------------------------------------------------------
gitlab() {
    valid report-gitlab.schema.json "$1"
    jq -e '[.[].fingerprint] | length == (unique | length)' "$1" >/dev/null || fail "$1: fingerprints"
}
each gitlab gitlab
jq -e --argjson n "$n" 'length == $n and (.[0] | .check_name == "deadlock.cycle" and .severity == "critical"
    and .location == {path: "bank.c", lines: {begin: 6}} and (.description | endswith(" [burl replay 1]")))' \
    report.burl.gitlab >/dev/null || fail "the entry of the deadlock"
jq -e '. == []' reportnone.gitlab >/dev/null || fail "an entry of nothing"
echo "reports for CI systems"
