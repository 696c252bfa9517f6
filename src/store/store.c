/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/store.c - opening, closing, locking, and the way every statement runs.
 *
 * Runs in the host. Durability: rollback journal with synchronous=FULL. A write
 * that returned is on the disk; a kill -9 inside one leaves a journal which the
 * next open rolls back. Not WAL: between runs the store should be one plain
 * file that can be copied, and read from a read-only directory.
 *
 * Two locks, of different kinds. SQLite's own guards single transactions, so
 * that `burl findings` works while a campaign runs. The campaign lock (flock on
 * <dir>/lock) keeps a second campaign out; the kernel drops it when the holder
 * dies, and the file's text names the holder.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "store/store_int.h"

/* Transactions last milliseconds; longer means a very slow disk or a process stuck in a
 * transaction, which the user should know. */
#define BUSY_TIMEOUT_MS 10000
/* Of one value: far more than burl keeps in one, far less than all memory. */
#define VALUE_MAX_B (256 << 20)

static enum burl_status
fail_damaged(struct burl_store *s, const char *why, struct burl_err *err)
{
    return burl_err_set(err, BURL_E_FORMAT, 0,
                        "%s is damaged (%s); move it away (mv %s %s.damaged) and run again; "
                        "%s/findings is not touched",
                        s->db_path, why, s->db_path, s->db_path, s->dir);
}

enum burl_status
burl__store_fail(struct burl_store *s, int rc, const char *doing, struct burl_err *err)
{
    const char *why = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);
    int sys = s->db ? sqlite3_system_errno(s->db) : 0;

    switch (rc & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return fail_damaged(s, why, err);
    case SQLITE_FULL:
        return burl_err_set(err, BURL_E_IO, ENOSPC, "cannot %s in %s: the disk is full", doing,
                            s->db_path);
    case SQLITE_READONLY:
        if (rc == SQLITE_READONLY_ROLLBACK || rc == SQLITE_READONLY_RECOVERY)
            return burl_err_set(
                err, BURL_E_IO, EROFS,
                "%s has an interrupted write; make it writable once so that it can be recovered",
                s->db_path);
        if (rc == SQLITE_READONLY_DBMOVED)
            return burl_err_set(err, BURL_E_IO, 0,
                                "cannot %s in %s: the file was removed or replaced while burl used "
                                "it; what was not written before is lost, run the command again",
                                doing, s->db_path);
        return burl_err_set(err, BURL_E_IO, EROFS,
                            "cannot %s in %s: it is not writable; make %s writable or give another "
                            "directory with --dir",
                            doing, s->db_path, s->dir);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return burl_err_set(err, BURL_E_IO, EWOULDBLOCK,
                            "cannot %s in %s: another process has been writing to it for %d s",
                            doing, s->db_path, BUSY_TIMEOUT_MS / 1000);
    case SQLITE_CANTOPEN:
        return burl_err_set(err, BURL_E_IO, sys ? sys : EACCES,
                            "cannot open %s; look at its permissions and those of the directories "
                            "above it, or give another directory with --dir",
                            s->db_path);
    default:
        return burl_err_set(err, BURL_E_IO, 0, "cannot %s in %s: %s", doing, s->db_path, why);
    }
}

enum burl_status
burl__store_exec(struct burl_store *s, const char *sql, const char *doing, struct burl_err *err)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? BURL_OK : burl__store_fail(s, rc, doing, err);
}

enum burl_status
burl__store_begin(struct burl_store *s, struct burl_err *err)
{
    return burl__store_exec(s, "BEGIN IMMEDIATE", "write", err);
}

