#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl regress run` with tests of all sorts: a script, a wrapper, a test with a directory and an
# environment of its own, one that hangs, one that fails, one that is to fail, one whose program is
# not there.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/regress_run_lib.inc"

# end TEST END: how the test of the last document ended.
end() {
    got=$(jq -r --arg t "$1" '.tests[] | select(.name == $t) | .mode + " " + .end' out.json)
    [ "$got" = "$2" ] || fail "test $1: $got, expected $2"
}

cat >fails.c <<'EOF'
#include <assert.h>
int main(int argc, char **argv)
{
    (void)argv;
#ifdef BAD
    assert(argc > 5);
#endif
    return argc > 9;
}
EOF
cat >script.sh <<'EOF'
#!/bin/sh
exec ./count add
EOF
chmod +x script.sh
mkdir sub
touch sub/here.txt
cat >burl.tests <<'EOF'
script: ./script.sh
wrapped: env X=1 ./count add
hang: ./count hang
fails: ./fails
EOF
build fails
build count
run 0 "$BURL" regress record --as=v1 --only='[!h]*'
build fails -DBAD
build count -DNOLOCK
"$BURL" regress run --all-tests --exec-timeout=1s --json >out.json 2>err
[ $? -eq 1 ] || fail "exit code"
end script "watched passed"
end wrapped "watched passed"
end hang "watched hung"
end fails "controlled failed"
holds '[.findings[] | select(.class == "fails")] | length == 1' "the failure is not set apart"
holds '[.findings[] | select(.class == "fails")][0] | .kind == "crash.abort" and .test == "fails"' \
    "the failure"
run 1 "$BURL" regress run --all-tests --exec-timeout=1s
has out "fails without preemption: probably an ordinary failure"
has out "test hang hung"

# A hang alone is no finding; that nothing is known of the test is exit code 4.
run 4 "$BURL" regress run --all-tests --exec-timeout=1s --only=hang

# A test that failed when the base was recorded.
rm -rf .burl
run 0 "$BURL" regress record --as=v2 --only=fails
run 0 "$BURL" regress run --all-tests --only=fails
has out "known: "

# Directory and environment, with a replay from elsewhere.
cat >CTestTestfile.cmake <<EOF
add_test([=[file]=] "$PWD/count" "file")
set_tests_properties([=[file]=] PROPERTIES WORKING_DIRECTORY "$PWD/sub" ENVIRONMENT "NEEDED=1")
add_test([=[willfail]=] "$PWD/count" "file")
set_tests_properties([=[willfail]=] PROPERTIES WILL_FAIL TRUE)
add_test([=[skips]=] "$PWD/count" "file")
set_tests_properties([=[skips]=] PROPERTIES SKIP_RETURN_CODE 9)
EOF
if command -v ctest >/dev/null; then
    rm -rf .burl
    build count
    run 0 "$BURL" regress record --as=v3 --ctest=.
    build count -DNOLOCK
    "$BURL" regress run --ctest=. --all-tests --for=races --json >out.json 2>err
    [ $? -eq 1 ] || fail "exit code with CTest"
    end file "controlled passed"
    end willfail "controlled passed"
    end skips "controlled skipped"
    n=$(jq '[.findings[] | select(.kind == "race.data")][0].id' out.json)
    dir=$PWD/.burl
    (cd / && "$BURL" replay --dir="$dir" "$n") >out 2>err
    [ $? -eq 1 ] || fail "no replay of a test with a directory"
    has out "reproduced exactly"
fi
