#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# tests/instr/test_instr.sh - the instrumenter, checked through `burl cc`.
#
# Builds each program of this folder, runs it under a runtime that logs every
# hook (rt_log.c), and compares the log with the site tables in the file, with
# the numbers in the embedded bitcode, and with what the sources say in comments.
#
#     BURL=path/of/burl tests/instr/test_instr.sh
#
# One line "ok NAME" or "FAIL NAME" per check; exit code 1 when one failed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
BURL=${BURL:-$root/build/burl}
INSTR=${BURL_INSTR:-$(dirname "$BURL")/burl-instr}
CLANG=${BURL_CLANG:-clang-19}
[ -x "$INSTR" ] || INSTR=$(dirname "$BURL")/../lib/burl/burl-instr
work=$(mktemp -d "${TMPDIR:-/tmp}/burl-instr-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export BURL_INSTR_VERIFY=1
n_failed=0

pass() { echo "ok $1"; }
flunk() {
    echo "FAIL $1"
    n_failed=$((n_failed + 1))
    shift
    [ $# -eq 0 ] || printf '    %s\n' "$@"
}
# check NAME COMMAND...: the command's exit code decides; its output is shown when it fails.
check() {
    name=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        pass "$name"
    else
        flunk "$name"
        sed 's/^/    /' "$work/out" | head -20
    fi
}

base="$root/src/base"
cc -std=c11 -D_GNU_SOURCE -I"$root/src" -o "$work/dump" "$here/dump_sites.c" "$base/elf.c" \
    "$base/sitetab.c" "$base/err.c" "$base/mem.c" "$base/vec.c" "$base/buf.c" "$base/printable.c"
mkdir "$work/rt"
cc -std=c11 -O1 -fPIC -shared -Wl,-soname,libburl_rt.so -I"$root/src" -o "$work/rt/libburl_rt.so" \
    "$here/rt_log.c"

# Programs have the hottest hooks linked in; here all must reach the log. So burl runs from a folder
# in which that object has none of them.
mkdir "$work/tools"
cp "$BURL" "$INSTR" "$(dirname "$INSTR")/libburl_rt.so" "$work/tools"
echo 'unsigned char __burl_copy;' | cc -x c -c - -o "$work/tools/burl_hot.o"
BURL=$work/tools/burl
INSTR=$work/tools/burl-instr

# run_logged PROGRAM: its log of hooks goes to $work/log.
run_logged() {
    rm -f "$work/log"
    BURL_LOG="$work/log" LD_LIBRARY_PATH="$work/rt" "$@"
}

# sites FILE: "index kind line column func variable", kinds of several words joined by "-".
sites() {
    "$work/dump" "$1" | sed -e 's/^\([0-9a-f]* [0-9]*\) range /\1 range-/' \
        -e 's/^\([0-9a-f]* [0-9]*\) atomic /\1 atomic-/' |
        awk '$1 != "module" { split($4, at, ":"); v = $8; for (i = 9; i <= NF; i++) v = v " " $i;
                              print $2, $3, at[1], at[2], $7, v }'
}

# trace FILE: the log in source terms, "hook line variable", plain hooks only.
trace() {
    sites "$1" >"$work/table"
    awk 'NR == FNR { line[$1] = $3; v = $6; for (i = 7; i <= NF; i++) v = v " " $i; var[$1] = v
                     next }
         $2 == "0000000000000000" { print "bad site pointer"; next }
         $1 ~ /^(read|write|atomic_pre|call|fence|read_range|write_range|read_str)$/ {
             print $1, line[$3], var[$3] }' "$work/table" "$work/log"
}

expected_trace() {
    sed -n 's/.*\/\* TRACE \([a-z_]*\) \([^ ]*\) \*\/.*/\1 LINE \2/;t p;b;:p;=;p' "$1" |
        awk 'NR % 2 { n = $0; next } { print $1, n, $3 }'
}

