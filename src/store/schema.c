/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/schema.c - the tables, and the way from one version to the next.
 *
 * Runs in the host. PRAGMA user_version counts the steps of `steps` that were
 * taken; PRAGMA application_id marks the file as ours. A step is never edited
 * after a release: a change is a new step, with a test that opens the previous
 * version (tests/unit/test_store.c). Each step commits on its own, so a kill
 * between two leaves a readable older version.
 */
#include <inttypes.h>
#include <string.h>

#include "store/store_int.h"

/* "burl" in ASCII. */
#define APPLICATION_ID 0x6275726c

static const char *const steps[BURL_STORE_SCHEMA_VERSION] = {
    "CREATE TABLE campaigns ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  command TEXT NOT NULL, program TEXT, args TEXT, build_id TEXT, options TEXT,"
    "  engine TEXT, reset TEXT, seed INTEGER NOT NULL,"
    "  started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL DEFAULT 0,"
    "  exit_code INTEGER NOT NULL DEFAULT -1, end_reason TEXT,"
    "  executions INTEGER NOT NULL DEFAULT 0, steps INTEGER NOT NULL DEFAULT 0,"
    "  points INTEGER NOT NULL DEFAULT 0, switches INTEGER NOT NULL DEFAULT 0,"
    "  preemptions INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,"
    "  cut INTEGER NOT NULL DEFAULT 0, wall_ms INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE strategies ("
    "  campaign INTEGER NOT NULL REFERENCES campaigns(id) ON DELETE CASCADE,"
    "  strategy TEXT NOT NULL,"
    "  executions INTEGER NOT NULL, steps INTEGER NOT NULL, points INTEGER NOT NULL,"
    "  switches INTEGER NOT NULL, preemptions INTEGER NOT NULL, failures INTEGER NOT NULL,"
    "  cut INTEGER NOT NULL, wall_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (campaign, strategy)) WITHOUT ROWID;"
    "CREATE TABLE findings ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  fingerprint TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, title TEXT, program TEXT, args TEXT,"
    "  build_id TEXT, engine TEXT, reset TEXT, strategy TEXT, schedule TEXT, json TEXT,"
    "  seed INTEGER NOT NULL, trace_hash INTEGER NOT NULL, count INTEGER NOT NULL,"
    "  confirmed_k INTEGER NOT NULL, confirmed_n INTEGER NOT NULL, sequential INTEGER NOT NULL,"
    "  campaign INTEGER NOT NULL, first_seen_ms INTEGER NOT NULL, last_seen_ms INTEGER NOT NULL);"
    "CREATE INDEX findings_campaign ON findings(campaign);"
    "CREATE TABLE sites ("
    "  module INTEGER NOT NULL, ix INTEGER NOT NULL, line INTEGER NOT NULL,"
    "  col INTEGER NOT NULL, kind INTEGER NOT NULL, file TEXT, func TEXT, variable TEXT,"
    "  PRIMARY KEY (module, ix)) WITHOUT ROWID;",
    /* 2: interleaving coverage. */
    "CREATE TABLE cover_programs ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE,"
    "  program TEXT, args TEXT, build_id TEXT, mode TEXT,"
    "  context INTEGER NOT NULL DEFAULT 0, metrics INTEGER NOT NULL DEFAULT 0,"
    "  campaigns INTEGER NOT NULL DEFAULT 0, executions INTEGER NOT NULL DEFAULT 0,"
    "  wall_ms INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0,"
    "  updated_ms INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE cover_objects ("
    "  program INTEGER NOT NULL, ix INTEGER NOT NULL, path TEXT NOT NULL,"
    "  PRIMARY KEY (program, ix)) WITHOUT ROWID;"
    "CREATE TABLE cover_modules ("
    "  program INTEGER NOT NULL, ix INTEGER NOT NULL, hash INTEGER NOT NULL,"
    "  base INTEGER NOT NULL, n_sites INTEGER NOT NULL, object INTEGER NOT NULL,"
    "  PRIMARY KEY (program, ix)) WITHOUT ROWID;"
    "CREATE TABLE cover_items ("
    "  program INTEGER NOT NULL, metric INTEGER NOT NULL,"
    "  am INTEGER NOT NULL, a INTEGER NOT NULL, bm INTEGER NOT NULL, b INTEGER NOT NULL,"
    "  cm INTEGER NOT NULL, c INTEGER NOT NULL, d INTEGER NOT NULL, build INTEGER NOT NULL,"
    "  flags INTEGER NOT NULL, execution INTEGER NOT NULL, seed INTEGER NOT NULL, strategy TEXT,"
    "  PRIMARY KEY (program, metric, am, a, bm, b, cm, c, d, build)) WITHOUT ROWID;"
    "CREATE TABLE cover_schedules ("
    "  program INTEGER NOT NULL, execution INTEGER NOT NULL, file TEXT NOT NULL,"
    "  PRIMARY KEY (program, execution)) WITHOUT ROWID;"
    "CREATE TABLE cover_hunts ("
    "  program INTEGER NOT NULL, am INTEGER NOT NULL, a INTEGER NOT NULL, bm INTEGER NOT NULL,"
    "  b INTEGER NOT NULL, outcome INTEGER NOT NULL, tries INTEGER NOT NULL, why TEXT, build TEXT,"
    "  PRIMARY KEY (program, am, a, bm, b)) WITHOUT ROWID;",
    /* 3: what a campaign leaves to the next, and the schedules worth keeping. */
    "CREATE TABLE programs ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, args TEXT NOT NULL,"
    "  program TEXT, build_id TEXT, campaigns INTEGER NOT NULL DEFAULT 0,"
    "  executions INTEGER NOT NULL DEFAULT 0, edges INTEGER NOT NULL DEFAULT 0, state BLOB,"
    "  next_entry INTEGER NOT NULL DEFAULT 1, updated_ms INTEGER NOT NULL DEFAULT 0,"
    "  UNIQUE (path, args));"
    "CREATE TABLE corpus ("
    "  program INTEGER NOT NULL, n INTEGER NOT NULL, file TEXT NOT NULL, why TEXT,"
    "  finding INTEGER NOT NULL, n_new INTEGER NOT NULL, steps INTEGER NOT NULL,"
    "  preemptions INTEGER NOT NULL, strategy TEXT, seed INTEGER NOT NULL, build_id TEXT,"
    "  kept_ms INTEGER NOT NULL, result TEXT, result_build TEXT, result_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (program, n)) WITHOUT ROWID;"
    "CREATE TABLE corpus_edges ("
    "  program INTEGER NOT NULL, n INTEGER NOT NULL, wm INTEGER NOT NULL, w INTEGER NOT NULL,"
    "  rm INTEGER NOT NULL, r INTEGER NOT NULL,"
    "  PRIMARY KEY (program, n, wm, w, rm, r)) WITHOUT ROWID;",
    /* 4: goals, which were text in programs.state. */
    "CREATE TABLE goals ("
    "  program INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,"
    "  attempts INTEGER NOT NULL, hits INTEGER NOT NULL, first_seed INTEGER NOT NULL,"
    "  observer INTEGER NOT NULL, rank INTEGER NOT NULL, addr INTEGER NOT NULL,"
    "  PRIMARY KEY (program, n)) WITHOUT ROWID;"
    "CREATE TABLE goal_sites ("
    "  program INTEGER NOT NULL, n INTEGER NOT NULL, pos INTEGER NOT NULL,"
    "  module INTEGER NOT NULL, ix INTEGER NOT NULL, op INTEGER NOT NULL, tid INTEGER NOT NULL,"
    "  PRIMARY KEY (program, n, pos)) WITHOUT ROWID;",
    /* 5: hunted pairs are goals too; nothing has ever read the names of sites. */
    "ALTER TABLE goals RENAME TO goals_4;"
    "ALTER TABLE goal_sites RENAME TO goal_sites_4;"
    "CREATE TABLE goals ("
    "  source TEXT NOT NULL DEFAULT 'campaign', program INTEGER NOT NULL, n INTEGER NOT NULL,"
    "  kind TEXT NOT NULL, state TEXT NOT NULL,"
    "  attempts INTEGER NOT NULL, hits INTEGER NOT NULL, first_seed INTEGER NOT NULL,"
    "  observer INTEGER NOT NULL, rank INTEGER NOT NULL, addr INTEGER NOT NULL,"
    "  why TEXT, build TEXT, PRIMARY KEY (source, program, n)) WITHOUT ROWID;"
    "CREATE TABLE goal_sites ("
    "  source TEXT NOT NULL DEFAULT 'campaign', program INTEGER NOT NULL, n INTEGER NOT NULL,"
    "  pos INTEGER NOT NULL, module INTEGER NOT NULL, ix INTEGER NOT NULL, op INTEGER NOT NULL,"
    "  tid INTEGER NOT NULL, PRIMARY KEY (source, program, n, pos)) WITHOUT ROWID;"
    "CREATE INDEX goal_sites_hunted ON goal_sites(program, module, ix) WHERE source = 'hunt';"
    "INSERT INTO goals SELECT 'campaign', *, NULL, NULL FROM goals_4;"
    "INSERT INTO goal_sites SELECT 'campaign', * FROM goal_sites_4;"
    "CREATE TEMP TABLE hunts AS SELECT *, row_number() OVER"
    "  (PARTITION BY program ORDER BY am, a, bm, b) AS n FROM cover_hunts;"
    "INSERT INTO goals SELECT 'hunt', program, n, 'pair', CASE outcome WHEN 1 THEN 'confirmed'"
    "  WHEN 2 THEN 'unconfirmed' WHEN 3 THEN 'impossible' ELSE 'untried' END,"
    "  tries, 0, 0, 0, 0, 0, why, build FROM hunts;"
    "INSERT INTO goal_sites SELECT 'hunt', program, n, 0, am, a, 0, 0 FROM hunts"
    "  UNION ALL SELECT 'hunt', program, n, 1, bm, b, 0, 0 FROM hunts;"
    "DROP TABLE hunts; DROP TABLE cover_hunts; DROP TABLE goals_4; DROP TABLE goal_sites_4;"
    "DROP TABLE IF EXISTS sites;",
    /* 6: recorded versions of test suites. */
    "CREATE TABLE versions ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, suite TEXT NOT NULL,"
    "  wire INTEGER NOT NULL, recorded_ms INTEGER NOT NULL);"
    "CREATE TABLE version_tests ("
    "  version INTEGER NOT NULL, name TEXT NOT NULL, ix INTEGER NOT NULL, command TEXT,"
    "  state INTEGER NOT NULL, why TEXT, runs INTEGER NOT NULL, wall_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (version, name)) WITHOUT ROWID;"
    "CREATE TABLE version_histories ("
    "  version INTEGER NOT NULL, name TEXT NOT NULL, program TEXT NOT NULL, bytes BLOB NOT NULL,"
    "  PRIMARY KEY (version, name, program));"
    "CREATE TABLE selections ("
    "  version INTEGER NOT NULL, made_ms INTEGER NOT NULL, json TEXT NOT NULL);",
    /* 7: searches for noise. */
    "CREATE TABLE tune_searches ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, args TEXT NOT NULL,"
    "  build_id TEXT NOT NULL, options TEXT NOT NULL, genome TEXT NOT NULL,"
    "  plain_n INTEGER NOT NULL, plain_failed INTEGER NOT NULL, plain_ms INTEGER NOT NULL,"
    "  floor_ms INTEGER NOT NULL, run_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL,"
    "  updated_ms INTEGER NOT NULL, UNIQUE (path, args, build_id, options));"
    "CREATE TABLE tune_evaluations ("
    "  search INTEGER NOT NULL, n INTEGER NOT NULL, generation INTEGER NOT NULL,"
    "  slot INTEGER NOT NULL, elite INTEGER NOT NULL, genes TEXT NOT NULL, fitness TEXT NOT NULL,"
    "  executions INTEGER NOT NULL, cut INTEGER NOT NULL, crashes INTEGER NOT NULL,"
    "  exits INTEGER NOT NULL, deadlocks INTEGER NOT NULL, hangs INTEGER NOT NULL,"
    "  checks INTEGER NOT NULL, warnings INTEGER NOT NULL, avio INTEGER NOT NULL,"
    "  hbpair INTEGER NOT NULL, synchro INTEGER NOT NULL, goldi INTEGER NOT NULL,"
    "  goldi_weight INTEGER NOT NULL, fresh INTEGER NOT NULL, wall_ms INTEGER NOT NULL,"
    "  cost_ms INTEGER NOT NULL, places INTEGER NOT NULL, injected INTEGER NOT NULL,"
    "  halted INTEGER NOT NULL, tampered INTEGER NOT NULL,"
    "  PRIMARY KEY (search, n)) WITHOUT ROWID;"
    "CREATE TABLE tune_names ("
    "  search INTEGER NOT NULL, name INTEGER NOT NULL, weight INTEGER NOT NULL,"
    "  warning INTEGER NOT NULL, PRIMARY KEY (search, name)) WITHOUT ROWID;"
    "CREATE TABLE tune_marks ("
    "  search INTEGER NOT NULL, module INTEGER NOT NULL, ix INTEGER NOT NULL,"
    "  marks INTEGER NOT NULL, PRIMARY KEY (search, module, ix)) WITHOUT ROWID;"
    "CREATE TABLE tune_findings ("
    "  search INTEGER NOT NULL, finding INTEGER NOT NULL, shown INTEGER NOT NULL,"
    "  PRIMARY KEY (search, finding)) WITHOUT ROWID;",
};

