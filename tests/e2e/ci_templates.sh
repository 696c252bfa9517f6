#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/ci_templates.sh - the steps of examples/ci, taken from the files and run as the runners of
# GitHub and GitLab run them, in a project with a Makefile.
# BURL-TIMEOUT: 300
. "$BURL_TEST_ROOT/tests/support/lib.inc"
PATH=$BURL_TEST_BUILD:$PATH
ci=$BURL_TEST_ROOT/examples/ci
unset CC CXX CFLAGS CXXFLAGS

mkdir project
cat >project/lost.c <<'SRC'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int n;
static void *add(void *arg) { n = n + 1; return arg; }
int main(int argc, char **argv)
{
    pthread_t t[2];
    const int threads = argc > 1 ? atoi(argv[1]) : 2;
    for (int i = 0; i < threads; i++) pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < threads; i++) pthread_join(t[i], 0);
    assert(n == threads);
    return 0;
}
SRC
printf 'CFLAGS = -g -O1\nall: lost\n' >project/Makefile
cp -r project clean

# The steps of a composite action that run something, as a script: the variables of `env`, which are
# inputs, then the command. Inputs are variables INPUT_name.
github_steps() {
    awk '
        /^ *- name:/ { name = $0; sub(/^ *- name: */, "", name); env = "" }
        /^ *[A-Z_]+: \$\{\{ inputs\.[a-z]+ \}\}$/ {
            key = $1
            sub(/:$/, "", key)
            input = $0
            gsub(/.*inputs\.| *\}\}$/, "", input)
            env = env key "=\"$INPUT_" input "\" "
        }
        /^ *run: / { run = $0; sub(/^ *run: /, "", run); printf "# %s\n%sbash -e -o pipefail -c %c%s%c\n", name, env, 39, run, 39 }
    ' "$ci/github/action.yml"
}
# The value of "default:" of an input.
github_default() { awk -v want="  $1:" '$0 == want { on = 1 } on && /default:/ { sub(/^ *default: */, ""); print; exit }' "$ci/github/action.yml"; }

github_steps >steps
count steps 'bash -e' 3
awk '/^# Install burl/ { skip = 2 } skip > 0 { skip--; next } { print }' steps >run_steps
count run_steps 'bash -e' 2
grep -q 'apt-get install' steps || fail "the action does not install the package"
run_github() { # PROGRAMS: exit code of the job in `code`
    (
        cd project
        export GITHUB_ACTIONS=true GITHUB_ACTION_PATH=$ci/github GITHUB_STEP_SUMMARY=$PWD/../summary
        INPUT_programs=$1
        INPUT_build=$(github_default build)
        INPUT_options="--runs=300 --stop-at-first"
        set -e
        . ../run_steps
    ) >said 2>&1
    code=$?
}
[ "$(github_default build)" = make ] || fail "the default of build"
[ "$(github_default options)" = --time=60s ] || fail "the default of options"
run_github './lost 1'
[ $code -eq 0 ] || { cat said; fail "GitHub: exit code $code without findings"; }
has summary 'burl: no findings'
run_github $'./lost 1\n./lost 2'
[ $code -eq 1 ] || { cat said; fail "GitHub: exit code $code with findings"; }
has summary 'lost.c'
formats=$("$BURL" report --help | sed -n 's/^ *-f, --format=//p')
# One row per format that a report is written of.
expected() {
    cat <<LIST
json findings.json
sarif findings.sarif
junit junit.xml
gitlab gl-code-quality-report.json
html findings.html
markdown findings.md
LIST
}
check_reports() {
    expected | while read -r format file; do
        case "|$formats|" in *"|$format|"*) [ -s "project/burl-reports/$file" ] || fail "no $file" ;; esac
    done
    jq -e '.findings | length > 0' project/burl-reports/findings.json >/dev/null || fail "findings.json"
}
check_reports
case "|$formats|" in *'|github|'*) grep -q '^::error .*file=lost.c' said || fail "no annotation" ;; esac
# The files that the other steps take are those that are written.
for file in $(grep -oE 'burl-reports/[a-z.-]+' "$ci"/*/*.yml | cut -d: -f2 | sort -u); do
    expected | grep -q " ${file##*/}\$" || fail "$file is used by a template and not written"
done
# A wrong program ends the job with 2, but the reports are written.
run_github './no-such-program'
[ $code -eq 2 ] || { cat said; fail "GitHub: exit code $code without a program"; }

# ---- GitLab: each line of `script` in one shell, with the variables of the template
rm -rf project
mv clean project
awk '/^  variables:/ { on = 1; next } /^  [a-z_]+:/ { on = 0 } on { key = $1; sub(/:$/, "", key); sub(/^ *[A-Z_]+: */, ""); printf "export %s=%c%s%c\n", key, 39, $0, 39 }' \
    "$ci/gitlab/burl.gitlab-ci.yml" >variables
awk '/^  [a-z_]+:/ { on = $1 == "before_script:" || $1 == "script:" } on && /^    - / { sub(/^    - /, ""); print }' \
    "$ci/gitlab/burl.gitlab-ci.yml" >script
count variables export 4
[ "$(wc -l <script)" -eq 3 ] || fail "the script of the template"
mkdir project/ci
cp "$ci/burl-ci.sh" "$ci/gitlab/burl.gitlab-ci.yml" project/ci/
(cd project && . ../variables && BURL_CI_PROGRAMS='./lost' BURL_CI_OPTIONS='--runs=300 --stop-at-first' bash -e -o pipefail ../script) >said 2>&1
code=$?
[ $code -eq 1 ] || { cat said; fail "GitLab: exit code $code with findings"; }
grep -qE '^lost\.c:[0-9]+: ' said || fail "GitLab: no line of a finding in the log"
check_reports
