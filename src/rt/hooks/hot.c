/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks/hot.c - the hooks that run most often: plain accesses, function entry and exit, calls.
 *
 * Compiled twice. As part of libburl_rt.so, and (BURL_HOT_OBJECT) as an object of its own that
 * `burl cc` links into every executable and shared object, where its functions are hidden and so
 * are called directly. A call into another object goes through a pointer, and the thousands of
 * places that call hooks are more than the processor can remember targets for: measured on
 * SQLite, calling empty hooks through the pointers cost ten times the program itself.
 *
 * For the same reason the object has its own copy of the thread's two pointers, which the linker
 * finds at a fixed place (struct burl_hot). It is empty at first: the first hook of a thread goes
 * the cold way, where the library fills the copy and from then on keeps it right.
 *
 * What the two share with the library besides: the beginning of struct burl_free_thread, the place
 * of the shadow, and the functions it calls, which carry on when there is more to do. They are
 * called last, so no frame of ours stays on the stack.
 */
#include "hooks.h"
#include "rt/free/frames.h"

static const struct burl_wire_site *no_call;

#ifdef BURL_HOT_OBJECT
#define HOT __attribute__((visibility("hidden")))
/* Of the linker: where the sites of this object begin and end, and its marks. */
#define EDGE extern __attribute__((weak, visibility("hidden")))
EDGE const struct burl_wire_site __start_burl_sites[];
EDGE const struct burl_wire_site __stop_burl_sites[];
EDGE uint8_t __start_burl_seen[];
EDGE uint8_t __stop_burl_seen[];
static const struct burl_wire_scope *no_scope;
#define hot __burl_hot /* instrumented code uses it too: instr/marks.c, instr/scopes.c */
HOT __thread struct burl_hot hot __attribute__((tls_model("initial-exec"))) = {
    .call = &no_call,
    .first = __start_burl_sites,
    .end = __stop_burl_sites,
    .first_mark = __start_burl_seen,
    .end_mark = __stop_burl_seen,
    .scope = &no_scope,
};
/* Which copies of functions run (enum burl_wire_copy). Set by the constructors of the program's
 * modules: instr/alone.c. */
HOT uint8_t __burl_copy;
#define SELF hot.self
#define ME hot.me
#define PAIRS hot.pairs
#define SEEN hot.seen
#define CALL hot.call
#define COPY (&hot)
#else
#define HOT BURL_EXPORT
#define SHORT (burl_free_self != NULL && !burl_noise_on)
#define SELF (SHORT && !burl_free_self->pairs ? burl_free_self : NULL)
#define ME burl_free_me
#define PAIRS (SHORT && burl_free_self->pairs ? burl_free_self : NULL)
#define SEEN 0
#define CALL (&no_call) /* not used: SEEN is 0 */
#define COPY NULL
#endif

/* A program that no supervisor has started; false: it is not known what to do. */
static inline __attribute__((always_inline)) bool
burl_hot_unsupervised(const struct burl_wire_site *site)
{
    uintptr_t seen = SEEN;

    if (BURL_LIKELY(seen == BURL_HOT_IDLE))
        return true;
    if (BURL_UNLIKELY(seen == 0))
        return false;
    /* relaxed: every thread of the role stores the same */
    __atomic_store_n((uint8_t *)(seen + ((uintptr_t)site >> 3)), 1, __ATOMIC_RELAXED);
    return true;
}

/* Every case is a straight line: see burl_free_pairs_access(). */
#define HOOK(name, n, write, ptr, kind)                     \
    HOT void name(ptr p, const struct burl_wire_site *site) \
    {                                                       \
        struct burl_free_thread *f = SELF;                  \
        uintptr_t addr = (uintptr_t)p;                      \
                                                            \
        if (BURL_LIKELY(f != NULL)) {                       \
            burl_free_access(f, addr, n, site, kind);       \
            return;                                         \
        }                                                   \
        f = PAIRS;                                          \
        if (BURL_LIKELY(f != NULL)) {                       \
            burl_free_pairs_access(f, addr, n, site, kind); \
            return;                                         \
        }                                                   \
        if (!burl_hot_unsupervised(site))                   \
            __burl_##write##_cold(addr, n, site, COPY);     \
    }

#define HOOK_SIZE(n)                                              \
    HOOK(__burl_read##n, n, read, const void *, BURL_ENTRY_PLAIN) \
    HOOK(__burl_write##n, n, write, void *, BURL_ENTRY_KIND)

HOOK_SIZE(1)
HOOK_SIZE(2)
HOOK_SIZE(4)
HOOK_SIZE(8)

static inline void
burl_hot_range(uintptr_t addr, uint64_t n, const struct burl_wire_site *site, bool write)
{
    uint64_t kind = write ? BURL_ENTRY_KIND : BURL_ENTRY_PLAIN;
    struct burl_free_thread *f = SELF;

    if (BURL_LIKELY(f != NULL))
        burl_free_known_range(f, addr, n, site, kind);
    else if (PAIRS != NULL)
        burl_free_pairs_range(PAIRS, addr, n, site, kind);
    else if (burl_hot_unsupervised(site))
        return;
    else if (write)
        __burl_write_cold(addr, n, site, COPY);
    else
        __burl_read_cold(addr, n, site, COPY);
}

HOT void
__burl_read16(const void *addr, const struct burl_wire_site *site)
{
    burl_hot_range((uintptr_t)addr, 16, site, false);
}

HOT void
__burl_write16(void *addr, const struct burl_wire_site *site)
{
    burl_hot_range((uintptr_t)addr, 16, site, true);
}

HOT void
__burl_read_range(const void *addr, uint64_t n, const struct burl_wire_site *site)
{
    if (n != 0)
        burl_hot_range((uintptr_t)addr, n, site, false);
}

HOT void
__burl_write_range(void *addr, uint64_t n, const struct burl_wire_site *site)
{
    if (n != 0)
        burl_hot_range((uintptr_t)addr, n, site, true);
}

HOT void
__burl_call(const struct burl_wire_site *site)
{
    struct burl_free_thread *f = ME;

    if (BURL_LIKELY(f != NULL))
        f->call_site = burl_free_code(f, site);
    else if (!burl_hot_unsupervised(site))
        __burl_call_cold(site, COPY);
    else
        *CALL = site;
}

HOT void *
__burl_func_enter(const struct burl_wire_site *site, const uint32_t *word)
{
    struct burl_free_thread *f = ME;

    if (BURL_LIKELY(f != NULL))
        return burl_free_enter(f, burl_free_code(f, site), word);
    if (burl_hot_unsupervised(site))
        return NULL;
    return __burl_func_enter_cold(site, word, COPY);
}

HOT void
__burl_func_exit(void *mark)
{
    struct burl_free_thread *f = ME;

    if (mark == NULL)
        return;
    if (BURL_LIKELY(f != NULL))
        f->depth = (uint32_t)((uintptr_t)mark - 1);
    else
        __burl_func_exit_cold(mark);
}
