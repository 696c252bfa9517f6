/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/block.c - the control block of a process: its areas, and how the process finds it.
 *
 * Runs in the host. Areas lie one after the other behind the head, in the order of enum
 * burl__area. Their offsets are computed from our own constants each time: the program may have
 * overwritten the head. This file writes the shared block; what reads it is door.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "engine/target/process.h"
#include "engine/target/target.h"

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

void
burl_target_put(struct burl_target *t, enum burl_target_area area, const void *bytes, size_t n)
{
    static const enum burl__area areas[] = {
        [BURL_TARGET_POINTS] = BURL__AREA_POINTS,     [BURL_TARGET_PROFILE] = BURL__AREA_PROFILE,
        [BURL_TARGET_SCHED_IN] = BURL__AREA_SCHED_IN, [BURL_TARGET_SEARCH] = BURL__AREA_SEARCH,
        [BURL_TARGET_MAIL_IN] = BURL__AREA_MAIL_IN,
    };

    burl__block_put(&t->block, areas[area], bytes, n);
}

void
burl__block_put(struct burl_block *b, enum burl__area a, const void *bytes, size_t n)
{
    BURL_ASSERT(n <= area_b(a));
    if (n == 0)
        return;
    memcpy(burl__block_area(b->shared, a), bytes, n);
    if (a == BURL__AREA_POINTS) /* compared after each order */
        memcpy(burl__block_area(b->copy, a), bytes, n);
}

void
burl_target_settle(struct burl_target *t, const struct burl_wire_settled *table, uint32_t n)
{
    struct burl_wire_ctl *both[] = { t->block.copy, t->block.shared };

    for (size_t i = 0; i < 2; i++) {
        if (table)
            memcpy(both[i]->settled, table, sizeof both[i]->settled);
        both[i]->n_settled = n;
    }
}

void
burl__block_order(struct burl_block *b, const struct burl_wire_order *order)
{
    /* With CHECK_TWICE every seed is two executions, and the one at hand may be begun. */
    b->max_done = order->n_execs <= UINT64_MAX / 4 ? order->n_execs * 2 + 2 : UINT64_MAX;
    b->taken = 0;
    b->copy->order = *order;
    b->shared->order = *order;
    b->shared->live.execs = 0;
}

enum burl_status
burl_target_block_load(struct burl_block *b, const struct burl_wire_order *order,
                       const struct burl_wire_switch *sched_in, size_t n, struct burl_err *err)
{
    if (n > BURL__BLOCK_SWITCHES)
        return burl_err_set(err, BURL_E_LIMIT, 0,
                            "a schedule of %zu switches is too long (limit %u)", n,
                            BURL__BLOCK_SWITCHES);
    burl__block_put(b, BURL__AREA_SCHED_IN, sched_in, n * sizeof *sched_in);
    burl__block_order(b, order);
    return BURL_OK;
}

void
burl_target_cut_order(struct burl_target *t)
{
    t->block.copy->order.n_execs = 0;
    /* relaxed: a wish, see wire/search.h */
    __atomic_store_n(&t->block.shared->order.n_execs, 0, __ATOMIC_RELAXED);
}

void
burl_target_empty_mail(struct burl_target *t)
{
    memset(burl__block_area(t->block.shared, BURL__AREA_MAIL_OUT), 0, sizeof(struct burl_mail_out));
}

void
burl_target_block_cover(struct burl_block *b)
{
    b->cover = true;
    b->copy->cover_off = b->shared->cover_off = area_off(BURL__AREA_COVER);
}

const struct burl_wire_cover_item *
burl_target_new_items(struct burl_target *t, uint32_t *n)
{
    const uint32_t seen = t->cover_seen;
    const struct burl_wire_cover_item *items = burl_door_items(&t->block, n);

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

/* The limit of the user's that keeps us from mapping the block, with what to do. */
static const char *
limit_hint(int sys)
{
    struct rlimit r;

    if (sys == EFBIG)
        return "; the limit on the size of files is too low: raise it with `ulimit -f unlimited`";
    if (sys == ENOMEM && getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
        return "; the limit on virtual memory is too low: raise it with `ulimit -v unlimited`";
    if (sys == ENOMEM && getrlimit(RLIMIT_DATA, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
        return "; the limit on data is too low: raise it with `ulimit -d unlimited`";
    return "";
}

enum burl_status
burl_target_block_new(struct burl_block *b, int *fd, enum burl_wire_engine engine,
                      enum burl_wire_reset reset, struct burl_err *err)
{
    const size_t size_b = area_off(BURL__AREA__N);
    char name[sizeof "burl-control." + BURL_GUARD_MARK_B];
    void *shared = MAP_FAILED;
    void *copy;
    int mem_fd;

    *b = (struct burl_block){ .map_b = size_b, .max_done = UINT64_MAX };
    *fd = -1;
    /* The guard knows processes of ours by this name. */
    snprintf(name, sizeof name, "burl-control.%s", burl_guard_mark());
    mem_fd = memfd_create(name, 0);
    if (mem_fd >= 0) {
        *fd = fcntl(mem_fd, F_DUPFD, BURL_TARGET_CTL_FD);
        close(mem_fd);
    }
    if (mem_fd >= 0 && *fd < 0)
        return burl_err_set(err, BURL_E_IO, 0,
                            "cannot create the control block: it needs a descriptor above %d, and "
                            "the limit on open files is lower or reached; raise it, for example "
                            "with `ulimit -n 1024`",
                            BURL_TARGET_CTL_FD - 1);
    if (*fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot create the control block");
    /* The pages of the copy come when they are touched, as those of the block do. */
    copy = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
    if (copy != MAP_FAILED && ftruncate(*fd, (off_t)size_b) == 0)
        shared = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (shared == MAP_FAILED) {
        burl_err_set(err, BURL_E_IO, errno, "cannot map the control block of %zu MB%s",
                     size_b >> 20, limit_hint(errno));
        if (copy != MAP_FAILED)
            munmap(copy, size_b);
        close(*fd);
        *fd = -1;
        return BURL_E_IO;
    }
    b->copy = copy;
    b->shared = shared;
    fill_head(b->copy, engine, reset);
    /* What is behind the order is zero in both, and its pages come when they are touched. */
    memcpy(b->shared, b->copy, offsetof(struct burl_wire_ctl, result));
    return BURL_OK;
}

void
burl_target_block_free(struct burl_block *b)
{
    if (b->shared)
        munmap(b->shared, b->map_b);
    if (b->copy)
        munmap(b->copy, b->map_b);
    *b = (struct burl_block){ 0 };
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

/* A thread of the OpenMP library that waits looks at the processor's clock to decide whether to
 * yield or to block: no two executions would be the same. */
static const char openmp_blocks[] = "KMP_BLOCKTIME=0";

char **
burl_target_env_new(int fd, const char *const *argv, const char *const *more, bool controlled)
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
    e = burl_xcalloc(n + n_more + 3, sizeof *e);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(environ[i], key, sizeof key - 1) != 0 && !is_set_by(environ[i], more))
            e[used++] = burl_xstrdup(environ[i]);
    }
    for (size_t i = 0; i < n_more; i++) {
        if (strncmp(more[i], key, sizeof key - 1) != 0 && !is_set_by(more[i], more + i + 1))
            e[used++] = burl_xstrdup(more[i]);
    }
    if (controlled && !is_set_by(openmp_blocks, (const char *const *)e))
        e[used++] = burl_xstrdup(openmp_blocks);
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
