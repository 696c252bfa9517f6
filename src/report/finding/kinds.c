/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.c - what a kind of finding is, in one sentence.
 *
 * Runs in the host.
 */
#include <stddef.h>
#include <string.h>

#include "report/finding/kinds.h"

/* clang-format off */
static const struct burl__report_kind kinds[] = {
    { "race.data", "DataRace", "Data race",
      "Two threads access the same memory unsynchronized, and at least one of them writes.",
      "Hold the same lock on both sides, make the variable atomic, or order the two accesses." },
    { "atomicity.region", "AtomicityViolation", "Atomicity violation",
      "An access of another thread interleaved with a region that must be atomic.",
      "Hold one lock over the whole region, and on the other side too." },
    { "atomicity.non-linearisable", "NotLinearizable", "Not linearizable",
      "The results of concurrent calls match no sequential order of these calls.",
      "Make the whole function one critical section." },
    { "crash.signal", "Crash", "Crash",
      "The program died of a signal.",
      "Make the check of the pointer and its use one critical section." },
    { "crash.abort", "Abort", "Failed assertion or abort",
      "The program called abort(): a failed assertion or an uncaught exception.",
      "Make the code that the preemption interrupts atomic." },
    { "exit.nonzero", "NonzeroExit", "Nonzero exit code",
      "The program exited with a code other than 0.",
      "Look for the operation that made the program take the failing path." },
    { "memory.use-after-free", "UseAfterFree", "Use after free",
      "Heap memory was accessed after it was freed.",
      "Keep the lock while the pointer is used, or count references." },
    { "memory.overflow", "HeapOverflow", "Heap overflow",
      "An access was outside of its heap block.",
      "Check and use the index under one lock, or reserve it atomically." },
    { "memory.double-free", "DoubleFree", "Double free",
      "A heap block was freed twice.",
      "Decide that a user is the last one in the same atomic step that counts it." },
    { "memory.bad-free", "BadFree", "Free of a foreign address",
      "An address was freed that the allocator did not return.",
      "Keep the address that the allocator returned, and protect writes to the pointer." },
    { "memory.use-after-return", "UseAfterReturn", "Use after return",
      "A local variable was accessed after its function had returned.",
      "Join before the function returns, or give the thread memory of its own." },
    { "memory.use-after-exit", "UseAfterThreadExit", "Use after thread exit",
      "The stack or a thread-local variable of an exited thread was accessed.",
      "Return a value, or memory from the heap." },
    { "memory.wild-write", "WildWrite", "Wild write",
      "The program wrote into memory that is not its own.",
      "Find the write: replay it in a debugger, or build with AddressSanitizer." },
    { "deadlock.cycle", "DeadlockCycle", "Deadlock",
      "Threads wait for each other's locks in a cycle.",
      "Acquire the locks in one order everywhere." },
    { "deadlock.stuck", "Stuck", "No thread can make progress",
      "All threads wait for a wakeup that no thread will send.",
      "Test and wait under the mutex of the signaling side, in a loop." },
    { "hang.livelock", "Livelock", "Livelock",
      "The threads run, but none makes progress.",
      "Wait with a condition variable, and set the flag on every path." },
    { "hang.timeout", "Hang", "Hang",
      "An execution did not end within its time limit.",
      "Wait for a state that does not go away, with a condition variable." },
    { "check.failed", "CheckFailed", "Failed check",
      "The program exited with 0, but the user's check failed.",
      "Make the program fail by itself when the result is wrong, and search for a schedule." },
    { "misuse.unlock-foreign", "UnlockForeign", "Unlock of another thread's lock",
      "A thread unlocked a lock that another thread holds.",
      "Unlock in the thread that locked; hand over with a semaphore or a condition variable." },
    { "misuse.unlock-unlocked", "UnlockUnlocked", "Unlock of a free lock",
      "A thread unlocked a lock that no thread holds.",
      "Pair each unlock with its lock on every path." },
    { "misuse.destroy-busy", "DestroyBusy", "Sync object destroyed in use",
      "A sync object was destroyed or freed while a thread holds it or waits on it.",
      "Join the users first, or let the last user destroy the object." },
    { "misuse.relock", "Relock", "Lock that is already held",
      "A thread locked a non-recursive lock that it already holds.",
      "Split the function into one that locks and one that expects the lock to be held." },
    { "misuse.wait-without-mutex", "WaitWithoutMutex", "Wait without the mutex",
      "A thread waited on a condition variable with a mutex that it does not hold.",
      "Lock the mutex, test in a loop, wait." },
    { "misuse.join-twice", "JoinTwice", "Join of a joined thread",
      "A thread was joined that was joined or detached before.",
      "Give each thread handle one owner, which joins or detaches it once." },
    { "misuse.detach-twice", "DetachTwice", "Detach of a detached thread",
      "A thread was detached that was joined or detached before.",
      "Give each thread handle one owner, which joins or detaches it once." },
    { "misuse.exit-holding", "ExitHoldingLock", "Thread exit with a lock held",
      "A thread exited while it holds a lock.",
      "Unlock on every exit path; where the thread may be canceled, in a cleanup handler." },
    { "misuse.reinit", "ReinitLocked", "Initialization of a held lock",
      "A lock was initialized while a thread holds it.",
      "Initialize a lock once, before its first user starts." },
    { "misuse.use-destroyed", "UseDestroyed", "Use of a destroyed sync object",
      "A sync object was used after it was destroyed.",
      "Destroy it after the last user was joined." },
    { "misuse.other", "Misuse", "Misuse of the thread library",
      "A function of the thread library was called in a way that its contract excludes.",
      "Follow the contract of the function." },
    { "nondeterminism.not-reproducible", "NotReproducible", "Failure that is not reproducible",
      "An execution failed, and the same schedule does not fail again.",
      "Remove the source of nondeterminism: time, random numbers, uninstrumented code." },
};
/* clang-format on */

const struct burl__report_kind *
burl__report_kind(const char *kind)
{
    static const struct burl__report_kind other = { "", "Finding", "Finding",
                                                    "burl found a failure.",
                                                    "Read the report of the finding." };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].kind, kind) == 0)
            return &kinds[i];
    }
    return &other;
}
