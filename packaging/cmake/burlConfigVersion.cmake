# SPDX-License-Identifier: Apache-2.0
#
# burlConfigVersion.cmake - which versions a find_package(burl VERSION) accepts: before 1.0 the same
# minor version, from then on the same major version, and not an older one.
set(PACKAGE_VERSION "@VERSION@")
if(PACKAGE_VERSION MATCHES "^0\\.([0-9]+)")
    set(_burl_pattern "^0\\.${CMAKE_MATCH_1}(\\.|$)")
elseif(PACKAGE_VERSION MATCHES "^([0-9]+)")
    set(_burl_pattern "^${CMAKE_MATCH_1}(\\.|$)")
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
elseif(PACKAGE_FIND_VERSION VERSION_LESS PACKAGE_VERSION AND PACKAGE_FIND_VERSION MATCHES "${_burl_pattern}")
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
else()
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
endif()
