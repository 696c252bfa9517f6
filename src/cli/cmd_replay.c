/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_replay.c - `burl replay`: replays a finding exactly.
 *
 * Runs in the host. A fresh process follows the switches of the schedule file; the report is made
 * from that execution, not from the stored one. Exit code: 1 reproduced, 0 not reproduced, 3 the
 * run diverged and did not fail the same way (or burl failed). A rebuilt program is detected by its
 * build id; sites are then matched by name and the schedule is followed as far as possible.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/shellwords.h"
#include "cli/replay_int.h"
#include "engine/confirm/move.h"

/* Longer commands are not part of a message. */
#define AGAIN_MAX 250u

struct outcome {
    uint32_t times;    /* executions */
    uint32_t same;     /* failed the same way */
    uint32_t exact;    /* of these, with the recorded trace hash */
    uint32_t diverged; /* diverged */
    uint32_t pairs;    /* covered the pair of the schedule */
    uint32_t diverged_at;
    struct burl_run run; /* the last one */
};

struct burl_wire_order
burl__replay_order(const struct burl_replay *r)
{
    const uint64_t wall = r->opts->exec_timeout;
    struct burl_wire_order o = {
        .kind = BURL_ORDER_KIND_BATCH,
        .flags =
            (r->file.order_flags & BURL_ORDER_F_KEPT) | BURL_ORDER_F_RECORD | BURL_ORDER_F_TRACE,
        .strategy = BURL_STRATEGY_REPLAY,
        .first_seed = r->file.seed,
        .n_execs = 1,
        .max_steps = r->opts->given[BURL_OPT_max_steps]
                         ? r->opts->max_steps
                         : r->opts->max_steps * BURL_CAMPAIGN_STEPS_RAISE,
        .epoch_ns = r->file.epoch_ns,
        .args.replay = { .n_sched_in = (uint32_t)r->file.n_switches },
        .max_wall_ms = (uint32_t)(wall < UINT32_MAX ? wall : UINT32_MAX),
    };

    burl_schedfile_stop(&r->file, &o);
    return o;
}

/* ---- finding out what to run ------------------------------------------------------- */

/* A free run leaves a report and no schedule, and so does a failure that no replay reproduced. */
static enum burl_status
check_schedule(const struct burl_replay *r, struct burl_err *err)
{
    const struct burl_store_finding *f = &r->known;
    const bool lost = f->kind && strcmp(f->kind, BURL_KIND_NOT_REPRODUCIBLE) == 0;
    enum burl_status st;
    char *again;
    char *quoted;

    if (!lost && (!f->engine || strcmp(f->engine, "free") != 0))
        return BURL_OK;
    again = burl__keep_again(f);
    if (again && strlen(again) > AGAIN_MAX) {
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "finding %" PRId64
                          " was seen in a free run, and free runs cannot be replayed; `burl show "
                          "%" PRId64 "` prints the command that runs it again under the same noise",
                          r->number, r->number);
        free(again);
        return st;
    }
    if (again) {
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "finding %" PRId64
                          " was seen in a free run, and free runs cannot be replayed; run it again "
                          "under the same noise, some times: %s (`burl show %" PRId64
                          "` prints the stored report)",
                          r->number, again, r->number);
        free(again);
        return st;
    }
    quoted = burl_shellwords_quote(f->program ? f->program : "");
    if (lost) {
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "finding %" PRId64
                          " depends on more than the schedule and has none to replay; use `burl "
                          "test --check-determinism %s` to find the step that differs (`burl show "
                          "%" PRId64 "` prints the stored report and likely causes)",
                          r->number, quoted, r->number);
        free(quoted);
        return st;
    }
    st = burl_err_set(err, BURL_E_USAGE, 0,
                      "finding %" PRId64
                      " was seen in a free run, and free runs cannot be replayed; use `burl test "
                      "%s` to reproduce finding %" PRId64 " (`burl show %" PRId64
                      "` prints the stored report)",
                      r->number, quoted, r->number, r->number);
    free(quoted);
    return st;
}

