# SPDX-License-Identifier: Apache-2.0
#
# burlConfig.cmake - find_package(burl): tests of concurrent programs as tests of CTest.
#
# Sets BURL_EXECUTABLE, BURL_CC, BURL_CXX, BURL_INCLUDE_DIR and BURL_INSTRUMENTED (whether this build
# compiles with burl-cc or burl-c++); defines the target burl::annotations (the directory of
# burl/burl.h) and the function burl_add_test().

get_filename_component(_burl_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(BURL_EXECUTABLE "${_burl_prefix}/bin/burl")
set(BURL_CC "${_burl_prefix}/bin/burl-cc")
set(BURL_CXX "${_burl_prefix}/bin/burl-c++")
set(BURL_INCLUDE_DIR "${_burl_prefix}/include")
set(_burl_dir "${CMAKE_CURRENT_LIST_DIR}")

foreach(_burl_file "${BURL_EXECUTABLE}" "${BURL_CC}" "${BURL_CXX}" "${BURL_INCLUDE_DIR}/burl/burl.h")
    if(NOT EXISTS "${_burl_file}")
        set(burl_FOUND FALSE)
        set(burl_NOT_FOUND_MESSAGE "${_burl_file} is missing; install burl again")
        return()
    endif()
endforeach()

if(NOT TARGET burl::annotations)
    add_library(burl::annotations INTERFACE IMPORTED)
    set_target_properties(burl::annotations PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${BURL_INCLUDE_DIR}")
endif()

# Sets BURL_INSTRUMENTED_<language>: whether its compiler is burl's, by any name and behind any
# launcher. Only burl's compilers define __BURL__.
function(_burl_check_language language extension)
    if(DEFINED BURL_INSTRUMENTED_${language} OR NOT CMAKE_${language}_COMPILER)
        return()
    endif()
    set(source "${CMAKE_BINARY_DIR}${CMAKE_FILES_DIRECTORY}/burl_check.${extension}")
    file(WRITE "${source}" "#ifndef __BURL__\n#error not instrumented\n#endif\nint burl_check;\n")
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    try_compile(BURL_INSTRUMENTED_${language} "${CMAKE_BINARY_DIR}" "${source}")
endfunction()

get_property(_burl_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
set(BURL_INSTRUMENTED FALSE)
if("C" IN_LIST _burl_languages)
    _burl_check_language(C c)
endif()
if("CXX" IN_LIST _burl_languages)
    _burl_check_language(CXX cpp)
endif()
if(BURL_INSTRUMENTED_C OR BURL_INSTRUMENTED_CXX)
    set(BURL_INSTRUMENTED TRUE)
endif()

# Fails if a target has sources of a language that is not compiled by burl.
function(_burl_require_instrumented target)
    get_target_property(sources ${target} SOURCES)
    set(plain)
    foreach(source IN LISTS sources)
        if(source MATCHES "\\.c$" AND NOT BURL_INSTRUMENTED_C)
            list(APPEND plain "C")
        elseif(source MATCHES "\\.(C|cc|cpp|cxx|c\\+\\+)$" AND NOT BURL_INSTRUMENTED_CXX)
            list(APPEND plain "CXX")
        endif()
    endforeach()
    if(NOT plain AND BURL_INSTRUMENTED)
        return()
    endif()
    list(REMOVE_DUPLICATES plain)
    set(compilers)
    foreach(language IN LISTS plain)
        string(APPEND compilers " (CMAKE_${language}_COMPILER is ${CMAKE_${language}_COMPILER})")
    endforeach()
    message(FATAL_ERROR
        "burl_add_test: ${target} is not compiled with burl-cc or burl-c++${compilers}. "
        "Configure a build directory of its own with them:\n"
        "  cmake -S . -B build-burl --toolchain ${_burl_dir}/burl-toolchain.cmake\n"
        "or call burl_add_test only if BURL_INSTRUMENTED is true.")
endfunction()

# Sets `out` to the seconds of a time as burl takes it (500ms, 10s, 5m, 2h), "" if it is none.
function(_burl_seconds out time)
    set(seconds "")
    if(time MATCHES "^([0-9]+)(ms|s|m|h|)$")
        set(number ${CMAKE_MATCH_1})
        if(CMAKE_MATCH_2 STREQUAL "ms")
            math(EXPR seconds "${number} / 1000 + 1")
        elseif(CMAKE_MATCH_2 STREQUAL "m")
            math(EXPR seconds "${number} * 60")
        elseif(CMAKE_MATCH_2 STREQUAL "h")
            math(EXPR seconds "${number} * 3600")
        else()
            set(seconds ${number})
        endif()
    endif()
    set(${out} "${seconds}" PARENT_SCOPE)
endfunction()

# Sets `out` to the arguments as words of a command of add_test(), where a semicolon would end a word
# and an empty word would be dropped.
function(_burl_words out)
    set(words)
    foreach(word IN LISTS ${ARGN})
        string(REPLACE ";" "$<SEMICOLON>" word "${word}")
        if(word STREQUAL "")
            set(word "$<1:>")
        endif()
        list(APPEND words "${word}")
    endforeach()
    set(${out} "${words}" PARENT_SCOPE)
endfunction()

# Sets `out` to a directory for the store of a test: campaigns at the same time need separate ones,
# and names that differ may be the same identifier.
function(_burl_store out name)
    get_property(used GLOBAL PROPERTY BURL_STORES)
    string(MAKE_C_IDENTIFIER "${name}" identifier)
    set(store "${CMAKE_CURRENT_BINARY_DIR}/burl-stores/${identifier}")
    set(n 1)
    while(store IN_LIST used)
        math(EXPR n "${n} + 1")
        set(store "${CMAKE_CURRENT_BINARY_DIR}/burl-stores/${identifier}_${n}")
    endwhile()
    set_property(GLOBAL APPEND PROPERTY BURL_STORES "${store}")
    set(${out} "${store}" PARENT_SCOPE)
endfunction()

#   burl_add_test(TARGET [NAME name] [ARGS argument...]
#                 [TIME 10s] [RUNS n] [STRATEGY s] [SEED n] [JOBS n] [SUPPRESSIONS file]
#                 [EXPECT_FINDINGS] [OPTIONS option...]
#                 [LABELS label...] [TIMEOUT seconds] [WORKING_DIRECTORY dir])
#
# A test of CTest that runs `burl test` on an executable of this build. It passes if burl finds
# nothing; with EXPECT_FINDINGS, if burl finds something. A failure of burl itself fails it either
# way. NAME is burl.TARGET by default; the target may also be given as TARGET t.
function(burl_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "EXPECT_FINDINGS"
        "NAME;TARGET;TIME;RUNS;STRATEGY;SEED;JOBS;SUPPRESSIONS;TIMEOUT;WORKING_DIRECTORY"
        "ARGS;OPTIONS;LABELS")
    if(NOT arg_TARGET AND arg_UNPARSED_ARGUMENTS)
        list(POP_FRONT arg_UNPARSED_ARGUMENTS arg_TARGET)
    endif()
    if(arg_KEYWORDS_MISSING_VALUES) # of a variable that is empty
        list(REMOVE_ITEM arg_KEYWORDS_MISSING_VALUES ARGS OPTIONS LABELS)
    endif()
    if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES OR NOT arg_TARGET)
        message(FATAL_ERROR "burl_add_test: expects a target and known keywords with values, not: ${ARGN}")
    endif()
    if(NOT TARGET ${arg_TARGET})
        message(FATAL_ERROR "burl_add_test: there is no target ${arg_TARGET}")
    endif()
    get_target_property(type ${arg_TARGET} TYPE)
    if(NOT type STREQUAL "EXECUTABLE")
        message(FATAL_ERROR "burl_add_test: ${arg_TARGET} is not an executable")
    endif()
    _burl_require_instrumented(${arg_TARGET})
    if(NOT arg_NAME)
        set(arg_NAME "burl.${arg_TARGET}")
    endif()

    _burl_store(store "${arg_NAME}")
    set(command "${BURL_EXECUTABLE}" test "--dir=${store}")
    foreach(option TIME RUNS STRATEGY SEED JOBS SUPPRESSIONS)
        if(DEFINED arg_${option})
            string(TOLOWER "${option}" name)
            if(option STREQUAL "SUPPRESSIONS")
                get_filename_component(arg_SUPPRESSIONS "${arg_SUPPRESSIONS}" ABSOLUTE)
            endif()
            list(APPEND command "--${name}=${arg_${option}}")
        endif()
    endforeach()
    _burl_words(options arg_OPTIONS)
    _burl_words(arguments arg_ARGS)
    if("${arguments}" STREQUAL "" AND DEFINED arg_ARGS)
        set(arguments "$<1:>") # one empty argument
    endif()
    list(APPEND command ${options} -- "$<TARGET_FILE:${arg_TARGET}>" ${arguments})
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/burl-stores")

    # WILL_FAIL would also accept a failure of burl itself: only 1 means findings. A semicolon would
    # end a word of the list.
    if(arg_EXPECT_FINDINGS)
        set(command sh -c
            "\"$@\" && echo 'burl_add_test: findings were expected' && exit 2 || test $? -eq 1"
            sh ${command})
    endif()
    if(NOT arg_WORKING_DIRECTORY)
        set(arg_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    add_test(NAME "${arg_NAME}" COMMAND ${command} WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}")
    set_tests_properties("${arg_NAME}" PROPERTIES LABELS "burl;${arg_LABELS}")

    # A campaign uses every core unless it is limited.
    if(NOT arg_JOBS)
        cmake_host_system_information(RESULT arg_JOBS QUERY NUMBER_OF_LOGICAL_CORES)
    endif()
    set_tests_properties("${arg_NAME}" PROPERTIES PROCESSORS ${arg_JOBS})

    # burl keeps its own time limit; CTest only ends what hangs. Confirming and minimizing comes on top.
    if(NOT arg_TIMEOUT AND NOT arg_RUNS)
        _burl_seconds(seconds "${arg_TIME}")
        if(NOT DEFINED arg_TIME)
            set(seconds 10)
        endif()
        if(seconds GREATER 0)
            math(EXPR arg_TIMEOUT "${seconds} * 3 + 120")
        endif()
    endif()
    if(arg_TIMEOUT)
        set_tests_properties("${arg_NAME}" PROPERTIES TIMEOUT ${arg_TIMEOUT})
    endif()
endfunction()