/* What steps 2 to 7 make, and what step 5 reads. Before they were released they had other columns,
 * under the same number. */
struct table {
    const char *table;
    const char *columns;
};

static const struct table expected[] = {
    { "cover_programs", "id path program args build_id mode context metrics campaigns executions "
                        "wall_ms lost updated_ms" },
    { "cover_objects", "program ix path" },
    { "cover_modules", "program ix hash base n_sites object" },
    { "cover_items", "program metric am a bm b cm c d build flags execution seed strategy" },
    { "cover_schedules", "program execution file" },
    { "programs", "id path args program build_id campaigns executions edges state next_entry "
                  "updated_ms" },
    { "corpus", "program n file why finding n_new steps preemptions strategy seed build_id kept_ms "
                "result result_build result_ms" },
    { "corpus_edges", "program n wm w rm r" },
    { "goals",
      "source program n kind state attempts hits first_seed observer rank addr why build" },
    { "goal_sites", "source program n pos module ix op tid" },
    { "versions", "id name suite wire recorded_ms" },
    { "version_tests", "version name ix command state why runs wall_ms" },
    { "version_histories", "version name program bytes" },
    { "selections", "version made_ms json" },
    { "tune_searches", "id path args build_id options genome plain_n plain_failed plain_ms "
                       "floor_ms run_ms started_ms updated_ms" },
    { "tune_evaluations",
      "search n generation slot elite genes fitness executions cut crashes exits deadlocks hangs "
      "checks warnings avio hbpair synchro goldi goldi_weight fresh wall_ms cost_ms places "
      "injected halted tampered" },
    { "tune_names", "search name weight warning" },
    { "tune_marks", "search module ix marks" },
    { "tune_findings", "search finding shown" },
};
static const struct table read_by_5[] = {
    { "cover_hunts", "program am a bm b outcome tries why build" },
    { "goals", "program n kind state attempts hits first_seed observer rank addr" },
    { "goal_sites", "program n pos module ix op tid" },
};

