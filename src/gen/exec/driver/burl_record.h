/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burl_record.h - what the generated recorder (one thunk per public function) uses of its fixed
 * part.
 *
 * Client code calls burl_rec_<name> where its source says <name>: the symbols of its objects are
 * renamed. The thunk writes the arguments down, calls the function and writes the result down.
 */
#ifndef BURL_RECORD_H
#define BURL_RECORD_H

#include <stddef.h>
#include <stdint.h>

/* 0: not a client call, so nothing is to be written down. */
int burl_r_enter(uint32_t fn, uint32_t n_args);
/* `object_b`: size of what a pointer leads to, 0 not known. */
void burl_r_arg(uint32_t param, const void *value, size_t size_b, size_t object_b);
void burl_r_string(uint32_t param, const char *s);
void burl_r_bytes(uint32_t param, const void *p, size_t n);
/* After burl_r_arg() of all parameters, and before the call. */
void burl_r_call(void);
void burl_r_out(uint32_t param, void *const *p);
void burl_r_leave(uint32_t fn, int recorded, const void *result, size_t size_b);

/* The generated part. */
typedef int burl_r_main(int argc, char **argv);
extern burl_r_main *const burl_r_seeds[];
extern const uint32_t burl_r_n_seeds;

#endif
