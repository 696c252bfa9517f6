/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xyplot_fixed.c - see xyplot.h.
 *
 * One mutex per plot. Marker lists are made when their first marker is added, as most plots have
 * none. Functions named _locked expect the lock held.
 */
#include "xyplot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum axis { DOMAIN, RANGE, N_AXES };

#define N_LAYERS 2

struct marker {
    double value;
    char *label; /* never NULL */
};

struct marker_list {
    struct marker *items;
    int count;
    int capacity;
};

struct annotation {
    struct annotation *next; /* the one added before */
    double x;
    double y;
    char text[]; /* with its closing zero */
};

struct xyplot {
    pthread_mutex_t lock;
    enum xyplot_orientation orientation;
    int datasets[XYPLOT_MAX_DATASETS];
    double lower;
    double upper;
    struct marker_list *markers[N_AXES][N_LAYERS]; /* NULL: none yet */
    struct annotation *annotations;
};

static void
free_list(struct marker_list *list)
{
    if (list == NULL)
        return;
    for (int i = 0; i < list->count; i++)
        free(list->items[i].label);
    free(list->items);
    free(list);
}

static void
free_annotations(struct annotation *a)
{
    while (a != NULL) {
        struct annotation *next = a->next;

        free(a);
        a = next;
    }
}

static char *
copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

/* Anything that is not the foreground is drawn behind. */
static int
layer_index(enum xyplot_layer layer)
{
    return layer == XYPLOT_FOREGROUND;
}

struct xyplot *
xyplot_new(enum xyplot_orientation orientation)
{
    struct xyplot *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    p->orientation = orientation == XYPLOT_HORIZONTAL ? XYPLOT_HORIZONTAL : XYPLOT_VERTICAL;
    p->upper = 1.0;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void
xyplot_free(struct xyplot *p)
{
    if (p == NULL)
        return;
    for (int axis = 0; axis < N_AXES; axis++)
        for (int layer = 0; layer < N_LAYERS; layer++)
            free_list(p->markers[axis][layer]);
    free_annotations(p->annotations);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void
xyplot_set_orientation(struct xyplot *p, enum xyplot_orientation orientation)
{
    pthread_mutex_lock(&p->lock);
    p->orientation = orientation == XYPLOT_HORIZONTAL ? XYPLOT_HORIZONTAL : XYPLOT_VERTICAL;
    pthread_mutex_unlock(&p->lock);
}

enum xyplot_orientation
xyplot_orientation(struct xyplot *p)
{
    enum xyplot_orientation orientation;

    pthread_mutex_lock(&p->lock);
    orientation = p->orientation;
    pthread_mutex_unlock(&p->lock);
    return orientation;
}

int
xyplot_set_dataset(struct xyplot *p, int index, int dataset)
{
    if (index < 0 || index >= XYPLOT_MAX_DATASETS)
        return XYPLOT_EINDEX;
    pthread_mutex_lock(&p->lock);
    p->datasets[index] = dataset;
    pthread_mutex_unlock(&p->lock);
    return 0;
}

int
xyplot_dataset(struct xyplot *p, int index, int *dataset)
{
    if (index < 0 || index >= XYPLOT_MAX_DATASETS)
        return XYPLOT_EINDEX;
    pthread_mutex_lock(&p->lock);
    *dataset = p->datasets[index];
    pthread_mutex_unlock(&p->lock);
    return 0;
}

int
xyplot_dataset_count(struct xyplot *p)
{
    int n = 0;

    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < XYPLOT_MAX_DATASETS; i++)
        n += p->datasets[i] != 0;
    pthread_mutex_unlock(&p->lock);
    return n;
}

int
xyplot_index_of(struct xyplot *p, int dataset)
{
    int found = XYPLOT_EINDEX;

    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < XYPLOT_MAX_DATASETS && found < 0; i++)
        if (p->datasets[i] == dataset)
            found = i;
    pthread_mutex_unlock(&p->lock);
    return found;
}

