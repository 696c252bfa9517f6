/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/history.c - prints what BURL_HISTORY has recorded, one fact a line.
 *
 *     history DIR
 *
 *     program NAME [partial]
 *     role NAME ROLE [many] [at FILE:LINE]     where it is created
 *     overlap NAME ROLE ROLE
 *     alone|shared NAME ROLE func FUNCTION     executed; shared: while other threads were alive
 *     alone|shared NAME ROLE line FILE:LINE    accesses and calls
 *     alone|shared NAME ROLE block FILE:LINE   blocks
 *     note TEXT
 *
 * NAME is the file name of the executable, ROLE the start routine and, after a dot, its ordinal.
 * Every history is written as for the store and read back first. Ends with 1 on an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/history_file.h"
#include "base/path.h"
#include "base/sitetab.h"

static void
print_role(const struct burl_history *h, uint32_t role)
{
    printf(" %s.%" PRIu32, h->roles.v[role].start, h->roles.v[role].ordinal);
}

static void
add_objects(const struct burl_history *h, struct burl_sitetab *tab)
{
    struct burl_err err;

    /* Files that are gone are named by the notes, and nothing of them is in a set. */
    for (size_t i = 0; i < h->modules.n; i++) {
        if (burl_fs_exists(h->modules.v[i].object) &&
            burl_sitetab_add_file(tab, h->modules.v[i].object, NULL, &err) != BURL_OK) {
            fprintf(stderr, "%s\n", err.msg);
            exit(1);
        }
    }
}

static void
print_set(const struct burl_history *h, const struct burl_history_set *s,
          const struct burl_sitetab *tab)
{
    const struct burl_history_module *m = &h->modules.v[s->module];

    for (uint32_t i = 0; i < m->n_sites; i++) {
        struct burl_site_info site;

        if (!burl_history_bit(s->bits, i) || !burl_sitetab_site(tab, m->hash, i, &site))
            continue;
        printf("%s %s", s->alone ? "alone" : "shared", burl_path_basename(h->program));
        print_role(h, s->role);
        if (site.kind == BURL_SITE_FUNC)
            printf(" func %s\n", site.func);
        else
            printf(" %s %s:%" PRIu32 "\n", site.kind == BURL_SITE_BLOCK ? "block" : "line",
                   burl_path_basename(site.file), site.line);
    }
}

static void
print_history(const struct burl_history *h)
{
    struct burl_sitetab *tab = burl_sitetab_new();
    const char *name = burl_path_basename(h->program);

    add_objects(h, tab);
    printf("program %s%s\n", name, h->partial ? " partial" : "");
    for (uint32_t i = 0; i < h->roles.n; i++) {
        struct burl_site_info site;

        printf("role %s", name);
        print_role(h, i);
        if (h->roles.v[i].many)
            printf(" many");
        if (burl_sitetab_site(tab, h->roles.v[i].create_module, h->roles.v[i].create_site, &site))
            printf(" at %s:%" PRIu32, burl_path_basename(site.file), site.line);
        putchar('\n');
    }
    for (size_t i = 0; i < h->overlaps.n; i++) {
        printf("overlap %s", name);
        print_role(h, h->overlaps.v[i].a);
        print_role(h, h->overlaps.v[i].b);
        putchar('\n');
    }
    for (size_t i = 0; i < h->sets.n; i++)
        print_set(h, &h->sets.v[i], tab);
    burl_sitetab_free(tab);
}

int
main(int argc, char **argv)
{
    struct burl_histories all;
    struct burl_err err;

    if (argc != 2 || burl_history_load_dir(&all, argv[1], &err) != BURL_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: history DIR" : err.msg);
        return 1;
    }
    for (size_t i = 0; i < all.n; i++) {
        struct burl_buf b = BURL_BUF_INIT;
        struct burl_history again;

        burl_history_write(&all.v[i], &b);
        if (burl_history_read(&again, b.p, b.n, &err) != BURL_OK) {
            fprintf(stderr, "%s\n", err.msg);
            return 1;
        }
        print_history(&again);
        burl_history_deinit(&again);
        burl_buf_deinit(&b);
    }
    for (size_t i = 0; i < all.notes.n; i++)
        printf("note %s\n", all.notes.v[i]);
    burl_histories_deinit(&all);
    return 0;
}
