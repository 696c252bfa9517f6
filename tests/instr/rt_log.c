/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/instr/rt_log.c - a runtime that only writes down which hooks were called.
 *
 * Stands in for libburl_rt.so in the tests of the instrumenter. Each call is a
 * line in the file named by BURL_LOG:
 *     <hook> <module hash> <site index> <bytes or value or depth>
 * A site is looked up in the registered modules, so a hook with a pointer that
 * belongs to none is logged with hash 0, which the tests treat as a failure.
 * Not for threads: the tests that use it run one.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/site.h"
#include "wire/version.h"

enum { MAX_MODULES = 64 };

static struct burl_wire_module *modules[MAX_MODULES];
static int n_modules;
static uintptr_t depth;
static FILE *log_file;

static FILE *
out(void)
{
    const char *path = getenv("BURL_LOG");

    if (!log_file)
        log_file = fopen(path ? path : "/dev/null", "a");
    return log_file;
}

static void
note(const char *hook, const struct burl_wire_site *s, uint64_t extra)
{
    uint64_t hash = 0;
    uint32_t index = 0;

    for (int i = 0; i < n_modules; i++) {
        if (s < modules[i]->sites || s >= modules[i]->sites + modules[i]->n_sites)
            continue;
        hash = modules[i]->hash;
        index = (uint32_t)(s - modules[i]->sites);
        if (s->id != index)
            hash = 0;
    }
    fprintf(out(), "%s %016" PRIx64 " %u %" PRIu64 "\n", hook, hash, index, extra);
    fflush(out());
}

#define ACCESS(dir, n)                                       \
    void __burl_##dir##n(void *p, struct burl_wire_site *s); \
    void __burl_##dir##n(void *p, struct burl_wire_site *s)  \
    {                                                        \
        (void)p;                                             \
        note(#dir, s, n);                                    \
    }
ACCESS(read, 1)
ACCESS(read, 2)
ACCESS(read, 4)
ACCESS(read, 8)
ACCESS(read, 16)
ACCESS(write, 1)
ACCESS(write, 2)
ACCESS(write, 4)
ACCESS(write, 8)
ACCESS(write, 16)

void __burl_module_init(struct burl_wire_module *m);
int32_t __burl_which_copy(void);
void __burl_read_range(const void *p, uint64_t n, struct burl_wire_site *s);
void __burl_write_range(void *p, uint64_t n, struct burl_wire_site *s);
void __burl_read_str(const char *p, struct burl_wire_site *s);
uint64_t __burl_strlen(const char *p);
const void *__burl_tree(const void *node);
void __burl_atomic_pre(void *p, struct burl_wire_site *s);
void __burl_atomic_post(void *p, struct burl_wire_site *s, int32_t stored);
void __burl_fence(struct burl_wire_site *s);
void __burl_call(struct burl_wire_site *s);
void *__burl_func_enter(struct burl_wire_site *s);
void __burl_func_exit(void *mark);
void __burl_func_resync(void *mark);
void __burl_block(struct burl_wire_site *s);

void
__burl_module_init(struct burl_wire_module *m)
{
    if (m->version != BURL_WIRE_VERSION || n_modules == MAX_MODULES)
        abort();
    modules[n_modules++] = m;
    fprintf(out(), "module %016" PRIx64 " %u %s\n", m->hash, m->n_sites, m->name);
    fflush(out());
}

int32_t
__burl_which_copy(void)
{
    return 0;
}

void
__burl_read_range(const void *p, uint64_t n, struct burl_wire_site *s)
{
    (void)p;
    note("read_range", s, n);
}

void
__burl_write_range(void *p, uint64_t n, struct burl_wire_site *s)
{
    (void)p;
    note("write_range", s, n);
}

void
__burl_read_str(const char *p, struct burl_wire_site *s)
{
    note("read_str", s, strlen(p) + 1);
}

const void *
__burl_tree(const void *node)
{
    return node;
}

uint64_t
__burl_strlen(const char *p)
{
    return strlen(p);
}

void
__burl_atomic_pre(void *p, struct burl_wire_site *s)
{
    (void)p;
    note("atomic_pre", s, 0);
}

void
__burl_atomic_post(void *p, struct burl_wire_site *s, int32_t stored)
{
    (void)p;
    note("atomic_post", s, (uint64_t)stored);
}

void
__burl_fence(struct burl_wire_site *s)
{
    note("fence", s, 0);
}

void
__burl_call(struct burl_wire_site *s)
{
    note("call", s, depth);
}

/* The mark is the depth before the entry, with one added so that it is never NULL. */
void *
__burl_func_enter(struct burl_wire_site *s)
{
    uintptr_t mark = depth + 1;

    depth++;
    note("enter", s, depth);
    return (void *)mark;
}

void
__burl_func_exit(void *mark)
{
    depth = (uintptr_t)mark - 1;
    fprintf(out(), "exit - - %ju\n", (uintmax_t)depth);
    fflush(out());
}

void
__burl_func_resync(void *mark)
{
    depth = (uintptr_t)mark;
    fprintf(out(), "resync - - %ju\n", (uintmax_t)depth);
    fflush(out());
}

void
__burl_block(struct burl_wire_site *s)
{
    note("block", s, 0);
}
