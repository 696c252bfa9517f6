/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/fields.c - names of struct members, from the debug information in the bitcode.
 *
 * Runs in burl-analyze. LLVM's types have names and offsets but no names of members. Debug types
 * have them, and are found again by the name and size of the struct; two structs of one name and
 * size in different files may lend each other a member's name. Only people read these names, so
 * nothing is lost where none is found: templates, types of code compiled without debug information.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/program/records.h"
#include "analysis/target/steps.h"
#include "ir/ditype.h"

/* Members nest, but deeper than this is damage, not a program. */
enum { MAX_DEPTH = 16 };

/* Down to what is no larger than max_b; false when nothing starts at `off`. */
static bool
put_member(const struct burl_records *f, LLVMMetadataRef record, uint64_t off, uint64_t max_b,
           struct burl_buf *out)
{
    for (int depth = 0; depth < MAX_DEPTH && burl_di_is_record(f->ctx, record); depth++) {
        LLVMMetadataRef m = burl_di_member(f->ctx, record, &off, 0);
        if (!m)
            return false;
        const char *name = burl_di_string(f->ctx, m, BURL_DI_NAME);
        if (burl_di_tag(m) == BURL_DI_MEMBER && *name)
            burl_buf_printf(out, "%s%s", out->n ? "." : "", name);
        record = burl_di_operand(f->ctx, m, BURL_DI_BASE);
        LLVMMetadataRef element = burl_di_array_element(f->ctx, record);
        uint64_t size = burl_di_size_b(f->ctx, element ? element : record);
        if (element) {
            record = element;
            off = size ? off % size : 0;
            burl_buf_str_append(out, "[]");
        }
        if (off == 0 && size <= max_b)
            return out->n > 0;
    }
    return false;
}

char *
burl__sp_field_name(struct burl__sp *sp, LLVMTypeRef t, uint64_t off_b, uint64_t max_b)
{
    char *type = burl__struct_name(t);
    const char *space = strchr(type, ' ');
    const char *name = space ? space + 1 : type;
    uint64_t size_b = LLVMABISizeOfType(sp->p->td, t);
    char *text = NULL;

    if (!sp->fields)
        sp->fields = burl_records_gather(sp->p);
    for (size_t i = 0; i < sp->fields->all.n && !text; i++) {
        const struct burl_record *k = &sp->fields->all.v[i];
        struct burl_buf b;
        if (k->size_b != size_b || strcmp(k->name, name) != 0)
            continue;
        burl_buf_init(&b, 512);
        if (put_member(sp->fields, k->type, off_b, max_b, &b))
            text = burl_buf_take(&b, NULL);
        else
            burl_buf_deinit(&b);
    }
    free(type);
    return text;
}