# ---- (a) the same access is the same site: in the bitcode, in the table, at run time
check_identity() { # NAME FLAGS...
    name=$1
    shift
    rm -rf "$work/bc"
    mkdir "$work/bc"
    "$BURL" cc "$@" "$here/identity.c" -o "$work/identity" || { flunk "$name: build"; return; }
    run_logged "$work/identity" nothing >"$work/out" || { flunk "$name: run"; return; }
    trace "$work/identity" >"$work/trace"
    # Every number in the bitcode lies on the line and column the table says.
    "$work/dump" --bitcode "$work/bc" "$work/identity" >/dev/null
    "$INSTR" --list "$work"/bc/*.bc | awk '{ split($2, at, ":"); print $1, at[1], at[2] }' |
        sort >"$work/in_bc"
    # The table has one line per operation, the bitcode one per instruction.
    sites "$work/identity" | awk '{ print $1, $3, $4 }' | sort >"$work/in_table"
    check "$name: numbers in bitcode agree with the table" \
        sh -c 'test -s "$1" && test -z "$(comm -23 "$1" "$2")"' sh "$work/in_bc" "$work/in_table"
    grep -v '^call ' "$work/trace" >"$work/seen" || :
    expected_trace "$here/identity.c" >"$work/want"
    grep -E '^call [0-9]+ puts' "$work/trace" >>"$work/seen" || :
    sort -o "$work/seen" "$work/seen"
    sort -o "$work/want" "$work/want"
}

for o in -O0 -O2; do
    check_identity "early $o" $o
    # Sorted: the expected lines are in source order, calls go by line. All of them, nothing lost.
    check "early $o: every marked access is told with its own site" \
        sh -c 'test -z "$(comm -13 "$1" "$2")"' sh "$work/seen" "$work/want"
    "$work/dump" "$work/identity" | awk '/^module/ { print $2, $3 }' >"$work/module.early$o"
    cp "$work/in_table" "$work/table.early$o"
    check_identity "late $o" --late $o
    check "late $o: every access seen is one of the early profile's" \
        sh -c '! grep "bad site" "$1" && grep -q . "$1"' sh "$work/trace"
    "$work/dump" "$work/identity" | awk '/^module/ { print $2, $3 }' >"$work/module.late$o"
    check "$o: both profiles have the same hash and number of sites" \
        cmp "$work/module.early$o" "$work/module.late$o"
    check "$o: both profiles have the same table" cmp "$work/table.early$o" "$work/in_table"
    # The volatile and atomic ones and the writes must survive the optimizer, under their numbers.
    grep -E ' (ready|counter|puts|p->first|p->second)$' "$work/want" |
        grep -v '^read [0-9]* p->first' >"$work/must"
    check "late $o: accesses that must survive have their own sites" \
        sh -c 'test -s "$2" && test -z "$(comm -13 "$1" "$2")"' sh "$work/seen" "$work/must"
done

# ---- (b) names
check_names() { # SOURCE OBJECT
    sites "$2" >"$work/table"
    grep -n 'NAME(\|FUNC(' "$1" | grep -v '^[0-9]*:/[/*]' | while IFS= read -r hit; do
        line=${hit%%:*}
        echo "$hit" | grep -o 'NAME([^ ]*) \|NAME([^ ]*)$\|FUNC([^ ]*) ' |
            sed 's/ *$//; s/)$//' | while IFS= read -r want; do
            what=${want%%(*}
            want=${want#*(}
            if [ "$what" = NAME ]; then
                awk -v l="$line" -v w="$want" '$3 == l { v = $6
                    for (i = 7; i <= NF; i++) v = v " " $i; if (v == w) ok = 1 }
                    END { exit !ok }' "$work/table" ||
                    echo "line $line: want $want, have $(awk -v l="$line" '$3 == l && $2 != "block" \
                        { printf "%s ", $6 }' "$work/table")"
            else
                awk -v l="$line" -v w="$want" '$3 == l && $5 == w { ok = 1 } END { exit !ok }' \
                    "$work/table" || echo "line $line: want function $want"
            fi
        done
    done >"$work/wrong"
    [ -s "$work/wrong" ] && cat "$work/wrong" && return 1
    return 0
}
for o in -O0 -O2; do
    "$BURL" cc $o -c "$here/names.c" -o "$work/names.o"
    check "names in C $o" check_names "$here/names.c" "$work/names.o"
    "$BURL" c++ $o -c "$here/names.cpp" -o "$work/namesxx.o"
    check "names in C++ $o" check_names "$here/names.cpp" "$work/namesxx.o"
done
# Clang shortens the path of a source by what it shares with the directory of the compilation.
mkdir -p "$work/tree/src" "$work/tree/build"
cp "$here/names.c" "$work/tree/src"
(cd "$work/tree/build" && "$BURL" cc -O0 -c "$work/tree/src/names.c" -o "$work/names.o")
check "names in C, built beside the sources" check_names "$here/names.c" "$work/names.o"
"$BURL" cc -O2 -g0 -c "$here/names.c" -o "$work/names.o"
check "names with -g0" check_names "$here/names.c" "$work/names.o"
check "-g0 leaves no debug sections" sh -c '! readelf -SW "$1" | grep -q debug_info' sh "$work/names.o"

# ---- (c) a double load stays two accesses
"$BURL" cc -O2 "$here/double.c" -o "$work/double"
run_logged "$work/double"
trace "$work/double" | grep -c '^read .* g$' >"$work/n" || :
check "two loads of one variable are two accesses at -O2" test "$(cat "$work/n")" = 2

# ---- (d) private memory
"$BURL" cc -O1 -c "$here/private.c" -o "$work/private.o"
sites "$work/private.o" >"$work/table"
check "private and constant memory has no sites" \
    sh -c '! grep -E "(read|write) [0-9]+ [0-9]+ only_" "$1"' sh "$work/table"
check "memory given away has sites" \
    sh -c 'grep -qE "^[0-9]+ write [0-9]+ [0-9]+ some_array" "$1" &&
           grep -qE "^[0-9]+ read [0-9]+ [0-9]+ some_pointer" "$1"' sh "$work/table"

# ---- (e) the shadow stack
for p in "" --late; do
    for o in -O0 -O2; do
        "$BURL" c++ $p $o "$here/except.cpp" -o "$work/except"
        run_logged "$work/except"
        sites "$work/except" >"$work/table"
        awk 'NR == FNR { if ($2 == "function") f[$1] = $5; next }
             $1 == "enter" && f[$3] == "probe" { print $4 }' "$work/table" "$work/log" \
            >"$work/depths"
        check "exceptions and longjmp keep the stack${p:+ $p} $o" \
            sh -c 'test "$(sort -u "$1")" = 2 && test "$(wc -l <"$1")" -ge 4' sh "$work/depths"
        check "the stack is empty at the end${p:+ $p} $o" \
            sh -c 'test "$(tail -1 "$1")" = "exit - - 0"' sh "$work/log"
    done
done

# ---- library calls: exactly the bytes they touch
for o in -O0 -O2; do
    "$BURL" cc $o -fno-builtin "$here/libcalls.c" -o "$work/libcalls"
    check "library calls still work $o" run_logged "$work/libcalls"
    sites "$work/libcalls" >"$work/table"
    awk 'NR == FNR { line[$1] = $3; next } $1 ~ /range|str/ { print line[$3], $1, $4 }' \
        "$work/table" "$work/log" | sort >"$work/seen"
    grep -n 'BYTES(' "$here/libcalls.c" | grep -v '^[0-9]*:/\*' |
        awk '{ n = $0; sub(/:.*/, "", n); s = $0
               while (match(s, /BYTES\([a-z_]* [0-9]*\)/)) {
                   print n, substr(s, RSTART + 6, RLENGTH - 7); s = substr(s, RSTART + RLENGTH) } }' |
        sort >"$work/want"
    check "library calls: the exact bytes $o" diff "$work/want" "$work/seen"
