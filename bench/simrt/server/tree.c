/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - resources in directories. A path is "/directory/name"; "/name" is in the directory "".
 *
 * Lock order: two directories by their number; the lock of the version is taken last.
 * Version 2 counts changes in one place and replaces the body of a resource that is there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

#define DIRECTORIES 4
#define FILES 6
#define NAME_LENGTH 16

struct file {
    char name[NAME_LENGTH];
    char body[BODY_LENGTH];
};

struct directory {
    pthread_rwlock_t lock; /* guards files and n */
    char name[NAME_LENGTH];
    struct file files[FILES];
    unsigned n;
};

struct tree {
    pthread_rwlock_t lock; /* guards n_directories; directories stay where they are */
    struct directory directories[DIRECTORIES];
    unsigned n_directories;
    pthread_mutex_t version_lock;
    unsigned version;
};

enum op { OP_GET, OP_PUT, OP_REMOVE };

struct tree *
tree_new(void)
{
    struct tree *t = calloc(1, sizeof *t);

    if (t == NULL)
        return NULL;
    pthread_rwlock_init(&t->lock, NULL);
    pthread_mutex_init(&t->version_lock, NULL);
    for (unsigned i = 0; i < DIRECTORIES; i++)
        pthread_rwlock_init(&t->directories[i].lock, NULL);
    t->n_directories = 1;
    return t;
}

void
tree_free(struct tree *t)
{
    for (unsigned i = 0; i < DIRECTORIES; i++)
        pthread_rwlock_destroy(&t->directories[i].lock);
    pthread_rwlock_destroy(&t->lock);
    pthread_mutex_destroy(&t->version_lock);
    free(t);
}

/* Splits a path; false: it is none. */
static bool
split(const char *path, char *directory, const char **name)
{
    const char *slash = strrchr(path, '/');
    size_t length;

    if (path[0] != '/' || slash[1] == 0 || strlen(slash + 1) >= NAME_LENGTH)
        return false;
    length = slash == path ? 0 : (size_t)(slash - path - 1);
    if (length >= NAME_LENGTH)
        return false;
    memcpy(directory, path + 1, length);
    directory[length] = 0;
    *name = slash + 1;
    return true;
}

/* t->lock is held. */
static struct directory *
lookup(struct tree *t, const char *name)
{
    for (unsigned i = 0; i < t->n_directories; i++) {
        if (strcmp(t->directories[i].name, name) == 0)
            return &t->directories[i];
    }
    return NULL;
}

/* NULL: there is none, or no room for it. */
static struct directory *
directory_of(struct tree *t, const char *name, bool make)
{
    struct directory *d;

    pthread_rwlock_rdlock(&t->lock);
    d = lookup(t, name);
    pthread_rwlock_unlock(&t->lock);
    if (d != NULL || !make)
        return d;
    pthread_rwlock_wrlock(&t->lock);
    d = lookup(t, name);
    if (d == NULL && t->n_directories < DIRECTORIES) {
        d = &t->directories[t->n_directories++];
        snprintf(d->name, sizeof d->name, "%s", name);
    }
    pthread_rwlock_unlock(&t->lock);
    return d;
}

/* The lock of the directory is held. */
static struct file *
find(struct directory *d, const char *name)
{
    for (unsigned i = 0; i < d->n; i++) {
        if (strcmp(d->files[i].name, name) == 0)
            return &d->files[i];
    }
    return NULL;
}

static bool
add(struct directory *d, const char *name, const char *body)
{
    struct file *f = find(d, name);

    if (f == NULL && d->n == FILES)
        return false;
    if (f == NULL) {
        f = &d->files[d->n++];
        snprintf(f->name, sizeof f->name, "%s", name);
    }
    snprintf(f->body, sizeof f->body, "%s", body);
    return true;
}

static bool
drop(struct directory *d, const char *name)
{
    struct file *f = find(d, name);

    if (f == NULL)
        return false;
    *f = d->files[--d->n];
    return true;
}

#if VERSION >= 2
/* The tree has changed. */
static void
tree_touch(struct tree *t)
{
#ifdef SEED_2
    t->version++;
#else
    pthread_mutex_lock(&t->version_lock);
    t->version++;
    pthread_mutex_unlock(&t->version_lock);
#endif
}
#endif

