/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/names.c - source positions and readable names of what a site touches.
 *
 * Runs in the compiler, on the canonical form. A name is rebuilt as the source
 * might have written it: `acct->balance`, `stats.hits`, `buf[]`, `g_count`,
 * `*p`. Values get their names from the debug intrinsics that bind them to
 * variables, from globals, and from the loads they come from; field names come
 * from the debug types, by byte offset, because the offsets are what LLVM keeps.
 * Nothing depends on a name, so every doubt ends in a shorter one: "?" stands
 * for a part that is not known, "" for nothing known at all.
 */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "instr/instr_int.h"

/* Longer chains do not help a reader. */
enum { MAX_DEPTH = 6, NAME_B = BURL__NAME_B };

enum { DWARF_OP_DEREF = 0x06, DWARF_OP_LLVM_FRAGMENT = 0x1000 };

/* How a variable is bound to a value. */
enum binding { BIND_NONE, BIND_VALUE, BIND_ADDRESS };

static bool name_value(struct burl__instr *in, LLVMValueRef v, struct burl__place *out, int depth);

/* snprintf that does not mind being cut. */
static void BURL_PRINTF(2, 3) put_text(char out[NAME_B], const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (vsnprintf(out, NAME_B, fmt, ap) < 0)
        out[0] = '\0';
    va_end(ap);
}

static void
add_text(char out[NAME_B], const char *s)
{
    size_t n = strlen(out);
    size_t m = strlen(s);

    if (n + m < NAME_B)
        memcpy(out + n, s, m + 1);
}

/* How much the type of the variable says about what its value points to. */
static int
rank_pointee(struct burl__instr *in, LLVMValueRef intrinsic)
{
    LLVMMetadataRef var = LLVMValueAsMetadata(LLVMGetOperand(intrinsic, 1));
    LLVMMetadataRef type = burl_di_operand(in->ctx, var, BURL_DI_VAR_TYPE);
    bool is_reference;
    LLVMMetadataRef pointee = type ? burl_di_pointee(in->ctx, type, &is_reference) : NULL;

    return !pointee ? 0 : burl_di_is_record(in->ctx, pointee) ? 2 : 1;
}

/*
 * Which debug intrinsic binds this value; the first one wins, later copies are aliases. Except for
 * `struct pool *p = arg`: the members are those of p, and arg is no more than an address.
 */
static void
bind_local(struct burl__instr *in, LLVMValueRef intrinsic)
{
    LLVMValueRef wrapped = LLVMGetOperand(intrinsic, 0);
    LLVMValueRef v = NULL;
    uint64_t before;

    if (!wrapped || LLVMGetMDNodeNumOperands(wrapped) != 1)
        return;
    LLVMGetMDNodeOperands(wrapped, &v);
    if (!v || LLVMIsConstant(v))
        return;
    if (burl_map_get_ptr(&in->locals, v, &before) &&
        rank_pointee(in, (LLVMValueRef)(uintptr_t)before) >= rank_pointee(in, intrinsic))
        return;
    burl_map_set_ptr(&in->locals, v, (uint64_t)(uintptr_t)intrinsic);
}

static void
bind_locals(struct burl__instr *in, LLVMValueRef fn)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        if (LLVMIsADbgVariableIntrinsic(i))
            bind_local(in, i);
}

static void
bind_globals(struct burl__instr *in)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(in->mod); g; g = LLVMGetNextGlobal(g)) {
        size_t n = 0;
        LLVMValueMetadataEntry *e = LLVMGlobalCopyAllMetadata(g, &n);
        for (size_t i = 0; i < n; i++) {
            LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(e, (unsigned)i);
            if (LLVMGetMetadataKind(md) != LLVMDIGlobalVariableExpressionMetadataKind)
                continue;
            LLVMMetadataRef var = LLVMDIGlobalVariableExpressionGetVariable(md);
            if (var)
                burl_map_set_ptr(&in->globals, g, (uint64_t)(uintptr_t)var);
        }
        LLVMDisposeValueMetadataEntries(e);
    }
}

