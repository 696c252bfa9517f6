/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/search/matrix.c - the triangle of function pairs for the terminal.
 */
#include "gen/search/matrix.h"

#include <string.h>

#define NAME_MAX_COLUMNS 28

const struct burl_gen_cell burl_gen_cells[BURL_GEN_CELLS] = {
    { '.', "untried", "not tried", "\033[2m" },
    { '-', "tried", "tried, never at the same time", "\033[33m" },
    { 'o', "covered", "ran at the same time", "\033[32m" },
    { 'X', "violated", "a violation", "\033[1;31m" },
};

const struct burl_gen_cell *
burl_gen_cell_of(const struct burl_gen_pair *p)
{
    return &burl_gen_cells[p->violations > 0 ? 3 : p->covered > 0 ? 2 : p->tried > 0];
}

static int
widest_name(const struct burl_gen_model *m, const struct burl_gen_pairs *p)
{
    size_t w = 0;

    for (size_t i = 0; i < p->n_methods; i++) {
        const size_t n = strlen(m->fns.v[p->methods[i]].name);

        w = n > w ? n : w;
    }
    return w > NAME_MAX_COLUMNS ? NAME_MAX_COLUMNS : (int)w;
}

void
burl_gen_matrix_text(const struct burl_gen_model *m, struct burl_gen_pairs *p, unsigned width,
                     bool color, struct burl_buf *out)
{
    const int name = widest_name(m, p);
    const size_t fit = width > (unsigned)name + 9 ? (width - (unsigned)name - 6) / 3 : 1;
    const size_t n = p->n_methods < fit ? p->n_methods : fit;

    for (size_t i = 0; i < n; i++) {
        burl_buf_printf(out, "  %2zu %-*.*s", i + 1, name, name, m->fns.v[p->methods[i]].name);
        for (size_t j = 0; j <= i; j++) {
            const struct burl_gen_cell *c =
                burl_gen_cell_of(burl_gen_pairs_find(p, p->methods[i], p->methods[j]));

            burl_buf_printf(out, "  %s%c%s", color ? c->ink : "", c->sign, color ? "\033[0m" : "");
        }
        burl_buf_char(out, '\n');
    }
    burl_buf_printf(out, "     %*s", name, "");
    for (size_t j = 0; j < n; j++)
        burl_buf_printf(out, " %2zu", j + 1);
    burl_buf_str_append(out, "\n    ");
    for (size_t i = 0; i < BURL_GEN_CELLS; i++)
        burl_buf_printf(out, " %c %s%s", burl_gen_cells[i].sign, burl_gen_cells[i].words,
                        i + 1 < BURL_GEN_CELLS ? ";" : "");
    burl_buf_char(out, '\n');
    if (n < p->n_methods)
        burl_buf_printf(out, "     %zu more functions do not fit here: --html shows all\n",
                        p->n_methods - n);
}
