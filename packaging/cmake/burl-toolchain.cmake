# SPDX-License-Identifier: Apache-2.0
#
# burl-toolchain.cmake - cmake --toolchain .../burl-toolchain.cmake builds with burl-cc and burl-c++.
#
# It also names LLVM's archive tools, which CMake would look for as burl-llvm-ar, taking "burl-" for
# the prefix of a cross compiler, and makes find_package(burl) find this installation.
get_filename_component(_burl_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${_burl_prefix}/bin/burl-cc")
set(CMAKE_CXX_COMPILER "${_burl_prefix}/bin/burl-c++")
find_program(BURL_LLVM_AR NAMES llvm-ar-19 llvm-ar)
find_program(BURL_LLVM_RANLIB NAMES llvm-ranlib-19 llvm-ranlib)
foreach(_burl_language C CXX)
    if(BURL_LLVM_AR AND BURL_LLVM_RANLIB)
        set(CMAKE_${_burl_language}_COMPILER_AR "${BURL_LLVM_AR}")
        set(CMAKE_${_burl_language}_COMPILER_RANLIB "${BURL_LLVM_RANLIB}")
    endif()
endforeach()
list(APPEND CMAKE_PREFIX_PATH "${_burl_prefix}")
