/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/overhead/sqlite_threads.c - SQLite (its amalgamation is linked in) with two threads: each
 * fills and queries a database of its own in memory, and both use one connection that they share.
 * Correct.
 *
 *     sqlite_threads [ROUNDS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

#define N_THREADS 2

static sqlite3 *common;
static int rounds = 40;

static void
run(sqlite3 *db, const char *sql)
{
    char *error = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, error);
        exit(1);
    }
}

static void *
work(void *arg)
{
    const char *name = arg;
    sqlite3 *own;
    char sql[200];

    if (sqlite3_open(":memory:", &own) != SQLITE_OK)
        exit(1);
    run(own, "create table t(a integer primary key, b text, c real)");
    run(own, "create index tb on t(b)");
    for (int i = 0; i < rounds; i++) {
        run(own, "with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)"
                 " insert into t(b, c) select 'row ' || i, i * 0.5 from n");
        run(own, "select count(*), sum(c), max(b) from t where b like 'row 1%'");
        run(own, "select substr(b, 1, 5), count(*) from t group by 1 order by 2 desc limit 5");
        snprintf(sql, sizeof sql, "insert into log(who, what) values('%s', %d)", name, i);
        for (int k = 0; k < 20; k++)
            run(common, sql);
        run(common, "select who, count(*) from log group by who");
        run(own, "delete from t where a % 3 = 0");
    }
    sqlite3_close(own);
    return NULL;
}

int
main(int argc, char **argv)
{
    static char *names[N_THREADS] = { "warp", "weft" };
    pthread_t threads[N_THREADS];

    if (argc > 1)
        rounds = atoi(argv[1]);
    if (sqlite3_open(":memory:", &common) != SQLITE_OK)
        return 1;
    run(common, "create table log(who text, what integer)");
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, work, names[i]);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    sqlite3_close(common);
    puts("done");
    return 0;
}
