#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: burl keeps the state of sync objects apart from their memory, so a program that reads,
#   copies or overwrites that memory in use gets no proof; one that initializes it so, does. The same
#   for the locale, which one thread sets and others read without a call that burl knows, and for the
#   usable size of a block, which depends on what else the allocator did.
set -eu

# claims WANT NAME OPTIONS BODY: WANT is yes or no
claims() {
    cat >"$2.c" <<EOF2
#include <assert.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#define T(name) static void *name(void *arg_)
#define GO(t, f) pthread_t t; pthread_create(&t, 0, f, 0)
#define JOIN(t) pthread_join(t, 0)
static struct S { pthread_mutex_t m; int v; } s, other;
static struct { int n; sem_t sem; pthread_rwlock_t rw; pthread_cond_t c; pthread_spinlock_t spin; } g, h;
static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
T(locks) { pthread_mutex_lock(&s.m); s.v++; pthread_mutex_unlock(&s.m); return arg_; }
T(posts) { sem_post(&g.sem); return arg_; }
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
    claims no copied $o 'int main(void) { GO(t, locks); pthread_mutex_lock(&s.m); other = s;
        pthread_mutex_unlock(&s.m); JOIN(t); pthread_mutex_lock(&other.m); return 0; }'
    claims no peeked $o 'int main(void) { GO(t, posts); if (*(volatile int *)&g.sem) abort(); JOIN(t); return 0; }'
    claims no wiped $o 'int main(void) { GO(t, posts); memset(&g, 0, sizeof g); JOIN(t);
        if (sem_trywait(&g.sem)) abort(); return 0; }'
    claims no compared $o 'int main(void) { GO(t, posts); int r = memcmp(&g, &h, sizeof g); JOIN(t);
        assert(r == 0); return 0; }'
    claims no after $o 'int main(void) { GO(t, posts); JOIN(t); h = g; assert(sem_trywait(&h.sem)); return 0; }'
    claims yes assigned $o 'int main(void) { s.m = fresh; memset(&g, 0, sizeof g); GO(t, locks); GO(u, locks);
        JOIN(t); JOIN(u); assert(s.v == 2); return 0; }'
    claims yes beside $o 'int main(void) { g.n = 1; GO(t, posts); g.n = 2; sem_wait(&g.sem); JOIN(t);
        assert(g.n == 2); return 0; }'
done
claims no locale -O1 'T(sets) { setlocale(LC_ALL, "C.UTF-8"); return arg_; }
int main(void) { GO(t, sets); if (MB_CUR_MAX > 1) abort(); JOIN(t); return 0; }'
claims yes locale_first -O1 'int main(void) { setlocale(LC_ALL, "C.UTF-8"); GO(t, locks); GO(u, locks); JOIN(t);
    JOIN(u); assert(s.v == 2); return 0; }'
claims no usable -O1 'T(asks) { char *p = malloc(9); if (malloc_usable_size(p) > 24) abort(); free(p); return arg_; }
int main(void) { GO(t, asks); char *q = malloc(50); free(q); JOIN(t); return 0; }'
claims yes usable_first -O1 'int main(void) { char *p = malloc(9); if (malloc_usable_size(p) < 9) abort(); GO(t, locks);
    JOIN(t); free(p); assert(s.v == 1); return 0; }'
