/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - the program's writable memory, saved once before main and put back after every
 * execution.
 *
 * Saved: every private writable mapping of the process at that moment (data of the program and of
 * all libraries, libc's heap, anonymous mappings), the main stack from our main upwards, and the
 * tops of the donors' stacks. Not saved: the runtime's own data and mappings, our heap (emptied
 * instead), the control block. What the kernel keeps for the process is kernel.c's.
 *
 * Restoring copies everything, without asking what changed: for the few hundred kilobytes of a
 * typical test that is faster than any way of finding out. Above MAX_SNAPSHOT_B forking is cheaper.
 */
#include <string.h>

#include "../rt_core.h"
#include "../rt_sys.h"

#define MAX_EXCLUDED 8192u
#define MAX_REGIONS 1024u
#define MAX_SNAPSHOT_B (16ull << 20)
#define MAPS_B (1u << 20)
#define PAGE_B 4096u

struct region {
    uintptr_t start;
    uintptr_t end;
    char *saved;
};

static struct {
    uintptr_t start;
    uintptr_t end;
} excluded[MAX_EXCLUDED];
static uint32_t n_excluded;
static struct region regions[MAX_REGIONS];
static uint32_t n_regions;
static uint64_t total_b;
static char *store;
static uint64_t store_b;
static char *maps;

void
burl__snapshot_exclude(uintptr_t start, uintptr_t end)
{
    if (n_excluded < MAX_EXCLUDED) {
        excluded[n_excluded].start = start;
        excluded[n_excluded].end = end;
        n_excluded++;
    }
}

/* ---- reading /proc/self/maps --------------------------------------------- */

static size_t
read_maps(void)
{
    long fd = BURL_SYS3(SYS_open, "/proc/self/maps", 0, 0);
    size_t n = 0;
    long got;

    if (maps == NULL)
        maps = burl__mem_map(MAPS_B);
    if (fd < 0)
        return 0;
    while ((got = BURL_SYS3(SYS_read, fd, maps + n, MAPS_B - 1 - n)) > 0)
        n += (size_t)got;
    BURL_SYS1(SYS_close, fd);
    maps[n] = '\0';
    return n;
}

static const char *
parse_hex(const char *p, uintptr_t *out)
{
    uintptr_t v = 0;

    for (;; p++) {
        if (*p >= '0' && *p <= '9')
            v = v * 16 + (uintptr_t)(*p - '0');
        else if (*p >= 'a' && *p <= 'f')
            v = v * 16 + (uintptr_t)(*p - 'a' + 10);
        else
            break;
    }
    *out = v;
    return p;
}

static bool
line_has(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);

    for (; p + n <= end; p++) {
        if (memcmp(p, word, n) == 0)
            return true;
    }
    return false;
}

/* ---- choosing regions ---------------------------------------------------- */

static void
add_region(uintptr_t start, uintptr_t end)
{
    if (start >= end || n_regions >= MAX_REGIONS)
        return;
    regions[n_regions].start = start;
    regions[n_regions].end = end;
    n_regions++;
    total_b += end - start;
}

/* Adds [start, end) less everything excluded. */
static void
add_without_excluded(uintptr_t start, uintptr_t end)
{
    while (start < end) {
        uintptr_t cut_start = end;
        uintptr_t cut_end = end;

        for (uint32_t i = 0; i < n_excluded; i++) {
            if (excluded[i].end <= start || excluded[i].start >= end)
                continue;
            if (excluded[i].start < cut_start) {
                cut_start = excluded[i].start < start ? start : excluded[i].start;
                cut_end = excluded[i].end;
            }
        }
        add_region(start, cut_start);
        start = cut_end;
    }
}

/* libc's heap serves nobody while the program is controlled: behind the last page in use it is
 * zero and nobody holds a pointer to it. */
static uintptr_t
without_zero_tail(uintptr_t start, uintptr_t end)
{
    while (end > start) {
        const uint64_t *page = (const uint64_t *)(end - PAGE_B);

        for (size_t i = 0; i < PAGE_B / sizeof *page; i++) {
            if (page[i] != 0)
                return end;
        }
        end -= PAGE_B;
    }
    return end;
}

static void
add_line(const char *line, const char *line_end)
{
    uintptr_t start;
    uintptr_t end;
    const char *p = parse_hex(line, &start);

    p = parse_hex(p + 1, &end);
    p++; /* permissions: rwxp */
    if (p[0] != 'r' || p[1] != 'w' || p[3] != 'p')
        return;
    if (line_has(p, line_end, "[stack]"))
        add_region(burl_rt.main_stack_base & ~(uintptr_t)15, end);
    else if (line_has(p, line_end, "[heap]"))
        add_without_excluded(start, without_zero_tail(start, end));
    else
        add_without_excluded(start, end);
}

static void
choose_regions(void)
{
    const char *p = maps;

    n_regions = 0;
    total_b = 0;
    while (*p != '\0') {
        const char *end = strchr(p, '\n');

        if (end == NULL)
            break;
        add_line(p, end);
        p = end + 1;
    }
}

/* ---- saving and restoring ------------------------------------------------ */

bool
burl__snapshot_take(void)
{
    char *at;

    /* Twice: the first reading may itself map memory (ours, and excluded by then). */
    read_maps();
    if (read_maps() == 0)
        return false;
    choose_regions();
    if (total_b > MAX_SNAPSHOT_B || n_regions >= MAX_REGIONS || n_excluded >= MAX_EXCLUDED)
        return false;
    if (store_b < total_b) {
        store_b = (total_b + (1u << 20)) & ~(uint64_t)4095;
        store = burl__mem_map(store_b);
        read_maps();
        choose_regions(); /* the store may have been merged with a neighbouring mapping */
    }
    at = store;
    for (uint32_t i = 0; i < n_regions; i++) {
        regions[i].saved = at;
        memcpy(at, (const void *)regions[i].start, regions[i].end - regions[i].start);
        at += regions[i].end - regions[i].start;
    }
    burl__fibers_save();
    burl_rt.ctl->snapshot_b = total_b;
    return true;
}

void
burl__snapshot_restore(void)
{
    for (uint32_t i = 0; i < n_regions; i++)
        memcpy((void *)regions[i].start, regions[i].saved, regions[i].end - regions[i].start);
    burl__fibers_restore();
}
