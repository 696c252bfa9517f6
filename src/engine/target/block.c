/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/block.c - the control block of a process: its areas, and how the process finds it.
 *
 * Runs in the host. Areas lie one after the other behind the head, in the order of enum
 * burl__area. Their offsets are computed from our own constants each time: the program may have
 * overwritten the head.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/target/process.h"
#include "engine/target/target.h"

/* Same number in every process of a campaign, out of the way of the program's own. */
#define CTL_FD_MIN 198

/* Larger than what most users have in their environment. */
#define STACK_ROUND 65536u

extern char **environ;

/* ---- areas ------------------------------------------------------------------------- */

static uint64_t
page_up(uint64_t n)
{
    return (n + 4095) & ~4095ull;
}

/* The memfd is sparse: what is not used costs nothing. */
static uint64_t
area_b(enum burl__area a)
{
    static const uint64_t sizes[BURL__AREA__N] = {
        [BURL__AREA_POINTS] = BURL__BLOCK_SITES,
        [BURL__AREA_POINTS_NEW] = BURL__BLOCK_SITES,
        [BURL__AREA_GATES_NEW] = BURL__BLOCK_SITES * sizeof(uint32_t),
        [BURL__AREA_PROFILE] = sizeof(struct burl_wire_profile),
        [BURL__AREA_PROFILE_NEW] = sizeof(struct burl_wire_profile),
        [BURL__AREA_SCHED_IN] = BURL__BLOCK_SWITCHES * sizeof(struct burl_wire_switch),
        [BURL__AREA_SCHED_OUT] = BURL__BLOCK_SWITCHES * sizeof(struct burl_wire_switch),
        [BURL__AREA_TRACE] = BURL__BLOCK_EVENTS * sizeof(struct burl_wire_event),
        [BURL__AREA_SEARCH] = BURL__BLOCK_SEARCH_B,
        [BURL__AREA_COVER] = sizeof(struct burl_wire_cover),
        [BURL__AREA_MAIL_IN] = BURL_MAIL_IN_B,
        [BURL__AREA_MAIL_OUT] = BURL_MAIL_OUT_B,
    };

    return page_up(sizes[a]);
}

/* Of the first byte of an area; of BURL__AREA__N: the size of the whole. */
static uint64_t
area_off(enum burl__area a)
{
    uint64_t off = page_up(sizeof(struct burl_wire_ctl));

    for (uint32_t i = 0; i < a; i++)
        off += area_b(i);
    return off;
}

void *
burl__block_area(struct burl_wire_ctl *ctl, enum burl__area a)
{
    return (char *)ctl + area_off(a);
}

uint8_t *
burl_target_points(struct burl_target *t)
{
    return burl__block_area(t->ctl, BURL__AREA_POINTS);
}

uint8_t *
burl_target_points_new(struct burl_target *t)
{
    return burl__block_area(t->ctl, BURL__AREA_POINTS_NEW);
}

const uint32_t *
burl_target_gates_new(struct burl_target *t)
{
    return burl__block_area(t->ctl, BURL__AREA_GATES_NEW);
}

struct burl_wire_profile *
burl_target_profile(struct burl_target *t)
{
    return burl__block_area(t->ctl, BURL__AREA_PROFILE);
}

const struct burl_wire_profile *
burl_target_profile_new(struct burl_target *t)
{
    return burl__block_area(t->ctl, BURL__AREA_PROFILE_NEW);
}

void *
burl_target_mail_in(struct burl_wire_ctl *ctl)
{
    return burl__block_area(ctl, BURL__AREA_MAIL_IN);
}

void *
burl_target_mail_out(struct burl_wire_ctl *ctl)
{
    return burl__block_area(ctl, BURL__AREA_MAIL_OUT);
}

void
burl_target_block_cover(struct burl_wire_ctl *ctl)
{
    ctl->cover_off = area_off(BURL__AREA_COVER);
}

static const struct burl_wire_cover *
cover_area(const struct burl_wire_ctl *ctl)
{
    return (const void *)((const char *)ctl + area_off(BURL__AREA_COVER));
}

const struct burl_wire_cover_item *
burl_target_block_items(const struct burl_wire_ctl *ctl, uint32_t *n)
{
    const struct burl_wire_cover *c = cover_area(ctl);
    /* pairs with the release store of the runtime after it has filled an item */
    const uint32_t written = __atomic_load_n(&c->n, __ATOMIC_ACQUIRE);

    *n = written < BURL_WIRE_COVER_ITEMS ? written : BURL_WIRE_COVER_ITEMS;
    return c->items;
}

uint32_t
burl_target_block_items_lost(const struct burl_wire_ctl *ctl)
{
    /* relaxed is enough: a number for people */
    return __atomic_load_n(&cover_area(ctl)->n_lost, __ATOMIC_RELAXED);
}

const struct burl_wire_cover_item *
burl_target_new_items(struct burl_target *t, uint32_t *n)
{
    const uint32_t seen = t->cover_seen;
    const struct burl_wire_cover_item *items;

    *n = 0;
    if (!t->cover)
        return NULL;
    items = burl_target_block_items(t->ctl, n);
    if (*n < seen) { /* the program wrote over our memory */
        *n = 0;
        return items;
    }
    t->cover_seen = *n;
    *n -= seen;
    return items + seen;
}

/* ---- the whole --------------------------------------------------------------------- */