done

# ---- oddities
"$CLANG" -O1 -w "$here/odd.c" -o "$work/odd.plain" -latomic
"$work/odd.plain" >"$work/odd.want"
for p in "" --late --blocks; do
    for o in -O0 -O1 -O2 -Os; do
        "$BURL" cc $p $o -w "$here/odd.c" -o "$work/odd" -latomic
        run_logged "$work/odd" >"$work/odd.out"
        check "odd code behaves the same${p:+ $p} $o" cmp "$work/odd.want" "$work/odd.out"
    done
done
sites "$work/odd" >"$work/table"
# Column 5 is the function; the calls of them are sites of main.
check "ignored functions have no sites" \
    awk '$5 ~ /^ignored_/ { bad = 1 } END { exit bad }' "$work/table"
check "--blocks tells blocks" grep -q '^block ' "$work/log"

# ---- (f) the sections survive whatever happens to objects
count_modules() { "$work/dump" "$1" | grep -c '^module' || :; }
cat >"$work/m1.c" <<'EOF'
int counter; int bump(int n); int main(void) { return bump(3) == 3 ? 0 : 1; }
EOF
cat >"$work/m2.c" <<'EOF'
extern int counter; int bump(int n); int unused(void); int bump(int n) { return counter += n; }
int unused(void) { return counter; }
EOF
"$BURL" cc -O1 -ffunction-sections -fdata-sections -c "$work/m1.c" -o "$work/m1.o"
"$BURL" cc -O1 -ffunction-sections -fdata-sections -fPIC -c "$work/m2.c" -o "$work/m2.o"
two_modules() { # FILE: both tables are there, and the bitcode of both
    rm -rf "$work/bc" && mkdir "$work/bc" && test "$(count_modules "$1")" = 2 &&
        "$work/dump" --bitcode "$work/bc" "$1" >/dev/null &&
        test "$(find "$work/bc" -name '*.bc' | wc -l)" = 2 && run_logged "$1"
}
for ld in bfd lld gold; do
    "$CLANG" -fuse-ld=$ld -x c - -o /dev/null </dev/null 2>"$work/out" -shared || continue
    "$BURL" cc -fuse-ld=$ld "$work/m1.o" "$work/m2.o" -o "$work/m"
    check "sections survive $ld" two_modules "$work/m"
    "$BURL" cc -fuse-ld=$ld -Wl,--gc-sections "$work/m1.o" "$work/m2.o" -o "$work/m"
    check "sections survive $ld --gc-sections" two_modules "$work/m"
    strip "$work/m"
    check "sections survive $ld and strip" two_modules "$work/m"
    "$BURL" cc -fuse-ld=$ld -r "$work/m1.o" "$work/m2.o" -o "$work/mr.o"
    "$BURL" cc -fuse-ld=$ld "$work/mr.o" -o "$work/m"
    check "sections survive $ld -r" two_modules "$work/m"
