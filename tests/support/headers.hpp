/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/headers.hpp - what the C++ programs of the verdict suites include, to be precompiled
 * once in a run (tests/run). Each of them includes what it needs all the same.
 */
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <latch>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>
