/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/site.c - names of sites, so that findings outlive the binary they came from.
 *
 * Runs in the host. Key: module hash and index. The hash covers the module's
 * canonical bitcode, so a row can never become wrong, only unused.
 */
#include "store/store_int.h"

static void
bind_site(sqlite3_stmt *stmt, const struct burl_store_site *site)
{
    burl__store_bind_u64(stmt, ":module", site->module);
    burl__store_bind_i64(stmt, ":ix", site->index);
    burl__store_bind_i64(stmt, ":line", site->line);
    burl__store_bind_i64(stmt, ":col", site->column);
    burl__store_bind_i64(stmt, ":kind", site->kind);
    burl__store_bind_text(stmt, ":file", site->file);
    burl__store_bind_text(stmt, ":func", site->func);
    burl__store_bind_text(stmt, ":variable", site->variable);
}

/* Inside a transaction. */
static enum burl_status
insert_sites_locked(struct burl_store *s, const struct burl_store_site *sites, size_t n,
                    struct burl_err *err)
{
    enum burl_status st;
    sqlite3_stmt *stmt;

    st = burl__store_prepare(s, &stmt,
                             "INSERT OR IGNORE INTO sites (module, ix, line, col, kind, file, func,"
                             " variable) VALUES (:module, :ix, :line, :col, :kind, :file, :func,"
                             " :variable)",
                             err);
    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < n && st == BURL_OK; i++) {
        int rc;

        bind_site(stmt, &sites[i]);
        rc = sqlite3_step(stmt);
        if (rc != SQLITE_DONE)
            st = burl__store_fail(s, rc, "record sites", err);
        sqlite3_reset(stmt);
    }
    sqlite3_finalize(stmt);
    return st;
}

enum burl_status
burl_store_sites_put(struct burl_store *s, const struct burl_store_site *sites, size_t n,
                     struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    return burl__store_end(s, insert_sites_locked(s, sites, n, err), err);
}
