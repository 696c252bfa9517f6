#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# scripts/doc-outputs.py [--update] DOCUMENT - what a document shows is what the commands print.
#
# Runs, in the current directory and in order, every line "    $ command" of the document, and
# compares what it prints with the indented lines below it. Times and rates may differ. The exit code
# must be 0, or N where the command ends with "# exit code N". With --update the document is
# written anew with what was printed. Ends with 1 when something differs, with a diff.
import difflib
import re
import subprocess
import sys

PROMPT = "    $ "
TIMES = [
    (re.compile(r"\b\d+\.\d+ m?s\b"), "<time>"),
    (re.compile(r"\([\d,]+/s\)"), "(<rate>)"),
]


def blank_times(line):
    for pattern, name in TIMES:
        line = pattern.sub(name, line)
    return line


def take_output(lines, i):
    """The end of the indented lines that begin at i; blank lines at the end are not part of them."""
    end = i
    while i < len(lines):
        if lines[i].startswith(PROMPT) or (lines[i] and not lines[i].startswith("    ")):
            break
        i += 1
        if lines[i - 1]:
            end = i
    return end


def run(command):
    r = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, errors="replace")
    printed = [("    " + x).rstrip() for x in r.stdout.rstrip("\n").split("\n")]
    while printed and not printed[0]:
        printed.pop(0)
    while printed and not printed[-1]:
        printed.pop()
    return r.returncode, printed


def check(command, shown, printed, code):
    """What is wrong, as text; empty: nothing."""
    wanted = re.search(r"# exit code (\d+)$", command)
    wanted = int(wanted.group(1)) if wanted else 0
    wrong = []
    if code != wanted:
        wrong.append(f"exit code {code}, expected {wanted}")
        wrong += printed
    shown, now = [list(map(blank_times, x)) for x in (shown, printed)]
    if shown != now:
        wrong += list(difflib.unified_diff(shown, now, "document", "printed", lineterm="", n=1))
    return "\n".join(wrong)


def main():
    args = [x for x in sys.argv[1:] if x != "--update"]
    update = len(args) < len(sys.argv) - 1
    if len(args) != 1:
        sys.exit("usage: doc-outputs.py [--update] DOCUMENT")
    lines = open(args[0], encoding="utf-8").read().split("\n")
    out, i, n, bad = [], 0, 0, 0
    while i < len(lines):
        out.append(lines[i])
        i += 1
        if not out[-1].startswith(PROMPT):
            continue
        command = out[-1][len(PROMPT):]
        end = take_output(lines, i)
        code, printed = run(command)
        wrong = check(command, lines[i:end], printed, code)
        n += 1
        if wrong and (not update or wrong.startswith("exit code")):
            bad += 1
            print(f"$ {command}\n{wrong}\n")
        out += printed
        i = end
    if update:
        open(args[0], "w", encoding="utf-8").write("\n".join(out))
    print(f"{n} commands, {bad} differ" + ("" if n else ": the document has no commands"))
    sys.exit(1 if bad or not n else 0)


main()
