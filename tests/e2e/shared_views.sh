#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Shared memory that a process has mapped twice is one memory: a lock taken at one address is held at the
# other, and what is published at one is seen at the other. Without synchronization the accesses race.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >views.c <<'SRC'
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
struct shared {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
    sem_t sem;
    pthread_barrier_t barrier;
    pthread_cond_t cond;
    atomic_int flag;
    int ready;
    int data;
};
static struct shared *view[2];
static int apart; /* not in the shared memory: ordered by what is in it */
static const char *what;
#define IS(name) (strcmp(what, name) == 0)

static void add(struct shared *s)
{
    int v = s->data;
    s->data = v + 1;
    apart++;
}
static void exchange(struct shared *s, int first)
{
    pthread_mutex_lock(&s->mutex);
    if (first) {
        add(s);
        s->ready = 1;
        pthread_cond_signal(&s->cond);
    } else {
        while (!s->ready)
            pthread_cond_wait(&s->cond, &s->mutex);
        add(s);
    }
    pthread_mutex_unlock(&s->mutex);
}
static void *body(void *arg)
{
    const int i = (int)(long)arg;
    struct shared *s = view[i];

    if (IS("mutex") || IS("robust")) {
        pthread_mutex_lock(&s->mutex);
        add(s);
        pthread_mutex_unlock(&view[1 - i]->mutex);
    } else if (IS("rwlock")) {
        pthread_rwlock_wrlock(&s->rwlock);
        add(s);
        pthread_rwlock_unlock(&s->rwlock);
    } else if (IS("spin")) {
        pthread_spin_lock(&s->spin);
        add(s);
        pthread_spin_unlock(&s->spin);
    } else if (IS("sem")) {
        sem_wait(&s->sem);
        add(s);
        sem_post(&s->sem);
    } else if (IS("barrier")) {
        if (i == 0)
            add(s);
        pthread_barrier_wait(&s->barrier);
        if (i == 1)
            add(s);
    } else if (IS("cond")) {
        exchange(s, i == 0);
    } else if (IS("flag")) {
        if (i == 0)
            add(s);
        else
            while (!atomic_load(&s->flag))
                ;
        if (i == 0)
            atomic_store(&s->flag, 1);
        else
            add(s);
    } else if (IS("swap")) {
        while (atomic_exchange(&s->flag, 1))
            ;
        add(s);
        atomic_store(&s->flag, 0);
    } else { /* wrong */
        int v = s->data;
        s->data = v + 1;
    }
    return NULL;
}
static int open_it(const char *kind)
{
    if (strcmp(kind, "memfd") == 0)
        return memfd_create("views", 0);
    if (strcmp(kind, "shm") == 0) {
        char name[64] = "/burl-views-";
        strcat(name, what);
        const int fd = shm_open(name, O_RDWR | O_CREAT, 0600);
        shm_unlink(name);
        return fd;
    }
    return open("views.file", O_RDWR | O_CREAT, 0600);
}
static void *map(int fd, int flags)
{
    return mmap(NULL, 8192, PROT_READ | PROT_WRITE, flags, fd, 0);
}
static void init(struct shared *s)
{
    pthread_mutexattr_t m;
    pthread_rwlockattr_t r;
    pthread_barrierattr_t b;
    pthread_condattr_t c;

    memset(s, 0, sizeof *s);
    pthread_mutexattr_init(&m);
    pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
    if (IS("robust"))
        pthread_mutexattr_setrobust(&m, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&s->mutex, &m);
    pthread_rwlockattr_init(&r);
    pthread_rwlockattr_setpshared(&r, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&s->rwlock, &r);
    pthread_barrierattr_init(&b);
    pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&s->barrier, &b, 2);
    pthread_condattr_init(&c);
    pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&s->cond, &c);
    pthread_spin_init(&s->spin, PTHREAD_PROCESS_SHARED);
    sem_init(&s->sem, 1, 1);
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    int fd;

    what = argv[1];
    fd = open_it(argv[2]);
    if (ftruncate(fd, 8192) != 0)
        return 3;
    /* What was mapped and is gone is no view of it. */
    munmap(map(fd, MAP_SHARED), 8192);
    view[0] = map(fd, MAP_SHARED);
    view[1] = IS("once") ? view[0] : map(fd, MAP_SHARED);
    if (argc > 3) /* a move takes the view along */
        view[1] = mremap(view[1], 8192, 1 << 20, MREMAP_MAYMOVE);
    init(view[0]);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, body, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(view[1]->data == 2);
    return 0;
}
SRC
build views
for c in mutex robust rwlock spin sem barrier cond flag swap; do
    "$BURL" test --runs=150 --time=0 ./views $c memfd >out 2>err || fail "test: $c in two views"
    has out 'nothing found'
    "$BURL" run ./views $c memfd >out 2>err || fail "run: $c in two views"
