/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/site.h - sites, modules, and the functions the instrumenter injects.
 *
 * Read by the instrumenter (which emits these structures as LLVM constants),
 * the runtime (which receives pointers to them) and the host (which resolves
 * site numbers to source positions). Any change to layout or meaning bumps
 * BURL_WIRE_VERSION in wire/version.h.
 * Freestanding: only <stdint.h>, <stddef.h>, <assert.h> may be included here.
 *
 * A *site* is one access, atomic operation, fence, call of a known library
 * function, function entry or basic block of the program in canonical form.
 * Its identity is (module, index). At run time it also has a process-wide
 * number: module base + index, assigned when the module registers.
 *
 * Loaded part (writable data, one array per module, section "burl_sites"):
 *     struct burl_wire_site[n_sites]; the hooks receive pointers into it.
 * Described part (not loaded, section ".burl.sites"): see wire/sitefile.h.
 */
#ifndef BURL_WIRE_SITE_H
#define BURL_WIRE_SITE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum burl_wire_site_kind {
    BURL_SITE_NONE = 0,
    BURL_SITE_READ,  /* plain load */
    BURL_SITE_WRITE, /* plain store */
    BURL_SITE_ATOMIC_LOAD,
    BURL_SITE_ATOMIC_STORE,
    BURL_SITE_ATOMIC_RMW,
    BURL_SITE_ATOMIC_CAS,
    BURL_SITE_FENCE,
    BURL_SITE_RANGE_READ,  /* source side of a memory intrinsic, mem* or str* call, odd size */
    BURL_SITE_RANGE_WRITE, /* destination side of the same */
    BURL_SITE_CALL,        /* call of a function that is not defined in this module */
    BURL_SITE_FUNC,        /* function entry */
    BURL_SITE_BLOCK,       /* basic block */
    BURL_SITE_PLACE,       /* call of a function of this module: a place to show, no operation */
    BURL_SITE__N
};

/* What a library function keeps where no hook sees it; size_b of a CALL site, 0 nothing known. */
enum burl_wire_hidden {
    BURL_HIDDEN_FILES = 1,
    BURL_HIDDEN_LIBRARIES,
    BURL_HIDDEN_STREAM, /* a stream whose bytes are memory of the program, from then on */
    BURL_HIDDEN_OTHER,  /* something that only calls of the same function can tell */
    BURL_HIDDEN_UNSEEN, /* nothing, but if it is not the program's own no hook sees what it does */
    BURL_HIDDEN_OUTSIDE, /* nothing; its result differs from run to run: rdtsc, getrandom */
    BURL_HIDDEN_STATES,  /* from here on each is one piece of memory, an operation per call */
    BURL_HIDDEN_RANDOM = BURL_HIDDEN_STATES,
    BURL_HIDDEN_DRAND48,
    BURL_HIDDEN_ENVIRONMENT,
    BURL_HIDDEN_STRTOK,
    BURL_HIDDEN_PASSWORDS,
    BURL_HIDDEN_GROUPS,
    BURL_HIDDEN_HOSTS,
    BURL_HIDDEN_SERVICES,
    BURL_HIDDEN_OPTIONS, /* getopt */
    BURL_HIDDEN_TABLE,   /* hsearch */
    BURL_HIDDEN_CRYPT,
    BURL_HIDDEN_DIGITS, /* ecvt */
    BURL_HIDDEN_L64A,
    BURL_HIDDEN_LOGIN,
    BURL_HIDDEN_TERMINAL, /* ttyname */
    BURL_HIDDEN_PSEUDO,   /* ptsname */
    BURL_HIDDEN_DATE,
    BURL_HIDDEN_MOUNTS,
    BURL_HIDDEN_LOCALE, /* read by half of the library */
    BURL_HIDDEN__N,
    BURL_HIDDEN_UNSAFE = 1u << 6, /* added: not for two threads at a time; before STATES: UNSEEN */
    BURL_HIDDEN_CHANGES = 1u << 7 /* added: later calls can observe that it happened */
};

#define BURL_HIDDEN_MASK 63u

/* Orderings, numbered as C11's memory_order; plain accesses have NONE. */
enum burl_wire_mo {
    BURL_MO_RELAXED = 0,
    BURL_MO_CONSUME,
    BURL_MO_ACQUIRE,
    BURL_MO_RELEASE,
    BURL_MO_ACQ_REL,
    BURL_MO_SEQ_CST,
    BURL_MO_NONE = 0xff
};

/* A compare-exchange has two: that of a failed attempt lies in the upper four bits. */
static inline uint8_t
burl_wire_mo_pair(uint8_t success, uint8_t failure)
{
    return (uint8_t)(success | failure << 4);
}

/* The order of an atomic operation or fence that ended so. */
static inline uint8_t
burl_wire_mo(uint8_t order, int failed)
{
    return failed ? order >> 4 : order & 15;
}

