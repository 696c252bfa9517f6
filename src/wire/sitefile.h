/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/sitefile.h - records of the non-loaded sections of an object file.
 *
 * ".burl.sites": one record per translation unit, concatenated by the linker:
 *
 *     struct burl_wire_sitefile_head
 *     struct burl_wire_sitedesc[n_sites]      indexed by the site's index
 *     char strings[strings_b]                 NUL-terminated, offset 0 is ""
 *     zero padding to the next multiple of 16 bytes
 *
 * ".burl.bc": one record per translation unit:
 *
 *     struct burl_wire_bc_head
 *     char name[name_b]                       source file, NUL-terminated
 *     uint8_t bitcode[bitcode_b]              canonical form, before hooks
 *     zero padding to the next multiple of 16 bytes
 *
 * ".burl.funcs": the symbols of all functions of a translation unit, NUL-terminated text. What a
 * program has besides these was made by another compiler (engine/target/linked.c).
 *
 * Linkers may put zero bytes between records: a reader skips them in steps of 8
 * until it meets a magic. Little endian, as the machine.
 */
#ifndef BURL_WIRE_SITEFILE_H
#define BURL_WIRE_SITEFILE_H

#include <assert.h>
#include <stdint.h>

#define BURL_WIRE_SITES_SECTION ".burl.sites"
#define BURL_WIRE_BC_SECTION ".burl.bc"
#define BURL_WIRE_FUNCS_SECTION ".burl.funcs"
#define BURL_WIRE_SITES_MAGIC 0x5345544953325542ull /* "BU2SITES" */
#define BURL_WIRE_BC_MAGIC 0x3145444f43425542ull    /* "BUBCODE1" */

struct burl_wire_sitefile_head {
    uint64_t magic;
    uint32_t version; /* BURL_WIRE_VERSION */
    uint32_t n_sites;
    uint64_t hash;     /* equals burl_wire_module.hash */
    uint64_t record_b; /* whole record with head and padding */
    uint32_t strings_b;
    uint32_t name;     /* string: source file as given to the compiler */
    uint32_t dir;      /* string: directory of the compilation */
    uint32_t producer; /* string: compiler and profile ("early", "late") */
};

static_assert(sizeof(struct burl_wire_sitefile_head) == 48, "sitefile head is on the wire");

struct burl_wire_sitedesc {
    uint32_t file; /* string: source path as the compiler saw it */
    uint32_t line;
    uint32_t column;
    uint32_t func;     /* string: source name of the function (demangled is the reader's work) */
    uint32_t variable; /* string: "q->head", "buf[]", the callee for calls; "" unknown */
    uint32_t func_ix;  /* index of the site of kind FUNC that contains this one */
    uint32_t block_ix; /* index of the site of kind BLOCK that contains this one */
    uint8_t kind;      /* enum burl_wire_site_kind */
    uint8_t size_b;
    uint8_t order;
    uint8_t flags;
};

static_assert(sizeof(struct burl_wire_sitedesc) == 32, "site description is on the wire");

struct burl_wire_bc_head {
    uint64_t magic;
    uint64_t hash;
    uint64_t record_b; /* whole record with head and padding */
    uint64_t bitcode_b;
    uint32_t name_b; /* with the NUL */
    uint32_t version;
};

static_assert(sizeof(struct burl_wire_bc_head) == 40, "bitcode head is on the wire");

#endif
