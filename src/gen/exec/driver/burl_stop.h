/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burl_stop.h - seeds that are stopped at a call: what the recorder tells about the calls of a seed
 * that runs towards its stop.
 */
#ifndef BURL_STOP_H
#define BURL_STOP_H

#include <stddef.h>
#include <stdint.h>

/* A seed is running towards its stop. */
int burl_s_is_running(void);
/* It makes a client call, and has told all of its arguments. Does not return from the call that
 * the seed is to be stopped at. */
void burl_s_enter(uint32_t fn);
void burl_s_arg(uint32_t param, const void *value);
void burl_s_call(void);
/* The call has returned: what it left in a parameter, and its result. */
void burl_s_out(uint32_t param, void *object);
void burl_s_leave(const void *result, size_t size_b);

/* burl_record.c: the seed is gone, and the public function that it was in with it. */
void burl_r_left(void);
/* The arguments of a seed from text, each with its NUL; returns their number. */
int burl_r_words(char **argv, const char *text, size_t n);
#define BURL_R_MAX_ARGS 64

#endif