int
xyplot_set_domain(struct xyplot *p, double lower, double upper)
{
    if (!(lower < upper))
        return XYPLOT_EVALUE;
    pthread_mutex_lock(&p->lock);
    p->lower = lower;
    p->upper = upper;
    pthread_mutex_unlock(&p->lock);
    return 0;
}

int
xyplot_domain(struct xyplot *p, double *lower, double *upper)
{
    pthread_mutex_lock(&p->lock);
    *lower = p->lower;
    *upper = p->upper;
    pthread_mutex_unlock(&p->lock);
    return 0;
}

int
xyplot_zoom_domain(struct xyplot *p, double factor)
{
    double middle;
    double half;

    if (!(factor > 0))
        return XYPLOT_EVALUE;
    pthread_mutex_lock(&p->lock);
    middle = (p->lower + p->upper) / 2;
    half = (p->upper - p->lower) / 2 * factor;
    p->lower = middle - half;
    p->upper = middle + half;
    pthread_mutex_unlock(&p->lock);
    return 0;
}

static struct marker_list *
make_list_locked(struct xyplot *p, enum axis axis, enum xyplot_layer layer)
{
    struct marker_list **list = &p->markers[axis][layer_index(layer)];

    if (*list == NULL)
        *list = calloc(1, sizeof **list);
    return *list;
}

/* Takes the label over. */
static int
append_marker_locked(struct marker_list *list, double value, char *label)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity == 0 ? 2 : list->capacity * 2;
        struct marker *items = realloc(list->items, (size_t)capacity * sizeof *items);

        if (items == NULL)
            return XYPLOT_ENOMEM;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count].value = value;
    list->items[list->count].label = label;
    list->count++;
    return 0;
}

static int
add_marker(struct xyplot *p, enum axis axis, enum xyplot_layer layer, double value,
           const char *label)
{
    char *copy = copy_text(label != NULL ? label : "");
    struct marker_list *list;
    int result = XYPLOT_ENOMEM;

    if (copy == NULL)
        return XYPLOT_ENOMEM;
    pthread_mutex_lock(&p->lock);
    list = make_list_locked(p, axis, layer);
    if (list != NULL)
        result = append_marker_locked(list, value, copy);
    pthread_mutex_unlock(&p->lock);
    if (result != 0)
        free(copy);
    return result;
}

static int
find_marker(const struct marker_list *list, double value)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].value == value)
            return i;
    return XYPLOT_EINDEX;
}

static bool
remove_marker(struct xyplot *p, enum axis axis, enum xyplot_layer layer, double value)
{
    struct marker_list *list;
    int index;

    pthread_mutex_lock(&p->lock);
    list = p->markers[axis][layer_index(layer)];
    index = list != NULL ? find_marker(list, value) : XYPLOT_EINDEX;
    if (index >= 0) {
        free(list->items[index].label);
        list->count--;
        memmove(list->items + index, list->items + index + 1,
                (size_t)(list->count - index) * sizeof *list->items);
    }
    pthread_mutex_unlock(&p->lock);
    return index >= 0;
}

static int
count_markers(struct xyplot *p, enum axis axis, enum xyplot_layer layer)
{
    struct marker_list *list;
    int count;

    pthread_mutex_lock(&p->lock);
    list = p->markers[axis][layer_index(layer)];
    count = list != NULL ? list->count : 0;
    pthread_mutex_unlock(&p->lock);
    return count;
}

static void
clear_markers(struct xyplot *p, enum axis axis)
{
    pthread_mutex_lock(&p->lock);
    for (int layer = 0; layer < N_LAYERS; layer++) {
        free_list(p->markers[axis][layer]);
        p->markers[axis][layer] = NULL;
    }
    pthread_mutex_unlock(&p->lock);
}

int
xyplot_add_domain_marker(struct xyplot *p, enum xyplot_layer layer, double value, const char *label)
{
    return add_marker(p, DOMAIN, layer, value, label);
}

int
xyplot_add_range_marker(struct xyplot *p, enum xyplot_layer layer, double value, const char *label)
{
    return add_marker(p, RANGE, layer, value, label);
}

bool
xyplot_remove_domain_marker(struct xyplot *p, enum xyplot_layer layer, double value)
{
    return remove_marker(p, DOMAIN, layer, value);
}

