/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.h - a JSON object of jansson with numbers under names, behind one mutex: jansson's values are
 * not for use by several threads at once. Every function is atomic.
 */
#ifndef DOC_H
#define DOC_H

struct doc;

struct doc *doc_new(void);
void doc_free(struct doc *d);
int doc_set(struct doc *d, const char *key, int value);
/* -1: there is no such key. */
int doc_get(struct doc *d, const char *key);
int doc_delete(struct doc *d, const char *key);
int doc_size(struct doc *d);
/* Adds to the number under a key, 0 if there is none; returns the sum. */
int doc_add(struct doc *d, const char *key, int value);
/* Sets the key unless it is there; returns whether it did. */
int doc_set_default(struct doc *d, const char *key, int value);

#endif
