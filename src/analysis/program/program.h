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
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/libfn.h"
#include "base/vec.h"
#include "wire/sitefile.h"

struct burl_program_module {
    LLVMModuleRef mod;
    LLVMTargetDataRef td; /* owned by mod */
    uint64_t hash;        /* as in .burl.sites and at run time */
    char *name;           /* source file */
    char *object;         /* file that holds it */
};

struct burl_program {
    LLVMContextRef ctx;
    struct {
        BURL_VEC_OF(struct burl_program_module);
    } modules;
    struct {
        BURL_VEC_OF(LLVMValueRef);
    } functions; /* definitions that count, in order of module and place */
    struct {
        BURL_VEC_OF(char *);
    } problems; /* objects without bitcode and the like, for the user */
    struct burl_program_int *own;
};

/* `more`: shared objects that it loads while it runs. BURL_E_TARGET when there is no bitcode in it;
 * BURL_E_FORMAT when a record is damaged. */
BURL_MUST_CHECK enum burl_status burl_program_open(struct burl_program *p, const char *path,
                                                   const char *const *more, size_t n_more,
                                                   struct burl_err *err);
void burl_program_close(struct burl_program *p);

/* Resolves a function or global variable (declared or defined, an alias too): its one definition,
 * or itself if it is defined nowhere. */
LLVMValueRef burl_program_definition(const struct burl_program *p, LLVMValueRef v);
/* The facts about a function or alias, by its name; zeros for NULL. */
struct burl_libfn burl_program_libfn(const struct burl_program *p, LLVMValueRef fn);
/* Has a module a function, declared or defined, with one of these traits? */
bool burl_program_names(const struct burl_program *p, uint32_t traits);
/* Index of the module that contains a function or instruction. */
uint32_t burl_program_module_of(const struct burl_program *p, LLVMValueRef v);
/* Number of the first site of an instruction, UINT32_MAX none; an instruction with several
 * operations has consecutive ones, whose kinds the site table says. */
uint32_t burl_program_site_of(const struct burl_program *p, LLVMValueRef inst);
/* Number of the FUNC site, UINT32_MAX none. */
uint32_t burl_program_func_site(const struct burl_program *p, LLVMValueRef fn);
/* The described site (wire/sitefile.h record) of (module, index), NULL none. */
const struct burl_wire_sitedesc *burl_program_sitedesc(const struct burl_program *p,
                                                       uint32_t module, uint32_t index);
/* A string of that module's site table. */
const char *burl_program_string(const struct burl_program *p, uint32_t module, uint32_t offset);

/*
 * Copies. A function of a header (inline, template) has a body in every module that uses it; one
 * counts and is in `functions`, but the optimizer may have inlined the others, so their sites are
 * met at run time as well. When `fn` is such a discarded copy with the same operations as the one
 * that counts, true: site *first + i of fn's module stands for site *kept + i of the module of
 * burl_program_definition(p, fn). *first and *kept are the FUNC sites of the two.
 */
bool burl_program_copy(const struct burl_program *p, LLVMValueRef fn, uint32_t *first,
                       uint32_t *kept);

#endif