enum burl_wire_site_flag {
    BURL_SITE_F_VOLATILE = 1u << 0,
    BURL_SITE_F_ASSERT = 1u << 1,        /* inside an assertion's condition or failure path */
    BURL_SITE_F_SINGLE_THREAD = 1u << 2, /* atomic with single-thread sync scope */
    BURL_SITE_F_ADDED = 1u << 3,         /* --late: not of the canonical form; lies behind all
                                            functions of its module */
    BURL_SITE_F_TOLD = 1u << 4,          /* a block that calls __burl_block (--blocks) */
    BURL_SITE_F_ADDRESSES = 1u << 5,     /* FUNC: it may depend on the order of addresses */
    BURL_SITE_F_IDENTITY = 1u << 6,      /* FUNC: it may depend on two addresses being equal */
    BURL_SITE_F_MERGED = 1u << 7         /* --late: stands for accesses without a hook, too */
};

struct burl_wire_site {
    uint32_t id;    /* emitted: index in the module; after registration: process-wide number */
    uint8_t kind;   /* enum burl_wire_site_kind */
    uint8_t size_b; /* bytes accessed, 0 when above 255; CALL: enum burl_wire_hidden */
    uint8_t order;  /* enum burl_wire_mo; see burl_wire_mo() */
    uint8_t flags;  /* BURL_SITE_F_* */
};

static_assert(sizeof(struct burl_wire_site) == 8, "site size is on the wire");

/* "Callee" of the PLACE site where control reaches the end of a function without a value to return,
 * or code that is declared unreachable. */
#define BURL_WIRE_NO_RETURN "return"

/* One per translation unit; passed to __burl_module_init by a constructor of priority 0. */
struct burl_wire_module {
    uint32_t version; /* BURL_WIRE_VERSION of the instrumenter */
    uint32_t n_sites;
    struct burl_wire_site *sites;
    uint64_t hash;       /* of the canonical bitcode; same in .burl.bc, .burl.sites */
    const char *name;    /* source file as given to the compiler */
    uint32_t base;       /* filled by the runtime: number of sites[0] */
    uint32_t registered; /* filled by the runtime: guards double registration */
};

static_assert(sizeof(struct burl_wire_module) == 40, "module size is on the wire");

/* Which copies of functions run. */
enum burl_wire_copy {
    BURL_COPY_HOOKED = 0, /* every access as in the source */
    BURL_COPY_ALONE = 1,  /* no hooks */
    BURL_COPY_FREE = 2    /* what the optimizer leaves, for races in free mode */
};

/*
 * The injected functions. All are called BEFORE the operation unless their
 * name says post. Addresses are plain pointers in address space 0.
 *
 *   void  __burl_read{1,2,4,8,16}(const void *addr, struct burl_wire_site *site);
 *   void  __burl_write{1,2,4,8,16}(void *addr, struct burl_wire_site *site);
 *   void  __burl_read_range(const void *addr, uint64_t n, struct burl_wire_site *site);
 *   void  __burl_write_range(void *addr, uint64_t n, struct burl_wire_site *site);
 *   void  __burl_read_str(const char *s, struct burl_wire_site *site);   up to and with the NUL
 *   uint64_t __burl_strlen(const char *s);     unobserved; to size the destination of a str* call
 *   uint64_t __burl_number(const char *s, int32_t base);  unobserved; how much of the text strtol
 *                                              reads, in this base, or strtod for -1
 *   const void *__burl_tree(const void *node); unobserved; head of the std::map a node is in, or
 *                                              the node itself
 *   void  __burl_atomic_pre(void *addr, struct burl_wire_site *site);
 *   void  __burl_atomic_post(void *addr, struct burl_wire_site *site, int32_t stored);
 *             stored: 1 the operation wrote (store, rmw, successful cas), 0 it only read.
 *             Both also around a volatile access, whose site is of kind READ or WRITE: plain, and
 *             with BURL_ORDER_F_VOLATILE an acquiring load or a releasing store
 *   void  __burl_fence(struct burl_wire_site *site);
 *   void  __burl_call(struct burl_wire_site *site);
 *             before a call that leaves instrumented code (declared, not defined here): gives the
 *             interposed library function its source position
 *   void *__burl_func_enter(struct burl_wire_site *site, const uint32_t *call);
 *             returns a mark of the call stack. `call` lies in the function's frame: before each
 *             call that it makes the function stores there the number of the CALL or PLACE site,
 *             less that of `site`; 0 none yet. NULL: a function of a system header, or one that
 *             calls nothing
 *   void  __burl_func_exit(void *mark);                     on every return
 *   void  __burl_func_resync(void *mark);   at the start of landing pads and after setjmp returns
 *   void  __burl_block(struct burl_wire_site *site);        only with --blocks
 *   void  __burl_module_init(struct burl_wire_module *module);
 *   int32_t __burl_which_copy(void);   in the same constructor, after it: enum burl_wire_copy
 *   void  __burl_marks_init(struct burl_wire_module *module, uint8_t *seen, void *hot);
 *             the same in the record profile, which has no other hook: memory for the marks of
 *             the module, and __burl_hot of its object in the calling thread
 */

#endif
