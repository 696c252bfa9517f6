/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sp.h - the static target of a program: which sites may touch the same memory from two
 * threads (the set SP of the Location Pairs paper, phases i to iii).
 *
 * Written by burl-analyze, which sees LLVM, and read by burl, which does not. Pairs are never
 * stored: a large program has hundreds of millions. The target holds classes of sites (same
 * abstract object and leaf, refined by access path) and the pairs are derived from them on demand.
 *
 * A site is named by (hash of its module, index in it), as everywhere; base/sites.h turns that into
 * a number of a process and into words.
 */
#ifndef BURL_BASE_SP_H
#define BURL_BASE_SP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

#define BURL_SP_VERSION 2

enum burl_sp_site_flag {
    BURL_SP_READS = 1u << 0,
    BURL_SP_WRITES = 1u << 1, /* both: atomic read-modify-write */
    BURL_SP_ATOMIC = 1u << 2,
    BURL_SP_ASSERT = 1u << 3, /* of an assertion: takes no part in any pair */
    /* By the main thread only, surely before it starts another (surely after all others have
     * ended): it can be the earlier (the later) of a pair and never the other. */
    BURL_SP_BEFORE = 1u << 4,
    BURL_SP_AFTER = 1u << 5
};

/* A thread as the analysis sees it: what one create site starts. Root 0 is the main thread. */
struct burl_sp_root {
    char *function;       /* start routine, "main" */
    uint64_t module_hash; /* of the create site; 0 for main */
    uint32_t site;        /* its index */
    bool many;            /* more than one instance may be alive at once */
};

/* A lock as an expression over what the access itself uses, or a global: "counter_lock",
 * "q->lock". Equal numbers are surely the same lock whenever the two accesses touch the same
 * memory. */
struct burl_sp_lock {
    char *name;
    bool shared;        /* held for reading */
    uint32_t exclusive; /* shared: the number of the same lock held alone, UINT32_MAX none */
};

struct burl_sp_site {
    uint64_t module_hash;
    uint32_t index;
    uint8_t flags; /* BURL_SP_READS, ... */
    BURL_VEC(uint32_t) roots; /* threads that may execute it */
    BURL_VEC(uint32_t) locks; /* surely held */
};

/* Within every critical section of `lock` that contains the site, another access to the same memory
 * surely comes later (earlier) in the same section: the site is never the section's last (first)
 * access to it. Two sites under one lock, the earlier never last or the later never first, cannot
 * be adjacent, unless both hold it for reading.
 *
 * Without a lock: the site is the main thread's, surely before it starts another (after all others
 * have ended), and as long as that holds another access surely comes later (has come). */
enum burl_sp_fact_kind { BURL_SP_NEVER_LAST, BURL_SP_NEVER_FIRST };

struct burl_sp_fact {
    uint32_t site;    /* indices into sites */
    uint32_t witness; /* the access that comes later (earlier) on every way; UINT32_MAX: there is
                       * always one, but not always the same */
    uint32_t lock; /* UINT32_MAX none */
    uint8_t kind;  /* enum burl_sp_fact_kind */
};

struct burl_sp_class {
    char *name;   /* for people: "struct queue.head", "counter", "heap of main.c:12, byte 8" */
    char *object; /* abstract object: "global counter", "heap main.c:12", "stack of main" */
    bool untyped; /* reached without a type (char *, memcpy): shown, never counted */
    BURL_VEC(uint32_t) sites; /* indices into sites, ascending */
};

struct burl_sp {
    uint64_t program; /* hash over the modules' hashes: which build this is about */
    BURL_VEC(struct burl_sp_root) roots;
    BURL_VEC(struct burl_sp_lock) locks;
    BURL_VEC(struct burl_sp_site) sites; /* ascending by (module_hash, index) */
    BURL_VEC(struct burl_sp_class) classes;
    BURL_VEC(struct burl_sp_fact) facts;
    BURL_VEC(char *) unknown; /* external functions the analysis had no model of */
    uint64_t analysis_ms;
    uint64_t analysis_kb;
    struct burl_sp_index *index; /* of sp.c; NULL: none yet */
};

/* What `program` is: of the hashes of all modules, in any order. */
uint64_t burl_sp_program(const uint64_t *module_hashes, size_t n);

void burl_sp_init(struct burl_sp *t);
void burl_sp_deinit(struct burl_sp *t);

/* Makes the index that the queries below use. burl_sp_read() has done it, and so does the first
 * query; call it again when sites, classes or facts were added after that. */
void burl_sp_reindex(struct burl_sp *t);

/* The file: text, one item per line, first line "burl-target 1". BURL_E_FORMAT names line and
 * cause. */
void burl_sp_write(const struct burl_sp *t, struct burl_buf *out);
BURL_MUST_CHECK enum burl_status burl_sp_read(struct burl_sp *t, const char *text, size_t n,
                                              const char *path, struct burl_err *err);

/* The same from a file; BURL_E_IO when it is not there. */
BURL_MUST_CHECK enum burl_status burl_sp_load(struct burl_sp *t, const char *path,
                                              struct burl_err *err);

/* UINT32_MAX when the target has no such site. */
uint32_t burl_sp_find(const struct burl_sp *t, uint64_t module_hash, uint32_t index);

/* Is the ordered pair (a, b) in SP? They share a class that is not untyped, one writes, neither is
 * of an assertion, two threads may execute them, and in this order (BEFORE, AFTER). `any_tier`:
 * untyped classes count too. */
bool burl_sp_has(const struct burl_sp *t, uint32_t a, uint32_t b, bool any_tier);
/* Every ordered pair of SP once, (a, b) and (b, a) apart, ascending by a then b; stops when `each`
 * returns false. `cls`: the first class they share. */
void burl_sp_pairs(const struct burl_sp *t, bool any_tier,
                   bool (*each)(void *arg, uint32_t a, uint32_t b, uint32_t cls), void *arg);
uint64_t burl_sp_count(const struct burl_sp *t, bool any_tier);
/* May two different threads execute them? a == b: the same access twice. */
bool burl_sp_parallel(const struct burl_sp *t, uint32_t a, uint32_t b);
/* Do both surely hold one lock, not both for reading? Then they never happen at the same time. */
bool burl_sp_share_lock(const struct burl_sp *t, uint32_t a, uint32_t b);
/* A fact that shows that b (of another thread) cannot directly follow a, NULL none. */
const struct burl_sp_fact *burl_sp_never_adjacent(const struct burl_sp *t, uint32_t a, uint32_t b);

#endif
