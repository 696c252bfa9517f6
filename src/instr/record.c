/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/record.c - the records of .burl.sites and .burl.bc, in the format of wire/sitefile.h.
 *
 * Runs in the compiler. The second half of the late profile reads back the site record that its
 * first half wrote, to map numbers to operations.
 */
#include <llvm-c/BitWriter.h>
#include <string.h>

#include "base/hash.h"
#include "instr/instr_int.h"
#include "wire/version.h"

enum { RECORD_ALIGN = 16 };

static void
pad_record(struct burl_buf *b)
{
    static const char zeros[RECORD_ALIGN];
    burl_buf_append(b, zeros, (RECORD_ALIGN - b->n % RECORD_ALIGN) % RECORD_ALIGN);
}

static uint64_t
padded_size(uint64_t n)
{
    return (n + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
}

void
burl__instr_record_bitcode(struct burl__instr *in, struct burl_buf *out)
{
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(in->mod);
    const char *p = LLVMGetBufferStart(bytes);
    size_t n = LLVMGetBufferSize(bytes);
    size_t name_b = strlen(in->name) + 1;
    uint64_t h = burl_hash_bytes(BURL_HASH_BEGIN, p, n);

    in->hash = burl_hash_end(burl_hash_str(h, in->name));
    struct burl_wire_bc_head head = {
        .magic = BURL_WIRE_BC_MAGIC,
        .hash = in->hash,
        .record_b = padded_size(sizeof head + name_b + n),
        .bitcode_b = n,
        .name_b = (uint32_t)name_b,
        .version = BURL_WIRE_VERSION,
    };
    burl_buf_append(out, &head, sizeof head);
    burl_buf_append(out, in->name, name_b);
    burl_buf_append(out, p, n);
    pad_record(out);
    LLVMDisposeMemoryBuffer(bytes);
}

/* "clang version 19.1.7, burl early" */
static uint32_t
add_producer(struct burl__instr *in)
{
    const unsigned n_nodes = LLVMGetNamedMetadataNumOperands(in->mod, "llvm.ident");
    LLVMValueRef *nodes = burl_xcalloc(n_nodes + 1, sizeof *nodes);
    LLVMValueRef text = NULL;
    struct burl_buf s;
    unsigned n;
    const char *ident = "";

    /* The first of several: linking the copies without hooks adds the same once more. */
    LLVMGetNamedMetadataOperands(in->mod, "llvm.ident", nodes);
    if (nodes[0] && LLVMGetMDNodeNumOperands(nodes[0]) == 1)
        LLVMGetMDNodeOperands(nodes[0], &text);
    ident = text && LLVMIsAMDString(text) ? LLVMGetMDString(text, &n) : "";
    free(nodes);
    burl_buf_init(&s, 4096);
    burl_buf_printf(&s, "%s, burl %s", ident, in->profile);
    uint32_t offset = burl__strtab_add(&in->strings, burl_buf_str(&s));
    burl_buf_deinit(&s);
    return offset;
}

void
burl__instr_record_sites(struct burl__instr *in, struct burl_buf *out)
{
    struct burl_wire_sitefile_head head = {
        .magic = BURL_WIRE_SITES_MAGIC,
        .version = BURL_WIRE_VERSION,
        .n_sites = (uint32_t)in->sites.n,
        .hash = in->hash,
        .name = burl__strtab_add(&in->strings, in->name),
        .dir = burl__strtab_add(&in->strings, in->dir),
        .producer = add_producer(in),
    };

    head.strings_b = (uint32_t)in->strings.bytes.n;
    head.record_b =
        padded_size(sizeof head + in->sites.n * sizeof in->sites.v->desc + head.strings_b);
    burl_buf_append(out, &head, sizeof head);
    for (size_t i = 0; i < in->sites.n; i++)
        burl_buf_append(out, &in->sites.v[i].desc, sizeof in->sites.v[i].desc);
    burl_buf_append(out, in->strings.bytes.p, in->strings.bytes.n);
    pad_record(out);
}

enum burl_status
burl__instr_read_sites(struct burl__instr *in, const struct burl_buf *rec, struct burl_err *err)
{
    struct burl_wire_sitefile_head head;

    if (rec->n < sizeof head)
        return burl_err_set(err, BURL_E_FORMAT, 0, "site record is cut short");
    memcpy(&head, rec->p, sizeof head);
    uint64_t descs_b = (uint64_t)head.n_sites * sizeof(struct burl_wire_sitedesc);
    if (head.magic != BURL_WIRE_SITES_MAGIC || head.version != BURL_WIRE_VERSION ||
        !head.strings_b || sizeof head + descs_b + head.strings_b > rec->n)
        return burl_err_set(err, BURL_E_FORMAT, 0, "site record does not decode");
    const char *strings = rec->p + sizeof head + descs_b;
    if (strings[head.strings_b - 1])
        return burl_err_set(err, BURL_E_FORMAT, 0, "site record has an open string");

    /* Adding the strings in their order gives each its old offset back. */
    for (uint32_t at = 0; at < head.strings_b; at += (uint32_t)strlen(strings + at) + 1)
        burl__strtab_add(&in->strings, strings + at);
    for (uint32_t i = 0; i < head.n_sites; i++) {
        struct burl__site *s = BURL_VEC_ADD(&in->sites);
        memcpy(&s->desc, rec->p + sizeof head + i * sizeof s->desc, sizeof s->desc);
        if (s->desc.file >= head.strings_b || s->desc.func >= head.strings_b ||
            s->desc.variable >= head.strings_b || s->desc.func_ix >= head.n_sites ||
            s->desc.block_ix >= head.n_sites)
            return burl_err_set(err, BURL_E_FORMAT, 0, "site %u does not decode", i);
    }
    in->hash = head.hash;
    return BURL_OK;
}
