/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/access.c - every access that has a site: which pointers, how many bytes, by which
 * path.
 *
 * Runs in burl-analyze. The site table has what an instruction was found to do when it was
 * numbered (reads, writes, in this order); operations on private memory have no site. So the
 * operations an instruction may have are matched with the sites it has by their kinds; where that
 * leaves a choice (strcmp with one private side) the site may touch any of them.
 *
 * The access path refines points-to: p->head touches a `head` of a struct queue and nothing else,
 * whatever p may point to by mistake. It is the innermost struct around the accessed scalar and the
 * offset in it, so that `&q->list` and then `l->next` agree with `q->list.next`. An access through
 * a plain pointer to a scalar has none and agrees with all; what goes through char pointers, copies
 * ranges or takes several fields at once is untyped.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"
#include "wire/site.h"

/* What an instruction may do, at most. */
struct operation {
    LLVMValueRef ptr;
    uint64_t bytes;
    LLVMTypeRef type; /* of what is accessed, NULL a range */
    bool writes;
    bool any; /* reads, writes, or both */
};

enum { MAX_OPS = 12 };

/* Anything a call is given, when nothing better is known. */
static int
any_operations(LLVMValueRef call, struct operation *ops)
{
    unsigned n_args = LLVMGetNumArgOperands(call);
    int n = 0;

    for (unsigned i = 0; i < n_args && n < MAX_OPS; i++)
        if (burl_ir_is_pointer(LLVMGetOperand(call, i)))
            ops[n++] = (struct operation){ .ptr = LLVMGetOperand(call, i), .any = true };
    return n;
}

/* Pointers that a format describes: printf reads all after it, scanf writes them. */
static int
format_operations(LLVMValueRef call, const struct burl_libfn *row, struct operation *ops, int n)
{
    for (unsigned i = row->format; i < LLVMGetNumArgOperands(call) && n < MAX_OPS; i++)
        if (burl_ir_is_pointer(LLVMGetOperand(call, i)))
            ops[n++] = (struct operation){ .ptr = LLVMGetOperand(call, i),
                                           .writes = (row->how & BURL_FN_SCANS) != 0 };
    return n;
}

/* The accesses of wire/libfn.def, which the sites were made of; 0 when they are not about the
 * memory that an argument or the result points to. */
static int
stated_operations(LLVMValueRef call, const struct burl_libfn *row, struct operation *ops)
{
    int n = 0;

    for (; n < BURL_LIBFN_ACCESSES && row->access[n].kind; n++) {
        const struct burl_libfn_access *a = &row->access[n];
        LLVMValueRef ptr = a->arg == BURL_FN_RESULT               ? call
                           : a->arg < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, a->arg)
                                                                  : NULL;
        if (!ptr || !burl_ir_is_pointer(ptr) || a->extent == BURL_EXT_VIA ||
            a->extent == BURL_EXT_TREE || a->extent == BURL_EXT_RET1_VIA)
            return 0;
        ops[n] = (struct operation){ .ptr = ptr, .writes = a->kind == BURL_SITE_RANGE_WRITE };
    }
    return row->how & (BURL_FN_PRINTS | BURL_FN_SCANS) ? format_operations(call, row, ops, n) : n;
}

static int
call_operations(const struct burl__sp *sp, LLVMValueRef call, struct operation *ops)
{
    LLVMValueRef fn = burl_ir_callee(call);
    const char *name = fn ? burl_ir_name(fn) : "";
    const struct burl_libfn row = burl_program_libfn(sp->p, fn);
    unsigned n_args = LLVMGetNumArgOperands(call);
    int n = 0;

    if (burl_ir_begins(name, "llvm.memcpy") || burl_ir_begins(name, "llvm.memmove"))
        ops[n++].ptr = LLVMGetOperand(call, 1);
    if (n || burl_ir_begins(name, "llvm.memset")) {
        ops[n].ptr = LLVMGetOperand(call, 0);
        ops[n++].writes = true;
        for (int i = 0; i < n; i++)
            ops[i].bytes = burl_ir_int_or_0(LLVMGetOperand(call, 2));
        return n;
    }
    /* Out-of-line atomics: the size is in the name, or comes first. */
    if (burl_ir_begins(name, "__atomic_")) {
        const char *digits = strrchr(name, '_');
        unsigned arg = digits[1] >= '1' && digits[1] <= '9' ? 0 : 1;
        if (arg < n_args && burl_ir_is_pointer(LLVMGetOperand(call, arg))) {
            ops[0] = (struct operation){ .ptr = LLVMGetOperand(call, arg), .any = true };
            ops[0].bytes =
                arg ? burl_ir_int_or_0(LLVMGetOperand(call, 0)) : strtoul(digits + 1, NULL, 10);
            return 1;
        }
    }
    n = stated_operations(call, &row, ops);
    return n > 0 ? n : any_operations(call, ops);
}