done
rm -f "$work/lib.a"
ar rcs "$work/lib.a" "$work/m2.o"
"$BURL" cc "$work/m1.o" "$work/lib.a" -o "$work/m"
check "sections survive an archive" two_modules "$work/m"
"$BURL" cc -shared -Wl,-z,defs "$work/m2.o" "$work/m1.o" -o "$work/libm2.so"
check "sections survive a shared object" test "$(count_modules "$work/libm2.so")" = 2
for lto in -flto -flto=thin; do
    "$BURL" cc -O2 $lto "$work/m1.c" "$work/m2.c" -fuse-ld=lld -o "$work/m"
    check "sections survive $lto" two_modules "$work/m"
done
"$BURL" cc -O1 -S "$work/m1.c" -o "$work/m1.s"
"$BURL" cc -O1 -S "$work/m2.c" -o "$work/m2.s"
"$CLANG" -c "$work/m1.s" -o "$work/s1.o"
"$CLANG" -c "$work/m2.s" -o "$work/s2.o"
"$BURL" cc "$work/s1.o" "$work/s2.o" -o "$work/m"
check "sections survive assembly" two_modules "$work/m"
"$BURL" cc -g -gsplit-dwarf -O1 -c "$work/m1.c" -o "$work/m1.o"
"$BURL" cc "$work/m1.o" "$work/m2.o" -o "$work/m"
check "sections survive -gsplit-dwarf" two_modules "$work/m"
check "the split debug file has the object's name" test -s "$work/m1.dwo"

# ---- damaged tables are refused, never trusted
"$BURL" cc -O1 -c "$work/m1.c" -o "$work/m1.o"
objcopy --dump-section .burl.sites="$work/rec" "$work/m1.o"
size=$(stat -c %s "$work/rec")
# Reads that only an assertion looks at are marked (flag 2), through arithmetic too; others are not.
cat >"$work/asserts.c" <<'SRC'
#include <assert.h>
#include <math.h>
double marked, through, kept;
double use(void);
double
use(void)
{
    assert(marked < 1.0);
    assert(fabs(through) < 1.0);
    assert(kept < 1.0);
    return kept;
}
SRC
"$BURL" cc -g -c "$work/asserts.c" -o "$work/asserts.o"
"$work/dump" "$work/asserts.o" >"$work/asserts.txt"
flag_of() { awk -v v="$1" '$3 == "read" && $NF == v { print $6 }' "$work/asserts.txt" | xargs; }
check "an assertion's read is marked" test "$(flag_of marked)" = 2
check "through an intrinsic too" test "$(flag_of through)" = 2
check "a second read for the program is not" test "$(flag_of kept)" = '2 0'

# damage OFFSET BYTES: a copy of the object whose record is changed there
damage() {
    cp "$work/rec" "$work/rec.bad"
    printf "$2" | dd of="$work/rec.bad" bs=1 seek="$1" conv=notrunc 2>/dev/null
    objcopy --update-section .burl.sites="$work/rec.bad" "$work/m1.o" "$work/bad.o"
}
refused() { "$work/dump" "$work/bad.o" >/dev/null 2>"$work/said" && return 1; test $? -eq 3; }
damage 0 '\001'
check "wrong magic is refused" refused
damage 8 '\377'
check "another version is refused" refused
check "and the message says to build again" grep -q 'build it again' "$work/said"
damage 12 '\377\377\377\177'
check "too many sites are refused" refused
damage 24 '\010\000\000\000\000\000\000\000'
check "a wrong record length is refused" refused
damage 32 '\377\377\377\377'
check "wrong string bytes are refused" refused
damage 48 '\377\377\377\377'
check "a string outside the record is refused" refused
head -c $((size / 2)) "$work/rec" >"$work/rec.bad"
objcopy --update-section .burl.sites="$work/rec.bad" "$work/m1.o" "$work/bad.o"
check "a record cut short is refused" refused
for n in 0 10 63 64 200 1000; do
    head -c $n "$work/m1.o" >"$work/bad.o"
    "$work/dump" "$work/bad.o" >/dev/null 2>&1 && rc=0 || rc=$?
    check "a file cut at $n bytes does not crash the reader" test $rc -le 3
done

[ $n_failed -eq 0 ] || { echo "$n_failed failed"; exit 1; }
