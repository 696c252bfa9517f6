/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/emit.c - what the instrumented module carries besides its hooks.
 *
 * Runs in the compiler. Emits the site array, the module structure, and a
 * constructor of priority 0 that registers the module before any code of the
 * program runs. The records that are not loaded go into the object through the
 * module's assembly: .incbin when the object is made at once, written out byte
 * by byte when it is made later and elsewhere (-S, -flto, -emit-llvm).
 *
 * The constructor also refers to a symbol that only the link step of `burl cc`
 * defines, so that linking such an object in another way fails with a name
 * that says what to do.
 */
#include <stdio.h>
#include <string.h>

#include "instr/instr_int.h"
#include "wire/version.h"

#define SITES_SECTION "burl_sites"
#define LINK_SYMBOL "burl_objects_must_be_linked_with_burl_cc"

/* A site as the 8 bytes it has in memory. */
static uint64_t
pack_site(uint32_t ix, const struct burl_wire_sitedesc *d)
{
    struct burl_wire_site site = {
        .id = ix, .kind = d->kind, .size_b = d->size_b, .order = d->order, .flags = d->flags
    };
    uint64_t word;

    memcpy(&word, &site, sizeof word);
    return word;
}

static LLVMValueRef
add_global(struct burl__instr *in, const char *name, LLVMValueRef init, LLVMLinkage linkage)
{
    LLVMValueRef g = LLVMAddGlobal(in->mod, LLVMTypeOf(init), name);

    LLVMSetInitializer(g, init);
    LLVMSetLinkage(g, linkage);
    return g;
}

/*
 * As an array of numbers, not of structures: LLVM's call graph walks through all operands of all
 * constants a function mentions, again and again, and numbers have none. With structures the
 * optimizer took three times as long on a large module.
 */
void
burl__instr_emit_array(struct burl__instr *in)
{
    size_t n = in->sites.n;
    LLVMValueRef *words = burl_xcalloc(n + 1, sizeof *words);

    for (size_t i = 0; i < n; i++)
        words[i] = LLVMConstInt(in->i64, pack_site((uint32_t)i, &in->sites.v[i].desc), 0);
    in->site_array_ty = LLVMArrayType2(in->i64, n);
    in->site_array =
        add_global(in, "__burl_sites", LLVMConstArray2(in->i64, words, n), LLVMInternalLinkage);
    LLVMSetSection(in->site_array, SITES_SECTION);
    LLVMSetAlignment(in->site_array, 8);
    free(words);
}

static LLVMValueRef
emit_string(struct burl__instr *in, const char *s)
{
    LLVMValueRef g = add_global(
        in, "__burl_name", LLVMConstStringInContext2(in->ctx, s, strlen(s), 0), LLVMPrivateLinkage);

    LLVMSetGlobalConstant(g, 1);
    LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
    return g;
}

static LLVMValueRef
emit_module_struct(struct burl__instr *in)
{
    LLVMValueRef f[7] = {
        LLVMConstInt(in->i32, BURL_WIRE_VERSION, 0),
        LLVMConstInt(in->i32, in->sites.n, 0),
        in->site_array,
        LLVMConstInt(in->i64, in->hash, 0),
        emit_string(in, in->name),
        LLVMConstInt(in->i32, 0, 0),
        LLVMConstInt(in->i32, 0, 0),
    };
    LLVMValueRef g = add_global(in, "__burl_module", LLVMConstStructInContext(in->ctx, f, 7, 0),
                                LLVMInternalLinkage);

    LLVMSetAlignment(g, 8);
    return g;
}

/* A pointer to LINK_SYMBOL that the constructor mentions, so that it is not collected. */
static LLVMValueRef
emit_link_check(struct burl__instr *in)
{
    LLVMValueRef sym = LLVMAddGlobal(in->mod, in->i8, LINK_SYMBOL);

    LLVMSetVisibility(sym, LLVMHiddenVisibility);
    return add_global(in, "__burl_link_check", sym, LLVMInternalLinkage);
}

/* Appends to llvm.global_ctors, which may not exist yet and cannot be extended in place. */
static void
register_ctor(struct burl__instr *in, LLVMValueRef ctor)
{
    LLVMTypeRef fields[3] = { in->i32, in->ptr, in->ptr };
    LLVMTypeRef row_ty = LLVMStructTypeInContext(in->ctx, fields, 3, 0);
    LLVMValueRef old = LLVMGetNamedGlobal(in->mod, "llvm.global_ctors");
    LLVMValueRef init = old ? LLVMGetInitializer(old) : NULL;
    unsigned n = init ? (unsigned)LLVMGetNumOperands(init) : 0;
    LLVMValueRef *rows = burl_xcalloc(n + 1, sizeof *rows);
    LLVMValueRef mine[3] = { LLVMConstInt(in->i32, 0, 0), ctor, LLVMConstNull(in->ptr) };

    for (unsigned i = 0; i < n; i++)
        rows[i] = LLVMGetOperand(init, i);
    rows[n] = LLVMConstStructInContext(in->ctx, mine, 3, 0);
    if (old)
        LLVMDeleteGlobal(old);
    add_global(in, "llvm.global_ctors", LLVMConstArray2(row_ty, rows, n + 1), LLVMAppendingLinkage);
    free(rows);
}