/* The C API cannot read an expression, but equal expressions are one object. */
static bool
is_expression(struct burl__instr *in, LLVMMetadataRef expr, uint64_t *ops, size_t n)
{
    return expr == LLVMDIBuilderCreateExpression(in->di, ops, n);
}

/* sroa splits a record; its parts are bound with a fragment. Finds the member it is. */
static bool
name_fragment(struct burl__instr *in, LLVMMetadataRef expr, struct burl__place *out)
{
    LLVMMetadataRef t = burl_di_strip(in->ctx, out->type);
    LLVMMetadataRef list =
        burl_di_is_record(in->ctx, t) ? burl_di_operand(in->ctx, t, BURL_DI_ELEMENTS) : NULL;
    unsigned n = 0;
    LLVMValueRef *elements = list ? burl_di_operands(in->ctx, list, &n) : NULL;
    LLVMMetadataRef found = NULL;

    for (unsigned i = 0; i < n && i < 64 && !found; i++) {
        LLVMMetadataRef m = elements[i] ? LLVMValueAsMetadata(elements[i]) : NULL;
        if (!m || LLVMGetMetadataKind(m) != LLVMDIDerivedTypeMetadataKind)
            continue;
        uint64_t ops[3] = { DWARF_OP_LLVM_FRAGMENT, LLVMDITypeGetOffsetInBits(m),
                            LLVMDITypeGetSizeInBits(m) };
        if (is_expression(in, expr, ops, 3))
            found = m;
    }
    free(elements);
    if (!found)
        return false;
    add_text(out->text, ".");
    add_text(out->text, burl_di_string(in->ctx, found, BURL_DI_NAME));
    out->type = burl_di_operand(in->ctx, found, BURL_DI_BASE);
    return true;
}

/* Name and type of a variable; false when it has no name. */
static bool
name_variable(struct burl__instr *in, LLVMMetadataRef var, struct burl__place *out)
{
    memset(out, 0, sizeof *out);
    put_text(out->text, "%s", burl_di_string(in->ctx, var, BURL_DI_VAR_NAME));
    out->type = burl_di_operand(in->ctx, var, BURL_DI_VAR_TYPE);
    out->owner = out->type;
    return out->text[0] != '\0';
}

/* Where the name of a local begins: at the variable itself, or at a parameter. */
static void
note_root(struct burl__instr *in, LLVMValueRef v, struct burl__place *p)
{
    bool is_reference;

    if (!LLVMIsAArgument(v)) {
        p->flags = BURL_PLACE_OBJECT;
        return;
    }
    p->param_n = (uint16_t)(burl_ir_param_index(v) + 1);
    if (strcmp(p->text, "this") != 0)
        return;
    p->flags = BURL_PLACE_SELF;
    LLVMMetadataRef self = burl_di_pointee(in->ctx, p->type, &is_reference);
    p->closure = burl_di_is_record(in->ctx, self) &&
                 burl_di_string(in->ctx, burl_di_strip(in->ctx, self), BURL_DI_NAME)[0] == '\0';
}

/* The variable bound to `v`, and whether it is the value or lies at that address. */
static enum binding
find_local(struct burl__instr *in, LLVMValueRef v, struct burl__place *out)
{
    uint64_t found;
    uint64_t deref = DWARF_OP_DEREF;

    if (!burl_map_get_ptr(&in->locals, v, &found))
        return BIND_NONE;
    LLVMValueRef intrinsic = (LLVMValueRef)(uintptr_t)found;
    LLVMMetadataRef expr = LLVMValueAsMetadata(LLVMGetOperand(intrinsic, 2));
    if (!name_variable(in, LLVMValueAsMetadata(LLVMGetOperand(intrinsic, 1)), out))
        return BIND_NONE;
    note_root(in, v, out);
    bool declared = LLVMIsADbgDeclareInst(intrinsic) != NULL;
    if (is_expression(in, expr, NULL, 0))
        return declared ? BIND_ADDRESS : BIND_VALUE;
    if (declared)
        return BIND_NONE;
    if (is_expression(in, expr, &deref, 1))
        return BIND_ADDRESS;
    return name_fragment(in, expr, out) ? BIND_VALUE : BIND_NONE;
}