static enum burl_status
find_in_store(struct burl_replay *r, struct burl_err *err)
{
    struct burl_store *store;
    char *dir = NULL;
    enum burl_status st = burl_store_open_readonly(&store, r->opts->dir, err);

    if (st != BURL_OK)
        return st;
    st = burl_store_finding_get(store, r->number, &r->known, err);
    if (st == BURL_OK)
        st = check_schedule(r, err);
    if (st == BURL_OK)
        st = burl_store_finding_dir(store, r->number, false, &dir, err);
    if (st == BURL_OK)
        r->path = burl_path_join(dir, r->known.schedule && *r->known.schedule ? r->known.schedule
                                                                              : "schedule.txt");
    free(dir);
    burl_store_close(store);
    return st;
}

/* A store may come from elsewhere, and its files may name any program: what is run is what
 * `burl findings` lists, or what the user gives. */
static enum burl_status
check_program(const struct burl_replay *r, struct burl_err *err)
{
    const char *named = r->file.n_argv > 0 ? r->file.argv[0] : "";
    enum burl_status st;
    char *quoted;

    if (r->number == 0 || !r->known.program || strcmp(named, r->known.program) == 0)
        return BURL_OK;
    quoted = burl_shellwords_quote(r->known.program);
    st = burl_err_set(err, BURL_E_USAGE, 0,
                      "%s names the program %s, and the store lists %s for finding %" PRId64
                      ": nothing was run. Give the program: burl replay %" PRId64 " %s",
                      r->path, named, r->known.program, r->number, r->number, quoted);
    free(quoted);
    return st;
}

/* A file that the user names is the user's to correct; one of the store should be there. */
static enum burl_status
explain_schedule(const struct burl_replay *r, enum burl_status st, struct burl_err *err)
{
    if (r->number == 0) {
        err->code = BURL_E_USAGE;
        return err->code;
    }
    if (err->sys == ENOENT)
        return burl_err_set(err, BURL_E_IO, 0,
                            "%s is missing: the store is not complete; copy it again, or find the "
                            "failure again with `burl test`",
                            r->path);
    return st;
}

/* A first reading, before there is a process to resolve sites in: program and engine. */
static enum burl_status
read_head(struct burl_replay *r, char **argv, int argc, struct burl_err *err)
{
    const struct burl_schedfile_options so = { .name = r->path };
    enum burl_status st = burl_schedfile_read(&r->file, r->path, &so, NULL, err);

    if (st != BURL_OK)
        return explain_schedule(r, st, err);
    if (argc > 0) {
        r->argv = argv;
        r->n_argv = (size_t)argc;
    } else {
        st = check_program(r, err);
        if (st != BURL_OK)
            return st;
        r->argv = r->file.argv;
        r->n_argv = r->file.n_argv;
    }
    if (r->n_argv == 0)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s does not name a program; give it after the options", r->path);
    r->engine = (enum burl_wire_engine)r->file.engine;
    if (strcmp(r->opts->engine, "free") == 0)
        return burl_err_set(
            err, BURL_E_USAGE, 0,
            "free threads cannot follow a schedule; use --engine=fibers or --engine=threads");
    if (strcmp(r->opts->engine, "fibers") == 0)
        r->engine = BURL_ENGINE_FIBERS;
    else if (strcmp(r->opts->engine, "threads") == 0)
        r->engine = BURL_ENGINE_THREADS;
    r->reset =
        r->engine == BURL_ENGINE_FIBERS && r->known.reset && strcmp(r->known.reset, "snapshot") == 0
            ? BURL_RESET_SNAPSHOT
            : BURL_RESET_FORK;
    return BURL_OK;
}

/* Strings of the first reading must outlive the second. */
static char **
copy_strings(char *const *from, size_t n)
{
    char **v = burl_xcalloc(n + 1, sizeof *v);

    for (size_t i = 0; i < n; i++)
        v[i] = burl_xstrdup(from[i]);
    return v;
}

