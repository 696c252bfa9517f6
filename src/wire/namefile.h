/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/namefile.h - records of the non-loaded section ".burl.names": what reports need to name
 * memory as the source does.
 *
 * One record per translation unit, concatenated by the linker as in wire/sitefile.h:
 *
 *     struct burl_wire_namefile_head
 *     struct burl_wire_type[n_types]
 *     struct burl_wire_member[n_members]
 *     struct burl_wire_place[n_places]       those of accesses first, ascending by site
 *     struct burl_wire_call[n_calls]         ascending by func
 *     struct burl_wire_function[n_functions] ascending by site
 *     struct burl_wire_global[n_globals]
 *     char strings[strings_b]                NUL-terminated, offset 0 is ""
 *     zero padding to the next multiple of 16 bytes
 *
 * A place says how an expression reaches memory: `to.m` in a function whose second parameter is
 * `to`. The arguments of a call are places of the caller. A reader that knows the functions on a
 * stack replaces parameters by arguments until it meets the variable. Types say which member of a
 * global lies at an offset.
 *
 * Nothing but the text of reports depends on this section.
 */
#ifndef BURL_WIRE_NAMEFILE_H
#define BURL_WIRE_NAMEFILE_H

#include <assert.h>
#include <stdint.h>

#define BURL_WIRE_NAMES_SECTION ".burl.names"
#define BURL_WIRE_NAMES_MAGIC 0x3153454d414e5542ull /* "BUNAMES1" */

#define BURL_NAME_NONE UINT32_MAX
#define BURL_PARAM_NONE UINT16_MAX

struct burl_wire_namefile_head {
    uint64_t magic;
    uint32_t version; /* BURL_WIRE_VERSION */
    uint32_t strings_b;
    uint64_t hash;     /* equals burl_wire_module.hash */
    uint64_t record_b; /* whole record with head and padding */
    uint32_t n_places;
    uint32_t n_accesses; /* the first so many places are those of accesses */
    uint32_t n_calls;
    uint32_t n_functions;
    uint32_t n_globals;
    uint32_t n_types;
    uint32_t n_members;
    uint32_t pad;
};

static_assert(sizeof(struct burl_wire_namefile_head) == 64, "name file head is on the wire");

enum burl_wire_place_flag {
    BURL_PLACE_DEREF = 1u << 0,  /* text names a pointer to the place: `*p` */
    BURL_PLACE_OBJECT = 1u << 1, /* text begins at a variable: a local, a global, a captured one */
    BURL_PLACE_GLOBAL = 1u << 2, /* and it is a global */
    BURL_PLACE_SELF = 1u << 3,   /* param is `this` */
    BURL_PLACE_RESULT = 1u << 4, /* text begins at the result of a call, or at a captured `this` */
    BURL_PLACE_RECEIVER = 1u << 5 /* argument: the object whose method is called */
};

/* How the bytes of an access are to be read. */
enum burl_wire_value {
    BURL_VALUE_UNKNOWN = 0,
    BURL_VALUE_SIGNED,
    BURL_VALUE_UNSIGNED,
    BURL_VALUE_BOOL,
    BURL_VALUE_CHAR,
    BURL_VALUE_FLOAT, /* of 4 or 8 bytes */
    BURL_VALUE_POINTER,
    BURL_VALUE__N
};

struct burl_wire_place {
    uint32_t text;  /* string: "to.m", "this->m", "x"; "" unknown */
    uint32_t owner; /* string: class that has the first member of path, "Account"; "" in C */
    uint32_t path;  /* string: "m", "impl.lock", "items[].next"; "" the whole object */
    uint32_t site;  /* index of the access; of an argument: its position in the call */
    uint32_t offset_b; /* of the place in its owner; BURL_NAME_NONE unknown */
    uint32_t from_b;   /* of the place from the variable, or what the parameter points to */
    uint16_t param; /* parameter of the function at which text begins, BURL_PARAM_NONE */
    uint8_t flags;  /* BURL_PLACE_* */
    uint8_t value;  /* enum burl_wire_value, of accesses */
};

static_assert(sizeof(struct burl_wire_place) == 28, "place is on the wire");

/* A call with its arguments, or a store of a pointer: its only argument is what the pointer points
 * to afterwards. */
struct burl_wire_call {
    uint32_t func;   /* index of the FUNC site of the caller */
    uint32_t site;   /* index of the site of the call or store; BURL_NAME_NONE: it has none */
    uint32_t callee; /* string: symbol of the callee, "" unknown or a store */
    uint32_t line;
    uint32_t column;
    uint32_t first; /* its arguments are places [first, first + n) */
    uint32_t n;
};

static_assert(sizeof(struct burl_wire_call) == 28, "call is on the wire");

struct burl_wire_function {
    uint32_t site;   /* index of the FUNC site */
    uint32_t symbol; /* string */
};

static_assert(sizeof(struct burl_wire_function) == 8, "function is on the wire");

struct burl_wire_global {
    uint32_t symbol; /* string, as the linker sees it */
    uint32_t type;   /* index */
};

static_assert(sizeof(struct burl_wire_global) == 8, "global is on the wire");

enum burl_wire_type_kind {
    BURL_TYPE_PLAIN = 0, /* nothing inside that has a name: scalars, classes of libraries */
    BURL_TYPE_RECORD,
    BURL_TYPE_ARRAY,
    BURL_TYPE__N
};

struct burl_wire_type {
    uint64_t size_b;
    uint32_t kind;  /* enum burl_wire_type_kind */
    uint32_t first; /* RECORD: its members are [first, first + n); ARRAY: type of the elements */
    uint32_t n;     /* members or elements */
    uint32_t pad;
};

static_assert(sizeof(struct burl_wire_type) == 24, "type is on the wire");

struct burl_wire_member {
    uint64_t offset_b;
    uint32_t name; /* string; "" for base classes and unnamed members, which add nothing */
    uint32_t type; /* index */
};

static_assert(sizeof(struct burl_wire_member) == 16, "member is on the wire");

#endif