static bool
name_global(struct burl__instr *in, LLVMValueRef g, struct burl__place *out)
{
    const char *name = burl_ir_name(g);
    uint64_t found;

    if (!burl_map_get_ptr(&in->globals, g, &found) ||
        !name_variable(in, (LLVMMetadataRef)(uintptr_t)found, out)) {
        memset(out, 0, sizeof *out);
        if (!*name || *name == '.')
            return false;
        put_text(out->text, "%s", name);
    }
    out->flags = BURL_PLACE_OBJECT | BURL_PLACE_GLOBAL;
    return true;
}

/* A variable that a lambda captured: the source names it alone. What it captured as `this` is known
 * by its class only. */
static void
enter_captured(struct burl__place *p, const char *name)
{
    p->closure = false;
    p->param_n = 0;
    p->skip_b = strlen("this->");
    p->flags = strcmp(name, "this") == 0 ? BURL_PLACE_RESULT : BURL_PLACE_OBJECT;
}

static bool
is_of_library(struct burl__instr *in, LLVMMetadataRef type)
{
    LLVMMetadataRef t = type ? burl_di_strip(in->ctx, type) : NULL;

    return t && burl_path_is_system(burl_di_file(t));
}

static void
cut_place(struct burl__place *p)
{
    p->cut = true;
    p->text_b = strlen(p->text);
    p->path_b = strlen(p->path);
    p->cut_deref = p->deref;
}

/* Appends a member; the first arrow or dot depends on how the place was reached. */
static void
enter_member(struct burl__instr *in, struct burl__place *p, LLVMMetadataRef member)
{
    const char *name = burl_di_string(in->ctx, member, BURL_DI_NAME);

    /* Base classes and anonymous members have no name of their own. */
    if (*name && burl_di_tag(member) != BURL_DI_INHERITANCE) {
        if (p->closure)
            enter_captured(p, name);
        if (*name == '_' && !p->cut && is_of_library(in, p->type))
            cut_place(p);
        add_text(p->text, p->deref ? "->" : ".");
        add_text(p->text, name);
        add_text(p->path, p->path[0] ? "." : "");
        add_text(p->path, name);
        p->deref = false;
    }
    if (p->offset_b != UINT64_MAX)
        p->offset_b += LLVMDITypeGetOffsetInBits(member) / 8;
    if (p->from_b != UINT64_MAX)
        p->from_b += LLVMDITypeGetOffsetInBits(member) / 8;
    p->type = burl_di_operand(in->ctx, member, BURL_DI_BASE);
    if (p->path[0] == '\0') { /* members of a base class are the base's own */
        p->owner = p->type;
        p->offset_b = 0;
    }
}

static void
enter_element(struct burl__place *p, LLVMMetadataRef element)
{
    size_t n = strlen(p->text);

    if (n < 2 || strcmp(p->text + n - 2, "[]") != 0 || p->deref) {
        add_text(p->text, "[]");
        add_text(p->path, "[]");
    }
    p->deref = false;
    p->type = element;
    p->offset_b = UINT64_MAX;
    p->from_b = UINT64_MAX;
}

/* The member at an offset; of a union, the one that the source names. */
static LLVMMetadataRef
member_at(struct burl__instr *in, LLVMMetadataRef type, uint64_t *offset, uint64_t want_b)
{
    LLVMMetadataRef named = NULL;

    if (in->named && burl_di_tag(burl_di_strip(in->ctx, type)) == BURL_DI_UNION) {
        size_t n;
        const char *word = burl__sourcetext_word(in, in->named, &n);

        if (word)
            named = burl_di_member_named(in->ctx, type, word, n, offset);
    }
    return named ? named : burl_di_member(in->ctx, type, offset, want_b);
}