/* A program that the user names is relative to our directory, not to that of the schedule. */
static enum burl_status
make_absolute(struct burl_replay *r, struct burl_err *err)
{
    char *path;
    enum burl_status st;

    if (!r->dir || strchr(r->argv[0], '/') == NULL)
        return BURL_OK;
    st = burl_path_absolute(&path, r->argv[0], err);
    if (st != BURL_OK)
        return st;
    free(r->argv[0]);
    r->argv[0] = path;
    return BURL_OK;
}

static enum burl_status
start_target(struct burl_replay *r, struct burl_target **t, struct burl_err *err)
{
    const struct burl_target_opts to = { .argv = (const char *const *)r->argv,
                                         .cwd = r->dir,
                                         .env = (const char *const *)r->env,
                                         .engine = r->engine,
                                         .reset = r->reset,
                                         .image = &r->image };

    return burl_target_start(t, &to, err);
}

/* Sites in code that the program loads itself have numbers only once it is loaded. */
static enum burl_status
look_ahead(struct burl_replay *r, struct burl_err *err)
{
    const struct burl_target_opts to = { .argv = (const char *const *)r->argv,
                                         .cwd = r->dir,
                                         .env = (const char *const *)r->env };

    return burl_image_look(&r->image, &to, r->opts->max_steps, burl__test_exec_timeout_ms(r->opts),
                           err);
}

/* The second reading: switches with this program's site numbers. */
static enum burl_status
resolve_sites(struct burl_replay *r, const struct burl_wire_ctl *ctl, struct burl_err *err)
{
    struct burl_schedfile_options so = { .name = r->path };
    enum burl_status st;

    /* The build consists of what is loaded at the start and by the look-ahead run, not of what one
     * schedule loads. */
    if (!r->sites)
        burl_target_build_id(ctl, r->build_id);
    burl_sites_free(r->sites);
    r->sites = NULL;
    st = burl_sites_new(&r->sites, ctl->objects, ctl->n_objects, ctl->modules, ctl->n_modules, err);
    if (st != BURL_OK)
        return st;
    burl_schedfile_deinit(&r->file);
    so.sites = r->sites;
    so.build_id = r->build_id;
    return burl_schedfile_read(&r->file, r->path, &so, NULL, err);
}

/* ---- running ----------------------------------------------------------------------- */

/* A schedule of `burl cover hunt`: kept because it covers a pair. */
static bool
keeps_pair(const struct burl_replay *r)
{
    return r->file.stop.n_sites > 0 && r->file.stop.kind == BURL_SUSPECT_PAIR;
}

static bool
same_failure(const struct burl_replay *r, const struct burl_run *run)
{
    if (!burl_verdict_is_finding(run->verdict.kind))
        return false;
    if (r->file.fingerprint == 0)
        return run->verdict.kind == r->file.verdict;
    return burl_fingerprint(&run->verdict, r->sites, NULL) == r->file.fingerprint;
}

/* The execution loaded code that the look-ahead run did not, or at another address: the report
 * needs its names. */
static enum burl_status
learn_loaded(struct burl_replay *r, const struct burl_wire_ctl *ctl, struct burl_err *err)
{
    struct burl_campaign_image image = { 0 };
    enum burl_status st = BURL_OK;

    if (!burl_image_has_late(ctl))
        return BURL_OK;
    burl_image_take(&image, ctl);
    if (!burl_image_covers(&r->image, &image)) {
        burl_image_copy(&r->image, &image);
        st = resolve_sites(r, ctl, err);
    }
    burl_image_deinit(&image);
    return st;
}

