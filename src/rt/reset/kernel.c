/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - what the kernel keeps for the program and a copy of memory does not bring back:
 * descriptors, mappings, file offsets, the program's output file.
 *
 * Undone: descriptors the execution opened are closed, mappings it made are unmapped; before the
 * next execution standard input is rewound and the output file emptied, which the host may read
 * until then. Not undone, but noticed, which makes the process give up the snapshot for fork: a
 * descriptor that existed before was closed, a mapping that existed before changed.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reset.h"
#include "rt/core/core.h"
#include "rt/core/sys.h"
#include "rt/core/verdict.h"

#define MAX_FDS 4096u
#define MAX_MAPS 4096u

static uint8_t open_at_mark[MAX_FDS / 8];
static int lowest_free;
static bool input_seekable;
static int64_t input_offset;
static bool output_is_file;

static struct range made[MAX_MAPS];
static uint32_t n_made;

static bool
is_open(int fd)
{
    return BURL_SYS3(SYS_fcntl, fd, F_GETFD, 0) >= 0;
}

/* The lowest number the kernel would give to a new descriptor: one cheap question that notices both
 * leaks and closed ones, except for a close followed by an open of the same number. */
static int
ask_lowest_free(void)
{
    long fd = BURL_SYS3(SYS_fcntl, 2, F_DUPFD_CLOEXEC, 0);

    if (fd < 0)
        fd = BURL_SYS3(SYS_open, "/", O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0)
        BURL_SYS1(SYS_close, fd);
    return (int)fd;
}

static void
mark_open(uint32_t fd)
{
    open_at_mark[fd / 8] |= (uint8_t)(1u << (fd % 8));
}

/* A directory entry as the kernel writes it. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t size_b;
    uint8_t type;
    char name[];
};

/* A number in decimal; UINT32_MAX when it is none, or none that we can remember. */
static uint32_t
number_of(const char *s)
{
    uint32_t n = 0;

    if (*s == '\0')
        return UINT32_MAX;
    for (; *s != '\0'; s++) {
        if (*s < '0' || *s > '9' || n >= MAX_FDS)
            return UINT32_MAX;
        n = n * 10 + (uint32_t)(*s - '0');
    }
    return n < MAX_FDS ? n : UINT32_MAX;
}

/* Marks what is open by the kernel's own list. False: there is none here. Asking for every number
 * instead is thousands of system calls, an eighth of what a fresh process costs. */
static bool
mark_listed(void)
{
    _Alignas(struct entry) char buf[2048];
    long dir = BURL_SYS3(SYS_open, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    long n;

    if (dir < 0)
        return false;
    while ((n = BURL_SYS3(SYS_getdents64, dir, buf, sizeof buf)) > 0) {
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(buf + at);
            uint32_t fd = number_of(e->name);

            if (fd != UINT32_MAX && fd != (uint32_t)dir)
                mark_open(fd);
            at += e->size_b;
        }
    }
    BURL_SYS1(SYS_close, dir);
    return n == 0;
}

void
burl__kernel_mark(void)
{
    struct stat st;

    memset(open_at_mark, 0, sizeof open_at_mark);
    if (!mark_listed()) {
        for (uint32_t fd = 0; fd < MAX_FDS; fd++) {
            if (is_open((int)fd))
                mark_open(fd);
        }
    }
    lowest_free = ask_lowest_free();
    input_offset = BURL_SYS3(SYS_lseek, 0, 0, SEEK_CUR);
    input_seekable = input_offset >= 0 && BURL_SYS2(SYS_fstat, 0, &st) == 0 && S_ISREG(st.st_mode);
    output_is_file = BURL_SYS2(SYS_fstat, 1, &st) == 0 && S_ISREG(st.st_mode);
    n_made = 0;
}

/* Closes what is new; false when something old is gone. */
static bool
restore_descriptors(void)
{
    bool whole = true;

    for (uint32_t fd = 0; fd < MAX_FDS; fd++) {
        bool was = (open_at_mark[fd / 8] & (1u << (fd % 8))) != 0;

        if (was && !is_open((int)fd))
            whole = false;
        else if (!was)
            BURL_SYS1(SYS_close, fd);
    }
    return whole && ask_lowest_free() == lowest_free;
}

void
burl__kernel_reset_files(void)
{
    if (input_seekable)
        BURL_SYS3(SYS_lseek, 0, input_offset, SEEK_SET);
    if (output_is_file && BURL_SYS3(SYS_lseek, 1, 0, SEEK_END) > 0) {
        BURL_SYS2(SYS_ftruncate, 1, 0);
        BURL_SYS3(SYS_lseek, 1, 0, SEEK_SET);
    }
}

bool
burl__kernel_restore(void)
{
    bool whole = true;

    for (uint32_t i = 0; i < n_made; i++)
        BURL_SYS2(SYS_munmap, made[i].start, made[i].end - made[i].start);
    n_made = 0;
    if (ask_lowest_free() != lowest_free)
        whole = restore_descriptors();
    return whole;
}

void
burl__kernel_note_map(uintptr_t addr, size_t n)
{
    if (n_made >= MAX_MAPS) {
        burl_rt_irreversible("the program made more mappings than can be undone");
        return;
    }
    made[n_made++] = (struct range){ addr, addr + ((n + 4095) & ~(size_t)4095) };
}

/* Takes [addr, addr+n) out of the list; splits when it lies inside one. What was not there
 * before this execution need not be undone; anything else cannot be. */
void
burl__kernel_note_unmap(uintptr_t addr, size_t n)
{
    uintptr_t end = addr + ((n + 4095) & ~(size_t)4095);
    uintptr_t covered = 0;

    for (uint32_t i = 0; i < n_made; i++) {
        uintptr_t s = made[i].start > addr ? made[i].start : addr;
        uintptr_t e = made[i].end < end ? made[i].end : end;

        if (s >= e)
            continue;
        covered += e - s;
        if (made[i].start < s && made[i].end > e)
            burl__kernel_note_map(e, made[i].end - e);
        if (made[i].start < s)
            made[i].end = s;
        else
            made[i].start = e;
    }
    if (covered < end - addr)
        burl_rt_irreversible("the program unmapped memory that was there before main");
}

bool
burl__kernel_made(uintptr_t addr, size_t n)
{
    for (uint32_t i = 0; i < n_made; i++) {
        if (addr >= made[i].start && addr + n <= made[i].end)
            return true;
    }
    return false;
}