/* One operation on one resource. */
static bool
operate(struct tree *t, const char *path, enum op op, const char *body, char *out, size_t size)
{
    char name[NAME_LENGTH];
    const char *file;
    struct directory *d;
    struct file *f;
    bool ok = false;
#ifdef SEED_7
    bool writes = op == OP_PUT;
#elif VERSION >= 2
    bool writes = op == OP_PUT || op == OP_REMOVE;
#else
    bool writes = op != OP_GET;
#endif

    if (!split(path, name, &file) || (d = directory_of(t, name, op == OP_PUT)) == NULL)
        return false;
    if (writes)
        pthread_rwlock_wrlock(&d->lock);
    else
        pthread_rwlock_rdlock(&d->lock);
    if (op == OP_PUT) {
        ok = add(d, file, body);
    } else if (op == OP_REMOVE) {
        ok = drop(d, file);
    } else {
        f = find(d, file);
        ok = f != NULL;
        if (ok)
            snprintf(out, size, "%s", f->body);
    }
    pthread_rwlock_unlock(&d->lock);
    if (ok && op != OP_GET) {
#if VERSION >= 2
        tree_touch(t);
#else
        pthread_mutex_lock(&t->version_lock);
        t->version++;
        pthread_mutex_unlock(&t->version_lock);
#endif
    }
    return ok;
}

bool
tree_put(struct tree *t, const char *path, const char *body)
{
    return operate(t, path, OP_PUT, body, NULL, 0);
}

bool
tree_get(struct tree *t, const char *path, char *out, size_t size)
{
    return operate(t, path, OP_GET, NULL, out, size);
}

bool
tree_remove(struct tree *t, const char *path)
{
    return operate(t, path, OP_REMOVE, NULL, NULL, 0);
}

/* Both locks are held for writing. */
static bool
transfer(struct directory *from, const char *old, struct directory *to, const char *new)
{
    struct file *f = find(from, old);
    char body[BODY_LENGTH];

    if (f == NULL || find(to, new) != NULL || (from != to && to->n == FILES))
        return false;
    memcpy(body, f->body, sizeof body);
    drop(from, old);
    return add(to, new, body);
}

bool
tree_move(struct tree *t, const char *from, const char *to)
{
    char from_name[NAME_LENGTH], to_name[NAME_LENGTH];
    const char *old, *new;
    struct directory *source, *target;
    struct directory *first, *second;
    bool ok;

    if (!split(from, from_name, &old) || !split(to, to_name, &new))
        return false;
    source = directory_of(t, from_name, false);
    target = directory_of(t, to_name, source != NULL);
    if (source == NULL || target == NULL)
        return false;
#ifdef SEED_9
    first = source;
    second = source == target ? NULL : target;
    pthread_rwlock_wrlock(&first->lock);
    if (second != NULL)
        pthread_rwlock_wrlock(&second->lock);
#elif VERSION >= 2
    first = source <= target ? source : target;
    second = source == target ? NULL : source <= target ? target : source;
    pthread_rwlock_wrlock(&first->lock);
    if (second != NULL)
        pthread_rwlock_wrlock(&second->lock);
#else
    first = source < target ? source : target;
    second = source < target ? target : source;
    pthread_rwlock_wrlock(&first->lock);
    if (second != first)
        pthread_rwlock_wrlock(&second->lock);
#endif
    ok = transfer(source, old, target, new);
    pthread_rwlock_unlock(&first->lock);
#if VERSION >= 2
    if (second != NULL)
        pthread_rwlock_unlock(&second->lock);
    if (ok)
        tree_touch(t);
#else
    if (second != first)
        pthread_rwlock_unlock(&second->lock);
    if (ok) {
        pthread_mutex_lock(&t->version_lock);
        t->version++;
        pthread_mutex_unlock(&t->version_lock);
    }
#endif
    return ok;
}

unsigned
tree_count(struct tree *t, const char *directory)
{
    struct directory *d = directory_of(t, directory, false);
    unsigned n;

    if (d == NULL)
        return 0;
    pthread_rwlock_rdlock(&d->lock);
    n = d->n;
    pthread_rwlock_unlock(&d->lock);
    return n;
}

unsigned
tree_version(struct tree *t)
{
    unsigned n;

    pthread_mutex_lock(&t->version_lock);
    n = t->version;
    pthread_mutex_unlock(&t->version_lock);
    return n;
}
