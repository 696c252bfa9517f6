#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# README, tutorials, how-tos and examples show what burl prints: every command is run as the reader
# would, and what the prose quotes is in an output. When a change is meant, `make docs-outputs` writes
# them anew: read the diff. (docs/tutorial-coverage.md has a test of its own, which also looks at what
# the commands left.) And the check itself notices what is wrong.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

check=$BURL_TEST_ROOT/scripts/doc-outputs.sh
printf '%s\n' '# A page' '<!-- outputs: -->' '<!-- file: a.txt -->' '```' one two '```' '<!-- run: echo three >>a.txt -->' \
    '    $ wc -l <a.txt' '    3' '' 'Then `3 lines` it says.' '<!-- filter: head -n 1 -->' \
    '    $ cat a.txt; exit 4  # exit code 4' '    one' >page.md
# differs WORDS: the page as it is now is not right, and that is said.
differs() {
    ! sh "$check" page.md >out 2>&1 || fail "nothing differs: $1"
    grep -qF -- "$1" out || fail "not said: $1"
}
differs 'quoted, and not in any output: 3 lines'
sed -i 's/`3 lines`/`3` lines/' page.md
sh "$check" page.md >out || fail "differs"
sed -i 's/^    3$/    2/' page.md
differs '+    3'
sh "$check" --update page.md >out 2>&1 || fail "cannot update"
grep -qx '    3' page.md || fail "not updated"
sed -i 's/exit code 4/exit code 5/' page.md
differs 'exit code 4, expected 5'

cd "$BURL_TEST_ROOT" || fail "no root"
for page in README.md docs/tutorial*.md docs/howto/*.md examples/*/README.md; do
    case $page in
        examples/ftpd/*) continue ;; # the programs of docs/tutorial-coverage.md
        examples/ci/*) continue ;;   # run by ci_templates
    esac
    grep -q '^<!-- outputs:.* -->$' "$page" || fail "$page shows outputs that no test looks at"
done
# shellcheck disable=SC2046
scripts/docs-outputs.sh --build="${BURL%/*}" $(grep -l '^<!-- outputs:.* -->$' README.md docs/*.md docs/*/*.md examples/*/README.md |
    grep -v tutorial-coverage) || fail "a page is not what burl prints: make docs-outputs"
