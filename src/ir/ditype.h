/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ir/ditype.h - LLVM's debug types: names and members of what the program declares.
 */
#ifndef BURL_IR_DITYPE_H
#define BURL_IR_DITYPE_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Positions of operands, LLVM 19's (DebugInfoMetadata.h); see ditype.c. */
enum {
    BURL_DI_SCOPE = 1,
    BURL_DI_NAME = 2,
    BURL_DI_BASE = 3,
    BURL_DI_ELEMENTS = 4,
    BURL_DI_VAR_NAME = 1,
    BURL_DI_VAR_TYPE = 3,
    BURL_DI_FN_TYPE = 4,
    BURL_DI_FN_TYPES = 3
};

/* DWARF tags, from the DWARF 5 standard. */
enum burl_di_tag {
    BURL_DI_ARRAY = 0x01,
    BURL_DI_CLASS = 0x02,
    BURL_DI_MEMBER = 0x0d,
    BURL_DI_POINTER = 0x0f,
    BURL_DI_REFERENCE = 0x10,
    BURL_DI_STRUCTURE = 0x13,
    BURL_DI_TYPEDEF = 0x16,
    BURL_DI_UNION = 0x17,
    BURL_DI_INHERITANCE = 0x1c,
    BURL_DI_CONST = 0x26,
    BURL_DI_VOLATILE = 0x35,
    BURL_DI_RESTRICT = 0x37,
    BURL_DI_RVALUE_REFERENCE = 0x42,
    BURL_DI_TEMPLATE_ALIAS = 0x43,
    BURL_DI_ATOMIC = 0x47
};

/* All operands, some of them NULL; the caller frees. */
LLVMValueRef *burl_di_operands(LLVMContextRef ctx, LLVMMetadataRef md, unsigned *n);
LLVMMetadataRef burl_di_operand(LLVMContextRef ctx, LLVMMetadataRef md, unsigned i);
/* A string operand, "" when there is none; lives as long as the context. */
const char *burl_di_string(LLVMContextRef ctx, LLVMMetadataRef md, unsigned i);
/* enum burl_di_tag of a type; 0 for anything else. */
unsigned burl_di_tag(LLVMMetadataRef type);
/* Without typedefs and qualifiers; of a member, its type. */
LLVMMetadataRef burl_di_strip(LLVMContextRef ctx, LLVMMetadataRef type);
/* What a pointer or reference points to; NULL when `type` is neither. */
LLVMMetadataRef burl_di_pointee(LLVMContextRef ctx, LLVMMetadataRef type, bool *is_reference);
uint64_t burl_di_size_b(LLVMContextRef ctx, LLVMMetadataRef type);
LLVMMetadataRef burl_di_array_element(LLVMContextRef ctx, LLVMMetadataRef type);
/* A struct, class or union. */
bool burl_di_is_record(LLVMContextRef ctx, LLVMMetadataRef type);
/* The member (or base class) at a byte offset: *offset becomes the offset inside it. `want_b` (0
 * unknown) helps to choose in unions. NULL when there is none. */
LLVMMetadataRef burl_di_member(LLVMContextRef ctx, LLVMMetadataRef type, uint64_t *offset,
                               uint64_t want_b);
/* The same for a member with a name of n bytes; NULL when none of that name covers the offset. */
LLVMMetadataRef burl_di_member_named(LLVMContextRef ctx, LLVMMetadataRef type, const char *name,
                                     size_t n, uint64_t *offset);
const char *burl_di_file(LLVMMetadataRef scope);
/* What that is relative to; "": the directory of the compilation. */
const char *burl_di_directory(LLVMMetadataRef scope);
/* "Bank::Account::deposit" into `out`. */
void burl_di_qualified_name(LLVMContextRef ctx, LLVMMetadataRef subprogram, struct burl_buf *out);

#endif
