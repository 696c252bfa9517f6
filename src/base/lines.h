/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/lines.h - from an address of an ELF file to the source line, by its debug information.
 *
 * Host side. Reads .debug_line of DWARF 2 to 5. Site tables have the lines of instrumented
 * operations only; a crash may be at any instruction. Compressed sections are not read: the line is
 * unknown then.
 */
#ifndef BURL_BASE_LINES_H
#define BURL_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sections; empty ones are not there. Borrowed. */
struct burl_lines_input {
    const uint8_t *line;
    size_t line_b;
    const uint8_t *line_str; /* .debug_line_str */
    size_t line_str_b;
    const uint8_t *str; /* .debug_str */
    size_t str_b;
};

/* Strings lie in the sections. */
struct burl_line_place {
    const char *dir; /* of the file, "" that of the compilation */
    const char *file;
    uint32_t line;
    uint32_t column; /* 0 unknown */
    bool guessed;    /* the instruction has no line: that of the one before it */
};

/* The line of the instruction at `addr`, an address of the file (without load bias). */
bool burl_lines_find(const struct burl_lines_input *in, uint64_t addr, struct burl_line_place *out);

#endif
