/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/version.h - one number for everything in wire/.
 *
 * The instrumented program, the runtime and the host may be built at different
 * times; each checks this number before it trusts a byte of the others.
 */
#ifndef BURL_WIRE_VERSION_H
#define BURL_WIRE_VERSION_H

#define BURL_WIRE_VERSION 16u

/* The environment variable through which a supervisor hands the control descriptor
 * to the runtime: "<fd>". Absent: the program runs as if uninstrumented. */
#define BURL_WIRE_ENV_CTL "BURL_CTL_FD"

#endif