/* Refuses a database that is not ours, or that a newer burl wrote. */
static enum burl_status
check_identity(struct burl_store *s, int64_t *version, struct burl_err *err)
{
    enum burl_status st;
    int64_t app = 0;
    int64_t n_tables = 0;

    st = burl__store_number(s, "PRAGMA user_version", 0, NULL, NULL, "read", version, err);
    if (st == BURL_OK)
        st = burl__store_number(s, "PRAGMA application_id", 0, NULL, NULL, "read", &app, err);
    if (st == BURL_OK)
        st = burl__store_number(s, "SELECT count(*) FROM sqlite_schema", 0, NULL, NULL, "read",
                                &n_tables, err);
    if (st != BURL_OK)
        return st;
    if (app != APPLICATION_ID && (n_tables > 0 || *version != 0))
        return burl_err_set(err, BURL_E_FORMAT, 0,
                            "%s is an SQLite database, but not one of burl's; give another "
                            "directory with --dir",
                            s->db_path);
    if (*version < 0 || *version > BURL_STORE_SCHEMA_VERSION)
        return burl_err_set(err, BURL_E_FORMAT, 0,
                            "%s was written by a newer burl (schema %" PRId64 ", this one knows "
                            "%d); use that burl, or another directory with --dir",
                            s->db_path, *version, BURL_STORE_SCHEMA_VERSION);
    return BURL_OK;
}

