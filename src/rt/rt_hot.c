/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rt_hot.c - the hooks that run most often: plain accesses of up to 16 bytes, function entry and
 * exit, calls.
 *
 * Compiled twice. As part of libburl_rt.so, and (BURL_HOT_OBJECT) as an object of its own that
 * `burl cc` links into every executable and shared object, where its functions are hidden and so
 * are called directly. A call into another object goes through a pointer, and the thousands of
 * places that call hooks are more than the processor can remember targets for: measured on
 * SQLite, calling empty hooks through the pointers cost ten times the program itself.
 *
 * What the two share with the library: the pointers burl_free_self and burl_free_me, the beginning
 * of struct burl_free_thread, the place of the shadow, and the functions it calls, which carry on
 * when there is more to do. They are called last, so no frame of ours stays on the stack.
 */
#include "free/free.h"
#include "rt_hooks.h"

#ifdef BURL_HOT_OBJECT
#define HOT __attribute__((visibility("hidden")))
#else
#define HOT BURL_EXPORT
#endif

#define HOOK_SIZE(n)                                                             \
    HOT void __burl_read##n(const void *addr, const struct burl_wire_site *site) \
    {                                                                            \
        struct burl_free_thread *f = burl_free_self;                             \
                                                                                 \
        if (BURL_LIKELY(f != NULL))                                              \
            burl_free_access(f, (uintptr_t)addr, n, site, BURL_ENTRY_PLAIN);     \
        else                                                                     \
            __burl_access_cold((uintptr_t)addr, site, n, 0);                     \
    }                                                                            \
    HOT void __burl_write##n(void *addr, const struct burl_wire_site *site)      \
    {                                                                            \
        struct burl_free_thread *f = burl_free_self;                             \
                                                                                 \
        if (BURL_LIKELY(f != NULL))                                              \
            burl_free_access(f, (uintptr_t)addr, n, site, BURL_ENTRY_KIND);      \
        else                                                                     \
            __burl_access_cold((uintptr_t)addr, site, n, 1);                     \
    }

HOOK_SIZE(1)
HOOK_SIZE(2)
HOOK_SIZE(4)
HOOK_SIZE(8)

HOT void
__burl_read16(const void *addr, const struct burl_wire_site *site)
{
    struct burl_free_thread *f = burl_free_self;

    if (BURL_LIKELY(f != NULL))
        __burl_free_wide(f, (uintptr_t)addr, site, BURL_ENTRY_PLAIN);
    else
        __burl_access_cold((uintptr_t)addr, site, 16, 0);
}

HOT void
__burl_write16(void *addr, const struct burl_wire_site *site)
{
    struct burl_free_thread *f = burl_free_self;

    if (BURL_LIKELY(f != NULL))
        __burl_free_wide(f, (uintptr_t)addr, site, BURL_ENTRY_KIND);
    else
        __burl_access_cold((uintptr_t)addr, site, 16, 1);
}

HOT void
__burl_call(const struct burl_wire_site *site)
{
    struct burl_free_thread *f = burl_free_me;

    if (BURL_LIKELY(f != NULL))
        f->call_site = burl_free_code(f, site);
    else
        __burl_call_cold(site);
}

HOT void *
__burl_func_enter(const struct burl_wire_site *site)
{
    struct burl_free_thread *f = burl_free_me;

    if (BURL_LIKELY(f != NULL))
        return burl_free_enter(f, burl_free_code(f, site));
    return __burl_func_enter_cold(site);
}

HOT void
__burl_func_exit(void *mark)
{
    struct burl_free_thread *f = burl_free_me;

    if (mark == NULL)
        return;
    if (BURL_LIKELY(f != NULL))
        f->depth = (uint32_t)((uintptr_t)mark - 1);
    else
        __burl_func_exit_cold(mark);
}
