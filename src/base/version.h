/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/version.h - the version of burl itself.
 *
 * Formats have versions of their own (wire/version.h, store/store.h): this one
 * is for people.
 */
#ifndef BURL_BASE_VERSION_H
#define BURL_BASE_VERSION_H

#define BURL_VERSION "0.1.0"

#endif