/*
 * Follows a constant byte offset through records and arrays to the thing of `want_b` bytes there
 * (0: as far as the offset goes); returns what is left of it. `whole` stops at a record that is
 * covered whole: a copied structure is called by its own name, a scalar by its field's.
 */
static uint64_t
enter_offset(struct burl__instr *in, struct burl__place *p, uint64_t offset, uint64_t want_b,
             bool whole)
{
    for (int i = 0; i < 16 && p->type; i++) {
        uint64_t n = burl_di_size_b(in->ctx, p->type);
        LLVMMetadataRef element = burl_di_array_element(in->ctx, p->type);
        if (n && offset >= n && !element) {
            enter_element(p, p->type);
            offset %= n;
            continue;
        }
        bool record = burl_di_is_record(in->ctx, p->type);
        if (offset == 0 && (!n || n <= want_b) && (whole || !record))
            break;
        /* A range over several members belongs to the record that holds them. */
        if (record && whole && want_b > 1 && offset + want_b <= n) {
            uint64_t inside = offset;
            LLVMMetadataRef m = member_at(in, p->type, &inside, want_b);
            if (m && inside + want_b > burl_di_size_b(in->ctx, m))
                return 0;
        }
        if (element) {
            uint64_t each = burl_di_size_b(in->ctx, element);
            enter_element(p, element);
            offset = each ? offset % each : 0;
            continue;
        }
        LLVMMetadataRef member = member_at(in, p->type, &offset, want_b);
        if (!member)
            break;
        enter_member(in, p, member);
    }
    return offset;
}

static uint64_t
ir_size_b(struct burl__instr *in, LLVMTypeRef ty)
{
    return LLVMTypeIsSized(ty) ? LLVMABISizeOfType(in->td, ty) : 0;
}

/* Bytes of the member or element that a GEP leads to; 0 when its type does not say. */
static uint64_t
gep_size_b(struct burl__instr *in, LLVMValueRef gep)
{
    LLVMTypeRef ty = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);

    if (n < 3)
        return 0;
    for (int i = 2; i < n; i++) {
        if (LLVMGetTypeKind(ty) == LLVMStructTypeKind)
            ty = LLVMStructGetTypeAtIndex(
                ty, (unsigned)burl_ir_int_or_0(LLVMGetOperand(gep, (unsigned)i)));
        else
            ty = LLVMGetElementType(ty);
    }
    return ir_size_b(in, ty);
}

/* One step with an index that is not known: into an array, or along a pointer. */
static void
enter_any_element(struct burl__instr *in, struct burl__place *p, uint64_t each)
{
    LLVMMetadataRef element = burl_di_array_element(in->ctx, p->type);
    LLVMMetadataRef next = element ? element : p->type;
    uint64_t n = burl_di_size_b(in->ctx, next);

    /* Debug types have all dimensions of an array in one: a row is several elements. */
    enter_element(p, n && (each == n || (element && each % n == 0)) ? next : NULL);
}

/*
 * Walks the indices of a GEP, gathering constant offsets and resolving them when a variable index
 * comes. What is left of the constant offset is returned.
 */
static uint64_t
walk_indices(struct burl__instr *in, LLVMValueRef gep, struct burl__place *p)
{
    LLVMTypeRef ty = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);
    int64_t offset = 0;

    for (int i = 1; i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        bool known = LLVMIsAConstantInt(index) != NULL;
        int64_t k = known ? LLVMConstIntGetSExtValue(index) : 0;
        if (i > 1 && LLVMGetTypeKind(ty) == LLVMStructTypeKind) {
            offset += (int64_t)LLVMOffsetOfElement(in->td, ty, (unsigned)k);
            ty = LLVMStructGetTypeAtIndex(ty, (unsigned)k);
            continue;
        }
        uint64_t all = ir_size_b(in, ty);
        if (i > 1)
            ty = LLVMGetElementType(ty);
        uint64_t each = ir_size_b(in, ty);
        if (known && (i > 1 || k >= 0)) {
            offset += k * (int64_t)each;
            continue;
        }
        if (i > 1)
            enter_offset(in, p, (uint64_t)offset, all, true);
        offset = 0;
        enter_any_element(in, p, each);
    }
    return (uint64_t)offset;
}