/* Takes one step inside a transaction, unless another process took it meanwhile. */
static enum burl_status
take_step(struct burl_store *s, int64_t *version, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);
    char pragmas[128];

    if (st != BURL_OK)
        return st;
    st = check_identity(s, version, err);
    if (st == BURL_OK && *version < BURL_STORE_SCHEMA_VERSION) {
        st = burl__store_exec(s, steps[*version], "create tables", err);
        sqlite3_snprintf(sizeof pragmas, pragmas,
                         "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
                         (int)*version + 1);
        if (st == BURL_OK)
            st = burl__store_exec(s, pragmas, "create tables", err);
        if (st == BURL_OK)
            ++*version;
    }
    return burl__store_end(s, st, err);
}

#define COL(field) BURL__COL(struct table, field, #field)
BURL__TABLE(tables, struct table, COL(table), COL(columns));
#undef COL

/* Checks that the tables match the stated version: a mismatch would fail in the middle of a
 * campaign, with an SQL error. */
static enum burl_status
check_columns(struct burl_store *s, const struct table *expect, size_t n, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < n && st == BURL_OK; i++) {
        struct table is;
        bool found;

        st = burl__store_get(
            s, "SELECT group_concat(name, ' ') AS columns FROM pragma_table_info(:table)", 0,
            &tables, &expect[i], &found, &is, err);
        if (st == BURL_OK && (!is.columns || strcmp(is.columns, expect[i].columns) != 0))
            st = burl_err_set(
                err, BURL_E_FORMAT, 0,
                "%s was written by a development build (table %s differs); move it away (mv %s "
                "%s.old) and run again, or use another directory with --dir",
                s->db_path, expect[i].table, s->db_path, s->db_path);
        burl__store_free_row(&tables, &is);
    }
    return st;
}

enum burl_status
burl__store_migrate(struct burl_store *s, struct burl_err *err)
{
    int64_t version;
    enum burl_status st = check_identity(s, &version, err);

    /* A reader brings the schema up to date as well where it may: a burl that was killed before
     * its first commit leaves an empty database, which is an empty store. */
    if (st == BURL_OK && sqlite3_db_readonly(s->db, "main") == 1 &&
        version < BURL_STORE_SCHEMA_VERSION)
        return burl_err_set(err, version == 0 ? BURL_E_USAGE : BURL_E_FORMAT, 0,
                            version == 0
                                ? "%s is empty; run `burl test` first"
                                : "%s has an older schema; run `burl test` once to upgrade it",
                            s->db_path);
    while (st == BURL_OK && version < BURL_STORE_SCHEMA_VERSION) {
        if (version == 4)
            st = check_columns(s, read_by_5, sizeof read_by_5 / sizeof read_by_5[0], err);
        if (st == BURL_OK)
            st = take_step(s, &version, err);
    }
    if (st == BURL_OK)
        st = check_columns(s, expected, sizeof expected / sizeof expected[0], err);
    return st;
}
