#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: burl's heap gives one address for each order of allocations and keeps freed blocks in
#   quarantine, so a program that compares addresses of blocks gets no proof; one that does not, does.
set -eu

# claims WANT NAME OPTIONS BODY: WANT is yes or no
claims() {
    cat >"$2.c" <<EOF2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
static void *volatile a;
static void *volatile b;
static _Atomic(void *) top;
static atomic_int n;
$4
EOF2
    "$BURL" cc -w -g $3 "$2.c" -o "$2"
    "$BURL" test --strategy=exhaustive --detect=none --dir="store.$2" "./$2" >out.txt 2>&1 </dev/null || :
    said=no
    if grep -q 'none fails\|only interleaving passes' out.txt; then said=yes; fi
    if [ $said != "$1" ]; then
        echo "$2 $3: claims a proof: $said, want $1"
        cat out.txt
        exit 1
    fi
}

for o in -O0 -O2 --late; do
    claims no less $o 'static void *w(void *x) { a = malloc(32); return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); b = malloc(32); pthread_join(t, 0);
    assert(a > b); return 0; }'
    claims no integer $o 'static void *w(void *x) { a = malloc(32); return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); b = malloc(32); pthread_join(t, 0);
    assert((uintptr_t)a / 16 > (uintptr_t)b / 16); return 0; }'
    claims no reuse $o 'static void *w(void *x) { free(a); return x; }
int main(void) { pthread_t t; a = malloc(32); pthread_create(&t, 0, w, 0); b = malloc(32);
    pthread_join(t, 0); assert(a != b); return 0; }'
    claims no exchange $o 'static void *w(void *x) { free(a); return x; }
int main(void) { pthread_t t; void *old; top = a = old = malloc(32); pthread_create(&t, 0, w, 0);
    top = malloc(32); atomic_compare_exchange_strong(&top, &old, 0); pthread_join(t, 0); return 0; }'
    claims no map $o '#include <sys/mman.h>
static void *map(void) { return mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void *w(void *x) { a = map(); return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); b = map(); pthread_join(t, 0);
    assert(a > b); return 0; }'
    claims no unmap $o '#include <sys/mman.h>
static void *map(void) { return mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void *w(void *x) { munmap(a, 4096); return x; }
int main(void) { pthread_t t; a = map(); pthread_create(&t, 0, w, 0); b = map(); pthread_join(t, 0);
    assert(a != b); return 0; }'
    claims yes mapped $o '#include <sys/mman.h>
static void *map(void) { return mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void *w(void *x) { char *p = map(); if (p != MAP_FAILED) *p = 1; n++; return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); char *p = map(); if (p != MAP_FAILED) *p = 1;
    n++; pthread_join(t, 0); assert(n == 2); return 0; }'
    claims yes null $o 'static void *w(void *x) { free(malloc(8)); n++; return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); void *p = malloc(32); assert(p != NULL);
    n++; free(p); pthread_join(t, 0); assert(n == 2); return 0; }'
    claims yes alone $o 'static void *w(void *x) { n++; return x; }
int main(void) { pthread_t t; a = malloc(32); b = malloc(32); assert(a != b);
    pthread_create(&t, 0, w, 0); n++; pthread_join(t, 0); assert(n == 2); return 0; }'
done
