/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/program/records.h - the structs of a program by name, out of its debug information.
 *
 * LLVM's struct types have names and offsets but no names of members. Debug types have them, and
 * are found again by name and size: two structs of one name and size in different files may stand
 * for each other.
 */
#ifndef BURL_ANALYSIS_RECORDS_H
#define BURL_ANALYSIS_RECORDS_H

#include <llvm-c/DebugInfo.h>

#include "analysis/program/program.h"

struct burl_record {
    char *name; /* "ns::queue", "ns::list<int>" */
    uint64_t size_b;
    LLVMMetadataRef type; /* struct, class or union with its elements */
};

struct burl_records {
    LLVMContextRef ctx;
    BURL_VEC(struct burl_record) all; /* in the order of modules and functions */
};

/* Lives as long as the process. */
struct burl_records *burl_records_gather(const struct burl_program *p);

/* The name of a struct type without "struct.", "class.", "union." and LLVM's suffix: "ns::queue"; a
 * view into LLVM's name of *n bytes, or NULL for a literal type. */
const char *burl_records_type_name(LLVMTypeRef t, size_t *n);

#endif
