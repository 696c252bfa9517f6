/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/search/matrix.c - the triangle of function pairs for the terminal.
 */
#include "gen/search/matrix.h"

#include <string.h>

#define NAME_MAX_COLUMNS 28

enum burl_gen_cell
burl_gen_cell_of(const struct burl_gen_pair *p)
{
    if (p->violations > 0)
        return BURL_GEN_CELL_VIOLATED;
    if (p->covered > 0)
        return BURL_GEN_CELL_COVERED;
    return p->tried > 0 ? BURL_GEN_CELL_TRIED : BURL_GEN_CELL_UNTRIED;
}

struct burl_gen_matrix_row
burl_gen_matrix_totals(const struct burl_gen_pairs *p)
{
    struct burl_gen_matrix_row r = { .all = p->pair.n };

    for (size_t i = 0; i < p->pair.n; i++) {
        r.covered += p->pair.v[i].covered > 0;
        r.tried += p->pair.v[i].tried > 0;
    }
    return r;
}

static void
put_cell(enum burl_gen_cell c, bool color, struct burl_buf *out)
{
    static const char signs[] = {
#define BURL_X(name, sign, words) sign,
        BURL_GEN_CELLS(BURL_X)
#undef BURL_X
    };
    static const char *const inks[BURL_GEN_CELL__N] = {
        [BURL_GEN_CELL_UNTRIED] = "\033[2m",
        [BURL_GEN_CELL_TRIED] = "\033[33m",
        [BURL_GEN_CELL_COVERED] = "\033[32m",
        [BURL_GEN_CELL_VIOLATED] = "\033[1;31m",
    };

    burl_buf_printf(out, "  %s%c%s", color ? inks[c] : "", signs[c], color ? "\033[0m" : "");
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
        for (size_t j = 0; j <= i; j++)
            put_cell(burl_gen_cell_of(burl_gen_pairs_find(p, p->methods[i], p->methods[j])), color,
                     out);
        burl_buf_char(out, '\n');
    }
    burl_buf_printf(out, "     %*s", name, "");
    for (size_t j = 0; j < n; j++)
        burl_buf_printf(out, " %2zu", j + 1);
    burl_buf_str_append(out, "\n    ");
#define BURL_X(x, sign, words) \
    burl_buf_printf(out, " %c %s%s", sign, words, sign == 'X' ? "" : ";");
    BURL_GEN_CELLS(BURL_X)
#undef BURL_X
    burl_buf_char(out, '\n');
    if (n < p->n_methods)
        burl_buf_printf(out, "     %zu more functions do not fit here: --html shows all\n",
                        p->n_methods - n);
}
