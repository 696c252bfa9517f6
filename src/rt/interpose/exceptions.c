/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exceptions.c - the counts of references to exceptions, in libstdc++, in both modes.
 *
 * An exception that crosses threads (std::exception_ptr, std::future) is destroyed and freed by the
 * thread that gives up the last reference, and everything that others did with it comes before. The
 * count is decremented inside the C++ library, which is not instrumented, so that the destructor
 * and the free would look like races. Here each decrement is an acquire and a release of the
 * counter, as the library's own.
 *
 * The receiving thread must be the one that decrements last, whatever the order of arrival was. So
 * the decrement of an exception_ptr is made here, and the library's function is called with the
 * last reference alone. A handler (__cxa_end_catch) gives up its reference inside; meanwhile it has
 * another one, which is given up the same way.
 *
 * Copies of std::runtime_error and std::logic_error share the text. What frees the text is a
 * function of its own, which is called through its symbol.
 *
 * Not done: programs that are linked with -static-libstdc++, and libc++.
 */
#include "interpose_int.h"

void burl__order_before(const volatile void *obj);
void burl__order_after(const volatile void *obj);
/* std::current_exception(): counts a reference. Not there without the C++ library. */
void *_ZSt17current_exceptionv(void *result) __attribute__((weak));

/* The ABI of libstdc++: a thrown object comes after a struct __cxa_refcounted_exception, which
 * begins with the count and ends with a struct _Unwind_Exception, which begins with the class. */
enum { COUNT_BEFORE = 128, CLASS_BEFORE = 32 };

#define PRIMARY_CLASS 0x474e5543432b2b00u /* "GNUCC++\0" */

static bool
is_watched(void)
{
    return burl_self != NULL || burl_free_me != NULL;
}

static bool
is_counted(const void *object)
{
    return object != NULL &&
           *(const uint64_t *)((const char *)object - CLASS_BEFORE) == PRIMARY_CLASS;
}

/* std::exception_ptr::_M_release(): of the last reference the real function is called. */
BURL_DEFINE(void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **pointer))
{
    void *object = *pointer;
    int *count;

    if (is_watched() && is_counted(object)) {
        count = (int *)((char *)object - COUNT_BEFORE);
        burl__order_before(count);
        if (__atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) > 0) {
            *pointer = NULL;
            return;
        }
        burl__order_after(count);
        *count = 1;
    }
    BURL_REAL(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(pointer);
}

/* May throw what the destructor of the exception throws. */
BURL_DEFINE(void __cxa_end_catch(void))
{
    void *extra = NULL;

    if (is_watched() && _ZSt17current_exceptionv != NULL)
        _ZSt17current_exceptionv(&extra);
    BURL_REAL(__cxa_end_catch)();
    if (extra != NULL)
        _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(&extra);
}

/* The text of an exception is where its first member points to. */
static void
leave_text(void *const *exception)
{
    if (is_watched())
        burl__order_before(exception[1]);
}

#define LEAVES_TEXT(destructor)                    \
    BURL_DEFINE(void destructor(void **exception)) \
    {                                              \
        leave_text(exception);                     \
        BURL_REAL(destructor)(exception);          \
    }

LEAVES_TEXT(_ZNSt13runtime_errorD0Ev)
LEAVES_TEXT(_ZNSt13runtime_errorD1Ev)
LEAVES_TEXT(_ZNSt13runtime_errorD2Ev)
LEAVES_TEXT(_ZNSt11logic_errorD0Ev)
LEAVES_TEXT(_ZNSt11logic_errorD1Ev)
LEAVES_TEXT(_ZNSt11logic_errorD2Ev)

/* std::string::_Rep::_M_destroy() of the old kind of string: it comes before its text. */
enum { TEXT_HEADER = 24 };

BURL_DEFINE(void _ZNSs4_Rep10_M_destroyERKSaIcE(char *header, const void *allocator))
{
    if (is_watched())
        burl__order_after(header + TEXT_HEADER);
    BURL_REAL(_ZNSs4_Rep10_M_destroyERKSaIcE)(header, allocator);
}
