/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/line_programs.h - small .debug_line sections, made by hand: version 4 and version 5.
 *
 * Both say: 0x1000 is sub/a.c:10, 0x1004 is sub/a.c:12 column 3, 0x1008 has no line of its own,
 * the code ends at 0x1010.
 */
#ifndef BURL_TESTS_LINE_PROGRAMS_H
#define BURL_TESTS_LINE_PROGRAMS_H

#include <stdint.h>

/* Extended set_address 0x1000; advance_line 9, copy; set_column 3, advance_pc 4, advance_line 2,
 * copy; advance_pc 4, advance_line -12, copy; advance_pc 8, end_sequence. */
#define LINE_PROGRAM                                                                             \
    0, 9, 2, 0x00, 0x10, 0, 0, 0, 0, 0, 0, 3, 9, 1, 5, 3, 2, 4, 3, 2, 1, 2, 4, 3, 0x74, 1, 2, 8, \
        0, 1, 1
#define LINE_PROGRAM_B 31
#define LINE_OPCODES 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1

static const uint8_t line_program_4[] = {
    2 + 4 + 33 + LINE_PROGRAM_B, 0, 0, 0,   /* length */
    4, 0,                                   /* version */
    33, 0, 0, 0,                            /* of the header behind this */
    1, 1, 1, 0xfb, 14, LINE_OPCODES,        /* 18 bytes */
    's', 'u', 'b', 0, 0,                    /* directories: 5 */
    'a', '.', 'c', 0, 1, 0, 0, 0, 0, 0,     /* files: 8, and 2 that a reader may not need */
    LINE_PROGRAM
};

static const uint8_t line_program_5[] = {
    2 + 2 + 4 + 47 + LINE_PROGRAM_B, 0, 0, 0,             /* length */
    5, 0, 8, 0,                                           /* version, sizes of addresses */
    47, 0, 0, 0,                                          /* of the header behind this */
    1, 1, 1, 0xfb, 14, LINE_OPCODES,                      /* 18 bytes */
    1, 1, 8, 2, '/', 0, 's', 'u', 'b', 0,                 /* directories, as strings: 10 */
    2, 1, 8, 2, 0x0b, 2,                                  /* files: names, and numbers of a byte */
    'b', '.', 'c', 0, 0, 'a', '.', 'c', 0, 1,             /* 10 */
    0, 0, 0,                                              /* a gap, which the length includes */
    LINE_PROGRAM
};

#endif
