/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - what GLib's configure would say of this machine, as far as the files compiled here
 * (gasyncqueue.c, gqueue.c, gthread-posix.c) ask.
 */
#define GLIB_COMPILATION 1
#define HAVE_FUTEX 1
#define HAVE_STDATOMIC_H 1