static enum burl_status
run_once(struct burl_replay *r, struct burl_target *t, struct outcome *o, struct burl_err *err)
{
    const struct burl_wire_order order = burl__replay_order(r);
    enum burl_status st = burl_target_order(t, &order, r->file.switches, err);
    char how[128];

    if (st != BURL_OK)
        return st;
    burl_run_deinit(&o->run);
    if (burl_target_wait(t) == BURL_TARGET_IDLE)
        st = burl_target_take_run(t, &o->run, err);
    if (burl_target_damage(t)) {
        o->run.verdict = burl_target_lost_verdict(t);
        o->run.diverged_at = UINT32_MAX;
        st = BURL_OK;
    } else if (t->state == BURL_TARGET_TIMEOUT)
        st = burl_err_set(err, BURL_E_TARGET, 0,
                          "the execution took longer than --exec-timeout and was killed");
    else if (t->state != BURL_TARGET_IDLE)
        st = burl_err_set(err, BURL_E_TARGET, 0, "the process exited during the execution: %s",
                          burl_proc_describe(&t->status, how, sizeof how));
    if (st == BURL_OK)
        st = learn_loaded(r, t->ctl, err);
    if (st != BURL_OK)
        return st;
    o->times++;
    o->pairs += keeps_pair(r) && o->run.goal_hit != 0;
    if (same_failure(r, &o->run)) {
        o->same++;
        o->exact += o->run.trace_hash == r->file.trace_hash;
    }
    if (o->run.diverged_at != UINT32_MAX) {
        o->diverged++;
        o->diverged_at = o->run.diverged_at;
    }
    return BURL_OK;
}

static enum burl_status
run_all(struct burl_replay *r, struct outcome *o, struct burl_err *err)
{
    const uint32_t times = r->opts->times > 0 ? r->opts->times : 1;
    enum burl_status st = look_ahead(r, err);
    bool again = false;

    while (o->times < times && st == BURL_OK) {
        struct burl_target *t;
        size_t lost;

        st = start_target(r, &t, err);
        if (st != BURL_OK)
            break;
        if (!r->sites)
            st = resolve_sites(r, t->ctl, err);
        lost = r->file.n_stop_lost;
        if (st == BURL_OK)
            st = run_once(r, t, o, err);
        /* The run revealed numbers of sites that the schedule stops at: the next process, which
         * loads the same code, is the one that counts. */
        if (st == BURL_OK && !again && r->file.n_stop_lost < lost) {
            burl_run_deinit(&o->run);
            memset(o, 0, sizeof *o);
            again = true;
        }
        burl_target_stop(t);
    }
    return st;
}

/* The program gets the input that the finding was found with, unless the user gives one. */
static enum burl_status
take_input(struct burl_replay *r, struct burl_err *err)
{
    enum burl_status st = burl_cli_keep_input(err);

    if (st == BURL_OK && r->input && !burl_cli_has_input())
        st = burl_cli_take_input(r->input, err);
    return st;
}

/* gdb starts the program itself; a process of burl runs first, to find the program, the sites of
 * the switches in this build, and the steps in the words of the report. */
static enum burl_status
look_at_steps(struct burl_replay *r, struct outcome *o, struct burl_err *err)
{
    struct burl_err why;
    struct burl_target *t;
    enum burl_status st = look_ahead(r, err);

    if (st == BURL_OK)
        st = start_target(r, &t, err);
    if (st != BURL_OK)
        return st;
    st = resolve_sites(r, t->ctl, err);
    if (st == BURL_OK && run_once(r, t, o, &why) != BURL_OK) {
        fprintf(stderr, "burl: note: %s; gdb will not have the words of the report\n", why.msg);
        burl_run_deinit(&o->run);
        memset(o, 0, sizeof *o);
    }
    burl_target_stop(t);
    return st;
}

