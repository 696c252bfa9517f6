/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/places.c - the record of .burl.names (wire/namefile.h).
 *
 * Runs in the compiler, on the canonical form, after names.c. The site table names an access as its
 * own function does, which is `this->_M_i` for an atomic and `__mutex` for every lock of C++. The
 * record adds what leads from there to the user's variable: at which parameter a name begins, the
 * expressions that calls pass, and the members of globals.
 */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "instr/instr_int.h"
#include "wire/version.h"

enum { RECORD_ALIGN = 16, MAX_TYPE_DEPTH = 12, MAX_MEMBERS = 256 };

struct names {
    struct burl__instr *in;
    struct burl__strtab strings;
    struct burl_map types; /* debug type -> index + 1 */
    bool cxx;
    BURL_VEC(struct burl_wire_place) places;
    BURL_VEC(struct burl_wire_call) calls;
    BURL_VEC(struct burl_wire_function) functions;
    BURL_VEC(struct burl_wire_global) globals;
    BURL_VEC(struct burl_wire_type) type_v;
    BURL_VEC(struct burl_wire_member) members;
};

/* ---- places ------------------------------------------------------------------------ */

/* "Account", "Outer::Inner", "Stack<int>"; long template arguments hide the name. */
static void
put_owner(struct names *n, LLVMMetadataRef type, struct burl_buf *out)
{
    LLVMMetadataRef t = type ? burl_di_strip(n->in->ctx, type) : NULL;
    enum { ARGUMENTS_B = 24 };

    if (!n->cxx || !burl_di_is_record(n->in->ctx, t) ||
        burl_di_string(n->in->ctx, t, BURL_DI_NAME)[0] == '\0')
        return;
    burl_di_qualified_name(n->in->ctx, t, out);
    const char *text = burl_buf_str(out);
    const char *open = strchr(text, '<');
    if (strstr(text, "(anonymous)::")) {
        const char *rest = text;
        for (const char *p; (p = strstr(rest, "(anonymous)::"));)
            rest = p + strlen("(anonymous)::");
        char *copy = burl_xstrdup(rest);
        burl_buf_clear(out);
        burl_buf_str_append(out, copy);
        free(copy);
    } else if (open && strlen(open) > ARGUMENTS_B) {
        burl_buf_truncate(out, (size_t)(open - text));
    }
}

static uint8_t
value_of(struct names *n, LLVMMetadataRef type, uint64_t bytes)
{
    LLVMMetadataRef t = type ? burl_di_strip(n->in->ctx, type) : NULL;
    bool is_reference;

    if (!t || burl_di_size_b(n->in->ctx, t) != bytes)
        return BURL_VALUE_UNKNOWN;
    if (burl_di_tag(t) == BURL_DI_POINTER || burl_di_pointee(n->in->ctx, t, &is_reference))
        return BURL_VALUE_POINTER;
    if (LLVMGetMetadataKind(t) != LLVMDIBasicTypeMetadataKind)
        return BURL_VALUE_UNKNOWN;
    const char *name = burl_di_string(n->in->ctx, t, BURL_DI_NAME);
    if (strcmp(name, "bool") == 0 || strcmp(name, "_Bool") == 0)
        return BURL_VALUE_BOOL;
    if (strcmp(name, "float") == 0 || strcmp(name, "double") == 0)
        return BURL_VALUE_FLOAT;
    if (strcmp(name, "char") == 0)
        return BURL_VALUE_CHAR;
    if (burl_ir_begins(name, "unsigned "))
        return BURL_VALUE_UNSIGNED;
    return strcmp(name, "int") == 0 || strcmp(name, "long") == 0 || strcmp(name, "short") == 0 ||
                   strcmp(name, "long long") == 0 || strcmp(name, "signed char") == 0
               ? BURL_VALUE_SIGNED
               : BURL_VALUE_UNKNOWN;
}

