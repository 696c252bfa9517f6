/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/program/symbols.c - see symbols.h. Host side.
 */
#include "analysis/program/symbols.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { MAX_ALIASES = 16 };
enum { RANK_DECLARED, RANK_INLINE, RANK_WEAK, RANK_STRONG };

#define EVERYWHERE UINT32_MAX

static uint64_t
hash_symbol(const char *name, uint32_t file)
{
    return burl_hash_end(burl_hash_u64(burl_hash_str(BURL_HASH_BEGIN, name), file));
}

static bool
is_symbol(const void *all, uint64_t i, const void *symbol)
{
    const struct burl_symbol *x = (const struct burl_symbol *)all + i, *y = symbol;

    return x->file == y->file && strcmp(x->name, y->name) == 0;
}

static const struct burl_symbol *
find_symbol(const struct burl_symbols *s, const char *name, uint32_t file)
{
    const struct burl_symbol key = { .name = name, .file = file };
    uint64_t i;

    return burl_map_find(&s->by_name, hash_symbol(name, file), is_symbol, s->all.v, &key, &i)
               ? &s->all.v[i]
               : NULL;
}

static struct burl_symbol *
find_or_add_symbol(struct burl_symbols *s, const char *name, uint32_t file)
{
    const struct burl_symbol key = { .name = name, .file = file };
    uint64_t i = s->all.n;

    if (!burl_map_find_or_add(&s->by_name, hash_symbol(name, file), is_symbol, s->all.v, &key, &i))
        BURL_VEC_PUSH(&s->all, key);
    return &s->all.v[i];
}

static bool
is_local(LLVMValueRef v)
{
    LLVMLinkage l = LLVMGetLinkage(v);
    return l == LLVMInternalLinkage || l == LLVMPrivateLinkage || l == LLVMAppendingLinkage;
}

static int
rank_of(LLVMValueRef v)
{
    if (LLVMIsDeclaration(v))
        return RANK_DECLARED;
    switch (LLVMGetLinkage(v)) {
    case LLVMAvailableExternallyLinkage:
        return RANK_INLINE;
    case LLVMLinkOnceAnyLinkage:
    case LLVMLinkOnceODRLinkage:
    case LLVMWeakAnyLinkage:
    case LLVMWeakODRLinkage:
    case LLVMCommonLinkage:
        return RANK_WEAK;
    default:
        return RANK_STRONG;
    }
}

static bool
is_hidden(LLVMValueRef v)
{
    return LLVMGetVisibility(v) == LLVMHiddenVisibility;
}

static void
offer_symbol(struct burl_symbols *s, LLVMValueRef v, uint32_t file)
{
    const char *name = burl_ir_name(v);
    int rank = rank_of(v);

    if (is_local(v) || !*name)
        return;
    struct burl_symbol *y = find_or_add_symbol(s, name, file);
    if (!y->value || rank > y->rank) {
        y->value = v;
        y->rank = rank;
    }
}

/* The best of this file is what the other files see, unless an earlier one has a real body. */
void
burl_symbols_publish(struct burl_symbols *s, uint32_t file)
{
    size_t n = s->all.n;

    for (size_t i = 0; i < n; i++) {
        struct burl_symbol mine = s->all.v[i];
        if (mine.file != file || (mine.rank >= RANK_WEAK && is_hidden(mine.value)))
            continue;
        struct burl_symbol *y = find_or_add_symbol(s, mine.name, EVERYWHERE);
        bool settled = y->rank >= RANK_WEAK;
        if (!y->value || (!settled && mine.rank > y->rank)) {
            y->value = mine.value;
            y->rank = mine.rank;
        }
    }
}

void
burl_symbols_add(struct burl_symbols *s, LLVMModuleRef mod, uint32_t file)
{
    for (LLVMValueRef v = LLVMGetFirstFunction(mod); v; v = LLVMGetNextFunction(v))
        offer_symbol(s, v, file);
    for (LLVMValueRef v = LLVMGetFirstGlobal(mod); v; v = LLVMGetNextGlobal(v))
        offer_symbol(s, v, file);
    for (LLVMValueRef v = LLVMGetFirstGlobalAlias(mod); v; v = LLVMGetNextGlobalAlias(v))
        offer_symbol(s, v, file);
    for (LLVMValueRef v = LLVMGetFirstGlobalIFunc(mod); v; v = LLVMGetNextGlobalIFunc(v))
        offer_symbol(s, v, file);
}

static LLVMValueRef
look_up(const struct burl_symbols *s, LLVMValueRef v, uint32_t file)
{
    const char *name = burl_ir_name(v);

    if (is_local(v) || !*name)
        return v;
    const struct burl_symbol *mine = find_symbol(s, name, file);
    const struct burl_symbol *all = find_symbol(s, name, EVERYWHERE);
    /* The executable's own definitions come first in load order, and hidden ones win at home. */
    if (mine && mine->rank >= RANK_WEAK && (file == 0 || is_hidden(mine->value)))
        return mine->value;
    if (all && all->value)
        return all->value;
    return mine && mine->value ? mine->value : v;
}

/* The global behind casts and offsets of a constant; NULL when it is something else. */
static LLVMValueRef
global_behind(LLVMValueRef c)
{
    while (c && !LLVMIsAGlobalValue(c))
        c = LLVMIsAConstantExpr(c) && LLVMGetNumOperands(c) > 0 ? LLVMGetOperand(c, 0) : NULL;
    return c;
}

LLVMValueRef
burl_symbols_resolve(const struct burl_symbols *s, LLVMValueRef v, uint32_t file)
{
    LLVMValueRef d = look_up(s, v, file);

    for (int i = 0; i < MAX_ALIASES && LLVMIsAGlobalAlias(d); i++) {
        LLVMValueRef next = global_behind(LLVMAliasGetAliasee(d));
        if (!next)
            break;
        d = look_up(s, next, file);
    }
    return d;
}