/* Standard input has the commands for gdb. The program gets the input of its finding, or none. */
static enum burl_status
look_before_gdb(struct burl_replay *r, struct outcome *o, struct burl_err *err)
{
    const int commands = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    enum burl_status st;

    if (commands < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot set standard input aside");
    st = r->input ? burl_cli_take_input(r->input, err) : burl_cli_no_input(err);
    if (st == BURL_OK)
        st = look_at_steps(r, o, err);
    if (dup2(commands, STDIN_FILENO) < 0 && st == BURL_OK)
        st = burl_err_set(err, BURL_E_IO, errno, "cannot restore standard input");
    close(commands);
    return st;
}

/* ---- one step moved ---------------------------------------------------------------- */

struct mover {
    struct burl_replay *r;
    struct burl_target *t; /* NULL: none yet, or lost */
    const struct burl_run *failing;
    uint64_t fingerprint;
};

static bool
try_moved(void *arg, const struct burl_wire_switch *switches, size_t n, struct burl_run *out,
          bool *same)
{
    struct mover *m = arg;
    struct burl_wire_order o = burl__replay_order(m->r);
    struct burl_err ignored;

    if (!m->t && start_target(m->r, &m->t, &ignored) != BURL_OK)
        return false;
    o.args.replay.n_sched_in = (uint32_t)n;
    if (burl_target_order(m->t, &o, switches, &ignored) != BURL_OK ||
        burl_target_wait(m->t) != BURL_TARGET_IDLE ||
        burl_target_take_run(m->t, out, &ignored) != BURL_OK) {
        burl_target_stop(m->t);
        m->t = NULL;
        return false;
    }
    *same = burl_verdict_is_finding(out->verdict.kind) &&
            burl_fingerprint(&out->verdict, m->r->sites, NULL) == m->fingerprint;
    return true;
}

static enum burl_run_moved
move_step(void *arg, const struct burl_run_move *move)
{
    struct mover *m = arg;

    return burl_move_try(m->failing, move, try_moved, m);
}

/* ---- saying ------------------------------------------------------------------------ */

static char *
schedule_command(const char *path)
{
    char *option = burl_xasprintf("--schedule=%s", path);
    const char *const words[] = { "burl", "replay", option, NULL };
    char *command = burl_shellwords_join(words);

    free(option);
    return command;
}

static struct burl_finding *
make_finding(struct burl_replay *r, const struct outcome *o)
{
    struct mover mover = { .r = r,
                           .failing = &o->run,
                           .fingerprint = burl_fingerprint(&o->run.verdict, r->sites, NULL) };
    char *replay =
        r->number > 0 ? burl_cli_replay_command(r->opts, r->number) : schedule_command(r->path);
    const struct burl_report_facts facts = {
        .number = (uint32_t)r->number,
        .argv = (const char *const *)r->argv,
        .n_argv = r->n_argv,
        .build_id = r->build_id,
        .engine = burl_schedfile_engine_name((uint32_t)r->engine),
        .strategy = burl_schedfile_strategy_name(r->file.strategy),
        .facts = { .seed = r->file.seed,
                   .count = r->known.facts.count,
                   .sequential = r->known.facts.sequential,
                   .confirmed = o->same,
                   .confirm_tries = o->times },
        .replay = replay,
        .schedule = r->path,
        .moved = move_step,
        .moved_arg = &mover,
    };
    struct burl_finding *f = burl_report_finding_new(&o->run, r->sites, &facts);

    burl_target_stop(mover.t);
    free(replay);
    return f;
}

static void
print_build_note(const struct burl_replay *r)
{
    const struct burl_schedfile *f = &r->file;

    if (f->checksum_none)
        fprintf(stderr, "burl: note: the schedule was edited by hand\n");
    if (f->same_build || !f->build_id || !*f->build_id)
        return;
    fprintf(stderr,
            "burl: note: the program was rebuilt since the schedule was recorded; of %zu switches "
            "%zu are unchanged, %zu were found by position, %zu moved, %zu are gone\n",
            f->n_switches, f->n_exact, f->n_position, f->n_moved, f->n_unresolved);
    if (f->n_stop_lost > 0)
        fprintf(stderr, "burl: note: a site of the race or region no longer exists, so it cannot "
                        "be reproduced; run burl test on the new build\n");
}

static void
print_pair(const struct burl_replay *r, const struct outcome *o)
{
    const struct burl_site_info *a = burl_sites_get(r->sites, r->file.stop.sites[0]);
    const struct burl_site_info *b = burl_sites_get(r->sites, r->file.stop.sites[1]);

    printf("the pair %s:%u:%u then %s:%u:%u was %s\n", a->file, a->line, a->column, b->file,
           b->line, b->column, o->pairs == o->times ? "covered again" : "not covered");
}

/* A schedule that was stored for its coverage should pass. */
static bool
print_passed(const struct burl_replay *r, const struct outcome *o)
{
    const bool same = r->file.trace_hash != 0 && o->run.trace_hash == r->file.trace_hash;

    if (r->file.verdict != BURL_VERDICT_PASS || o->run.verdict.kind != BURL_VERDICT_PASS)
        return false;
    printf("passed, as recorded%s\n", same ? " (same steps)" : " (different steps)");
    return true;
}

static void
print_failure(const struct burl_replay *r, const struct outcome *o)
{
    const char *expected = burl_verdict_name(r->file.verdict);

    if (o->times > 1)
        printf("%u of %u runs failed with %s, %u of them exactly as recorded (same steps)\n",
               o->same, o->times, expected, o->exact);
    else if (o->same)
        printf("reproduced %s: %s\n", o->exact ? "exactly (same steps)" : "(different steps)",
               expected);
    else if (burl_verdict_is_finding(o->run.verdict.kind))
        printf("a different failure occurred: %s instead of %s\n",
               burl_verdict_name(o->run.verdict.kind), expected);
    else
        printf("not reproduced: the run ended with %s\n", burl_verdict_name(o->run.verdict.kind));
}

static void
print_verdict(const struct burl_replay *r, const struct outcome *o)
{
    if (keeps_pair(r))
        print_pair(r, o);
    if (!print_passed(r, o))
        print_failure(r, o);
    if (o->diverged > 0 && o->same < o->times)
        printf("the run diverged from its schedule at switch %u of %zu\n", o->diverged_at + 1,
               r->file.n_switches);
}

static void
print_text(struct burl_replay *r, const struct outcome *o)
{
    const struct burl_report_style style = burl__test_style(r->opts, stdout);
    struct burl_buf b = BURL_BUF_INIT;

    print_build_note(r);
    if (r->opts->trace) {
        burl_report_trace(&o->run, r->sites, &style, &b);
        fwrite(burl_buf_str(&b), 1, b.n, stdout);
    } else if (burl_verdict_is_finding(o->run.verdict.kind) && !r->opts->quiet) {
        struct burl_finding *f = make_finding(r, o);

        burl_report_text(f, &style, &b);
        printf("%s\n", burl_buf_str(&b));
        burl_report_finding_free(f);
    }
    print_verdict(r, o);
    burl_buf_deinit(&b);
}

static void
print_json(struct burl_replay *r, const struct outcome *o, int code)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);
    struct burl_buf finding = BURL_BUF_INIT;
    struct burl_finding *f;

    burl_json_kv_u64(w, "version", 1);
    burl_json_kv_str(w, "command", "replay");
    burl_json_kv_i64(w, "id", r->number);
    burl_json_kv_i64(w, "exit", code);
    burl_json_kv_u64(w, "times", o->times);
    burl_json_kv_u64(w, "same", o->same);
    burl_json_kv_u64(w, "exact", o->exact);
    burl_json_kv_u64(w, "diverged", o->diverged);
    if (keeps_pair(r))
        burl_json_kv_bool(w, "pair_covered", o->pairs == o->times);
    burl_json_kv_bool(w, "same_build", r->file.same_build);
    burl_json_kv_str(w, "expected", burl_verdict_name(r->file.verdict));
    burl_json_kv_str(w, "verdict", burl_verdict_name(o->run.verdict.kind));
    burl_json_kv_hex(w, "expected_trace_hash", r->file.trace_hash);
    burl_json_kv_hex(w, "trace_hash", o->run.trace_hash);
    burl_json_key(w, "finding");
    if (burl_verdict_is_finding(o->run.verdict.kind)) {
        f = make_finding(r, o);
        burl_report_json(f, &finding);
        burl_json_raw(w, burl_buf_str(&finding));
        burl_report_finding_free(f);
    } else {
        burl_json_null(w);
    }
    burl_cli_json_end(&doc, stdout);
    burl_buf_deinit(&finding);
}

