#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# burl-ci.sh - a CI job: builds with burl-cc, tests each program, writes the reports.
#
# The action for GitHub (github/action.yml) and the template for GitLab (gitlab/burl.gitlab-ci.yml) run
# it; any other CI can. It is configured by the environment:
#   BURL_CI_BUILD     command that builds the programs, with CC=burl-cc and CXX=burl-c++; by default make
#   BURL_CI_PROGRAMS  the tests, one command line each: program and arguments
#   BURL_CI_OPTIONS   options of burl test; by default --time=60s
#   BURL_CI_REPORTS   directory of the reports; by default burl-reports
# Exit code: 0 nothing found, 1 findings, 2 or 3 the job itself is wrong, 4 a check failed.
set -eu
reports=${BURL_CI_REPORTS:-burl-reports}
: "${BURL_CI_PROGRAMS:?burl-ci.sh: name the programs to test, one command line per line}"

CC=burl-cc CXX=burl-c++ sh -c "${BURL_CI_BUILD:-make}"

# All programs share the store, one after the other. The worst exit code is that of the job.
worst=0
while IFS= read -r command; do
    [ -n "$command" ] || continue
    echo "burl test ${BURL_CI_OPTIONS:---time=60s} -- $command"
    code=0
    # Options and command are words of a shell.
    eval "burl test ${BURL_CI_OPTIONS:---time=60s} -- $command" </dev/null || code=$?
    [ "$code" -le "$worst" ] || worst=$code
done <<PROGRAMS
$BURL_CI_PROGRAMS
PROGRAMS

# One file for each reader, of the formats that this burl has.
mkdir -p "$reports"
formats=$(burl report --help | sed -n 's/.*--format=\([a-z|]*\)$/\1/p' | head -n 1)
write_report() { # FORMAT FILE
    case "|$formats|" in *"|$1|"*) burl report --format="$1" --output="$reports/$2" ;; esac
}
write_report json findings.json
write_report sarif findings.sarif
write_report junit junit.xml
write_report gitlab gl-code-quality-report.json
write_report html findings.html
write_report markdown findings.md

# What the runner of GitHub reads: annotations on standard output, and a summary of the job.
if [ "${GITHUB_ACTIONS-}" = true ]; then
    case "|$formats|" in *'|github|'*) burl report --format=github ;; esac
    cat "$reports/findings.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
else
    burl report --format=line
fi
exit "$worst"
