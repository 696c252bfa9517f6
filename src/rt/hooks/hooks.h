/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks/hooks.h - prototypes of the injected functions; their meaning is in wire/site.h.
 */
#ifndef BURL_RT_HOOKS_H
#define BURL_RT_HOOKS_H

#include "rt/core/rt.h"

/* Those of hooks/hot.c may be hidden: see there. */
#ifdef BURL_HOT_OBJECT
#define BURL_HOT_EXPORT
#else
#define BURL_HOT_EXPORT BURL_EXPORT
#endif

#define BURL_HOOK_SIZE(n)                                                                     \
    BURL_HOT_EXPORT void __burl_read##n(const void *addr, const struct burl_wire_site *site); \
    BURL_HOT_EXPORT void __burl_write##n(void *addr, const struct burl_wire_site *site);

BURL_HOOK_SIZE(1)
BURL_HOOK_SIZE(2)
BURL_HOOK_SIZE(4)
BURL_HOOK_SIZE(8)
BURL_HOOK_SIZE(16)

BURL_HOT_EXPORT void __burl_read_range(const void *addr, uint64_t n,
                                       const struct burl_wire_site *site);
BURL_HOT_EXPORT void __burl_write_range(void *addr, uint64_t n, const struct burl_wire_site *site);
BURL_EXPORT void __burl_read_str(const char *s, const struct burl_wire_site *site);
BURL_EXPORT uint64_t __burl_strlen(const char *s);
BURL_EXPORT uint64_t __burl_number(const char *s, int32_t base);
BURL_EXPORT const void *__burl_tree(const void *node);
BURL_EXPORT void __burl_atomic_pre(void *addr, const struct burl_wire_site *site);
BURL_EXPORT void __burl_atomic_post(void *addr, const struct burl_wire_site *site, int32_t stored);
BURL_EXPORT void __burl_fence(const struct burl_wire_site *site);
BURL_HOT_EXPORT void __burl_call(const struct burl_wire_site *site);
BURL_HOT_EXPORT void *__burl_func_enter(const struct burl_wire_site *site, const uint32_t *word);
BURL_HOT_EXPORT void __burl_func_exit(void *mark);
/* Where the hot ones go on, when the thread is not one of free mode, or the object's copy of its
 * pointers is not filled yet. */
struct burl_hot;
BURL_EXPORT void __burl_read_cold(uintptr_t addr, uint64_t n, const struct burl_wire_site *site,
                                  struct burl_hot *copy);
BURL_EXPORT void __burl_write_cold(uintptr_t addr, uint64_t n, const struct burl_wire_site *site,
                                   struct burl_hot *copy);
BURL_EXPORT void __burl_call_cold(const struct burl_wire_site *site, struct burl_hot *copy);
BURL_EXPORT void *__burl_func_enter_cold(const struct burl_wire_site *site, const uint32_t *word,
                                         struct burl_hot *copy);
BURL_EXPORT void __burl_func_exit_cold(void *mark);
BURL_EXPORT void __burl_func_resync(void *mark);
BURL_EXPORT void __burl_block(const struct burl_wire_site *site);

#endif
