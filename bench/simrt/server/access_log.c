/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_log.c - the access log. A writer reserves an entry with an atomic counter, fills it, and
 * publishes it with a release store; readers look at published entries only.
 *
 * Version 2 cuts long paths at a slash.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

#define LOG_ENTRIES 16
#define LOG_PATH 12

struct log_entry {
    char path[LOG_PATH];
    int status;
    _Atomic bool complete;
};

struct access_log {
    _Atomic unsigned next;
    struct log_entry entries[LOG_ENTRIES]; /* later ones are not kept */
};

struct access_log *
access_log_new(void)
{
    return calloc(1, sizeof(struct access_log));
}

void
access_log_free(struct access_log *a)
{
    free(a);
}

#if VERSION >= 2
void
access_log_add(struct access_log *a, const char *path, int status)
{
    unsigned mine = atomic_fetch_add_explicit(&a->next, 1, memory_order_relaxed);
    struct log_entry *entry;
    char *slash;

    if (mine >= LOG_ENTRIES)
        return;
    entry = &a->entries[mine];
    snprintf(entry->path, sizeof entry->path, "%s", path);
    slash = strrchr(entry->path, '/');
    if (strlen(path) >= sizeof entry->path && slash != NULL && slash != entry->path)
        *slash = 0;
    entry->status = status;
#ifdef SEED_3
    atomic_store_explicit(&entry->complete, true, memory_order_relaxed);
#else
    atomic_store_explicit(&entry->complete, true, memory_order_release);
#endif
}
#else
void
access_log_add(struct access_log *a, const char *path, int status)
{
    unsigned i = atomic_fetch_add_explicit(&a->next, 1, memory_order_relaxed);
    struct log_entry *e;

    if (i >= LOG_ENTRIES)
        return;
    e = &a->entries[i];
    snprintf(e->path, sizeof e->path, "%s", path);
    e->status = status;
    atomic_store_explicit(&e->complete, true, memory_order_release);
}
#endif

unsigned
access_log_count(struct access_log *a)
{
    unsigned n = 0;

    for (unsigned i = 0; i < LOG_ENTRIES; i++) {
        if (atomic_load_explicit(&a->entries[i].complete, memory_order_relaxed))
            n++;
    }
    return n;
}

bool
access_log_path(struct access_log *a, unsigned i, char *out, size_t size)
{
    if (i >= LOG_ENTRIES || !atomic_load_explicit(&a->entries[i].complete, memory_order_acquire))
        return false;
    snprintf(out, size, "%s", a->entries[i].path);
    return true;
}

int
access_log_status(struct access_log *a, unsigned i)
{
    if (i >= LOG_ENTRIES || !atomic_load_explicit(&a->entries[i].complete, memory_order_acquire))
        return 0;
    return a->entries[i].status;
}
