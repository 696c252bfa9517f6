/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_lines.c - bytes from anywhere into the reader of line tables.
 *
 * Laws checked on every input: no crash and no read outside the sections (under the sanitizers); a
 * place that is found has a line and strings that end inside them.
 */
#define BURL_FUZZ_MAKE_SEEDS
#include "fuzz.h"

#include "../unit/line_programs.h"
#include "base/lines.h"

const char *const burl_fuzz_seeds[] = { "", NULL };
const char *const burl_fuzz_words[] = { "\377\377\377\377", "\1\1\010", "\1\1\037", "\1\1\016",
                                        "\1\2\017",         "\1\1\036", "\1\1\011", NULL };

static void
burl_fuzz_make_seeds(struct fuzz_corpus *c)
{
    const struct fuzz_input seeds[] = {
        { burl_xmemdup(line_program_4, sizeof line_program_4), sizeof line_program_4 },
        { burl_xmemdup(line_program_5, sizeof line_program_5), sizeof line_program_5 },
    };

    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++)
        BURL_VEC_PUSH(c, seeds[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct burl_lines_input in = { .line = data,
                                         .line_b = size,
                                         .line_str = data,
                                         .line_str_b = size,
                                         .str = data,
                                         .str_b = size };
    static const uint64_t addrs[] = { 0, 0x1000, 0x1004, UINT64_MAX };
    struct burl_line_place place;

    for (size_t i = 0; i < sizeof addrs / sizeof addrs[0]; i++) {
        if (!burl_lines_find(&in, addrs[i], &place))
            continue;
        if (place.line == 0 || strlen(place.file) == 0 || strlen(place.file) >= size ||
            strlen(place.dir) >= size)
            abort();
    }
    return 0;
}