static int
list_operations(const struct burl__sp *sp, LLVMValueRef inst, struct operation *ops)
{
    LLVMTypeRef t;

    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        t = LLVMTypeOf(inst);
        ops[0] = (struct operation){ .ptr = LLVMGetOperand(inst, 0), .type = t };
        break;
    case LLVMStore:
        t = LLVMTypeOf(LLVMGetOperand(inst, 0));
        ops[0] = (struct operation){ .ptr = LLVMGetOperand(inst, 1), .type = t, .writes = true };
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        t = LLVMTypeOf(LLVMGetOperand(inst, 1));
        ops[0] = (struct operation){ .ptr = LLVMGetOperand(inst, 0), .type = t, .any = true };
        break;
    case LLVMCall:
    case LLVMInvoke:
        return call_operations(sp, inst, ops);
    default:
        return 0;
    }
    ops[0].bytes = LLVMStoreSizeOfType(sp->p->td, t);
    return 1;
}

/* For the comparison of two versions: memory that is released is written as a whole. */
static bool
is_release(const struct burl__sp *sp, LLVMValueRef inst, const struct burl_site_info *site,
           struct operation *op)
{
    if (!sp->for_changes || site->kind != BURL_SITE_CALL || !burl_ir_is_call(inst) ||
        !(burl__callee_facts(sp, inst).is & BURL_FN_FREES) || LLVMGetNumArgOperands(inst) == 0 ||
        !burl_ir_is_pointer(LLVMGetOperand(inst, 0)))
        return false;
    *op = (struct operation){ .ptr = LLVMGetOperand(inst, 0), .writes = true };
    return true;
}

/* BURL_SP_* of a site, 0 when it is no access. */
static uint8_t
flags_of(const struct burl_site_info *site)
{
    static const uint8_t flags[BURL_SITE__N] = {
        [BURL_SITE_READ] = BURL_SP_READS,
        [BURL_SITE_RANGE_READ] = BURL_SP_READS,
        [BURL_SITE_WRITE] = BURL_SP_WRITES,
        [BURL_SITE_RANGE_WRITE] = BURL_SP_WRITES,
        [BURL_SITE_ATOMIC_LOAD] = BURL_SP_READS | BURL_SP_ATOMIC,
        [BURL_SITE_ATOMIC_STORE] = BURL_SP_WRITES | BURL_SP_ATOMIC,
        [BURL_SITE_ATOMIC_RMW] = BURL_SP_READS | BURL_SP_WRITES | BURL_SP_ATOMIC,
        [BURL_SITE_ATOMIC_CAS] = BURL_SP_READS | BURL_SP_WRITES | BURL_SP_ATOMIC,
    };
    const uint8_t f = flags[site->kind];

    return f && (site->flags & BURL_SITE_F_ASSERT) ? f | BURL_SP_ASSERT : f;
}

/* A member of a struct that is a scalar. */
struct field {
    LLVMTypeRef in;
    uint64_t off;
    uint64_t scalar_b;
};

/* The innermost struct around the scalar at `off` of a value of type t. */
static bool
find_field(LLVMTargetDataRef td, LLVMTypeRef t, uint64_t off, struct field *f)
{
    LLVMTypeRef in = t;
    uint64_t at = off;
    bool found = false;

    for (; burl_ir_enter(td, &t, &off); in = t, at = off) {
        if (LLVMGetTypeKind(in) == LLVMStructTypeKind) {
            f->in = in;
            f->off = at - off;
            found = true;
        }
    }
    uint64_t size = LLVMTypeIsSized(t) ? LLVMABISizeOfType(td, t) : 0;
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind && off < size) {
        size = LLVMABISizeOfType(td, LLVMGetElementType(t));
        off = size ? off % size : 0;
    }
    if (!found || off != 0 || size == 0)
        return false;
    f->scalar_b = size;
    return true;
}