/* llvm.threadlocal.address(@x) is @x for a reader. */
static LLVMValueRef
look_through(LLVMValueRef v)
{
    if (LLVMIsACallInst(v)) {
        LLVMValueRef fn = burl_ir_callee(v);
        if (fn && LLVMGetIntrinsicID(fn) && LLVMGetNumArgOperands(v) >= 1 &&
            burl_ir_begins(burl_ir_name(fn), "llvm.threadlocal.address"))
            return LLVMGetOperand(v, 0);
    }
    return v;
}

/* From the name of a pointer to the place it points to. */
static void
enter_pointee(struct burl__instr *in, struct burl__place *p)
{
    bool is_reference = false;

    p->type = burl_di_pointee(in->ctx, p->type, &is_reference);
    p->deref = !is_reference;
    p->owner = p->type;
    p->path[0] = '\0';
    p->offset_b = 0;
    p->from_b = 0;
    p->cut = false;
    p->flags &= (uint8_t)~BURL_PLACE_GLOBAL;
    if (!is_reference)
        p->flags &= (uint8_t)~BURL_PLACE_OBJECT;
}

/* Fills the place without following a constant offset of the last step: see `rest`. */
static bool
name_base(struct burl__instr *in, LLVMValueRef ptr, struct burl__place *out, uint64_t *rest,
          int depth)
{
    *rest = 0;
    ptr = look_through(ptr);
    if (LLVMIsAGlobalVariable(ptr))
        return name_global(in, ptr, out);
    enum binding bound = find_local(in, ptr, out);
    if (bound == BIND_VALUE)
        enter_pointee(in, out);
    if (bound != BIND_NONE)
        return true;
    if (burl_ir_is_gep(ptr)) {
        uint64_t before;
        if (!name_base(in, LLVMGetOperand(ptr, 0), out, &before, depth))
            return false;
        /* The source type of the GEP shows how deep the place before it is. A byte type does
         * not: that is how the optimizer writes any offset. */
        uint64_t start = ir_size_b(in, LLVMGetGEPSourceElementType(ptr));
        if (start > 1) {
            enter_offset(in, out, before, start, true);
            before = 0;
        }
        *rest = before + walk_indices(in, ptr, out);
        return true;
    }
    if (!name_value(in, ptr, out, depth + 1))
        return false;
    enter_pointee(in, out);
    return true;
}

/* Is it a part of an extern structure, which has no debug type? */
static bool
is_undescribed(LLVMValueRef ptr, const struct burl__place *p)
{
    LLVMTypeRef ty;

    if (p->type || p->deref || (p->path[0] && strcmp(p->path, "[]") != 0) ||
        p->flags != (BURL_PLACE_OBJECT | BURL_PLACE_GLOBAL))
        return false;
    for (ptr = look_through(ptr); burl_ir_is_gep(ptr);)
        ptr = look_through(LLVMGetOperand(ptr, 0));
    if (!LLVMIsAGlobalVariable(ptr))
        return false;
    for (ty = LLVMGlobalGetValueType(ptr); LLVMGetTypeKind(ty) == LLVMArrayTypeKind;)
        ty = LLVMGetElementType(ty);
    return LLVMGetTypeKind(ty) == LLVMStructTypeKind;
}

/* The source's name for a member of an extern structure. Without it, all members would be one
 * variable, and races on two of them one finding. */
static void
enter_undescribed(struct burl__instr *in, LLVMValueRef at, LLVMValueRef ptr, bool whole,
                  struct burl__place *p)
{
    char root[NAME_B];
    char name[NAME_B];
    bool call = burl_ir_is_call(at) || LLVMIsAAtomicRMWInst(at) || LLVMIsAAtomicCmpXchgInst(at) ||
                ((LLVMIsALoadInst(at) || LLVMIsAStoreInst(at)) &&
                 LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic);

