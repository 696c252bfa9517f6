/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/cover.c - programs and items of interleaving coverage; contract in cover.h.
 *
 * Runs in the host. Items are keyed by what they are, so adding is INSERT OR IGNORE and merging two
 * campaigns needs nothing else: the row with the first execution was there first.
 */
#include "store/cover.h"

#include <assert.h>
#include <stdlib.h>

#include "base/vec.h"
#include "store/store_int.h"

/* ---- programs ---------------------------------------------------------------------- */

#define COL(field) BURL__COL(struct burl_store_cover_program, field, #field)
BURL__TABLE(programs, struct burl_store_cover_program, COL(id), COL(path), COL(program), COL(args),
            COL(build_id), COL(mode), COL(context), COL(metrics), COL(campaigns), COL(executions),
            COL(wall_ms), COL(lost));
#undef COL

enum burl_status
burl_store_cover_get(struct burl_store *s, const char *path, bool *found,
                     struct burl_store_cover_program *out, struct burl_err *err)
{
    static const char by_path[] = "SELECT * FROM cover_programs WHERE path = :path";
    static const char newest[] =
        "SELECT * FROM cover_programs ORDER BY updated_ms DESC, id DESC LIMIT 1";

    return burl__store_get(s, path ? by_path : newest, 0, &programs,
                           &(struct burl_store_cover_program){ .path = path }, found, out, err);
}

void
burl_store_cover_program_deinit(struct burl_store_cover_program *p)
{
    burl__store_free_row(&programs, p);
}

/* ---- the image --------------------------------------------------------------------- */

#define COL(field) BURL__COL(struct burl_wire_object, field, #field)
BURL__TABLE(objects, struct burl_wire_object, BURL__COL_GIVEN(ID, "program"),
            BURL__COL_GIVEN(POS, "ix"), COL(path));
#undef COL

#define COL(field) BURL__COL(struct burl_wire_module_entry, field, #field)
/* The upper half of the number is `late`. */
BURL__TABLE(modules, struct burl_wire_module_entry, BURL__COL_GIVEN(ID, "program"),
            BURL__COL_GIVEN(POS, "ix"), COL(hash), COL(base), COL(n_sites),
            { ":object", BURL__COL_I64, offsetof(struct burl_wire_module_entry, object), 8 });
#undef COL
static_assert(offsetof(struct burl_wire_module_entry, late) ==
                  offsetof(struct burl_wire_module_entry, object) + 4,
              "read as one number of 64 bits, little-endian");

static const char doing_cover[] = "record coverage";

/* Runs a statement with the parameter :id. */
static enum burl_status
run_on_program(struct burl_store *s, const char *sql, int64_t id, struct burl_err *err)
{
    return burl__store_write(s, sql, id, NULL, NULL, doing_cover, err);
}

static enum burl_status
replace_image_locked(struct burl_store *s, int64_t id, const struct burl_store_cover_image *image,
                     struct burl_err *err)
{
    enum burl_status st =
        run_on_program(s, "DELETE FROM cover_objects WHERE program = :id", id, err);

    if (st == BURL_OK)
        st = run_on_program(s, "DELETE FROM cover_modules WHERE program = :id", id, err);
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT INTO cover_objects", id, &objects, image->objects,
                                image->n_objects, doing_cover, err);
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT INTO cover_modules", id, &modules, image->modules,
                                image->n_modules, doing_cover, err);
    return st;
}

static enum burl_status
upsert_program_locked(struct burl_store *s, const struct burl_store_cover_program *p, int64_t *id,
                      struct burl_err *err)
{
    return burl__store_number(
        s,
        "INSERT INTO cover_programs (path, program, args, build_id, mode, context, metrics,"
        " campaigns, updated_ms) VALUES (:path, :program, :args, :build_id, :mode, :context,"
        " :metrics, 1, :now)"
        " ON CONFLICT (path) DO UPDATE SET program = excluded.program, args = excluded.args,"
        " build_id = excluded.build_id, mode = excluded.mode, context = excluded.context,"
        " metrics = metrics | excluded.metrics, campaigns = campaigns + 1,"
        " updated_ms = excluded.updated_ms RETURNING id",
        0, &programs, p, doing_cover, id, err);
}

enum burl_status
burl_store_cover_begin(struct burl_store *s, const struct burl_store_cover_program *p,
                       const struct burl_store_cover_image *image, int64_t *id,
                       struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    *id = 0;
    if (st != BURL_OK)
        return st;
    st = upsert_program_locked(s, p, id, err);
    if (st == BURL_OK)
        st = replace_image_locked(s, *id, image, err);
    return burl__store_end(s, st, err);
}

enum burl_status
burl_store_cover_image_put(struct burl_store *s, int64_t id,
                           const struct burl_store_cover_image *image, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    return burl__store_end(s, replace_image_locked(s, id, image, err), err);
}

enum burl_status
burl_store_cover_image_get(struct burl_store *s, int64_t id, struct burl_store_cover_image *out,
                           struct burl_err *err)
{
    BURL_VEC(struct burl_wire_object) o;
    BURL_VEC(struct burl_wire_module_entry) m = { 0 };
    enum burl_status st =
        burl__store_list(s, "SELECT path FROM cover_objects WHERE program = :id ORDER BY ix", id,
                         &objects, NULL, &o, err);

    if (st == BURL_OK)
        st = burl__store_list(s, "SELECT * FROM cover_modules WHERE program = :id ORDER BY ix", id,
                              &modules, NULL, &m, err);
    *out = (struct burl_store_cover_image){ o.v, o.n, m.v, m.n };
    if (st != BURL_OK)
        burl_store_cover_image_deinit(out);
    return st;
}

void
burl_store_cover_image_deinit(struct burl_store_cover_image *i)
{
    free(i->objects);
    free(i->modules);
    *i = (struct burl_store_cover_image){ 0 };
}

enum burl_status
burl_store_cover_set_mode(struct burl_store *s, int64_t id, const char *mode, struct burl_err *err)
{
    return burl__store_write(s, "UPDATE cover_programs SET mode = :mode WHERE id = :id", id,
                             &programs, &(struct burl_store_cover_program){ .mode = mode },
                             doing_cover, err);
}

enum burl_status
burl_store_cover_forget(struct burl_store *s, int64_t id, struct burl_err *err)
{
    static const char *const sql[] = {
        "DELETE FROM cover_items WHERE program = :id",
        "DELETE FROM cover_schedules WHERE program = :id",
        "DELETE FROM goal_sites WHERE source = 'hunt' AND program = :id",
        "DELETE FROM goals WHERE source = 'hunt' AND program = :id",
        "DELETE FROM cover_objects WHERE program = :id",
        "DELETE FROM cover_modules WHERE program = :id",
        "DELETE FROM cover_programs WHERE id = :id",
    };
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < sizeof sql / sizeof sql[0] && st == BURL_OK; i++)
        st = run_on_program(s, sql[i], id, err);
    return burl__store_end(s, st, err);
}
