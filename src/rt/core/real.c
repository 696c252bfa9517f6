/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/real.c - addresses of the functions we stand in front of.
 *
 * Resolved one by one on first use, because interposed functions may be called by constructors that
 * run before ours. dlsym itself may allocate: the malloc family therefore never comes here, it
 * uses glibc's own __libc_ names.
 */
#include <dlfcn.h>
#include <string.h>

#include "core.h"
#include "module.h"
#include "real.h"
#include "verdict.h"

static void *reals[BURL_REAL_ID__N];
/* In a process that forks its executions, shared with the children: what they had to look up. */
static uint8_t *found;

static const struct {
    const char *name;
    const char *version;
} rows[BURL_REAL_ID__N + 1] = {
#define RT(name, ...) { #name, NULL },
#define RTV(name, version, ...) { #name, version },
#include "wire/libfn.def"
    { NULL, NULL },
};

/* Functions of libraries that were loaded by dlopen() for one library only: neither the C library's
 * nor the C++ library's, by the way the name begins. */
static void *
find_in_library(const char *name)
{
    static const struct {
        const char *begin;
        const char *file;
    } known[] = {
        { "g_", "libglib-2.0.so.0" },
        { "omp", "libomp.so.5" },
        { "__kmpc_", "libomp.so.5" },
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        void *library;

        if (strncmp(name, known[i].begin, strlen(known[i].begin)) != 0)
            continue;
        library = BURL_REAL(dlopen)(known[i].file, RTLD_LAZY | RTLD_NOLOAD);
        return library != NULL ? dlsym(library, name) : NULL;
    }
    return NULL;
}

static void *
look_up(enum burl_real_id id)
{
    return rows[id].version != NULL ? dlvsym(RTLD_NEXT, rows[id].name, rows[id].version)
                                    : dlsym(RTLD_NEXT, rows[id].name);
}

void *
burl_real_get(enum burl_real_id id)
{
    void *p = reals[id];

    if (BURL_LIKELY(p != NULL))
        return p;
    p = look_up(id);
    if (found != NULL && p != NULL && burl__module_is_libc((uintptr_t)p))
        found[id] = 1;
    if (p == NULL)
        p = find_in_library(rows[id].name);
    if (p == NULL)
        burl_rt_unsupported(rows[id].name);
    /* Every thread would store the same pointer. */
    __atomic_store_n(&reals[id], p, __ATOMIC_RELAXED);
    return p;
}

void
burl__real_share(uint8_t *found_by)
{
    found = found_by;
}

/* Only libc's, which are here as well and in the same place: a library that the child alone has
 * loaded is not, and a search that fails allocates. */
void
burl__real_catch_up(void)
{
    for (uint32_t i = 0; i < BURL_REAL_ID__N; i++) {
        if (found[i] != 0 && reals[i] == NULL)
            reals[i] = look_up((enum burl_real_id)i);
    }
}
