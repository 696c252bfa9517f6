/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/code.h - what an address of code is called: file of the program, function, source line.
 *
 * Host side. For instructions that have no site: of a crash, of a library.
 */
#ifndef BURL_BASE_CODE_H
#define BURL_BASE_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* All strings are there, "" unknown; burl_code_deinit() frees them. */
struct burl_code {
    char *object;    /* name of the executable or library, without directory */
    uint64_t offset; /* of the address in it */
    char *function;  /* as in the source, of the symbol table or of the dynamic one */
    char *file;      /* by the debug information */
    uint32_t line;   /* 0 unknown */
    uint32_t column;
    bool guessed; /* the instruction has no line: that of the one before it */
};

/* `addr`: of the file at `path`, without load bias. A file that cannot be read gives its name. */
void burl_code_look(struct burl_code *out, const char *path, uint64_t addr);
void burl_code_deinit(struct burl_code *c);

#endif