/* ---- the command ------------------------------------------------------------------- */

static enum burl_status
parse_number(struct burl_replay *r, int *argc, char ***argv, struct burl_err *err)
{
    const char *word;

    if (r->opts->schedule) {
        if (*argc > 0 && burl_cli_finding_number(**argv) != 0)
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "--schedule=%s and finding %s are two schedules; give one (a "
                                "program of this name is ./%s)",
                                r->opts->schedule, **argv, **argv);
        r->path = burl_xstrdup(r->opts->schedule);
        return BURL_OK;
    }
    if (*argc < 1)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "which finding? Give its number (`burl findings` lists them) or "
                            "--schedule=FILE");
    word = *(*argv)++;
    --*argc;
    if (strchr(word, '/') != NULL && burl_fs_exists(word)) {
        r->path = burl_xstrdup(word);
        return BURL_OK;
    }
    r->number = burl_cli_finding_number(word);
    if (r->number == 0)
        return burl_err_set(err, BURL_E_USAGE, 0, BURL_CLI_NO_NUMBER, word);
    return find_in_store(r, err);
}

static int
exit_code_of(const struct burl_replay *r, const struct outcome *o)
{
    if (o->same > 0)
        return BURL_EXIT_FINDINGS;
    if (keeps_pair(r) && o->pairs < o->times)
        return BURL_EXIT_FAILURE;
    return o->diverged > 0 ? BURL_EXIT_FAILURE : BURL_EXIT_CLEAN;
}