static void
add_place(struct names *n, struct burl__place *p, uint32_t site, uint8_t value)
{
    struct burl_buf owner;

    if (p->cut) {
        p->text[p->text_b] = '\0';
        p->path[p->path_b] = '\0';
        p->deref = p->cut_deref;
    }
    const size_t skip_b = p->skip_b < strlen(p->text) ? p->skip_b : 0;

    burl_buf_init(&owner, 4096);
    put_owner(n, p->owner, &owner);
    struct burl_wire_place w = {
        .text = burl__strtab_add(&n->strings, p->text + skip_b),
        .owner = burl__strtab_add(&n->strings, burl_buf_str(&owner)),
        .path = burl__strtab_add(&n->strings, p->path),
        .site = site,
        .offset_b = p->offset_b < BURL_NAME_NONE ? (uint32_t)p->offset_b : BURL_NAME_NONE,
        .from_b = p->from_b < BURL_NAME_NONE ? (uint32_t)p->from_b : BURL_NAME_NONE,
        .param = p->param_n ? (uint16_t)(p->param_n - 1) : BURL_PARAM_NONE,
        .flags = (uint8_t)(p->flags | (p->deref ? BURL_PLACE_DEREF : 0)),
        .value = value,
    };
    BURL_VEC_PUSH(&n->places, w);
    burl_buf_deinit(&owner);
}

/* What a lambda captured by reference is read as a pointer first: `&x`, not `x`. */
static void
mark_reference(struct names *n, struct burl__place *p)
{
    bool is_reference = false;

    if (p->skip_b == 0 || !p->type || !burl_di_pointee(n->in->ctx, p->type, &is_reference) ||
        !is_reference)
        return;
    memmove(p->text + 1, p->text + p->skip_b, strlen(p->text + p->skip_b) + 1);
    p->text[0] = '&';
    p->skip_b = 0;
}

static void
add_accesses(struct names *n)
{
    for (size_t i = 0; i < n->in->sites.n; i++) {
        const struct burl__site *s = &n->in->sites.v[i];
        struct burl__place p;

        if (s->desc.kind == BURL_SITE_FUNC || s->desc.kind == BURL_SITE_BLOCK ||
            s->desc.kind == BURL_SITE_CALL || s->desc.kind == BURL_SITE_PLACE || !s->op.ptr)
            continue;
        if (!burl__instr_access_place(n->in, s, &p) || strchr(p.text, '?'))
            continue;
        mark_reference(n, &p);
        add_place(n, &p, (uint32_t)i, value_of(n, p.type, s->op.bytes));
    }
}

/* ---- calls ------------------------------------------------------------------------- */

/* The user's own code has a place for each call, libraries only for calls that leave the module. */
static uint32_t
call_site(struct names *n, LLVMValueRef call)
{
    uint32_t place = burl_ir_site(call, n->in->md_place);
    uint32_t ix = burl_ir_site(call, n->in->md_site);

    if (place != UINT32_MAX)
        return place;
    for (; ix < n->in->sites.n && n->in->sites.v[ix].at == call; ix++)
        if (n->in->sites.v[ix].desc.kind == BURL_SITE_CALL)
            return ix;
    return BURL_NAME_NONE;
}

static bool
is_result(LLVMValueRef call, unsigned arg)
{
    return burl_ir_call_attr(call, arg + 1, "sret") != NULL;
}

/* The object of a method call; a structure that is returned comes before it. */
static bool
is_receiver(struct names *n, LLVMValueRef call, LLVMValueRef callee, unsigned arg)
{
    unsigned at = LLVMGetNumArgOperands(call) > 0 && is_result(call, 0) ? 1 : 0;

    return arg == at && callee && burl__instr_is_self(n->in, callee, arg);
}

/* A pointer to something that may have a name. */
static bool
is_object(LLVMValueRef v)
{
    return burl_ir_is_pointer(v) && !LLVMIsAFunction(v) && !LLVMIsAConstantPointerNull(v);
}

