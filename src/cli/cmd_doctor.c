/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_doctor.c - `burl doctor`: problems of this machine or a program, and their fixes.
 *
 * Runs in the host. The checks are in doctor_machine.c and doctor_program.c; this file prints. Exit
 * code 3 if something is missing without which burl cannot work, 0 otherwise: notes do not fail a
 * script.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "cli/command.h"
#include "cli/doctor_int.h"

void
burl__doctor_add(struct burl_doctor *d, const char *name, enum burl_doctor_state state,
                 const char *fix, const char *fmt, ...)
{
    struct burl_doctor_check *c = BURL_VEC_ADD(d);
    va_list ap;

    va_start(ap, fmt);
    c->detail = burl_xvasprintf(fmt, ap);
    va_end(ap);
    c->name = name;
    c->state = state;
    c->fix = burl_xstrdup(fix ? fix : "");
}

static const char *const state_words[] = {
    [BURL_DOCTOR_OK] = "ok",
    [BURL_DOCTOR_NOTE] = "note",
    [BURL_DOCTOR_MISSING] = "missing",
};

static void
print_text(const struct burl_options *opts, const struct burl_doctor *d, size_t n_missing)
{
    static const char *const colors[] = { "\033[32m", "\033[33m", "\033[1;31m" };
    bool color = burl_cli_color(opts, stdout);

    for (size_t i = 0; i < d->n; i++) {
        const struct burl_doctor_check *c = &d->v[i];

        if (opts->quiet && c->state == BURL_DOCTOR_OK)
            continue;
        burl_printable_fix_n(c->detail, strlen(c->detail), false);
        printf("%s%-8s%s %-16s %s\n", color ? colors[c->state] : "", state_words[c->state],
               color ? "\033[0m" : "", c->name, c->detail);
        if (*c->fix)
            printf("%-8s %-16s fix: %s\n", "", "", c->fix);
    }
    if (n_missing)
        printf("\n%zu problem%s found; burl does not work fully until they are fixed.\n", n_missing,
               n_missing == 1 ? "" : "s");
    else if (!opts->quiet)
        printf("\nReady.\n");
}

static void
print_json(const struct burl_doctor *d, size_t n_missing)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);

    burl_json_kv_u64(w, "version", 1);
    burl_json_kv_bool(w, "ready", n_missing == 0);
    burl_json_kv_array(w, "checks");
    for (size_t i = 0; i < d->n; i++) {
        burl_json_object_begin(w);
        burl_json_kv_str(w, "name", d->v[i].name);
        burl_json_kv_str(w, "state", state_words[d->v[i].state]);
        burl_json_kv_str(w, "detail", d->v[i].detail);
        burl_json_kv_str(w, "fix", d->v[i].fix);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    burl_cli_json_end(&doc, stdout);
}

int
burl_cmd_doctor(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_doctor d = { 0 };
    size_t n_missing = 0;

    if (argc > 1)
        return burl_cli_usage("doctor", "burl doctor checks one program at a time, not %d", argc);
    if (argc == 1)
        burl__doctor_program(&d, argv[0]);
    else
        burl__doctor_machine(&d);
    for (size_t i = 0; i < d.n; i++)
        n_missing += d.v[i].state == BURL_DOCTOR_MISSING;
    if (opts->json)
        print_json(&d, n_missing);
    else
        print_text(opts, &d, n_missing);
    for (size_t i = 0; i < d.n; i++) {
        free(d.v[i].detail);
        free(d.v[i].fix);
    }
    BURL_VEC_FREE(&d);
    return n_missing ? BURL_EXIT_FAILURE : BURL_EXIT_CLEAN;
}
