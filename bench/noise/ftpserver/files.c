/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - files and directories in memory.
 *
 * A flat list of absolute paths. Functions that end in _locked need the lock.
 */
#include "ftp.h"

struct file {
    char path[PATH_LENGTH];
    bool is_directory;
    size_t length;
    char *bytes;
};

static struct file *
find_locked(const struct files *f, const char *path, unsigned *number)
{
    for (unsigned i = 0; i < f->n; i++)
        if (strcmp(f->list[i]->path, path) == 0) {
            if (number != NULL)
                *number = i;
            return f->list[i];
        }
    return NULL;
}

static bool
is_directory_locked(const struct files *f, const char *path)
{
    const struct file *e = find_locked(f, path, NULL);

    return strcmp(path, "/") == 0 || (e != NULL && e->is_directory);
}

/* Whether `path` lies directly in the directory. */
static bool
is_child(const char *directory, const char *path)
{
    size_t length = strcmp(directory, "/") == 0 ? 0 : strlen(directory);

    return strncmp(path, directory, length) == 0 && path[length] == '/' &&
           path[length + 1] != '\0' && strchr(path + length + 1, '/') == NULL;
}

static bool
parent_exists_locked(const struct files *f, const char *path)
{
    char parent[PATH_LENGTH];
    char *slash;

    strcpy(parent, path);
    slash = strrchr(parent, '/');
    if (slash == NULL)
        return false;
    slash[slash == parent ? 1 : 0] = '\0';
    return is_directory_locked(f, parent);
}

/* NULL: it is full, or the directory is not there. */
static struct file *
make_locked(struct files *f, const char *path, bool is_directory)
{
    struct file *e;

    if (f->n == FILES_MAX || !parent_exists_locked(f, path))
        return NULL;
    e = calloc(1, sizeof *e);
    must(e != NULL, "calloc");
    strcpy(e->path, path);
    e->is_directory = is_directory;
    f->list[f->n++] = e;
    return e;
}

static void
free_file(struct file *e)
{
    free(e->bytes);
    free(e);
}

void
files_init(struct files *f)
{
    memset(f, 0, sizeof *f);
    pthread_rwlock_init(&f->lock, NULL);
}

void
files_deinit(struct files *f)
{
    for (unsigned i = 0; i < f->n; i++)
        free_file(f->list[i]);
    pthread_rwlock_destroy(&f->lock);
}

bool
files_path(char *out, const char *directory, const char *name)
{
    char joined[LINE_LENGTH + PATH_LENGTH];
    char *rest = NULL;
    size_t n = 0;

    snprintf(joined, sizeof joined, "%s/%s", name[0] == '/' ? "" : directory, name);
    out[0] = '\0';
    for (char *w = strtok_r(joined, "/", &rest); w != NULL; w = strtok_r(NULL, "/", &rest)) {
        size_t length = strlen(w);

        if (strcmp(w, ".") == 0)
            continue;
        if (strcmp(w, "..") == 0) {
            while (n > 0 && out[--n] != '/')
                ;
            out[n] = '\0';
            continue;
        }
        if (n + length + 2 > PATH_LENGTH)
            return false;
        out[n++] = '/';
        memcpy(out + n, w, length + 1);
        n += length;
    }
    if (n == 0)
        strcpy(out, "/");
    return true;
}

bool
files_make_directory(struct files *f, const char *path)
{
    bool made;

    pthread_rwlock_wrlock(&f->lock);
    made = strcmp(path, "/") != 0 && find_locked(f, path, NULL) == NULL &&
           make_locked(f, path, true) != NULL;
    pthread_rwlock_unlock(&f->lock);
    return made;
}

bool
files_is_directory(struct files *f, const char *path)
{
    bool is;

    pthread_rwlock_rdlock(&f->lock);
    is = is_directory_locked(f, path);
    pthread_rwlock_unlock(&f->lock);
    return is;
}

bool
files_write(struct files *f, const char *path, const char *bytes, size_t length)
{
    struct file *e;
    char *copy;

    if (length > DATA_MAX)
        return false;
    copy = malloc(length + 1);
    must(copy != NULL, "malloc");
    memcpy(copy, bytes, length);
    pthread_rwlock_wrlock(&f->lock);
    e = find_locked(f, path, NULL);
    if (e == NULL)
        e = make_locked(f, path, false);
    if (e != NULL && e->is_directory)
        e = NULL;
    if (e != NULL) {
        free(e->bytes);
        e->bytes = copy;
        e->length = length;
    }
    pthread_rwlock_unlock(&f->lock);
    if (e == NULL)
        free(copy);
    return e != NULL;
}

long
files_read(struct files *f, const char *path, char *bytes, size_t size)
{
    const struct file *e;
    long length = -1;

    pthread_rwlock_rdlock(&f->lock);
    e = find_locked(f, path, NULL);
    if (e != NULL && !e->is_directory && e->length <= size) {
        memcpy(bytes, e->bytes, e->length);
        length = (long)e->length;
    }
    pthread_rwlock_unlock(&f->lock);
    return length;
}

long
files_size(struct files *f, const char *path)
{
    const struct file *e;
    long length = -1;

    pthread_rwlock_rdlock(&f->lock);
    e = find_locked(f, path, NULL);
    if (e != NULL && !e->is_directory)
        length = (long)e->length;
    pthread_rwlock_unlock(&f->lock);
    return length;
}

static bool
is_empty_locked(const struct files *f, const char *directory)
{
    for (unsigned i = 0; i < f->n; i++)
        if (is_child(directory, f->list[i]->path))
            return false;
    return true;
}

bool
files_remove(struct files *f, const char *path)
{
    struct file *e;
    unsigned i = 0;

    pthread_rwlock_wrlock(&f->lock);
    e = find_locked(f, path, &i);
    if (e != NULL && e->is_directory && !is_empty_locked(f, path))
        e = NULL;
    if (e != NULL)
        f->list[i] = f->list[--f->n];
    pthread_rwlock_unlock(&f->lock);
    if (e != NULL)
        free_file(e);
    return e != NULL;
}

bool
files_rename(struct files *f, const char *from, const char *to)
{
    struct file *e;
    bool done;

    pthread_rwlock_wrlock(&f->lock);
    e = find_locked(f, from, NULL);
    done = e != NULL && !e->is_directory && find_locked(f, to, NULL) == NULL &&
           parent_exists_locked(f, to);
    if (done)
        strcpy(e->path, to);
    pthread_rwlock_unlock(&f->lock);
    return done;
}

size_t
files_list(struct files *f, const char *path, char *text, size_t size)
{
    size_t length = 0;

    pthread_rwlock_rdlock(&f->lock);
    for (unsigned i = 0; i < f->n; i++) {
        const struct file *e = f->list[i];
        int n;

        if (!is_child(path, e->path))
            continue;
        n = snprintf(text + length, size - length, "%crw-r--r-- 1 ftp ftp %6zu %s\r\n",
                     e->is_directory ? 'd' : '-', e->length, strrchr(e->path, '/') + 1);
        if (n < 0 || (size_t)n >= size - length)
            break;
        length += (size_t)n;
    }
    pthread_rwlock_unlock(&f->lock);
    return length;
}
