#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/bench-static.sh - what the static analysis costs, on growing programs.
#
#     scripts/bench-static.sh [--build=build] [--dir=DIR] [PROGRAM...]
#
# Programs: gen1k, gen4k, gen16k, gen64k (generated, that many lines), lz4 and sqlite (unchanged
# Debian sources with two threads of bench/overhead). For each: lines, seconds and memory of
# burl-analyze, functions, accesses, sites and classes of the target, pairs counted and pairs of all
# tiers. --dir keeps the work there, and a second run takes the downloads from it.
# Goal: SQLite in at most 60 s and 4 GB. Ends with 1 when it is missed or an analysis failed, 77 when
# a source could not be had.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
programs=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        -*) sed -n '/^# scripts/,/^# a source/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) programs+=("$arg") ;;
    esac
done
[ ${#programs[@]} -gt 0 ] || programs=(gen1k gen4k gen16k gen64k lz4 sqlite)
[ -x "$build/burl-analyze" ] || { echo "bench-static: no $build/burl-analyze: run make first" >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-static.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
. "$root/scripts/sources.inc"

unpack() { # NAME
    local tarball
    tarball=$(source_tarball "$1") || return 1
    [ -e "$dir/src/$1/.ready" ] && return 0
    mkdir -p "$dir/src/$1"
    tar xf "$tarball" -C "$dir/src/$1" --strip-components=1 && touch "$dir/src/$1/.ready"
}

source_lz4() {
    unpack lz4 || return 1
    flags="-I$dir/src/lz4/lib"
    sources="$root/bench/overhead/lz4_threads.c $dir/src/lz4/lib/lz4.c $dir/src/lz4/lib/lz4hc.c"
}

source_sqlite() {
    unpack sqlite3 || return 1
    if [ ! -e "$dir/src/sqlite3/sqlite3.c" ]; then
        (cd "$dir/src/sqlite3" && ./configure && make sqlite3.c) >"$dir/sqlite3.log" 2>&1 || return 1
    fi
    flags="-I$dir/src/sqlite3 -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION"
    sources="$root/bench/overhead/sqlite_threads.c $dir/src/sqlite3/sqlite3.c"
}

# Modules of about fifty lines: a type with a lock, links to the types of two other modules, a list
# on the heap, an operation called through a table, and calls across modules in both directions.
generate() { # LINES
    awk -v want="$1" 'BEGIN {
        n = int(want / 50)
        print "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>"
        for (i = 0; i < n; i++)
            printf "struct t%d { pthread_mutex_t lock; int count; struct t%d *near; struct t%d *far; struct n%d *list; char name[16]; };\nstruct n%d { struct n%d *next; int key; void *value; };\n", i, (i + 1) % n, int(i / 2), i, i, i
        for (i = 0; i < n; i++) printf "struct t%d g%d;\nint step%d(struct t%d *, int);\n", i, i, i, i
        for (i = 0; i < n; i++) {
            printf "static void *find%d(struct t%d *t, int key)\n{\n    for (struct n%d *p = t->list; p; p = p->next)\n        if (p->key == key)\n            return p->value;\n    return NULL;\n}\n", i, i, i
            printf "static void add%d(struct t%d *t, int key, void *value)\n{\n    struct n%d *p = malloc(sizeof *p);\n    p->key = key;\n    p->value = value;\n    p->next = t->list;\n    t->list = p;\n    t->count++;\n}\n", i, i, i
            printf "static void clear%d(struct t%d *t)\n{\n    while (t->list) {\n        struct n%d *p = t->list;\n        t->list = p->next;\n        free(p);\n    }\n    memset(t->name, 0, sizeof t->name);\n}\n", i, i, i
            printf "int step%d(struct t%d *t, int key)\n{\n    pthread_mutex_lock(&t->lock);\n    void *v = find%d(t, key);\n    if (!v)\n        add%d(t, key, t->near);\n    else if (key < 0)\n        clear%d(t);\n    int c = t->count;\n    pthread_mutex_unlock(&t->lock);\n    if (t->near && key > 1)\n        c += step%d(t->near, key - 1);\n    return c;\n}\n", i, i, i, i, i, (i + 1) % n
        }
        for (i = 0; i < n; i++) printf "static int run%d(void *p, int k) { return step%d(p, k); }\n", i, i
        print "static int (*const table[])(void *, int) = {"
        for (i = 0; i < n; i++) printf "    run%d,\n", i
        print "};\nstatic void *const objects[] = {"
        for (i = 0; i < n; i++) printf "    &g%d,\n", i
        print "};\nstatic void *work(void *arg)\n{\n    for (int i = 0; i < (int)(sizeof table / sizeof *table); i++)\n        table[i](objects[i], *(int *)arg);\n    return NULL;\n}\nint main(void)\n{\n    pthread_t t[2];\n    int k[2] = { 3, 5 };"
        for (i = 0; i < n; i++) printf "    pthread_mutex_init(&g%d.lock, NULL);\n    g%d.near = &g%d;\n    g%d.far = &g%d;\n", i, i, (i + 1) % n, i, int(i / 2)
        print "    for (int i = 0; i < 2; i++)\n        pthread_create(&t[i], NULL, work, &k[i]);\n    for (int i = 0; i < 2; i++)\n        pthread_join(t[i], NULL);\n    return 0;\n}"
    }'
}

source_gen() { # LINES NAME
    flags=
    sources=$dir/$2.c
    generate "$1" >"$sources"
}

status=0
printf '%-8s %8s %8s %8s %9s %9s %8s %8s %12s %13s\n' '' lines seconds MB functions accesses sites \
    classes pairs 'of all tiers'
for program in "${programs[@]}"; do
    case $program in
        gen*k) lines=${program#gen}; source_gen $((${lines%k} * 1000)) "$program" ;;
        *)
            if ! "source_$program"; then
                echo "$program: its source package could not be had" >&2
                [ $status -ne 0 ] || status=77
                continue
            fi ;;
    esac
    # shellcheck disable=SC2086
    "$build/burl" cc -O2 -g -w $flags $sources -o "$dir/$program" -lpthread -lm
    if ! "$build/burl-analyze" --stats "$dir/$program" >"$dir/$program.stats" 2>"$dir/err"; then
        echo "bench-static: $program: $(tail -n 1 "$dir/err")" >&2
        exit 1
    fi
    # shellcheck disable=SC2086
    awk -v name="$program" -v lines="$(cat $sources | wc -l)" '
        { v[$1] = $2 }
        END {
            printf "%-8s %8d %8.2f %8.0f %9d %9d %8d %8d %12d %13d", name, lines, v["ms"] / 1000,
                v["kb"] / 1024, v["functions"], v["accesses"], v["sites"],
                v["classes"] + v["untyped_classes"], v["pairs"], v["pairs_any_tier"]
            missed = name == "sqlite" && (v["ms"] > 60000 || v["kb"] > 4 * 1024 * 1024)
            if (name == "sqlite") printf "   goal 60 s, 4096 MB %s", missed ? "MISSED" : "met"
            printf "\n"
            exit missed
        }' "$dir/$program.stats" || status=1
done
exit $status
