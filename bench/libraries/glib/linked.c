/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linked.c - nothing: the one source file that `burl gen` wants beside a library that is linked.
 */
extern int linked_has_no_code;
