/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/schedules.c - schedules that cover something, kept as files.
 *
 * Runs in the host. <store>/cover/<program>-<execution>.txt is a schedule as `burl replay
 * --schedule` takes it. One per execution: it stands for all pairs that this execution covered
 * first. A campaign keeps the first executions with new pairs up to a bound; those cover nearly
 * everything, and what comes late and rarely is what `burl cover hunt` keeps without a bound.
 *
 * The file is written before its row, so a row never names a file that is not there.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "cover/cover_int.h"
#include "engine/schedule/schedfile.h"

bool
burl_cover_wants_schedule(const struct burl_cover *c)
{
    return c->n_schedules < BURL_COVER_SCHEDULES_MAX;
}

/* The pair that the schedule is kept for, so that a replay can report whether it was covered. */
static void
put_pair(const struct burl_cover *c, const struct burl_cover_kept *k, struct burl_schedfile *f)
{
    for (int i = 0; i < 2; i++) {
        const uint32_t id = burl_sites_find_index(c->sites, k->pair[i].module, k->pair[i].value);

        if (id == 0)
            return;
        f->stop.sites[i] = id;
        f->stop_ops[i] = burl_schedfile_access_op(burl_sites_get(c->sites, id)->kind);
    }
    f->observers = BURL_OB(LOCPAIRS);
    f->stop.kind = BURL_SUSPECT_PAIR;
    f->stop.n_sites = 2;
}

static enum burl_status
write_file(const struct burl_cover *c, const struct burl_cover_kept *k, const char *path,
           struct burl_err *err)
{
    const struct burl_run *run = k->run;
    struct burl_schedfile f = {
        .argv = (char **)k->argv,
        .n_argv = k->argc,
        .build_id = (char *)c->program.build_id,
        .engine = k->engine,
        .strategy = k->strategy,
        .param = k->param,
        .seed = k->seed,
        .order_flags = k->order_flags,
        .epoch_ns = run->epoch_ns,
        .verdict = run->verdict.kind,
        .trace_hash = run->trace_hash,
        .steps = run->steps,
        .switches = run->switches,
        .n_switches = run->n_switches,
    };

    if (k->hunted)
        put_pair(c, k, &f);
    return burl_schedfile_write(&f, c->sites, path, err);
}

enum burl_status
burl_cover_keep(struct burl_cover *c, const struct burl_cover_kept *k, struct burl_err *err)
{
    const uint64_t execution = c->base_executions + k->execution;
    char *file = burl_xasprintf("cover/%" PRId64 "-%" PRIu64 ".txt", c->program.id, execution);
    char *path = burl_path_join(burl_store_dir(c->store), file);
    const struct burl_store_cover_schedule row = { .execution = execution, .file = file };
    enum burl_status st = burl_fs_mkdir_inside(burl_store_dir(c->store), "cover", err);

    if (st == BURL_OK)
        st = write_file(c, k, path, err);
    if (st == BURL_OK)
        st = burl_store_cover_schedule_put(c->store, c->program.id, &row, err);
    if (st == BURL_OK && !k->hunted)
        c->n_schedules++;
    free(path);
    free(file);
    return st;
}