/* Locks of C++ are used through pointers that were stored when a guard was made. */
static void
add_store(struct names *n, LLVMValueRef store, uint32_t func)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    uint32_t site = burl_ir_site(store, n->in->md_site);
    struct burl__place p;

    if (site == UINT32_MAX || !is_object(value) ||
        !burl__instr_argument_place(n->in, value, NULL, &p))
        return;
    struct burl_wire_call c = {
        .func = func, .site = site, .first = (uint32_t)n->places.n, .n = 1
    };
    add_place(n, &p, 0, BURL_VALUE_UNKNOWN);
    BURL_VEC_PUSH(&n->calls, c);
}

static void
add_call(struct names *n, LLVMValueRef call, uint32_t func)
{
    LLVMValueRef callee = burl_ir_callee(call);
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(call);
    struct burl_wire_call c = { .func = func,
                                .site = call_site(n, call),
                                .line = loc ? LLVMDILocationGetLine(loc) : 0,
                                .column = loc ? LLVMDILocationGetColumn(loc) : 0,
                                .first = (uint32_t)n->places.n };

    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && i < 16; i++) {
        LLVMValueRef arg = LLVMGetOperand(call, i);
        struct burl__place p;

        if (!is_object(arg) || is_result(call, i) ||
            !burl__instr_argument_place(n->in, arg, burl__instr_param_pointee(n->in, callee, i),
                                        &p))
            continue;
        if (is_receiver(n, call, callee, i))
            p.flags |= BURL_PLACE_RECEIVER;
        add_place(n, &p, i, BURL_VALUE_UNKNOWN);
    }
    c.n = (uint32_t)n->places.n - c.first;
    if (c.n == 0)
        return;
    c.callee = burl__strtab_add(&n->strings, callee ? burl_ir_name(callee) : "");
    BURL_VEC_PUSH(&n->calls, c);
}

static void
add_functions(struct names *n)
{
    for (size_t k = 0; k < n->in->sites.n; k++) {
        const struct burl__site *s = &n->in->sites.v[k];

        if (s->desc.kind != BURL_SITE_FUNC)
            continue;
        struct burl_wire_function f = { (uint32_t)k,
                                        burl__strtab_add(&n->strings, burl_ir_name(s->at)) };
        BURL_VEC_PUSH(&n->functions, f);
        for (LLVMValueRef i = burl_ir_first(s->at); i; i = burl_ir_next(i)) {
            if (LLVMIsAStoreInst(i))
                add_store(n, i, (uint32_t)k);
            else if (burl_ir_is_call(i) && burl_ir_calls_function(i))
                add_call(n, i, (uint32_t)k);
        }
    }
}

/* ---- globals ----------------------------------------------------------------------- */

static uint32_t add_type(struct names *n, LLVMMetadataRef type, int depth);

static uint32_t
add_plain(struct names *n, uint64_t size_b)
{
    BURL_VEC_PUSH(&n->type_v, (struct burl_wire_type){ .size_b = size_b });
    return (uint32_t)n->type_v.n - 1;
}

/* Numbers of elements, outermost dimension first; 0 dimensions when one is not constant. */
static size_t
read_dimensions(struct names *n, LLVMMetadataRef array, uint64_t dims[4])
{
    LLVMMetadataRef list = burl_di_operand(n->in->ctx, array, BURL_DI_ELEMENTS);
    unsigned n_dims = 0;
    LLVMValueRef *v = list ? burl_di_operands(n->in->ctx, list, &n_dims) : NULL;
    bool known = n_dims > 0 && n_dims <= 4;

    for (unsigned i = 0; known && i < n_dims; i++) {
        unsigned n_ops = 0;
        LLVMValueRef *ops =
            v[i] ? burl_di_operands(n->in->ctx, LLVMValueAsMetadata(v[i]), &n_ops) : NULL;
        known = n_ops > 0 && ops[0] && LLVMIsAConstantInt(ops[0]);
        dims[i] = known ? LLVMConstIntGetZExtValue(ops[0]) : 0;
        known = dims[i] > 0;
        free(ops);
    }
    free(v);
    return known ? n_dims : 0;
}