enum burl_status
burl__store_end(struct burl_store *s, enum burl_status st, struct burl_err *err)
{
    if (st == BURL_OK)
        st = burl__store_exec(s, "COMMIT", "commit", err);
    /* After some errors SQLite has rolled back by itself; asking again is harmless. */
    if (st != BURL_OK && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

struct health {
    const char *answer;
};

BURL__TABLE(health, struct health, BURL__COL(struct health, answer, "quick_check"));

/* A damaged page would otherwise surface in the middle of a campaign. */
static enum burl_status
check_health(struct burl_store *s, struct burl_err *err)
{
    struct health h;
    bool found;
    enum burl_status st =
        burl__store_get(s, "PRAGMA quick_check(1)", 0, &health, NULL, &found, &h, err);

    if (st == BURL_OK && (!h.answer || strcmp(h.answer, "ok") != 0))
        st = fail_damaged(s, h.answer ? h.answer : "no answer", err);
    burl__store_free_row(&health, &h);
    return st;
}

/* A store may come with a checkout. SQLite would follow links, and its own option against that
 * refuses links in the path to the store too, which are the user's. */
static enum burl_status
check_files(struct burl_store *s, struct burl_err *err)
{
    static const char *const names[] = { "burl.db", "burl.db-journal", "burl.db-wal",
                                         "burl.db-shm" };
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && st == BURL_OK; i++)
        st = burl_fs_check_inside(s->dir, names[i], err);
    if (st == BURL_OK && !s->readonly) {
        const int fd = open(s->db_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

        if (fd >= 0) {
            st = burl_fs_check_single(fd, s->db_path, err);
            close(fd);
        }
    }
    return st;
}

/* Nothing in the file is run: burl's tables have no triggers, views or virtual tables. */
static void
trust_no_schema(struct burl_store *s)
{
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, VALUE_MAX_B);
}

/* A database of unknown origin may look like a store. Names in it are given to open() and
 * unlink(). */
static enum burl_status
check_content(struct burl_store *s, struct burl_err *err)
{
    static const char planted[] =
        "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') "
        "OR sql LIKE 'CREATE VIRTUAL%'";
    static const char names[] =
        "SELECT (SELECT count(*) FROM corpus WHERE typeof(file) <> 'text' "
        "OR file NOT GLOB 'corpus/*' OR instr(substr(file, 8), '/') OR instr(file, '..')) "
        "+ (SELECT count(*) FROM cover_schedules WHERE typeof(file) <> 'text' "
        "OR file NOT GLOB 'cover/*' OR instr(substr(file, 7), '/') OR instr(file, '..'))";
    int64_t n = 0;
    enum burl_status st = burl__store_number(s, planted, 0, NULL, NULL, "read", &n, err);

    if (st == BURL_OK && n > 0)
        return fail_damaged(s, "it has triggers, views or virtual tables, which burl never makes",
                            err);
    if (st == BURL_OK)
        st = burl__store_number(s, names, 0, NULL, NULL, "read", &n, err);
    if (st == BURL_OK && n > 0)
        return fail_damaged(s, "it names files outside of the store", err);
    return st;
}

static enum burl_status
open_database(struct burl_store *s, struct burl_err *err)
{
    /* Readers request write access too, and SQLite falls back if there is none: an interrupted
     * write of a killed campaign must be rolled back before any read. */
    int flags = SQLITE_OPEN_READWRITE | (s->readonly ? 0 : SQLITE_OPEN_CREATE);
    enum burl_status st;
    struct stat stat_b;
    int rc;

    st = check_files(s, err);
    if (st != BURL_OK)
        return st;
    /* SQLite treats a file of zero bytes as an empty database; for us it is what a full disk
     * leaves behind before the first commit, and starting over is right. */
    rc = sqlite3_open_v2(s->db_path, &s->db, flags | SQLITE_OPEN_EXRESCODE, NULL);
    if (rc != SQLITE_OK)
        return burl__store_fail(s, rc, "open", err);
    if (!s->readonly && sqlite3_db_readonly(s->db, "main") == 1)
        return burl__store_fail(s, SQLITE_READONLY, "write", err);
    if (stat(s->db_path, &stat_b) == 0 && !S_ISREG(stat_b.st_mode))
        return burl_err_set(err, BURL_E_IO, 0, "%s is not a regular file", s->db_path);
    sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
    trust_no_schema(s);
    st = burl__store_exec(s,
                          "PRAGMA synchronous = FULL;"
                          "PRAGMA foreign_keys = ON;"
                          "PRAGMA trusted_schema = OFF;"
                          "PRAGMA cell_size_check = ON;"
                          "PRAGMA mmap_size = 0;",
                          "set up", err);
    if (st == BURL_OK)
        st = check_health(s, err);
    if (st == BURL_OK)
        st = burl__store_migrate(s, err);
    if (st == BURL_OK)
        st = check_content(s, err);
    return st;
}

static enum burl_status
open_store(struct burl_store **out, const char *dir, bool readonly, struct burl_err *err)
{
    struct burl_store *s = burl_xcalloc(1, sizeof *s);
    enum burl_status st;

    s->dir = burl_xstrdup(dir);
    s->db_path = burl_path_join(dir, "burl.db");
    s->lock_fd = -1;
    s->readonly = readonly;
    if (readonly && !burl_fs_exists(s->db_path))
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "there is no store in %s; run `burl test` first, or give its directory "
                          "with --dir",
                          dir);
    else
        st = open_database(s, err);
    if (st != BURL_OK) {
        burl_store_close(s);
        s = NULL;
    }
    *out = s;
    return st;
}

static enum burl_status
check_type(const char *dir, struct burl_err *err)
{
    if (!burl_fs_exists(dir) || burl_fs_is_dir(dir))
        return BURL_OK;
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "%s is a file, and a store is a directory; give another with --dir", dir);
}

enum burl_status
burl_store_open(struct burl_store **out, const char *dir, struct burl_err *err)
{
    enum burl_status st = check_type(dir, err);

    *out = NULL;
    if (st != BURL_OK)
        return st;
    st = burl_fs_mkdir_p(dir, err);
    if (st != BURL_OK && err->sys != 0)
        return burl_err_set(err, st, err->sys,
                            "cannot create the store %s; give a directory that can be written with "
                            "--dir",
                            dir);
    if (st != BURL_OK)
        return st;
    if (access(dir, W_OK | X_OK) != 0)
        return burl_err_set(err, BURL_E_IO, errno,
                            "cannot write in %s; make it writable or give another directory with "
                            "--dir",
                            dir);
    return open_store(out, dir, false, err);
}

