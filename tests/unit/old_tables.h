/* SPDX-License-Identifier: Apache-2.0 */
/*
 * old_tables.h - tables that older stores have and this version does not.
 */
#ifndef BURL_TESTS_OLD_TABLES_H
#define BURL_TESTS_OLD_TABLES_H

/* Before version 7. */
#define OLD_NO_SEARCHES                                                                         \
    "DROP TABLE tune_searches; DROP TABLE tune_evaluations; DROP TABLE tune_names;"             \
    " DROP TABLE tune_marks; DROP TABLE tune_findings;"

/* Before version 6. */
#define OLD_NO_VERSIONS                                                                         \
    OLD_NO_SEARCHES                                                                             \
    "DROP TABLE versions; DROP TABLE version_tests; DROP TABLE version_histories;"              \
    " DROP TABLE selections;"

/* Versions 2 to 4. */
#define OLD_COVER_HUNTS                                                                         \
    "CREATE TABLE cover_hunts (program INTEGER NOT NULL, am INTEGER NOT NULL,"                  \
    " a INTEGER NOT NULL, bm INTEGER NOT NULL, b INTEGER NOT NULL, outcome INTEGER NOT NULL,"   \
    " tries INTEGER NOT NULL, why TEXT, build TEXT, PRIMARY KEY (program, am, a, bm, b))"       \
    " WITHOUT ROWID;"

/* Version 4. */
#define OLD_GOALS                                                                               \
    "CREATE TABLE goals (program INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL,"     \
    " state TEXT NOT NULL, attempts INTEGER NOT NULL, hits INTEGER NOT NULL,"                   \
    " first_seed INTEGER NOT NULL, observer INTEGER NOT NULL, rank INTEGER NOT NULL,"           \
    " addr INTEGER NOT NULL, PRIMARY KEY (program, n)) WITHOUT ROWID;"                          \
    "CREATE TABLE goal_sites (program INTEGER NOT NULL, n INTEGER NOT NULL,"                    \
    " pos INTEGER NOT NULL, module INTEGER NOT NULL, ix INTEGER NOT NULL, op INTEGER NOT NULL," \
    " tid INTEGER NOT NULL, PRIMARY KEY (program, n, pos)) WITHOUT ROWID;"

#endif
