#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-ROWS: mmap mmap64 munmap mremap mprotect pkey_mprotect brk sbrk dlopen
# BURL-WHY: what the program maps is unmapped between executions; what it does to mappings that were
#   there before main cannot be undone, is noticed, and makes burl fork for every execution.
set -eu

cat >head.h <<'EOF2'
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static char *before; /* mapped before main */
__attribute__((constructor)) static void
setup(void)
{
    before = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
EOF2

# run STATEMENT: burl test of a program of this statement; its summary in out.json.
run() {
    printf '#include "head.h"\nint main(void) { %s; return 0; }\n' "$1" >prog.c
    "$BURL" cc -w prog.c -o prog
    rm -rf .burl
    "$BURL" test --runs=60 --json ./prog >out.json 2>err.txt </dev/null || {
        echo "burl test failed for: $1"
        cat out.json err.txt
        exit 1
    }
}

# undone STATEMENT: sixty executions in one process, and each finds what the first found.
undone() {
    run "$1"
    grep -q '"reset": *"snapshot"' out.json || { echo "no snapshot for: $1"; cat out.json; exit 1; }
}

# forks STATEMENT: noticed as something a snapshot does not undo.
forks() {
    run "$1"
    grep -q '"reset": *"fork"' out.json || { echo "still a snapshot for: $1"; cat out.json; exit 1; }
}

at='(void *)0x200000000000'
new='PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0'
undone "assert(mmap($at, 8192, $new) == $at)"
undone "assert(mmap64($at, 8192, $new) == $at)"
undone "char *p = mmap($at, 65536, $new); assert(munmap(p + 4096, 4096) == 0)"
undone "char *p = mmap($at, 65536, $new); p = mremap(p, 65536, 131072, MREMAP_MAYMOVE); p[131071] = 1"
undone "char *p = mmap($at, 65536, $new); assert(mprotect(p, 65536, PROT_READ) == 0)"
undone "char *p = mmap($at, 65536, $new); assert(pkey_mprotect(p, 65536, PROT_READ, -1) == 0)"
undone 'assert(sbrk(0) != NULL)'
forks 'munmap(before, 4096)'
forks 'mremap(before, 8192, 65536, MREMAP_MAYMOVE)'
forks 'mprotect(before, 4096, PROT_READ)'
forks 'pkey_mprotect(before, 4096, PROT_READ, -1)'
forks 'assert(sbrk(4096) != NULL)'
forks 'assert(brk((char *)sbrk(0) + 4096) == 0)'
forks 'dlopen("libm.so.6", RTLD_NOW)'
