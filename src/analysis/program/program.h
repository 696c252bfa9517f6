/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/program/program.h - the whole program, rebuilt from the executable alone.
 *
 * Reads the records of .burl.bc of an executable and of the instrumented shared objects it needs,
 * and holds the canonical modules side by side in one context, with names resolved across them as
 * the linker did. Site numbers ride in the bitcode (metadata "burl" on instructions, "burl.block"
 * on terminators, attribute "burl-func" on functions; see instr/number.c).
 */
#ifndef BURL_ANALYSIS_PROGRAM_H
#define BURL_ANALYSIS_PROGRAM_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/libfn.h"
#include "base/sitetab.h"
#include "base/vec.h"
#include "ir/ir.h"

struct burl_program_module {
    LLVMModuleRef mod;
    uint64_t hash;        /* as in .burl.sites and at run time */
    char *name;           /* source file */
    char *object;         /* file that holds it */
};

struct burl_program {
    LLVMContextRef ctx;
    LLVMTargetDataRef td; /* of all modules, else they could not be linked */
    BURL_VEC(struct burl_program_module) modules;
    BURL_VEC(LLVMValueRef) functions; /* definitions that count, in order of module and place */
    BURL_VEC(char *) problems; /* objects without bitcode and the like, for the user */
    struct burl_program_int *own;
};

/* `more`: shared objects that it loads while it runs. BURL_E_TARGET when there is no bitcode in it;
 * BURL_E_FORMAT when a record is damaged. */
BURL_MUST_CHECK enum burl_status burl_program_open(struct burl_program *p, const char *path,
                                                   const char *const *more, size_t n_more,
                                                   struct burl_err *err);
/* The same from modules that were copied out of a program earlier, in load order. Each line of the
 * file `list` has, separated by tabs: the path of the canonical bitcode, the module's hash (16 hex
 * digits), a name of the executable or shared object that holds it, and the source file. There is
 * no site table: burl_program_site() finds nothing. */
BURL_MUST_CHECK enum burl_status burl_program_open_list(struct burl_program *p, const char *list,
                                                        struct burl_err *err);
/* Was a module instrumented after the optimizer? */
bool burl_program_is_late(const struct burl_program *p);

/* Resolves a function or global variable (declared or defined, an alias too): its one definition,
 * or itself if it is defined nowhere. */
LLVMValueRef burl_program_definition(const struct burl_program *p, LLVMValueRef v);
/* The facts about a function or alias, by its name; zeros for NULL. */
struct burl_libfn burl_program_libfn(const struct burl_program *p, LLVMValueRef fn);
/* Has any module a function, declared or defined, with one of these traits? */
bool burl_program_has_traits(const struct burl_program *p, uint32_t traits);
/* Index of the module that contains a function or instruction. */
uint32_t burl_program_module_of(const struct burl_program *p, LLVMValueRef v);
/* Number of the first site of an instruction, UINT32_MAX none; an instruction with several
 * operations has consecutive ones, whose kinds are in the site table. */
uint32_t burl_program_site_of(const struct burl_program *p, LLVMValueRef inst);
/* The site (module, index); false and an empty one when there is none. */
bool burl_program_site(const struct burl_program *p, uint32_t module, uint32_t index,
                       struct burl_site_info *out);
/* Every function of the list llvm.global_ctors or llvm.global_dtors of a module, as defined in this
 * program. */
void burl_program_structors(const struct burl_program *p, size_t module, const char *list,
                            void (*each)(void *arg, LLVMValueRef fn), void *arg);

/*
 * Copies. A function of a header (inline, template) has a body in every module that uses it; one
 * counts and is in `functions`, but the optimizer may have inlined the others, so their sites are
 * met at run time as well. When `fn` is such a discarded copy with the same operations as the one
 * that counts, true: site *first + i of fn's module corresponds to site *kept + i of the module of
 * burl_program_definition(p, fn). *first and *kept are the FUNC sites of the two.
 */
bool burl_program_copy(const struct burl_program *p, LLVMValueRef fn, uint32_t *first,
                       uint32_t *kept);

#endif