void
burl__instr_emit_module(struct burl__instr *in)
{
    LLVMTypeRef fn_ty = LLVMFunctionType(in->void_ty, NULL, 0, 0);
    LLVMTypeRef asm_ty = LLVMFunctionType(in->void_ty, &in->ptr, 1, 0);
    LLVMValueRef module = emit_module_struct(in);
    LLVMValueRef check = emit_link_check(in);
    LLVMValueRef ctor = LLVMAddFunction(in->mod, "__burl_register", fn_ty);
    LLVMBasicBlockRef b = LLVMAppendBasicBlockInContext(in->ctx, ctor, "");
    LLVMValueRef touch = LLVMGetInlineAsm(asm_ty, "", 0, "r", 1, 1, 0, LLVMInlineAsmDialectATT, 0);

    LLVMSetLinkage(ctor, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(in->builder, b);
    LLVMSetCurrentDebugLocation2(in->builder, NULL);
    LLVMBuildCall2(in->builder, asm_ty, touch, &check, 1, "");
    if (in->seen_array) {
        LLVMValueRef args[3] = { module, in->seen_array, in->hot };
        burl__instr_hook_call(in, BURL__HOOK_MARKS_INIT, args, 3);
    } else {
        burl__instr_hook_call(in, BURL__HOOK_MODULE_INIT, &module, 1);
        burl__instr_alone_set(in);
    }
    LLVMBuildRetVoid(in->builder);
    register_ctor(in, ctor);
}

static void
open_section(struct burl_buf *text, const char *name)
{
    burl_buf_printf(text, ".pushsection %s,\"\",@progbits\n.balign 16\n", name);
}

/* As a string of the assembler. */
static void
put_quoted(struct burl_buf *text, const char *directive, const char *s)
{
    burl_buf_printf(text, "%s \"", directive);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            burl_buf_char(text, '\\');
        burl_buf_char(text, *s);
    }
    burl_buf_str_append(text, "\"\n");
}

static void
put_incbin(struct burl_buf *text, const char *section, const char *path)
{
    open_section(text, section);
    put_quoted(text, ".incbin", path);
    burl_buf_str_append(text, ".popsection\n");
}

static void
put_name(struct burl_buf *text, LLVMValueRef fn)
{
    const char *name = burl_ir_name(fn);

    put_quoted(text, ".asciz", *name == '\1' ? name + 1 : name); /* 1: to be taken as it is */
}

/* By name and not by address: a reference would keep what the optimizer may drop. */
static void
put_functions(struct burl__instr *in, struct burl_buf *text)
{
    burl_buf_printf(text, ".pushsection %s,\"\",@progbits\n", BURL_WIRE_FUNCS_SECTION);
    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage)
            put_name(text, f);
    }
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(in->mod); a; a = LLVMGetNextGlobalAlias(a))
        put_name(text, a);
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(in->mod); i; i = LLVMGetNextGlobalIFunc(i))
        put_name(text, i);
    burl_buf_str_append(text, ".popsection\n");
}

/* Records are multiples of 8 bytes; numbers are the form assemblers read fastest. */
static void
put_bytes(struct burl_buf *text, const char *section, const struct burl_buf *rec)
{
    enum { PER_LINE = 8 };

    open_section(text, section);
    for (size_t at = 0; at < rec->n; at += 8) {
        uint64_t x;
        memcpy(&x, rec->p + at, sizeof x);
        size_t k = at / 8 % PER_LINE;
        burl_buf_printf(text, "%s0x%llx%s", k ? "," : ".quad ", (unsigned long long)x,
                        k == PER_LINE - 1 || at + 8 >= rec->n ? "\n" : "");
    }
    burl_buf_str_append(text, ".popsection\n");
}

void
burl__instr_emit_records(struct burl__instr *in, const struct burl__records *rec,
                         const char *sites_path, const char *bc_path, const char *names_path)
{
    struct burl_buf text = BURL_BUF_INIT;

    if (rec) {
        put_bytes(&text, BURL_WIRE_SITES_SECTION, &rec->sites);
        put_bytes(&text, BURL_WIRE_BC_SECTION, &rec->bc);
        put_bytes(&text, BURL_WIRE_NAMES_SECTION, &rec->names);
    } else {
        put_incbin(&text, BURL_WIRE_SITES_SECTION, sites_path);
        put_incbin(&text, BURL_WIRE_BC_SECTION, bc_path);
        put_incbin(&text, BURL_WIRE_NAMES_SECTION, names_path);
    }
    put_functions(in, &text);
    LLVMAppendModuleInlineAsm(in->mod, burl_buf_str(&text), text.n);
    burl_buf_deinit(&text);
}
