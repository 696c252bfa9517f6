/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xyplot.h - what an x/y chart shows: datasets, axes, markers, annotations.
 *
 * A plot may be edited by some threads and read by others; each function takes effect at once.
 * Nothing is drawn here. Functions that answer int give 0 or an error below zero, unless they say
 * what else.
 */
#ifndef XYPLOT_H
#define XYPLOT_H

#include <stdbool.h>
#include <stddef.h>

struct xyplot;

enum xyplot_error {
    XYPLOT_EINDEX = -1, /* no such dataset, marker or annotation */
    XYPLOT_EVALUE = -2, /* a value that makes no sense there */
    XYPLOT_ENOMEM = -3
};

enum xyplot_orientation { XYPLOT_HORIZONTAL, XYPLOT_VERTICAL };
enum xyplot_layer { XYPLOT_BACKGROUND, XYPLOT_FOREGROUND };

/* Datasets a plot can show, numbered from 0. */
#define XYPLOT_MAX_DATASETS 8

/* Called for an annotation; false ends the walk. */
typedef bool (*xyplot_visit)(double x, double y, const char *text, void *arg);

struct xyplot *xyplot_new(enum xyplot_orientation orientation);
void xyplot_free(struct xyplot *p);

void xyplot_set_orientation(struct xyplot *p, enum xyplot_orientation orientation)
    __attribute__((nonnull(1)));
enum xyplot_orientation xyplot_orientation(struct xyplot *p) __attribute__((nonnull(1)));

/* Shows a dataset at a number; 0 as dataset shows nothing there. */
int xyplot_set_dataset(struct xyplot *p, int index, int dataset) __attribute__((nonnull(1)));
int xyplot_dataset(struct xyplot *p, int index, int *dataset) __attribute__((nonnull(1, 3)));
/* How many numbers show a dataset. */
int xyplot_dataset_count(struct xyplot *p) __attribute__((nonnull(1)));
/* The first number that shows this dataset, or XYPLOT_EINDEX. */
int xyplot_index_of(struct xyplot *p, int dataset) __attribute__((nonnull(1)));

/* The visible part of the domain axis, lower below upper. */
int xyplot_set_domain(struct xyplot *p, double lower, double upper) __attribute__((nonnull(1)));
int xyplot_domain(struct xyplot *p, double *lower, double *upper) __attribute__((nonnull));
/* Makes the visible part this many times as long about its middle; more than 0. */
int xyplot_zoom_domain(struct xyplot *p, double factor) __attribute__((nonnull(1)));

/* Lines across the plot at a value of an axis. A label may be NULL, for none. */
int xyplot_add_domain_marker(struct xyplot *p, enum xyplot_layer layer, double value,
                             const char *label) __attribute__((nonnull(1)));
int xyplot_add_range_marker(struct xyplot *p, enum xyplot_layer layer, double value,
                            const char *label) __attribute__((nonnull(1)));
/* Removes the first marker at this value; whether there was one. */
bool xyplot_remove_domain_marker(struct xyplot *p, enum xyplot_layer layer, double value)
    __attribute__((nonnull(1)));
bool xyplot_remove_range_marker(struct xyplot *p, enum xyplot_layer layer, double value)
    __attribute__((nonnull(1)));
int xyplot_domain_marker_count(struct xyplot *p, enum xyplot_layer layer)
    __attribute__((nonnull(1)));
int xyplot_range_marker_count(struct xyplot *p, enum xyplot_layer layer)
    __attribute__((nonnull(1)));
/* The label of the first marker at this value, cut to fit; its length, or XYPLOT_EINDEX. */
int xyplot_domain_marker_label(struct xyplot *p, enum xyplot_layer layer, double value, char *buf,
                               size_t size) __attribute__((nonnull(1, 4)));
/* Of both layers. */
void xyplot_clear_domain_markers(struct xyplot *p) __attribute__((nonnull(1)));
void xyplot_clear_range_markers(struct xyplot *p) __attribute__((nonnull(1)));

int xyplot_add_annotation(struct xyplot *p, double x, double y, const char *text)
    __attribute__((nonnull(1, 4)));
/* Removes the annotation added last; whether there was one. */
bool xyplot_remove_annotation(struct xyplot *p) __attribute__((nonnull(1)));
int xyplot_annotation_count(struct xyplot *p) __attribute__((nonnull(1)));
void xyplot_clear_annotations(struct xyplot *p) __attribute__((nonnull(1)));
/* Calls `visit` for each annotation of a copy; how many times. */
int xyplot_each_annotation(struct xyplot *p, xyplot_visit visit, void *arg)
    __attribute__((nonnull(1, 2)));

#endif