int
burl_cmd_replay(const struct burl_options *opts, int argc, char **argv)
{
    const bool gdb = opts->gdb || opts->given[BURL_OPT_gdb_at];
    struct burl_replay r = { .opts = opts };
    struct outcome o = { 0 };
    struct burl_err err = { 0 };
    char **owned = NULL;
    enum burl_status st;
    int code;

    burl_schedfile_init(&r.file);
    st = parse_number(&r, &argc, &argv, &err);
    if (st == BURL_OK)
        st = read_head(&r, argv, argc, &err);
    if (st == BURL_OK && argc == 0)
        st = burl__replay_find_program(&r, &err);
    if (st == BURL_OK) {
        r.argv = owned = copy_strings(r.argv, r.n_argv);
        r.dir = r.file.dir ? burl_xstrdup(r.file.dir) : NULL;
        r.env = copy_strings(r.file.env, r.file.n_env);
        st = make_absolute(&r, &err);
    }
    if (st == BURL_OK) {
        r.input = burl_cli_stored_input(r.path);
        if (!gdb)
            st = take_input(&r, &err);
    }
    if (st == BURL_OK) {
        st = gdb ? look_before_gdb(&r, &o, &err) : run_all(&r, &o, &err);
    }
    if (st != BURL_OK) {
        code = burl_cli_fail(&err);
        goto done;
    }
    if (gdb) {
        print_build_note(&r);
        code = burl__replay_gdb(&r, &o.run);
        goto done;
    }
    code = exit_code_of(&r, &o);
    if (opts->json)
        print_json(&r, &o, code);
    else
        print_text(&r, &o);
done:
    burl_run_deinit(&o.run);
    burl_schedfile_deinit(&r.file);
    burl_store_finding_deinit(&r.known);
    burl_sites_free(r.sites);
    burl_image_deinit(&r.image);
    burl_target_env_free(owned);
    burl_target_env_free(r.env);
    free(r.dir);
    free(r.path);
    free(r.input);
    return code;
}
