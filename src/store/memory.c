/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/memory.c - programs as campaigns left them; contract in memory.h.
 *
 * Runs in the host. The state is replaced as a whole at the end of a campaign: a kill -9 before
 * that leaves the state of the campaign before, which is a true one.
 */
#include "store/memory.h"

#include <assert.h>

#include "store/store_int.h"

#define COL(field) BURL__COL(struct burl_store_program, field, #field)
BURL__TABLE(programs, struct burl_store_program, COL(id), COL(path), COL(args), COL(program),
            COL(build_id), COL(campaigns), COL(executions), COL(edges), COL(state));
#undef COL
static_assert(offsetof(struct burl_store_program, state_b) ==
                  offsetof(struct burl_store_program, state) + sizeof(void *),
              "the column is a pointer and its size");

enum burl_status
burl_store_program_get(struct burl_store *s, const char *path, const char *args, bool *found,
                       struct burl_store_program *out, struct burl_err *err)
{
    return burl__store_get(s, "SELECT * FROM programs WHERE path = :path AND args = :args", 0,
                           &programs, &(struct burl_store_program){ .path = path, .args = args },
                           found, out, err);
}

enum burl_status
burl_store_program_id(struct burl_store *s, const char *path, const char *args, int64_t *id,
                      struct burl_err *err)
{
    const struct burl_store_program key = { .path = path, .args = args };
    enum burl_status st =
        burl__store_number(s, "SELECT id FROM programs WHERE path = :path AND args = :args", 0,
                           &programs, &key, "read", id, err);

    if (st != BURL_OK || *id != 0)
        return st;
    return burl__store_number(s,
                              "INSERT INTO programs (path, args, updated_ms)"
                              " VALUES (:path, :args, :now) RETURNING id",
                              0, &programs, &key, "record a program", id, err);
}

enum burl_status
burl_store_program_put(struct burl_store *s, const struct burl_store_program *p,
                       const struct burl_store_goals *goals, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = burl__store_write(
        s,
        "UPDATE programs SET program = :program, build_id = :build_id, campaigns = :campaigns,"
        " executions = :executions, edges = :edges, state = :state, updated_ms = :now"
        " WHERE id = :id",
        p->id, &programs, p, "record what a campaign learned", err);
    if (st == BURL_OK)
        st = burl__store_put_goals_locked(s, p->id, goals, err);
    return burl__store_end(s, st, err);
}

void
burl_store_program_deinit(struct burl_store_program *p)
{
    burl__store_free_row(&programs, p);
}
