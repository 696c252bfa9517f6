#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl regress record`: the state of every test, what is kept of it, what a second recording does, and
# the names of versions.
. "$BURL_TEST_ROOT/tests/e2e/regress_lib.inc"

pair prog
cp prog gone
cat >burl.tests <<'T'
pass: ./prog
fail: ./prog 3
expected (fail): ./prog 3
crash: sh -c './prog; kill -SEGV $$'
hang (timeout=300ms): sh -c './prog; read x <fifo'
plain: true
skipped (skip=77): ./prog 77
missing: ./nosuch
not executable: ./burl.tests
vanishing: sh -c 'cp prog temp; ./temp; rm temp'
T
mkfifo fifo
exec 8<>fifo

run 4 "$BURL" regress record
has out 'version base: 5 of 10 tests recorded in '
has out '2 failed: fail (exit code 3), crash (signal SEGV)'
has out '1 hung: hang (killed at its time limit of 0.3 s)'
has out '1 skipped: skipped (exit code 77)'
has out '1 not instrumented: plain'
has out 'build with CC='
has out '2 not started: missing (cannot run '
has out 'nosuch: No such file or directory; check the path, or build the program first), not executable (cannot run '
has out 'burl.tests: Permission denied'
has out '1 pending: vanishing (temp vanished after the test ran it'
rows "SELECT name || ' ' || state FROM version_tests ORDER BY ix" 'pass 1
fail 2
expected 1
crash 2
hang 3
plain 4
skipped 5
missing 6
not executable 6
vanishing 0'
rows 'SELECT group_concat(name || " " || program) FROM (SELECT * FROM version_histories ORDER BY name)' \
    'crash prog,expected prog,fail prog,hang prog,pass prog,skipped prog'
rows 'SELECT min(length(bytes)) > 0 FROM version_histories' 1
# The canonical bitcode of each module, and no part of a file.
[ "$(ls .burl/regress | wc -l)" -eq 1 ] || fail "not one module: $(ls .burl/regress)"
head -c 2 .burl/regress/*.bc | grep -q BC || fail "not bitcode"

# Again: what is complete is not run again.
run 4 "$BURL" regress record --json
mv out out.json
holds '.command == "regress record" and .version == "base" and .suite == "file burl.tests"' names
holds '.exit_code == 4 and .stop == "done" and .recorded_before == 5' numbers
holds '.modules == 1 and .objects == 1 and (.tests | length) == 10' counts
holds '[.tests[] | select(.state == "failed").why] == ["exit code 3", "signal SEGV"]' failed
holds '[.tests[] | select(.state == "not started")] | length == 2' 'not started'
has err 'continuing version base: 5 of 10 tests recorded'

# What the suite does not have any more is gone, a new test is recorded, and the order is the suite's.
printf '%s\n' 'new: ./prog' 'plain: true' 'pass: ./prog' >burl.tests
run 0 "$BURL" regress record -v
has out 'version base: 2 of 3 tests recorded'
has err 'test 1 of 3: new recorded, '
hasnt err 'pass recorded'
rows "SELECT name || ' ' || ix || ' ' || state || ' ' || runs FROM version_tests ORDER BY ix" \
    'new 0 1 1
plain 1 4 1
pass 2 1 1'
# A test with another command is another test.
printf '%s\n' 'new: ./prog 3' 'pass: ./prog' >burl.tests
run 0 "$BURL" regress record
has out '1 failed: new (exit code 3)'

# The union of several runs; a failure among them is not forgotten.
cat >flaky.sh <<'T'
./prog
[ -e failed ] && exit 0
touch failed
exit 1
T
printf '%s\n' 'flaky: sh flaky.sh' >burl.tests
run 0 "$BURL" regress record --repeat=3 --as=flaky
rows "SELECT t.state || ' ' || runs FROM version_tests t JOIN versions v ON v.id = version
    WHERE v.name = 'flaky'" '2 3'
run 0 "$BURL" regress record --repeat=2 --as=flaky
has out 'recorded already; nothing has changed'
run 0 "$BURL" regress record --repeat=5 --as=flaky
rows "SELECT runs FROM version_tests t JOIN versions v ON v.id = version WHERE v.name = 'flaky'" 5
run 0 "$BURL" regress record --fresh --as=flaky
rows "SELECT t.state || ' ' || runs FROM version_tests t JOIN versions v ON v.id = version
    WHERE v.name = 'flaky'" '1 1'

# Some of the tests; --fresh concerns these only.
printf '%s\n' 'a1: ./prog' 'a2: ./prog' 'b1: ./prog' >burl.tests
run 0 "$BURL" regress record --as=only --only='a*'
has out 'version only: 2 of 2 tests recorded'
rows "SELECT t.name || ' ' || t.state FROM version_tests t JOIN versions v ON v.id = version
    WHERE v.name = 'only' ORDER BY ix" 'a1 1
a2 1
b1 0'
run 0 "$BURL" regress record --as=only --only=a1 --fresh -v
has err 'a1 recorded'
rows "SELECT count(*) FROM version_histories h JOIN versions v ON v.id = version
    WHERE v.name = 'only'" 2
run 2 "$BURL" regress record --only=zz
has err 'no test of '

# A rebuild without a change goes on; one with a change starts over.
run 0 "$BURL" regress record --as=built
build prog
run 0 "$BURL" regress record --as=built
has out 'recorded already; nothing has changed'
sed -i 's/n++;/n += 1; n += 0;/' prog.c
build prog
run 0 "$BURL" regress record --as=built
has err 'prog was built again since version built was recorded; recording the version again'
rows "SELECT min(runs) || max(runs) FROM version_tests t JOIN versions v ON v.id = version
    WHERE v.name = 'built'" 11
# The old bitcode is still that of other versions; when these are gone, so is it.
[ "$(ls .burl/regress | wc -l)" -eq 2 ] || fail "bitcode of both builds: $(ls .burl/regress)"
db "DELETE FROM version_histories WHERE version NOT IN (SELECT id FROM versions WHERE name = 'built')"
run 0 "$BURL" regress record --as=built --fresh
[ "$(ls .burl/regress | wc -l)" -eq 1 ] || fail "bitcode of nothing: $(ls .burl/regress)"
# An executable that is gone has not changed: nothing is lost.
mv prog away
run 0 "$BURL" regress record --as=built
has out 'recorded already; nothing has changed'
mv away prog

# By default the version is the commit.
mkdir tree
mv prog burl.tests tree
cd tree || fail cd
git init -q . && git add burl.tests && git -c user.name=n -c user.email=e@x commit -qm first &&
    git tag v1.0 || fail git
export GIT_CEILING_DIRECTORIES=
run 0 "$BURL" regress record
has out 'version v1.0: 3 of 3 tests recorded'
echo '# edited' >>burl.tests
run 0 "$BURL" regress record
has out 'version v1.0-dirty: 3 of 3 tests recorded'
