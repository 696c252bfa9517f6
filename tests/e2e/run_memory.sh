#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_memory.sh - burl run watches memory wherever the kernel and the allocator put it,
# and what it knew of memory ends with the memory.
. "$(dirname "$0")/run_lib.inc"

cat >areas.c <<'SRC'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MB (1ul << 20)
#define RW (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static char *
anon(size_t n, int flags, unsigned long at)
{
    return mmap((void *)at, n, RW, flags, -1, 0);
}

static char *
of_file(int fd, size_t n, int flags)
{
    return ftruncate(fd, (off_t)n) == 0 ? mmap(NULL, n, RW, flags, fd, 0) : MAP_FAILED;
}

static int
shared_object(void)
{
    char name[64];
    int fd;

    snprintf(name, sizeof name, "/burl-areas-%d", (int)getpid());
    fd = shm_open(name, O_CREAT | O_RDWR, 0600);
    shm_unlink(name);
    return fd;
}

static char *
sysv(size_t n)
{
    int id = shmget(IPC_PRIVATE, n, 0600 | IPC_CREAT);
    char *p = shmat(id, NULL, 0);

    shmctl(id, IPC_RMID, NULL);
    return p;
}

static char *
opened(size_t n)
{
    char *p = mmap(NULL, n, PROT_NONE, ANON, -1, 0);

    mprotect(p, n, RW);
    return p;
}

static char *
loaded(const char *name)
{
    void *h = dlopen("./lib.so", RTLD_NOW);

    return h != NULL ? dlsym(h, name) : NULL;
}

static char bss[64 * MB];
static char data[4096] = { 1 };
static __thread char tls[4096];

/* Hints: 2 TB and 20 TB are where mimalloc begins and ends, the others lie in maps of burl. */
#define AREAS(X)                                                             \
    X(page, 4096, anon(n, ANON, 0))                                          \
    X(mb, MB, anon(n, ANON, 0))                                              \
    X(gb, 1024 * MB, anon(n, ANON, 0))                                       \
    X(tb, 1024 * 1024 * MB, anon(n, ANON, 0))                                \
    X(tb2, 2 * 1024 * 1024 * MB, anon(n, ANON, 0))                           \
    X(shared, 2 * MB, anon(n, MAP_SHARED | MAP_ANONYMOUS, 0))                \
    X(low, MB, anon(n, ANON | MAP_32BIT, 0))                                 \
    X(fixed, MB, anon(n, ANON | MAP_FIXED, (unsigned long)anon(4 * MB, ANON, 0) + MB)) \
    X(fixed_4g, MB, anon(n, ANON | MAP_FIXED_NOREPLACE, 0x100000000))        \
    X(fixed_3t, MB, anon(n, ANON | MAP_FIXED, 0x30000000000))                \
    X(hint_2t, 2 * MB, anon(n, ANON, 0x20000000000))                         \
    X(hint_20t, 2 * MB, anon(n, ANON, 0x140000000000))                       \
    X(hint_45t, 2 * MB, anon(n, ANON, 0x2d0000000000))                       \
    X(hint_100t, 2 * MB, anon(n, ANON, 0x640000000000))                      \
    X(hint_110t, 2 * MB, anon(n, ANON, 0x6e0000000000))                      \
    X(moved, 32 * MB, mremap(anon(MB, ANON, 0), MB, n, MREMAP_MAYMOVE))      \
    X(placed, 2 * MB, mremap(anon(MB, ANON, 0), MB, n, MREMAP_MAYMOVE | MREMAP_FIXED, anon(n, ANON, 0))) \
    X(memfd, 3 * MB, of_file(memfd_create("x", 0), n, MAP_SHARED))           \
    X(memfd_private, 3 * MB, of_file(memfd_create("x", 0), n, MAP_PRIVATE))  \
    X(shm, 3 * MB, of_file(shared_object(), n, MAP_SHARED))                  \
    X(sysv, MB, sysv(n))                                                     \
    X(brk, 2 * MB, sbrk(n))                                                  \
    X(raw, 2 * MB, (char *)syscall(SYS_mmap, NULL, n, RW, ANON, -1, 0))      \
    X(opened, 4 * MB, opened(n))                                             \
    X(heap, 200, malloc(n))                                                  \
    X(heap_mb, 200 * MB, malloc(n))                                          \
    X(bss, sizeof bss, bss)                                                  \
    X(data, sizeof data, data)                                               \
    X(tls, sizeof tls, tls)                                                  \
    X(stack, sizeof local, local)                                            \
    X(lib_data, 4096, loaded("lib_data"))                                    \
    X(lib_bss, 4 * MB, loaded("lib_bss"))

static struct {
    char *at;
    size_t n;
} areas[64];
static int locked;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

/* A function each, so that each is a finding of its own. */
#define TOUCH(name, size, get)                          \
    __attribute__((noinline)) static void touch_##name(long *p) { *p += 1; }