    if (!is_undescribed(ptr, p))
        return;
    put_text(root, "%.*s", (int)strcspn(p->text, "["), p->text);
    if ((!whole && burl__sourcetext_members(in, at, root, name, sizeof name)) ||
        (call && burl__sourcetext_argument(in, at, root, name, sizeof name)))
        put_text(p->text, "%s", name);
}

static LLVMMetadataRef
result_type(struct burl__instr *in, LLVMValueRef fn)
{
    LLVMMetadataRef sp = LLVMGetSubprogram(fn);
    LLVMMetadataRef ty = sp ? burl_di_operand(in->ctx, sp, BURL_DI_FN_TYPE) : NULL;
    LLVMMetadataRef list = ty ? burl_di_operand(in->ctx, ty, BURL_DI_FN_TYPES) : NULL;

    return list ? burl_di_operand(in->ctx, list, 0) : NULL;
}

/* What a loaded value is called: the place it came from, at the loaded size. */
static bool
name_load(struct burl__instr *in, LLVMValueRef load, struct burl__place *out, int depth)
{
    LLVMValueRef outer = in->named;
    struct burl__place p = { 0 };
    uint64_t rest;
    bool known;

    in->named = load;
    known = depth <= MAX_DEPTH && name_base(in, LLVMGetOperand(load, 0), &p, &rest, depth);
    if (known) {
        enter_offset(in, &p, rest, LLVMStoreSizeOfType(in->td, LLVMTypeOf(load)), false);
        enter_undescribed(in, load, LLVMGetOperand(load, 0), false, &p);
    }
    in->named = outer;
    if (!known)
        return false;
    put_text(out->text, "%s%.*s", p.deref ? "*" : "", NAME_B - 2, p.text);
    out->type = p.type;
    out->owner = p.type;
    out->deref = false;
    out->skip_b = p.deref ? 0 : p.skip_b;
    out->flags = p.flags & (BURL_PLACE_OBJECT | BURL_PLACE_RESULT);
    return true;
}

static bool
name_value(struct burl__instr *in, LLVMValueRef v, struct burl__place *out, int depth)
{
    memset(out, 0, sizeof *out);
    if (depth > MAX_DEPTH)
        return false;
    if (find_local(in, v, out) == BIND_VALUE)
        return true;
    if (LLVMIsALoadInst(v))
        return name_load(in, v, out, depth);
    if (burl_ir_is_call(v)) {
        LLVMValueRef fn = burl_ir_callee(v);
        LLVMMetadataRef sp = fn ? LLVMGetSubprogram(fn) : NULL;
        if (!fn || LLVMGetIntrinsicID(fn))
            return false;
        const char *name = sp ? burl_di_string(in->ctx, sp, BURL_DI_NAME) : burl_ir_name(fn);
        put_text(out->text, "%.*s()", NAME_B - 4, name);
        out->type = result_type(in, fn);
        out->owner = out->type;
        out->flags = BURL_PLACE_RESULT;
        return true;
    }
    return false;
}

bool
burl__instr_access_place(struct burl__instr *in, const struct burl__site *s, struct burl__place *p)
{
    bool whole = s->desc.kind == BURL_SITE_RANGE_READ || s->desc.kind == BURL_SITE_RANGE_WRITE;
    uint64_t bytes = s->op.bytes;
    uint64_t rest;

    bool known;

    memset(p, 0, sizeof *p);
    in->named = LLVMIsAInstruction(s->at) ? s->at : NULL;
    /* The base is not known; a field of it may be no more than a guess, so none is given. */
    known = name_base(in, s->op.ptr, p, &rest, 0);
    if (known)
        rest = enter_offset(in, p, rest, bytes ? bytes : burl_di_size_b(in->ctx, p->type), whole);
    in->named = NULL;
    if (!known)
        return false;
    if (LLVMIsAInstruction(s->at))
        enter_undescribed(in, s->at, s->op.ptr, whole, p);
    if (rest && !whole && (p->type ? burl_di_is_record(in->ctx, p->type) : p->deref)) {
        add_text(p->text, p->deref ? "->?" : ".?");
        p->deref = false;
    }
    return true;
}

