/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history/file.c - the file of a recording process, and how it grows.
 *
 * No descriptor stays open: programs count on theirs having the lowest numbers, and close what
 * they do not know. The file is mapped once, beyond its end, and opened again by name whenever it
 * has to grow. Room is allocated before it is used, because a store into a hole of a full file
 * system would kill the program. When there is no room, or the name is not valid any more
 * (chroot), what follows is counted and not recorded.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "history_int.h"

#define FIRST_B (64u << 10)
#define STEP_MAX_B (16u << 20)
#define MAX_TRIES 100000u

struct burl_history *burl__history;
bool burl_history_on;

static bool
failed(long r)
{
    return r < 0 && r > -4096;
}

void *
burl__history_map(size_t n)
{
    long p = BURL_SYS6(SYS_mmap, 0, n, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return failed(p) ? NULL : (void *)p;
}

void
burl__history_lose(enum burl_wire_hist_lost what)
{
    __atomic_fetch_add(&burl__history->head->lost[what], 1, __ATOMIC_RELAXED);
}

/* The dynamic linker has the name that dlopen() was given. */
const char *
burl__history_absolute(const char *path, char buffer[BURL_WIRE_HIST_PATH_B])
{
    size_t n = strlen(path);
    long dir;

    if (path[0] == '/' || path[0] == '\0')
        return path;
    dir = BURL_SYS2(SYS_getcwd, buffer, BURL_WIRE_HIST_PATH_B);
    if (failed(dir) || (size_t)dir + n + 1 > BURL_WIRE_HIST_PATH_B)
        return path;
    buffer[dir - 1] = '/'; /* in place of the NUL, which counts */
    memcpy(buffer + dir, path, n + 1);
    return buffer;
}

/* ---- growing ------------------------------------------------------------------------------ */

/* A file that would exceed the limit of the process raises SIGXFSZ. */
static bool
is_allowed(uint64_t n)
{
    struct rlimit r;

    return !failed(BURL_SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &r)) &&
           (r.rlim_cur == RLIM_INFINITY || n <= r.rlim_cur);
}

static bool
allocate(int fd, uint64_t n)
{
    long r;

    if (!is_allowed(n))
        return false;
    r = BURL_SYS4(SYS_fallocate, fd, 0, 0, n);
    if (r != -EOPNOTSUPP)
        return !failed(r);
    /* A file system that cannot allocate; another process may have made the file larger. */
    return BURL_SYS3(SYS_lseek, fd, 0, SEEK_END) >= (long)n ||
           BURL_SYS4(SYS_pwrite64, fd, "", 1, n - 1) == 1;
}

static bool
grow(uint64_t need)
{
    struct burl_history *h = burl__history;
    uint64_t step = h->file_b < STEP_MAX_B ? h->file_b : STEP_MAX_B;
    uint64_t want = h->file_b + step > need ? h->file_b + step : need;
    bool ok;
    long fd;

    want = (want + 4095) & ~4095ull;
    if (want > h->map_b)
        want = h->map_b;
    if (need > want)
        return false;
    fd = BURL_SYS3(SYS_open, h->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (failed(fd))
        return false;
    ok = allocate((int)fd, want) || (want = (need + 4095) & ~4095ull, allocate((int)fd, want));
    BURL_SYS1(SYS_close, fd);
    if (ok)
        h->file_b = want;
    return ok;
}

/* With the lock. */
void *
burl__history_append(size_t fixed, const char *text, size_t extra, enum burl_wire_hist_lost lost)
{
    struct burl_history *h = burl__history;
    size_t text_b = text != NULL ? strlen(text) + 1 : 0;
    uint64_t bytes = (fixed + text_b + extra + 7) & ~7ull;
    struct burl_wire_hist_rec *rec;
    uint64_t off;

    /* relaxed: each process only writes to what it has added */
    off = __atomic_fetch_add(&h->head->used_b, bytes, __ATOMIC_RELAXED);
    if (off + bytes > h->map_b || (off + bytes > h->file_b && !grow(off + bytes))) {
        burl__history_lose(lost);
        return NULL;
    }
    rec = burl__history_record((uint32_t)off);
    rec->bytes = (uint32_t)bytes;
    if (text != NULL)
        memcpy((char *)rec + fixed, text, text_b);
    return rec;
}

uint32_t
burl__history_publish(void *record, enum burl_wire_hist_kind kind)
{
    struct burl_wire_hist_rec *rec = record;

    /* release: a reader that sees the kind sees the rest */
    __atomic_store_n(&rec->kind, (uint32_t)kind, __ATOMIC_RELEASE);
    return (uint32_t)((char *)record - (char *)burl__history->head);
}

/* ---- creating ----------------------------------------------------------------------------- */

static char *
append_number(char *at, uint32_t n)
{
    char digits[10];
    uint32_t k = 0;

    do {
        digits[k++] = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0);
    while (k > 0)
        *at++ = digits[--k];
    *at = '\0';
    return at;
}

/* A process id may come again, and a process may execute another program: the name has a number. */
static long
create_named(struct burl_history *h, const char *dir)
{
    size_t n = strlen(dir);
    char *number;
    long fd = -EINVAL;

    if (dir[0] != '/' || n + 40 > sizeof h->path)
        return fd;
    memcpy(h->path, dir, n);
    h->path[n] = '/';
    number = append_number(h->path + n + 1, h->pid);
    *number++ = '-';
    for (uint32_t i = 0; i < MAX_TRIES; i++) {
        char *end = append_number(number, i);

        memcpy(end, BURL_WIRE_HIST_SUFFIX, sizeof BURL_WIRE_HIST_SUFFIX);
        fd = BURL_SYS3(SYS_open, h->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd != -EEXIST)
            break;
    }
    return fd;
}

static bool
map_file(struct burl_history *h, int fd)
{
    for (h->map_b = BURL_WIRE_HIST_MAX_B; h->map_b >= FIRST_B; h->map_b /= 2) {
        long p = BURL_SYS6(SYS_mmap, 0, h->map_b, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_NORESERVE, fd, 0);

        if (!failed(p)) {
            h->head = (struct burl_wire_hist_head *)p;
            return true;
        }
    }
    return false;
}

static void
fill_head(struct burl_history *h)
{
    struct burl_wire_hist_head *head = h->head;
    long n = BURL_SYS3(SYS_readlink, "/proc/self/exe", head->program, sizeof head->program - 1);

    if (n < 0)
        head->program[0] = '\0';
    head->version = BURL_WIRE_HIST_VERSION;
    head->wire_version = BURL_WIRE_VERSION;
    head->pid = h->pid;
    head->head_b = sizeof *head;
    head->used_b = sizeof *head;
    /* release: a file with the magic has a head */
    __atomic_store_n(&head->magic, BURL_WIRE_HIST_MAGIC, __ATOMIC_RELEASE);
}

bool
burl__history_create_file(const char *dir)
{
    struct burl_history *h = burl__history;
    long fd;
    bool ok;

    h->pid = (uint32_t)BURL_SYS0(SYS_getpid);
    fd = create_named(h, dir);
    if (failed(fd))
        return false;
    h->file_b = FIRST_B;
    ok = allocate((int)fd, FIRST_B) && map_file(h, (int)fd);
    BURL_SYS1(SYS_close, fd);
    if (!ok) {
        BURL_SYS1(SYS_unlink, h->path);
        return false;
    }
    fill_head(h);
    return true;
}