AREAS(TOUCH)

static void
touch_all(void)
{
    int i = 0;

#define CALL(name, size, get)                                   \
    for (size_t k = 0; k < 3; k++) {                            \
        if (locked)                                             \
            pthread_mutex_lock(&guard);                         \
        touch_##name((long *)(areas[i].at + (areas[i].n / 8 - 1) / 2 * k * 8)); \
        if (locked)                                             \
            pthread_mutex_unlock(&guard);                       \
    }                                                           \
    i++;
    AREAS(CALL)
}

static void *
work(void *arg)
{
    pthread_barrier_wait(&both);
    touch_all();
    return arg;
}

/* On a stack that the program has mapped. */
static void *
begin(void *arg)
{
    char local[4096];
    pthread_t t[2];
    int i = 0;

    memset(local, 0, sizeof local);
#define GET(name, size, get)                                    \
    {                                                           \
        size_t n = size;                                        \
        areas[i].at = get;                                      \
        areas[i].n = n;                                         \
        if (areas[i].at == NULL || areas[i].at == MAP_FAILED) { \
            perror(#name);                                      \
            exit(3);                                            \
        }                                                       \
        i++;                                                    \
    }
    AREAS(GET)
    printf("%d areas\n", i);
    fflush(stdout);
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return arg;
}

int
main(int argc, char **argv)
{
    pthread_attr_t a;
    pthread_t t;

    locked = argc > 1 && strcmp(argv[1], "locked") == 0;
    pthread_barrier_init(&both, NULL, 2);
    pthread_attr_init(&a);
    pthread_attr_setstack(&a, anon(4 * MB, ANON | MAP_STACK, 0), 4 * MB);
    pthread_create(&t, &a, begin, NULL);
    pthread_join(t, NULL);
    return 0;
}
SRC
cat >lib.c <<'SRC'
char lib_data[4096] = { 1 };
char lib_bss[4 << 20];
SRC
"$BURL" cc -g -O1 -shared -fPIC lib.c -o lib.so || fail "lib.so"
for kind in -pie -no-pie; do
    "$BURL" cc -g -O1 -w $kind areas.c -o areas || fail "areas.c $kind"
    run 0 "$BURL" run ./areas locked
    has err 'nothing found'
    hasnt err 'not observed'
    rm -rf .burl
    run 1 "$BURL" run ./areas
    hasnt err 'not observed'
    "$BURL" findings --json >found
    n=$(sed -n 's/ areas//p' out)
    [ "$(jq '[.findings[] | select(.kind == "race.data")] | length' found)" -eq "$n" ] ||
        fail "$kind: not $n races: $(jq -r '.findings[].title' found)"
    rm -rf .burl
done

# Memory that is given back and comes again has no history; what stays in place keeps its own.
cat >again.c <<'SRC'
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N 200
#define PAGE 4096ul
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static long plain;

static void
fill(void *p)
{
    size_t n = malloc_usable_size(p);

    for (size_t i = 0; i < n; i++)
        ((volatile char *)p)[i] = 1;
}

/* Every block of the family, used to the end of what is usable. */
static void
blocks(size_t n)
{
    void *p[10];

    p[0] = malloc(n);
    p[1] = calloc(1, n);
    p[2] = aligned_alloc(64, (n + 63) & ~63ul);
    if (posix_memalign(&p[3], 32, n) != 0)
        abort();
    p[4] = realloc(malloc(3), n);
    p[5] = reallocarray(malloc(5), 1, n);
    p[6] = strdup("some text");
    p[7] = strndup("some more text", 7);
    p[8] = malloc(0);
    p[9] = malloc(n);
    fill(p[9]);
    p[9] = realloc(p[9], malloc_usable_size(p[9])); /* stays where it is */
    for (int i = 0; i < 10; i++)
        fill(p[i]);
    for (int i = 0; i < 10; i++)
        free(p[i]);
}

static void
maps(void)
{
    char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (size_t i = 0; i < 4 * PAGE; i += 512)
        p[i] = 1;
    munmap(p, 4 * PAGE);
}

static void *
work(void *arg)
{
    for (int i = 0; i < N; i++) {
        blocks((size_t)i);
        maps();
    }
    for (size_t n = 60000; n < 300000; n += 30001) {
        void *p = malloc(n);
        fill(p);
        free(p);
    }
    return arg;
}

/* A lock in memory that grows in place still orders what it guards. */
struct shared {
    pthread_mutex_t lock;
    int done;
};
static struct shared *grown;
static int grown_used;

static void *
first(void *arg)
{
    pthread_mutex_lock(&grown->lock);
    plain = 1;
    grown->done = 1;
    pthread_mutex_unlock(&grown->lock);
    __atomic_store_n(&grown_used, 1, __ATOMIC_RELAXED);
    return arg;
}

static void
grow(void)
{
    char *p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t t;
    int done = 0;

    munmap(p + PAGE, 7 * PAGE);
    grown = (struct shared *)p;
    pthread_mutex_init(&grown->lock, NULL);
    pthread_create(&t, NULL, first, NULL);
    while (__atomic_load_n(&grown_used, __ATOMIC_RELAXED) == 0)
        ;
    if (mremap(p, PAGE, 4 * PAGE, 0) == MAP_FAILED)
        abort();
    while (!done) {
        pthread_mutex_lock(&grown->lock);
        done = grown->done;
        if (done)
            plain++;
        pthread_mutex_unlock(&grown->lock);
    }
    pthread_join(t, NULL);
}

int
main(void)
{
    pthread_t t[3];

    mallopt(M_ARENA_MAX, 1); /* blocks go from thread to thread */
    grow();
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SRC
build again
run 0 "$BURL" run ./again
has err 'nothing found'

# The usable end of a block is part of it: freeing races with its use.
cat >tail.c <<'SRC'
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
static char *block;
static int used;
static void *
use(void *arg)
{
    block[malloc_usable_size(block) - 1] = 1;
    __atomic_store_n(&used, 1, __ATOMIC_RELAXED);
    return arg;
}
int
main(void)
{
    pthread_t t;
    block = malloc(17);
    pthread_create(&t, NULL, use, NULL);
    while (!__atomic_load_n(&used, __ATOMIC_RELAXED))
        ;
    free(block);
    pthread_join(t, NULL);
    return 0;
}
SRC
build tail
run 1 "$BURL" run ./tail
has err 'race.data'
has err 'frees'

# Reserved address space may be larger than the shadow: what becomes accessible in it is watched.
cat >reserved.c <<'SRC'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#define TB (1ul << 40)
#define RW (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int locked;
static long *cell;

static void *
work(void *arg)
{
    if (locked)
        pthread_mutex_lock(&guard);
    ++*cell;
    if (locked)
        pthread_mutex_unlock(&guard);
    return arg;
}

/* Twice as much as the shadow tells apart, as far as there is room. */
static char *
reserve(void)
{
    for (unsigned long n = 32; n > 17; n--) {
        char *p = mmap(NULL, n * TB, PROT_NONE, ANON, -1, 0);
        if (p != MAP_FAILED)
            return p;
    }
    exit(7);
}

/* The first 1 MB that the shadow tells from the usual places of programs and libraries. */
static char *
part(char *p)
{
    for (;; p += TB / 4) {
        unsigned long low = (unsigned long)p >> 40 & 15;
        if (low >= 1 && (low < 4 || (low >= 8 && low < 12)))
            return p;
    }
}

int
main(int argc, char **argv)
{
    char *p = part(reserve());
    pthread_t t[2];
    int failed = 0;

    locked = argc > 2;
    if (strcmp(argv[1], "mprotect") == 0)
        failed = mprotect(p, 1 << 20, RW);
    else if (strcmp(argv[1], "pkey_mprotect") == 0)
        failed = pkey_mprotect(p, 1 << 20, RW, -1);
    else if (strcmp(argv[1], "syscall") == 0)
        failed = (int)syscall(SYS_mprotect, p, 1 << 20, RW);
    else
        failed = mmap(p, 1 << 20, RW, ANON | MAP_FIXED, -1, 0) != p;
    if (failed)
        return 8;
    cell = (long *)p;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SRC
build reserved
for how in mprotect pkey_mprotect syscall fixed; do
    run 0 "$BURL" run ./reserved $how locked
    has err 'nothing found'
    hasnt err 'not observed'
    rm -rf .burl
    run 1 "$BURL" run ./reserved $how
    has err 'race.data'
    hasnt err 'not observed'
    rm -rf .burl
done

# A mapping that fails for lack of address space beside the shadow is no finding about the program.
# One that fails without burl as well is.
cat >huge.c <<'SRC'
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define TB (1ul << 40)
int
main(int argc, char **argv)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    unsigned long n = strtoul(argv[1], NULL, 10) * TB;
    void *at = argc > 3 ? (void *)0x200000000000 : NULL;

    if (mmap(at, n, PROT_READ | PROT_WRITE, flags | (at != NULL ? MAP_FIXED : 0), -1, 0) ==
        MAP_FAILED) {
        if (strcmp(argv[2], "abort") == 0)
            abort();
        return 7;
    }
    return 0;
}
SRC
build huge
for how in exit abort; do
    run 0 ./huge 60 $how
    run 4 "$BURL" run ./huge 60 $how
    has err 'not observed to the end: the program maps more memory than burl run can watch'
    has err 'nothing found'
    run 4 "$BURL" run ./huge 1 $how fixed
    has err 'the program mapped memory at a fixed address that burl run uses itself'
    has err 'nothing found'
done
run 1 "$BURL" run ./huge 200 exit
has err 'exit.nonzero'
rm -rf .burl
run 1 "$BURL" run ./huge 200 abort
has err 'crash.abort'