static void
name_access(struct burl__instr *in, const struct burl__site *s, char out[NAME_B])
{
    struct burl__place p;

    if (burl__instr_access_place(in, s, &p))
        put_text(out, "%s%.*s", p.deref ? "*" : "", NAME_B - 2, p.text);
}

/* The declaration's type of a parameter; only where the compiler added none of its own. */
static LLVMMetadataRef
declared_type(struct burl__instr *in, LLVMValueRef fn, unsigned param)
{
    LLVMMetadataRef sp = LLVMGetSubprogram(fn);
    LLVMMetadataRef ty = sp ? burl_di_operand(in->ctx, sp, BURL_DI_FN_TYPE) : NULL;
    LLVMMetadataRef list = ty ? burl_di_operand(in->ctx, ty, BURL_DI_FN_TYPES) : NULL;
    unsigned n = list ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(in->ctx, list)) : 0;

    return n == LLVMCountParams(fn) + 1 ? burl_di_operand(in->ctx, list, param + 1) : NULL;
}

LLVMMetadataRef
burl__instr_param_pointee(struct burl__instr *in, LLVMValueRef fn, unsigned param)
{
    struct burl__place p = { 0 };
    bool is_reference;

    if (!fn || param >= LLVMCountParams(fn))
        return NULL;
    if (LLVMIsDeclaration(fn) || find_local(in, LLVMGetParam(fn, param), &p) != BIND_VALUE)
        p.type = declared_type(in, fn, param);
    return p.type ? burl_di_pointee(in->ctx, p.type, &is_reference) : NULL;
}

bool
burl__instr_is_self(struct burl__instr *in, LLVMValueRef fn, unsigned param)
{
    struct burl__place p;

    return !LLVMIsDeclaration(fn) && param < LLVMCountParams(fn) &&
           find_local(in, LLVMGetParam(fn, param), &p) == BIND_VALUE && strcmp(p.text, "this") == 0;
}

/* Is it the type of that name? */
static bool
has_name(struct burl__instr *in, LLVMMetadataRef type, const char *name)
{
    LLVMMetadataRef t = burl_di_strip(in->ctx, type);

    return t && *name && strcmp(burl_di_string(in->ctx, t, BURL_DI_NAME), name) == 0;
}

/* A member of a base class is found through the base, unless the base itself is meant. */
static uint64_t
enter_bases(struct burl__instr *in, struct burl__place *p, uint64_t offset, const char *want)
{
    for (int i = 0; i < 8 && burl_di_is_record(in->ctx, p->type); i++) {
        uint64_t inside = offset;
        LLVMMetadataRef m = burl_di_member(in->ctx, p->type, &inside, 0);

        if (!m || burl_di_tag(m) != BURL_DI_INHERITANCE || has_name(in, p->type, want) ||
            inside >= burl_di_size_b(in->ctx, burl_di_operand(in->ctx, m, BURL_DI_BASE)))
            break;
        enter_member(in, p, m);
        offset = inside;
    }
    return offset;
}

bool
burl__instr_argument_place(struct burl__instr *in, LLVMValueRef arg, LLVMMetadataRef pointee,
                           struct burl__place *p)
{
    LLVMMetadataRef want = pointee ? burl_di_strip(in->ctx, pointee) : NULL;
    const char *name = want ? burl_di_string(in->ctx, want, BURL_DI_NAME) : "";
    uint64_t bytes = want ? burl_di_size_b(in->ctx, want) : 0;
    uint64_t rest;

