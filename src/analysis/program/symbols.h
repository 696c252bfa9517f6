/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/program/symbols.h - which definition a name means, as the linker and the loader decide.
 *
 * Within one file (executable or shared object) a strong definition beats a weak one and the first
 * weak one beats later ones: the others are discarded comdats. Between files the first one in load
 * order wins, whether weak or not; a hidden definition serves its own file alone. Bodies that exist
 * only for inlining are used when no file has another.
 */
#ifndef BURL_ANALYSIS_SYMBOLS_H
#define BURL_ANALYSIS_SYMBOLS_H

#include <llvm-c/Core.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "ir/ir.h"

struct burl_symbol {
    const char *name; /* belongs to the module */
    uint32_t file;    /* UINT32_MAX: seen from everywhere */
    int rank;         /* 0 declaration, 1 for inlining, 2 weak, 3 strong */
    LLVMValueRef value;
};

/* Zero-initialized is empty. */
struct burl_symbols {
    BURL_VEC(struct burl_symbol) all;
    struct burl_map by_name; /* and file: index of a symbol */
};

/* Adds what a module of file `file` declares and defines. */
void burl_symbols_add(struct burl_symbols *s, LLVMModuleRef mod, uint32_t file);
/* All modules of the file were added: lets the files see its names. Files come in load order. */
void burl_symbols_publish(struct burl_symbols *s, uint32_t file);
/* Resolves `v`, used in a module of `file`; never NULL. An alias is resolved to its aliasee. */
LLVMValueRef burl_symbols_resolve(const struct burl_symbols *s, LLVMValueRef v, uint32_t file);

#endif