/* Where a GEP leads in its source type; false when it only steps over elements. */
static bool
gep_field(LLVMTargetDataRef td, LLVMValueRef gep, struct field *f)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);
    bool found = false;

    for (int i = 2; i < n; i++) {
        if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned k = (unsigned)burl_ir_int_or_0(LLVMGetOperand(gep, (unsigned)i));
            f->in = t;
            f->off = LLVMOffsetOfElement(td, t, k);
            t = LLVMStructGetTypeAtIndex(t, k);
            found = true;
        } else {
            t = LLVMGetElementType(t);
        }
    }
    /* Down to the first scalar of what was reached. */
    if (find_field(td, t, 0, f))
        return true;
    while (LLVMGetTypeKind(t) == LLVMArrayTypeKind)
        t = LLVMGetElementType(t);
    f->scalar_b = LLVMTypeIsSized(t) ? LLVMABISizeOfType(td, t) : 0;
    return found;
}

char *
burl__struct_name(LLVMTypeRef t)
{
    const char *name = LLVMGetStructName(t);
    size_t n = name ? strlen(name) : 0, end = n;

    /* "struct.queue.12" is the same type in another module. */
    while (end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    if (end > 0 && name[end - 1] == '.')
        n = end - 1;
    char *type = n ? burl_xstrndup(name, n) : burl_xstrdup("struct");
    char *dot = strchr(type, '.');
    if (dot)
        *dot = ' ';
    return type;
}

static uint32_t
intern_path(struct burl__sp *sp, LLVMTypeRef t, uint64_t off)
{
    char *type = burl__struct_name(t);
    struct burl__path *p;

    for (size_t i = 0; i < sp->paths.n; i++) {
        if (sp->paths.v[i].offset_b == off && strcmp(sp->paths.v[i].type, type) == 0) {
            free(type);
            return BURL__PATH_FIRST + (uint32_t)i;
        }
    }
    p = BURL_VEC_ADD(&sp->paths);
    p->type = type;
    p->offset_b = off;
    return BURL__PATH_FIRST + (uint32_t)sp->paths.n - 1;
}

/* A variable, at a constant offset: its declared type gives the path. */
static bool
variable_field(LLVMTargetDataRef td, LLVMValueRef ptr, struct field *f)
{
    int64_t off;
    LLVMValueRef base = burl__strip(td, ptr, &off);
    LLVMTypeRef t = LLVMIsAGlobalVariable(base) ? LLVMGlobalGetValueType(base)
                    : LLVMIsAAllocaInst(base)   ? LLVMGetAllocatedType(base)
                                                : NULL;

    return t && off >= 0 && find_field(td, t, (uint64_t)off, f);
}

static uint32_t
path_of(struct burl__sp *sp, const struct operation *op)
{
    struct field f;
    LLVMValueRef p = op->ptr;

    if (!op->type)
        return BURL__PATH_UNTYPED;
    bool found = variable_field(sp->p->td, p, &f);
    while (!found && burl_ir_is_gep(p)) {
        found = gep_field(sp->p->td, p, &f);
        if (!found)
            p = LLVMGetOperand(p, 0);
    }
    if (found)
        return f.scalar_b >= op->bytes ? intern_path(sp, f.in, f.off) : BURL__PATH_UNTYPED;
    if (LLVMIsAGlobalVariable(p) || LLVMIsAAllocaInst(p))
        return BURL__PATH_SCALAR;
    return op->bytes == 1 ? BURL__PATH_UNTYPED : BURL__PATH_SCALAR;
}

/* `n_ops` operations may be the site: all of them that do what it does. */
static void
add_access(struct burl__sp *sp, const struct burl__access *site, const struct operation *ops,
           int n_ops)
{
    struct burl__access a = *site;
    const struct operation *only = NULL;

    for (int i = 0; i < n_ops; i++) {
        if (!ops[i].any && ops[i].writes != ((a.flags & BURL_SP_WRITES) != 0))
            continue;
        only = &ops[i];
        if (a.n_ptr < BURL__MAX_PTRS)
            a.ptr[a.n_ptr++] = ops[i].ptr;
    }
    if (!only)
        return;
    if (a.n_ptr == 1) {
        a.bytes = only->bytes;
        a.exact = only->bytes != 0;
        a.path = path_of(sp, only);
    }
    if (burl__sp_is_before(sp, a.inst, a.fn))
        a.flags |= BURL_SP_BEFORE;
    else if (burl__sp_is_after(sp, a.inst, a.fn))
        a.flags |= BURL_SP_AFTER;
    BURL_VEC_PUSH(&sp->accesses, a);
}

/* Number of sites that start with `first` and belong to this instruction; *n_access: how many of
 * them are accesses. */
static uint32_t
count_sites(const struct burl__sp *sp, LLVMValueRef inst, uint32_t module, uint32_t first,
            int *n_access)
{
    uint32_t limit = UINT32_MAX, n = 0;
    struct burl_site_info site;

    *n_access = 0;
    for (LLVMValueRef i = LLVMGetNextInstruction(inst); i && limit == UINT32_MAX;
         i = LLVMGetNextInstruction(i))
        limit = burl_program_site_of(sp->p, i);
    for (; first + n < limit; n++) {
        if (!burl_program_site(sp->p, module, first + n, &site) || site.kind == BURL_SITE_BLOCK ||
            site.kind == BURL_SITE_FUNC || site.kind == BURL_SITE_PLACE ||
            (site.flags & BURL_SITE_F_ADDED))
            break;
        *n_access += flags_of(&site) != 0;
    }
    return n;
}

static void
scan_instruction(struct burl__sp *sp, uint32_t fn, uint32_t module, LLVMValueRef inst)
{
    uint32_t first = burl_program_site_of(sp->p, inst);
    struct operation ops[MAX_OPS] = { 0 }, release;
    int from = 0, n_access;

    if (first == UINT32_MAX)
        return;
    int n_ops = list_operations(sp, inst, ops);
    uint32_t n = count_sites(sp, inst, module, first, &n_access);
    /* As many sites as operations: one each. Else any of the fitting ones. */
    bool one_each = n_access == n_ops;
    for (uint32_t k = 0; k < n; k++) {
        struct burl_site_info site;
        struct burl__access a = { .inst = inst,
                                  .fn = fn,
                                  .module = module,
                                  .site = first + k,
                                  .copy_of = UINT32_MAX,
                                  .target = UINT32_MAX };
        (void)burl_program_site(sp->p, module, first + k, &site);
        a.flags = flags_of(&site);
        if (a.flags) {
            add_access(sp, &a, one_each ? &ops[from++] : ops, one_each ? 1 : n_ops);
        } else if (is_release(sp, inst, &site, &release)) {
            a.flags = BURL_SP_WRITES;
            add_access(sp, &a, &release, 1);
        }
    }
}

/* The sites of a discarded copy of a function map to those of the copy that counts: the compiler
 * may have inlined it. */
static void
add_copies(struct burl__sp *sp, uint32_t module, const struct burl_u32s *of_fn)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(sp->p->modules.v[module].mod); f;
         f = LLVMGetNextFunction(f)) {
        uint32_t first, kept, ix;
        if (!burl_program_copy(sp->p, f, &first, &kept) ||
            !burl_valmap_get(&sp->fn_ix, burl_program_definition(sp->p, f), &ix))
            continue;
        for (size_t i = 0; i < of_fn[ix].n; i++) {
            struct burl__access a = sp->accesses.v[of_fn[ix].v[i]];
            a.module = module;
            a.site = a.site - kept + first;
            a.copy_of = of_fn[ix].v[i];
            BURL_VEC_PUSH(&sp->accesses, a);
        }
    }
}

static void
add_all_copies(struct burl__sp *sp)
{
    struct burl_u32s *of_fn = burl_xcalloc(sp->fns.n + 1, sizeof *of_fn);

    for (uint32_t i = 0; i < sp->accesses.n; i++)
        BURL_VEC_PUSH(&of_fn[sp->accesses.v[i].fn], i);
    for (uint32_t m = 0; m < sp->p->modules.n; m++)
        add_copies(sp, m, of_fn);
    for (size_t i = 0; i < sp->fns.n; i++)
        BURL_VEC_FREE(&of_fn[i]);
    free(of_fn);
}

void
burl__sp_accesses(struct burl__sp *sp)
{
    for (uint32_t i = 0; i < sp->fns.n; i++) {
        LLVMValueRef fn = sp->fns.v[i].fn;
        if (sp->fns.v[i].roots.n == 0)
            continue;
        uint32_t module = burl_program_module_of(sp->p, fn);
        for (LLVMValueRef k = burl_ir_first(fn); k; k = burl_ir_next(k))
            scan_instruction(sp, i, module, k);
    }
    add_all_copies(sp);
}
