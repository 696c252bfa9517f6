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
 * Restoring goes page by page. A page that no execution has changed so far is compared and left
 * alone, which is half the work of copying it and leaves the processor's caches to the program;
 * most such pages are zero, like most of libc's, and are compared with one page of zeros for all of
 * them. A page that was once changed is copied without asking. guard.c may know that the others
 * need not even be compared. Above MAX_SNAPSHOT_B forking is cheaper.
 */
#include <string.h>
#include <sys/mman.h>

#include "reset.h"
#include "rt/arch/fiber.h"
#include "rt/core/core.h"
#include "rt/core/sys.h"
#include "rt/core/upcalls.h"
#include "rt/engine/fibers.h"

#define MAX_EXCLUDED 8192u
#define MAX_REGIONS 1024u
#define MAX_SNAPSHOT_B (16ull << 20)
#define MAPS_B (1u << 20)
#define PAGE_B 4096u

struct region {
    uintptr_t start;
    uintptr_t end;
    bool fixed; /* may not be protected: the main stack grows, code must stay executable */
};

/* A part of a region, at most PAGE_B long. */
struct page {
    char *live;
    const char *saved; /* zeros: nothing but zeros */
    uint32_t size_b;
    bool changes;   /* an execution has changed it, or the kernel may at any time */
    bool fixed;     /* see struct region */
    bool protected; /* just now: by burl__snapshot_protect() */
};

static struct range excluded[MAX_EXCLUDED];
static uint32_t n_excluded;
static struct region regions[MAX_REGIONS];
static uint32_t n_regions;
static uint64_t total_b;
static char *store;
static uint64_t store_b;
static char *maps;
static struct page *pages;
static uint32_t n_pages;
static uint32_t max_pages;
static const char zeros[PAGE_B];

void
burl__snapshot_exclude(uintptr_t start, uintptr_t end)
{
    if (n_excluded < MAX_EXCLUDED)
        excluded[n_excluded++] = (struct range){ start, end };
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
add_region(uintptr_t start, uintptr_t end, bool fixed)
{
    if (start >= end || n_regions >= MAX_REGIONS)
        return;
    regions[n_regions++] = (struct region){ .start = start, .end = end, .fixed = fixed };
    total_b += end - start;
}

/* Adds [start, end) less everything excluded. */
static void
add_without_excluded(uintptr_t start, uintptr_t end, bool fixed)
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
        add_region(start, cut_start, fixed);
        start = cut_end;
    }
}

static bool
is_zero(const char *p, size_t n)
{
    return memcmp(p, zeros, n) == 0;
}

/* libc's heap is not used while the program is controlled: behind the last page in use it is zero,
 * and no pointer leads to it. */
static uintptr_t
without_zero_tail(uintptr_t start, uintptr_t end)
{
    while (end > start && is_zero((const char *)(end - PAGE_B), PAGE_B))
        end -= PAGE_B;
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
        add_region(burl_rt.main_stack_base & ~(uintptr_t)15, end, true);
    else if (line_has(p, line_end, "[heap]"))
        add_without_excluded(start, without_zero_tail(start, end), p[2] == 'x');
    else
        add_without_excluded(start, end, p[2] == 'x');
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

/* At the main thread's control block: libc's area for restartable sequences is in it. */
static bool
kernel_writes(uintptr_t at)
{
    uintptr_t fs = burl_fiber_fs_base();

    return at + PAGE_B > fs - PAGE_B && at < fs + PAGE_B;
}

/* Saves the region at `saved`; returns where the next one goes. */
static char *
save_region(const struct region *r, char *saved)
{
    for (uintptr_t at = r->start; at < r->end;) {
        struct page *p = &pages[n_pages++];
        uintptr_t end = (at | (PAGE_B - 1)) + 1;

        p->live = (char *)at;
        p->size_b = (uint32_t)((end < r->end ? end : r->end) - at);
        p->changes = kernel_writes(at);
        p->fixed = r->fixed || p->size_b != PAGE_B;
        p->protected = false;
        memcpy(saved, p->live, p->size_b);
        p->saved = is_zero(saved, p->size_b) ? zeros : saved;
        saved += p->size_b;
        at += p->size_b;
    }
    return saved;
}

/* Room for the copy and for what is known of each page; may map memory. */
static void
make_room(void)
{
    uint32_t most = (uint32_t)(total_b / PAGE_B) + 2 * n_regions;

    if (store_b < total_b) {
        store_b = (total_b + (1u << 20)) & ~(uint64_t)4095;
        store = burl__mem_map(store_b);
    }
    if (max_pages < most) {
        max_pages = most + 256;
        pages = burl__mem_map((max_pages * sizeof *pages + PAGE_B - 1) & ~(size_t)(PAGE_B - 1));
    }
}

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
    make_room();
    read_maps();
    choose_regions(); /* what was mapped may have been merged with a neighboring mapping */
    at = store;
    n_pages = 0;
    for (uint32_t i = 0; i < n_regions; i++)
        at = save_region(&regions[i], at);
    burl__fibers_save();
    burl_rt.ctl->snapshot_b = total_b;
    return true;
}

static bool
is_to_turn(const struct page *p, bool on)
{
    return on ? !p->changes && !p->fixed : p->protected;
}

/* One call for each run of neighboring pages. Called in signal handlers. */
void
burl__snapshot_protect(bool on)
{
    uint32_t first = 0;

    while (first < n_pages) {
        uint32_t i = first;
        uintptr_t n;

        while (i < n_pages && is_to_turn(&pages[i], on) &&
               pages[i].live == pages[first].live + (i - first) * PAGE_B)
            i++;
        n = (i - first) * PAGE_B;
        if (n != 0 && BURL_SYS3(SYS_mprotect, pages[first].live, n,
                                on ? PROT_READ : PROT_READ | PROT_WRITE) == 0) {
            for (uint32_t k = first; k < i; k++)
                pages[k].protected = on;
        }
        first = i > first ? i : first + 1;
    }
}

bool
burl__snapshot_open(uintptr_t addr)
{
    for (uint32_t i = 0; i < n_pages; i++) {
        struct page *p = &pages[i];

        if (!p->protected || addr - (uintptr_t)p->live >= PAGE_B)
            continue;
        p->changes = true;
        p->protected = false;
        return BURL_SYS3(SYS_mprotect, p->live, PAGE_B, PROT_READ | PROT_WRITE) == 0;
    }
    return false;
}

void
burl__snapshot_restore(bool clean)
{
    for (uint32_t i = 0; i < n_pages; i++) {
        struct page *p = &pages[i];

        /* One that is neither protected nor known to change is looked at always. */
        if (p->changes || (!(clean && p->protected) && memcmp(p->live, p->saved, p->size_b) != 0)) {
            memcpy(p->live, p->saved, p->size_b);
            p->changes = true;
        }
    }
    burl__fibers_restore();
}