static void
fill_head(struct burl_wire_ctl *c, enum burl_wire_engine engine, enum burl_wire_reset reset)
{
    c->magic = BURL_WIRE_CTL_MAGIC;
    c->version = BURL_WIRE_VERSION;
    c->engine = (uint32_t)engine;
    c->reset = (uint32_t)reset;
    c->host_pid = (uint32_t)getpid();
    c->points_off = area_off(BURL__AREA_POINTS);
    c->points_n = BURL__BLOCK_SITES;
    c->points_new_off = area_off(BURL__AREA_POINTS_NEW);
    c->gates_new_off = area_off(BURL__AREA_GATES_NEW);
    c->profile_off = area_off(BURL__AREA_PROFILE);
    c->profile_new_off = area_off(BURL__AREA_PROFILE_NEW);
    c->sched_in_off = area_off(BURL__AREA_SCHED_IN);
    c->sched_in_n = BURL__BLOCK_SWITCHES;
    c->sched_out_off = area_off(BURL__AREA_SCHED_OUT);
    c->sched_out_n = BURL__BLOCK_SWITCHES;
    c->trace_off = area_off(BURL__AREA_TRACE);
    c->trace_n = BURL__BLOCK_EVENTS;
    c->search_off = area_off(BURL__AREA_SEARCH);
    c->search_b = BURL__BLOCK_SEARCH_B;
    /* cover_off: burl_target_block_cover() */
    c->mail_in_off = area_off(BURL__AREA_MAIL_IN);
    c->mail_out_off = area_off(BURL__AREA_MAIL_OUT);
    c->size_b = area_off(BURL__AREA__N);
    c->order.kind = BURL_ORDER_KIND_HELLO;
    c->turn = BURL_TURN_TARGET;
}

enum burl_status
burl_target_block_new(struct burl_wire_ctl **ctl, size_t *map_b, int *fd,
                      enum burl_wire_engine engine, enum burl_wire_reset reset,
                      struct burl_err *err)
{
    struct burl_wire_ctl *head = burl_xcalloc(1, sizeof *head);
    enum burl_status st = BURL_OK;
    void *map = MAP_FAILED;
    int mem_fd;

    *ctl = NULL;
    *fd = -1;
    fill_head(head, engine, reset);
    mem_fd = memfd_create("burl-control", 0);
    if (mem_fd >= 0) {
        *fd = fcntl(mem_fd, F_DUPFD, CTL_FD_MIN);
        close(mem_fd);
    }
    if (*fd < 0) {
        st = burl_err_set(err, BURL_E_IO, errno, "cannot create the control block");
        goto done;
    }
    if (ftruncate(*fd, (off_t)head->size_b) == 0)
        map = mmap(NULL, head->size_b, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (map == MAP_FAILED) {
        st = burl_err_set(err, BURL_E_IO, errno, "cannot map the control block of %llu MB",
                          (unsigned long long)(head->size_b >> 20));
        close(*fd);
        *fd = -1;
        goto done;
    }
    memcpy(map, head, sizeof *head);
    *ctl = map;
    *map_b = head->size_b;
done:
    free(head);
    return st;
}

void
burl_target_block_free(struct burl_wire_ctl *ctl, size_t map_b)
{
    if (ctl)
        munmap(ctl, map_b);
}

/* Bytes that the kernel puts above the stack of a process for these strings and their pointers. */
static size_t
strings_b(const char *const *v)
{
    size_t n = sizeof *v;

    for (size_t i = 0; v[i]; i++)
        n += strlen(v[i]) + 1 + sizeof *v;
    return n;
}

/* Addresses of the main stack depend on the length of the arguments and of the environment, and
 * what is hashed by address would differ from one directory or user to another. */
static char *
pad_entry(char *entry, const char *const *argv, const char *const *envp)
{
    const size_t used = strings_b(argv) + strings_b(envp) + strlen(argv[0]) + 1;
    char *padded = burl_xasprintf("%s%*s", entry, (int)(STACK_ROUND - used % STACK_ROUND), "");

    free(entry);
    return padded;
}

/* Does an entry of `v` set the variable of this entry? */
static bool
is_set_by(const char *entry, const char *const *v)
{
    const size_t n = strcspn(entry, "=") + 1;

    for (size_t i = 0; v && v[i]; i++) {
        if (strncmp(v[i], entry, n) == 0)
            return true;
    }
    return false;
}

char **
burl_target_env_new(int fd, const char *const *argv, const char *const *more)
{
    static const char key[] = BURL_WIRE_ENV_CTL "=";
    size_t n = 0;
    size_t n_more = 0;
    size_t used = 0;
    char **e;

    while (environ[n])
        n++;
    while (more && more[n_more])
        n_more++;
    e = burl_xcalloc(n + n_more + 2, sizeof *e);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(environ[i], key, sizeof key - 1) != 0 && !is_set_by(environ[i], more))
            e[used++] = burl_xstrdup(environ[i]);
    }
    for (size_t i = 0; i < n_more; i++) {
        if (strncmp(more[i], key, sizeof key - 1) != 0 && !is_set_by(more[i], more + i + 1))
            e[used++] = burl_xstrdup(more[i]);
    }
    e[used] = burl_xasprintf("%s%d", key, fd);
    if (argv)
        e[used] = pad_entry(e[used], argv, (const char *const *)e);
    return e;
}

void
burl_target_env_free(char **envp)
{
    if (!envp)
        return;
    for (size_t i = 0; envp[i]; i++)
        free(envp[i]);
    free(envp);
}