bool
xyplot_remove_range_marker(struct xyplot *p, enum xyplot_layer layer, double value)
{
    return remove_marker(p, RANGE, layer, value);
}

int
xyplot_domain_marker_count(struct xyplot *p, enum xyplot_layer layer)
{
    return count_markers(p, DOMAIN, layer);
}

int
xyplot_range_marker_count(struct xyplot *p, enum xyplot_layer layer)
{
    return count_markers(p, RANGE, layer);
}

int
xyplot_domain_marker_label(struct xyplot *p, enum xyplot_layer layer, double value, char *buf,
                           size_t size)
{
    struct marker_list *list;
    int index = XYPLOT_EINDEX;
    int length = XYPLOT_EINDEX;

    pthread_mutex_lock(&p->lock);
    list = p->markers[DOMAIN][layer_index(layer)];
    if (list != NULL)
        index = find_marker(list, value);
    if (index >= 0) {
        const char *label = list->items[index].label;
        size_t full = strlen(label);
        size_t n = full < size ? full : size - 1;

        length = (int)full;
        if (size > 0) {
            memcpy(buf, label, n);
            buf[n] = '\0';
        }
    }
    pthread_mutex_unlock(&p->lock);
    return length;
}

void
xyplot_clear_domain_markers(struct xyplot *p)
{
    clear_markers(p, DOMAIN);
}

void
xyplot_clear_range_markers(struct xyplot *p)
{
    clear_markers(p, RANGE);
}

static struct annotation *
make_annotation(double x, double y, const char *text)
{
    size_t size = strlen(text) + 1;
    struct annotation *a = malloc(sizeof *a + size);

    if (a == NULL)
        return NULL;
    a->next = NULL;
    a->x = x;
    a->y = y;
    memcpy(a->text, text, size);
    return a;
}

int
xyplot_add_annotation(struct xyplot *p, double x, double y, const char *text)
{
    struct annotation *a = make_annotation(x, y, text);

    if (a == NULL)
        return XYPLOT_ENOMEM;
    pthread_mutex_lock(&p->lock);
    a->next = p->annotations;
    p->annotations = a;
    pthread_mutex_unlock(&p->lock);
    return 0;
}

bool
xyplot_remove_annotation(struct xyplot *p)
{
    struct annotation *a;

    pthread_mutex_lock(&p->lock);
    a = p->annotations;
    if (a != NULL)
        p->annotations = a->next;
    pthread_mutex_unlock(&p->lock);
    if (a == NULL)
        return false;
    free(a);
    return true;
}

int
xyplot_annotation_count(struct xyplot *p)
{
    int n = 0;

    pthread_mutex_lock(&p->lock);
    for (const struct annotation *a = p->annotations; a != NULL; a = a->next)
        n++;
    pthread_mutex_unlock(&p->lock);
    return n;
}

void
xyplot_clear_annotations(struct xyplot *p)
{
    struct annotation *all;

    pthread_mutex_lock(&p->lock);
    all = p->annotations;
    p->annotations = NULL;
    pthread_mutex_unlock(&p->lock);
    free_annotations(all);
}

int
xyplot_each_annotation(struct xyplot *p, xyplot_visit visit, void *arg)
{
    struct annotation *copy = NULL;
    struct annotation **end = &copy;
    bool complete = true;
    int calls = 0;

    /* The callback may use the plot, so it runs without the lock. */
    pthread_mutex_lock(&p->lock);
    for (const struct annotation *a = p->annotations; a != NULL && complete; a = a->next) {
        *end = make_annotation(a->x, a->y, a->text);
        complete = *end != NULL;
        if (complete)
            end = &(*end)->next;
    }
    pthread_mutex_unlock(&p->lock);
    if (!complete)
        calls = XYPLOT_ENOMEM;
    for (const struct annotation *a = complete ? copy : NULL; a != NULL; a = a->next) {
        calls++;
        if (!visit(a->x, a->y, a->text, arg))
            break;
    }
    free_annotations(copy);
    return calls;
}
