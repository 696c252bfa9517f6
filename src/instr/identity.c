/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/identity.c - functions whose behavior may depend on the addresses of heap blocks.
 *
 * Runs in the compiler, on the canonical form. An exhaustive search has one order of addresses per
 * order of allocations, and never reuses a freed block while that could be noticed. A program that
 * compares addresses may see more. Two marks on FUNC sites: order (<, > between pointers; a pointer
 * converted to an integer that is used for more than a difference or an alignment) and identity
 * (pointers that are compared for equality, or exchanged by compare-and-swap). search/exhaustive.c
 * reads them when such a function runs.
 *
 * Comparisons with NULL, with a global and with a local variable do not depend on blocks. The C++
 * library compares positions within its own blocks; only its functions that order or hash pointers
 * for the program are marked. Direction of the error: too many marks cost a proof, too few could
 * make one wrong.
 */
#include <string.h>

#include "instr/instr_int.h"

/* The address is the same in every execution, or of the own stack. */
static bool
is_fixed(LLVMValueRef v)
{
    return LLVMIsConstant(v) || LLVMIsAAllocaInst(v) != NULL;
}

/* Does this use of an address as an integer keep to differences and alignments? */
static bool
is_arithmetic(LLVMValueRef user)
{
    if (!LLVMIsAInstruction(user))
        return false;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMSub:
        return true;
    case LLVMAnd:
        return LLVMIsAConstantInt(LLVMGetOperand(user, 0)) ||
               LLVMIsAConstantInt(LLVMGetOperand(user, 1));
    default:
        return false;
    }
}

static bool
escapes_as_integer(LLVMValueRef ptrtoint)
{
    for (LLVMUseRef u = LLVMGetFirstUse(ptrtoint); u; u = LLVMGetNextUse(u)) {
        if (!is_arithmetic(LLVMGetUser(u)))
            return true;
    }
    return false;
}

static uint8_t
of_comparison(LLVMValueRef inst)
{
    LLVMValueRef a = LLVMGetOperand(inst, 0);
    LLVMValueRef b = LLVMGetOperand(inst, 1);
    LLVMIntPredicate how = LLVMGetICmpPredicate(inst);

    if (!burl_ir_is_pointer(a) || is_fixed(a) || is_fixed(b))
        return 0;
    return how == LLVMIntEQ || how == LLVMIntNE ? BURL_SITE_F_IDENTITY : BURL_SITE_F_ADDRESSES;
}

static uint8_t
of_instruction(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMICmp:
        return of_comparison(inst);
    case LLVMAtomicCmpXchg:
        return burl_ir_is_pointer(LLVMGetOperand(inst, 1)) ? BURL_SITE_F_IDENTITY : 0;
    case LLVMPtrToInt:
        return !is_fixed(LLVMGetOperand(inst, 0)) && escapes_as_integer(inst)
                   ? BURL_SITE_F_ADDRESSES
                   : 0;
    default:
        return 0;
    }
}

/* Of the C++ library, and not std::less, std::greater or std::hash of a pointer. Characters are the
 * text of a std::string. */
static bool
is_library(const char *name)
{
    static const char *const ordering[] = { "_ZNKSt4lessIP", "_ZNKSt7greaterIP", "_ZNKSt4hashIP" };

    for (size_t i = 0; i < sizeof ordering / sizeof ordering[0]; i++) {
        const size_t n = strlen(ordering[i]);

        if (strncmp(name, ordering[i], n) == 0)
            return name[n] == 'c' || burl_ir_begins(name + n, "Kc");
    }
    return burl_libfn_is_cxx(name);
}

uint8_t
burl__instr_identity(LLVMValueRef fn)
{
    uint8_t flags = 0;

    if (is_library(burl_ir_name(fn)))
        return 0;
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        flags |= of_instruction(i);
    return flags;
}

void
burl__instr_spread_identity(struct burl__instr *in)
{
    uint8_t flags = 0;

    for (size_t i = 0; i < in->sites.n; i++) {
        if (in->sites.v[i].desc.kind == BURL_SITE_FUNC)
            flags |= in->sites.v[i].desc.flags;
    }
    for (size_t i = 0; i < in->sites.n; i++) {
        if (in->sites.v[i].desc.kind == BURL_SITE_FUNC)
            in->sites.v[i].desc.flags |= flags;
    }
}