static uint32_t
add_array(struct names *n, LLVMMetadataRef array, int depth)
{
    uint64_t dims[4] = { 0 };
    uint64_t size_b = burl_di_size_b(n->in->ctx, array);
    size_t n_dims = read_dimensions(n, array, dims);
    LLVMMetadataRef element = burl_di_array_element(n->in->ctx, array);
    uint64_t each = burl_di_size_b(n->in->ctx, element);

    if (n_dims == 0 || each == 0)
        return add_plain(n, size_b);
    uint32_t inner = add_type(n, element, depth + 1);
    for (size_t i = n_dims; i-- > 0;) {
        each *= dims[i];
        struct burl_wire_type t = {
            .size_b = each, .kind = BURL_TYPE_ARRAY, .first = inner, .n = (uint32_t)dims[i]
        };
        BURL_VEC_PUSH(&n->type_v, t);
        inner = (uint32_t)n->type_v.n - 1;
    }
    return inner;
}

/* What libraries keep inside their classes has no name for users; their arrays have elements. */
static bool
is_opaque(struct names *n, LLVMMetadataRef record)
{
    const char *name = burl_di_string(n->in->ctx, record, BURL_DI_NAME);

    return burl_path_is_system(burl_di_file(record)) && !burl_ir_begins(name, "array<");
}

static bool
is_hidden_member(const char *name)
{
    return strcmp(name, "_M_elems") == 0;
}

static uint32_t
add_record(struct names *n, LLVMMetadataRef record, int depth)
{
    struct burl_wire_member found[MAX_MEMBERS];
    LLVMMetadataRef list = burl_di_operand(n->in->ctx, record, BURL_DI_ELEMENTS);
    unsigned n_elements = 0;
    LLVMValueRef *v = list ? burl_di_operands(n->in->ctx, list, &n_elements) : NULL;
    uint32_t n_found = 0;

    for (unsigned i = 0; i < n_elements && n_found < MAX_MEMBERS; i++) {
        LLVMMetadataRef m = v[i] ? LLVMValueAsMetadata(v[i]) : NULL;
        unsigned tag = burl_di_tag(m);
        if ((tag != BURL_DI_MEMBER && tag != BURL_DI_INHERITANCE) ||
            LLVMDITypeGetFlags(m) &
                (LLVMDIFlagStaticMember | LLVMDIFlagBitField | LLVMDIFlagVirtual))
            continue;
        const char *name = tag == BURL_DI_MEMBER ? burl_di_string(n->in->ctx, m, BURL_DI_NAME) : "";
        LLVMMetadataRef base = burl_di_operand(n->in->ctx, m, BURL_DI_BASE);
        if (!base)
            continue;
        found[n_found++] = (struct burl_wire_member){
            .offset_b = LLVMDITypeGetOffsetInBits(m) / 8,
            .name = burl__strtab_add(&n->strings, is_hidden_member(name) ? "" : name),
            .type = add_type(n, base, depth + 1),
        };
    }
    free(v);
    struct burl_wire_type t = { .size_b = burl_di_size_b(n->in->ctx, record),
                                .kind = BURL_TYPE_RECORD,
                                .first = (uint32_t)n->members.n,
                                .n = n_found };
    for (uint32_t i = 0; i < n_found; i++)
        BURL_VEC_PUSH(&n->members, found[i]);
    BURL_VEC_PUSH(&n->type_v, t);
    return (uint32_t)n->type_v.n - 1;
}

static uint32_t
add_type(struct names *n, LLVMMetadataRef type, int depth)
{
    LLVMMetadataRef t = burl_di_strip(n->in->ctx, type);
    uint64_t known;
    uint32_t ix;

    if (!t)
        return add_plain(n, 0);
    if (burl_map_get_ptr(&n->types, t, &known))
        return (uint32_t)known - 1;
    /* The members of a union share bytes: which of them is meant cannot be said. */
    if (depth < MAX_TYPE_DEPTH && burl_di_tag(t) == BURL_DI_ARRAY)
        ix = add_array(n, t, depth);
    else if (depth < MAX_TYPE_DEPTH && burl_di_is_record(n->in->ctx, t) &&
             burl_di_tag(t) != BURL_DI_UNION && !is_opaque(n, t))
        ix = add_record(n, t, depth);
    else
        ix = add_plain(n, burl_di_size_b(n->in->ctx, t));
    burl_map_set_ptr(&n->types, t, ix + 1u);
    return ix;
}