done
# Processes that run side by side would share a file.
for kind in shm file; do
    "$BURL" test --jobs=1 --runs=150 --time=0 ./views mutex $kind >out 2>err || fail "test: mutex in $kind"
done
"$BURL" test --runs=150 --time=0 ./views mutex memfd moved >out 2>err || fail "test: a moved view"
for c in twice once; do
    rm -rf .burl
    "$BURL" test --runs=300 --time=0 ./views $c memfd >out 2>err
    [ $? -eq 1 ] || fail "test: no lock ($c)"
    has out 'data race on '
    has out "data == 2' failed"
done

# Two mappings of /dev/zero are two memories, and so are two parts of one file.
cat >two.c <<'SRC'
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static pthread_mutex_t *lock[2];
static void *body(void *arg)
{
    pthread_mutex_lock(lock[0]);
    pthread_mutex_lock(lock[1]); /* the same memory would be locked already */
    pthread_mutex_unlock(lock[1]);
    pthread_mutex_unlock(lock[0]);
    return arg;
}
int main(int argc, char **argv)
{
    const int zero = strcmp(argv[argc - 1], "zero") == 0;
    const int fd = zero ? open("/dev/zero", O_RDWR) : open("two.file", O_RDWR | O_CREAT, 0600);
    pthread_t t[2];

    if (!zero && ftruncate(fd, 8192) != 0)
        return 3;
    for (int i = 0; i < 2; i++) {
        lock[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, zero ? 0 : i * 4096);
        pthread_mutex_init(lock[i], NULL);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SRC
build two
for c in zero parts; do
    "$BURL" test --jobs=1 --runs=100 --time=0 ./two $c >out 2>err || fail "two memories ($c)"
    has out 'nothing found'
done

# A lock that another process left locked in a file. A robust one is given back with EOWNERDEAD, once.
cat >left.c <<'SRC'
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
struct shared {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    int data;
};
static struct shared *s;
static int died;
static void *body(void *arg)
{
    const int r = pthread_mutex_lock(&s->mutex);

    if (r == EOWNERDEAD) {
        pthread_mutex_consistent(&s->mutex);
        died++;
    } else if (r != 0) {
        abort();
    }
    s->data++;
    pthread_mutex_unlock(&s->mutex);
    return arg;
}
static void leave_locked(int robust)
{
    pthread_mutexattr_t a;

    memset(s, 0, sizeof *s);
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    if (robust)
        pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&s->mutex, &a);
    pthread_mutex_lock(&s->mutex);
    _exit(0);
}
int main(int argc, char **argv)
{
    const int fd = open("left.file", O_RDWR | O_CREAT, 0600);
    pthread_t t[2];
    int before;

    if (ftruncate(fd, 4096) != 0)
        return 3;
    s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (strcmp(argv[1], "leave") == 0)
        leave_locked(argc > 2);
    before = s->data;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return s->data != before + 2 || died != (argc > 2);
}
SRC
build left
for robust in '' robust; do
    rm -f left.file
    ./left leave $robust
    "$BURL" test --jobs=1 --runs=150 --time=0 ./left use $robust >out 2>err || fail "a lock left locked ($robust)"
    has out 'nothing found'
done

# Values are not read through a mapping that cannot be read.
cat >unreadable.c <<'SRC'
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *count;
static void *body(void *arg)
{
    pthread_mutex_lock(&m);
    ++*count;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(int argc, char **argv)
{
    const int fd = memfd_create("views", 0);
    const int first = argc > 1 ? PROT_READ | PROT_WRITE : PROT_NONE;
    pthread_t t[2];
    void *hidden;

    if (ftruncate(fd, 4096) != 0)
        return 3;
    hidden = mmap(NULL, 4096, first, MAP_SHARED, fd, 0);
    count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *count = 0;
    mprotect(hidden, 4096, PROT_NONE);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return *count != 2;
}
SRC
build unreadable
for later in '' later; do
    "$BURL" test --jobs=1 --runs=50 --time=0 ./unreadable $later >out 2>err || fail "unreadable $later"
    has out 'nothing found'
done