enum burl_status
burl_store_open_readonly(struct burl_store **out, const char *dir, struct burl_err *err)
{
    *out = NULL;
    if (check_type(dir, err) != BURL_OK)
        return BURL_E_USAGE;
    return open_store(out, dir, true, err);
}

void
burl_store_close(struct burl_store *s)
{
    if (!s)
        return;
    sqlite3_close(s->db);
    burl__store_unlock(s);
    free(s->dir);
    free(s->db_path);
    free(s);
}

void
burl__store_unlock(struct burl_store *s)
{
    if (s->lock_fd < 0)
        return;
    close(s->lock_fd);
    s->lock_fd = -1;
}

const char *
burl_store_dir(const struct burl_store *s)
{
    return s->dir;
}

/* The holder of the lock, by its own entry; for messages, and for commands that hold it briefly. */
static char *
read_holder(const char *lock_path)
{
    char *holder = NULL;

    if (burl_fs_read_file(lock_path, 4096, &holder, NULL, NULL) != BURL_OK || !*holder) {
        free(holder);
        holder = burl_xstrdup("process not known yet");
    }
    holder[strcspn(holder, "\n")] = '\0';
    return holder;
}

static enum burl_status
fail_locked(const char *dir, const char *lock_path, struct burl_err *err)
{
    char *holder = read_holder(lock_path);
    enum burl_status st =
        burl_err_set(err, BURL_E_IO, 0,
                     "%s is in use by another burl (%.200s); wait for it, or give another "
                     "directory with --dir",
                     dir, holder);

    if (err)
        err->sys = EWOULDBLOCK;
    free(holder);
    return st;
}

#define PROBES_MS 20 /* longer than a probe by burl_store_check_unused() holds the lock */

/* Tries `how` (LOCK_EX, LOCK_SH) without waiting for another campaign. */
static bool
try_lock(int fd, int how)
{
    const struct timespec pause = { .tv_nsec = 1000000 };

    for (int i = 0; flock(fd, how | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK || i == PROBES_MS)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

/* Opens and locks <dir>/lock; `*out` is -1 when `flags` has no O_CREAT and there is no such file */
static enum burl_status
open_lock(int *out, const char *dir, int flags, int how, struct burl_err *err)
{
    enum burl_status st = burl_fs_check_inside(dir, "lock", err);
    char *path;
    int fd;

    *out = -1;
    if (st != BURL_OK)
        return st;
    path = burl_path_join(dir, "lock");
    fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd < 0 && !((flags & O_CREAT) == 0 && errno == ENOENT))
        st = burl_err_set(err, BURL_E_IO, errno, "cannot open %s", path);
    else if (fd >= 0 && burl_fs_check_single(fd, path, err) != BURL_OK)
        st = BURL_E_USAGE;
    else if (fd >= 0 && !try_lock(fd, how))
        st = errno == EWOULDBLOCK ? fail_locked(dir, path, err)
                                  : burl_err_set(err, BURL_E_IO, errno, "cannot lock %s", path);
    free(path);
    if (st != BURL_OK && fd >= 0)
        close(fd);
    else
        *out = fd;
    return st;
}

/* "pid N, burl gen ..." for "gen". */
static bool
is_held_by(const char *dir, const char *command)
{
    char *path = burl_path_join(dir, "lock");
    char *holder = read_holder(path);
    char *words = burl_xasprintf(", burl %s ", command);
    const bool is = strstr(holder, words) != NULL;

    free(words);
    free(holder);
    free(path);
    return is;
}

enum burl_status
burl_store_check_unused(const char *dir, const char *beside, struct burl_err *err)
{
    enum burl_status st = check_type(dir, err);
    int fd = -1;

    if (st == BURL_OK && burl_fs_exists(dir))
        st = open_lock(&fd, dir, O_RDWR, LOCK_SH, err);
    if (fd >= 0)
        close(fd);
    if (st != BURL_OK && err->sys == EWOULDBLOCK && beside && is_held_by(dir, beside))
        st = BURL_OK;
    /* What else is wrong with the directory is said, with what to do, when the store is opened. */
    if (st == BURL_E_IO && (err->sys == EROFS || err->sys == EACCES))
        st = BURL_OK;
    return st;
}

enum burl_status
burl_store_lock(struct burl_store *s, const char *command, struct burl_err *err)
{
    char *text;
    enum burl_status st;
    int fd;

    if (s->lock_fd >= 0)
        return BURL_OK;
    st = open_lock(&fd, s->dir, O_RDWR | O_CREAT, LOCK_EX, err);
    if (st != BURL_OK)
        return st;
    text = burl_xasprintf("pid %d, %s\n", (int)getpid(), command ? command : "burl");
    /* The text only names us to others: a full disk here must not stop a campaign that may
     * still have room for its findings. */
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, strlen(text), 0) < 0)
        errno = 0;
    free(text);
    s->lock_fd = fd;
    return BURL_OK;
}
