/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/foreign.c - code in a process that nobody instrumented.
 *
 * Runs in the host. What such code does to memory is not seen, so it may make threads depend on
 * one another in ways a search does not know of: a lock of its own, above all. libc is taken to do
 * what its calls say (those that synchronise are known, src/rt/interpose.def); any other library
 * that was not built by burl is a doubt.
 *
 * Not seen: objects that another compiler made and that were linked into an instrumented file.
 */
#include <stdio.h>
#include <string.h>

#include "engine/engine_int.h"

/* Beginnings of names. Not libstdc++: half of std::string is in it, and what that does to a string
 * which threads share is memory like any other. */
static const char *const trusted[] = {
    "libc.so",   "libc-",      "libm.so",   "libm-",    "libpthread", "libdl",
    "librt.so",  "librt-",     "libresolv", "ld-linux", "ld-",        "libgcc_s",
    "libunwind", "libburl_rt", "libatomic", "libasan",  "libubsan",   "libclang_rt",
};

static bool
is_trusted(const char *name)
{
    for (size_t i = 0; i < sizeof trusted / sizeof trusted[0]; i++) {
        if (strncmp(name, trusted[i], strlen(trusted[i])) == 0)
            return true;
    }
    return false;
}

bool
burl__foreign_is_libc(const char *path)
{
    const char *base = strrchr(path, '/');

    return is_trusted(base ? base + 1 : path);
}

static bool
is_instrumented(const struct burl_wire_ctl *ctl, uint32_t object)
{
    for (uint32_t i = 0; i < ctl->n_modules && i < BURL_WIRE_MAX_MODULES; i++) {
        if (ctl->modules[i].object == object)
            return true;
    }
    return false;
}

bool
burl__foreign_code(const struct burl_wire_ctl *ctl, char *name, size_t name_b)
{
    for (uint32_t i = 0; i < ctl->n_objects && i < BURL_WIRE_MAX_OBJECTS; i++) {
        char path[BURL_WIRE_PATH_B];
        const char *base;

        snprintf(path, sizeof path, "%.*s", BURL_WIRE_PATH_B - 1, ctl->objects[i].path);
        base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        /* The kernel's own has no file. */
        if (!strchr(path, '/') || is_trusted(base) || is_instrumented(ctl, i))
            continue;
        snprintf(name, name_b, "%s", base);
        return true;
    }
    return false;
}
