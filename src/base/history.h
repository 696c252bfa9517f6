/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/history.h - which blocks of a program each thread of one test has executed.
 *
 * Host side. The runtime records sites (wire/history.h); a history is that record by module and
 * thread role, folded to blocks, and merged over processes and runs. It is the coverage history hp
 * of the SimRT paper: (test, function, block, thread).
 *
 * A bit of a set belongs to a site of the module: bit i % 8 of byte i / 8 for site i. Set are the
 * bits of all sites that were seen to be executed, and for each of them the bits of its BLOCK and
 * FUNC site. A module built with --late has hooks for some accesses only: if any site of a function
 * was executed, the bits of all its blocks are set.
 *
 * A role names a thread the same way in every run: start routine, creation site, and ordinal among
 * the threads that this site has created with this routine. Role 0 is the main thread.
 */
#ifndef BURL_BASE_HISTORY_H
#define BURL_BASE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

#define BURL_HISTORY_VERSION 1

struct burl_history_module {
    uint64_t hash;
    uint32_t n_sites;
    char *name;   /* source file as given to the compiler */
    char *object; /* executable or shared object that holds it, absolute path */
};

struct burl_history_role {
    char *start;            /* name of the start routine as the site table has it; "main" */
    uint64_t create_module; /* hash; 0 unknown, or the main thread */
    uint32_t create_site;   /* index in it; UINT32_MAX unknown, or the main thread */
    uint32_t ordinal;       /* from 0; threads beyond the limit share the last one */
    bool many;              /* stands for threads that were alive at the same time */
};

/* What threads of one role executed in one module. */
struct burl_history_set {
    uint32_t role;   /* index into roles */
    uint32_t module; /* index into modules */
    bool alone;      /* while no other thread of the process existed */
    uint8_t *bits;   /* (n_sites + 7) / 8 bytes */
};

/* Two roles whose threads were alive at the same time in one process; a < b. */
struct burl_history_overlap {
    uint32_t a, b;
};

struct burl_history {
    char *program; /* absolute path of the executable */
    bool partial;  /* more was executed than is recorded: a limit was reached, a file is gone,
                    * or the process ended before a thread had begun */
    BURL_VEC(struct burl_history_module) modules;
    BURL_VEC(struct burl_history_role) roles;
    BURL_VEC(struct burl_history_set) sets; /* at most one per role, module and `alone` */
    BURL_VEC(struct burl_history_overlap) overlaps; /* ascending */
};

void burl_history_init(struct burl_history *h);
void burl_history_deinit(struct burl_history *h);

/* The module with this hash, or a new one; n_sites of one that is there grows if need be (builds of
 * --late have sites of their own behind those of the canonical form). */
uint32_t burl_history_module(struct burl_history *h, uint64_t hash, uint32_t n_sites,
                             const char *name, const char *object);
/* The role with this identity, or a new one; `many` is added to. */
uint32_t burl_history_role(struct burl_history *h, const struct burl_history_role *role);
/* The bits of a role in a module, none set in a new one. Valid until the next module or set is
 * added. */
uint8_t *burl_history_bits(struct burl_history *h, uint32_t role, uint32_t module, bool alone);
void burl_history_add_overlap(struct burl_history *h, uint32_t a, uint32_t b);

/* Adds what `from` has: the union. Both are of the same program; modules are equal by hash. */
void burl_history_merge(struct burl_history *h, const struct burl_history *from);

static inline bool
burl_history_bit(const uint8_t *bits, uint32_t site)
{
    return (bits[site / 8] >> site % 8 & 1) != 0;
}

static inline void
burl_history_set_bit(uint8_t *bits, uint32_t site)
{
    bits[site / 8] |= (uint8_t)(1u << site % 8);
}

/* Were threads of these roles alive at the same time? a == b: two threads of the role. */
bool burl_history_overlaps(const struct burl_history *h, uint32_t a, uint32_t b);

/* As bytes for the store, little endian; BURL_E_FORMAT for damaged bytes. */
void burl_history_write(const struct burl_history *h, struct burl_buf *out);
BURL_MUST_CHECK enum burl_status burl_history_read(struct burl_history *h, const void *bytes,
                                                   size_t n, struct burl_err *err);

#endif