    memset(p, 0, sizeof *p);
    if (!name_base(in, arg, p, &rest, 0))
        return false;
    if (bytes == 0 && burl_ir_is_gep(arg))
        bytes = gep_size_b(in, arg);
    if (bytes == 0)
        bytes = burl_di_size_b(in->ctx, p->type);
    rest = enter_bases(in, p, rest, name);
    rest = enter_offset(in, p, rest, bytes, true);
    /* A class with one member is as large as the member. */
    for (int i = 0; i < 4 && rest == 0 && *name && p->type && !has_name(in, p->type, name); i++) {
        struct burl__place inner = *p;
        uint64_t offset = 0;
        LLVMMetadataRef m = burl_di_member(in->ctx, p->type, &offset, bytes);
        if (!m || burl_di_size_b(in->ctx, m) < bytes)
            break;
        enter_member(in, &inner, m);
        if (has_name(in, inner.type, name) || i > 0)
            *p = inner;
    }
    return rest == 0;
}

static void
name_callee(struct burl__instr *in, LLVMValueRef target, char out[NAME_B])
{
    struct burl__place v;

    if (LLVMIsAFunction(target))
        put_text(out, "%s", burl_ir_name(target));
    else if (LLVMIsAInlineAsm(target))
        put_text(out, "asm");
    else if (burl_ir_is_segment(target))
        put_text(out, "llvm.segment");
    else if (name_value(in, target, &v, 0))
        put_text(out, "%s", v.text);
}

static void
describe_function(struct burl__instr *in, LLVMValueRef fn, struct burl_wire_sitedesc *d)
{
    LLVMMetadataRef sp = LLVMGetSubprogram(fn);
    struct burl_buf name;

    if (!sp) {
        d->func = burl__strtab_add(&in->strings, burl_ir_name(fn));
        d->file = burl__strtab_add(&in->strings, in->name);
        return;
    }
    burl_buf_init(&name, 4096);
    burl_di_qualified_name(in->ctx, sp, &name);
    d->func = burl__strtab_add(&in->strings, burl_buf_str(&name));
    d->file = burl__strtab_add(&in->strings, burl_di_file(sp));
    d->line = LLVMDISubprogramGetLine(sp);
    burl_buf_deinit(&name);
}

/* The first instruction of the block that has a place in the source. */
static LLVMMetadataRef
location_from(LLVMValueRef inst)
{
    for (; inst; inst = LLVMGetNextInstruction(inst)) {
        LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(inst);
        if (loc && LLVMDILocationGetLine(loc) && !LLVMIsADbgInfoIntrinsic(inst))
            return loc;
    }
    return NULL;
}

static void
describe_site(struct burl__instr *in, struct burl__site *s, const struct burl__site *func)
{
    struct burl_wire_sitedesc *d = &s->desc;
    char text[NAME_B] = "";
    LLVMMetadataRef loc =
        d->kind == BURL_SITE_BLOCK ? location_from(s->at) : LLVMInstructionGetDebugLoc(s->at);

    d->func = func->desc.func;
    d->file = func->desc.file;
    d->line = func->desc.line;
    if (loc && LLVMDILocationGetLine(loc)) {
        d->line = LLVMDILocationGetLine(loc);
        d->column = LLVMDILocationGetColumn(loc);
        d->file = burl__strtab_add(&in->strings, burl_di_file(LLVMDILocationGetScope(loc)));
    }
    if (d->kind == BURL_SITE_PLACE && !s->op.ptr)
        put_text(text, "%s", BURL_WIRE_NO_RETURN);
    else if (d->kind == BURL_SITE_CALL || d->kind == BURL_SITE_PLACE)
        name_callee(in, s->op.ptr, text);
    else if (s->op.ptr)
        name_access(in, s, text);
    d->variable = burl__strtab_add(&in->strings, text);
}

void
burl__instr_describe(struct burl__instr *in)
{
    bind_globals(in);
    for (size_t i = 0; i < in->sites.n; i++) {
        struct burl__site *s = &in->sites.v[i];
        if (s->desc.kind == BURL_SITE_FUNC) {
            bind_locals(in, s->at);
            describe_function(in, s->at, &s->desc);
        } else {
            describe_site(in, s, &in->sites.v[s->desc.func_ix]);
        }
    }
}