static void
add_globals(struct names *n)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(n->in->mod); g; g = LLVMGetNextGlobal(g)) {
        uint64_t found;

        if (LLVMIsDeclaration(g) || !burl_map_get_ptr(&n->in->globals, g, &found))
            continue;
        LLVMMetadataRef var = (LLVMMetadataRef)(uintptr_t)found;
        LLVMMetadataRef type = burl_di_operand(n->in->ctx, var, BURL_DI_VAR_TYPE);
        if (!type)
            continue;
        struct burl_wire_global w = { .symbol = burl__strtab_add(&n->strings, burl_ir_name(g)),
                                      .type = add_type(n, type, 0) };
        BURL_VEC_PUSH(&n->globals, w);
    }
}

/* ---- the record -------------------------------------------------------------------- */

/* Symbols of C++ are mangled; those of C have no other name. */
static bool
is_cxx(struct burl__instr *in)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f))
        if (burl_ir_begins(burl_ir_name(f), "_Z"))
            return true;
    return false;
}

void
burl__instr_record_names(struct burl__instr *in, struct burl_buf *out)
{
    static const char zeros[RECORD_ALIGN];
    struct names n = { .in = in, .cxx = is_cxx(in) };
    struct burl_wire_namefile_head head = { .magic = BURL_WIRE_NAMES_MAGIC,
                                            .version = BURL_WIRE_VERSION,
                                            .hash = in->hash };

    burl__strtab_init(&n.strings);
    add_accesses(&n);
    head.n_accesses = (uint32_t)n.places.n;
    add_functions(&n);
    add_globals(&n);
    head.n_places = (uint32_t)n.places.n;
    head.n_calls = (uint32_t)n.calls.n;
    head.n_functions = (uint32_t)n.functions.n;
    head.n_globals = (uint32_t)n.globals.n;
    head.n_types = (uint32_t)n.type_v.n;
    head.n_members = (uint32_t)n.members.n;
    head.strings_b = (uint32_t)n.strings.bytes.n;
    uint64_t used = sizeof head + n.places.n * sizeof *n.places.v + n.calls.n * sizeof *n.calls.v +
                    n.functions.n * sizeof *n.functions.v + n.globals.n * sizeof *n.globals.v +
                    n.type_v.n * sizeof *n.type_v.v + n.members.n * sizeof *n.members.v +
                    head.strings_b;
    head.record_b = (used + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
    burl_buf_append(out, &head, sizeof head);
    /* The widest first, so that all are aligned as they are in memory. */
    burl_buf_append(out, n.type_v.v, n.type_v.n * sizeof *n.type_v.v);
    burl_buf_append(out, n.members.v, n.members.n * sizeof *n.members.v);
    burl_buf_append(out, n.places.v, n.places.n * sizeof *n.places.v);
    burl_buf_append(out, n.calls.v, n.calls.n * sizeof *n.calls.v);
    burl_buf_append(out, n.functions.v, n.functions.n * sizeof *n.functions.v);
    burl_buf_append(out, n.globals.v, n.globals.n * sizeof *n.globals.v);
    burl_buf_append(out, n.strings.bytes.p, n.strings.bytes.n);
    burl_buf_append(out, zeros, head.record_b - used);
    BURL_VEC_FREE(&n.places);
    BURL_VEC_FREE(&n.calls);
    BURL_VEC_FREE(&n.functions);
    BURL_VEC_FREE(&n.globals);
    BURL_VEC_FREE(&n.type_v);
    BURL_VEC_FREE(&n.members);
    burl_map_deinit(&n.types);
}
