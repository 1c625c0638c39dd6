# One room is one folder src/NAME, one namespace and target highwater::NAME, one include prefix and
# one test binary NAME_test. Sources are found by their place: *.cc is the room, *_test.cc its tests.

set_property(GLOBAL PROPERTY highwater_rooms "")    # Every room that the floor plan names.
set_property(GLOBAL PROPERTY highwater_absent "")   # Those left out of this build.
file(WRITE ${PROJECT_BINARY_DIR}/layers.txt "")

# Sets `out` to the targets of `rooms`; `absent` to those that are left out of this build.
function(highwater_find_rooms out absent)
    get_property(declared GLOBAL PROPERTY highwater_rooms)
    get_property(left_out GLOBAL PROPERTY highwater_absent)
    set(targets "")
    set(missing "")
    foreach(room IN LISTS ARGN)
        if(NOT room IN_LIST declared)
            message(FATAL_ERROR "the floor plan names no room '${room}' before this line")
        elseif(room IN_LIST left_out)
            list(APPEND missing ${room})
        else()
            list(APPEND targets highwater::${room})
        endif()
    endforeach()
    set(${out} "${targets}" PARENT_SCOPE)
    set(${absent} "${missing}" PARENT_SCOPE)
endfunction()

# highwater_api(): the public headers under include/highwater, of the standard library alone.
function(highwater_api)
    add_library(highwater_api INTERFACE)
    add_library(highwater::api ALIAS highwater_api)
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/highwater/*.h)
    target_compile_features(highwater_api INTERFACE cxx_std_20)
    target_sources(highwater_api INTERFACE
        FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
endfunction()

# highwater_module(NAME [USES room...] [LINKS target...] [COLUMNS])
function(highwater_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "COLUMNS" "" "USES;LINKS")
    highwater_add_room(${name} PRIVATE "${arg_USES}" "${arg_LINKS}" "${arg_COLUMNS}")
endfunction()

# highwater_testkit(NAME [USES room...]): the room of tests; its headers may use the test libraries.
function(highwater_testkit name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
    highwater_add_room(${name} PUBLIC "${arg_USES}" "GTest::gmock;rapidcheck" FALSE)
endfunction()

function(highwater_add_room name visibility uses links columns)
    set(folder ${PROJECT_SOURCE_DIR}/src/${name})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
    file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "_test\\.cc$")
    list(FILTER sources EXCLUDE REGEX "_test\\.cc$")

    highwater_find_rooms(targets absent ${uses})
    set_property(GLOBAL APPEND PROPERTY highwater_rooms ${name})
    string(REPLACE ";" " " uses "${uses}")
    file(APPEND ${PROJECT_BINARY_DIR}/layers.txt "${name}: ${uses}\n")
    # Without Arrow and DuckDB a room that needs them is left out, and so is every room above it.
    if(absent OR (columns AND NOT HIGHWATER_COLUMNS))
        set_property(GLOBAL APPEND PROPERTY highwater_absent ${name})
        return()
    endif()

    if(sources)
        set(scope PUBLIC)
        add_library(highwater_${name} STATIC ${sources})
        target_link_libraries(highwater_${name} PRIVATE highwater_settings fmt::fmt)
        target_link_libraries(highwater_${name} ${visibility} ${links})
    else()
        set(scope INTERFACE)
        add_library(highwater_${name} INTERFACE)
        target_link_libraries(highwater_${name} INTERFACE ${links})
    endif()
    add_library(highwater::${name} ALIAS highwater_${name})
    target_compile_features(highwater_${name} ${scope} cxx_std_20)
    target_link_libraries(highwater_${name} ${scope} highwater::api ${targets})
    # Every header must compile alone: the target all_verify_interface_header_sets proves it.
    target_sources(highwater_${name} ${scope}
        FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
    if(HIGHWATER_TESTS AND tests)
        highwater_test(${name}_test SOURCES ${tests} USES ${name} LABEL unit)
    endif()
endfunction()

# highwater_program(NAME USES room...): the program built from app/NAME_main.cc and app/*.cc.
function(highwater_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/app/*.cc)
    list(FILTER sources EXCLUDE REGEX "_main\\.cc$")
    highwater_find_rooms(targets absent ${arg_USES})
    if(absent OR NOT EXISTS ${PROJECT_SOURCE_DIR}/app/${name}_main.cc)
        return()
    endif()
    add_executable(${name} app/${name}_main.cc ${sources})
    target_link_libraries(${name} PRIVATE ${targets} highwater_settings fmt::fmt)
endfunction()

# highwater_test(NAME SOURCES file... [USES room...] [PROGRAM name] LABEL label [TIMEOUT seconds])
#
# A test of rooms has the testkit too; one without USES is about the tree itself. Every test knows
# HIGHWATER_SOURCE_DIR, the root of the checkout; with PROGRAM also HIGHWATER_PROGRAM, the path of
# that program, which is built first.
function(highwater_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM;LABEL;TIMEOUT" "SOURCES;USES")
    highwater_find_rooms(targets absent ${arg_USES})
    if(arg_PROGRAM AND NOT TARGET ${arg_PROGRAM})
        list(APPEND absent ${arg_PROGRAM})
    endif()
    if(absent)
        message(STATUS "test ${name} is left out: no ${absent} in this build")
        return()
    endif()
    if(targets)
        list(APPEND targets highwater::testkit)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    if(HIGHWATER_SANITIZE)
        math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")  # Sanitizers take their time.
    endif()
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE
        ${targets} highwater_settings fmt::fmt GTest::gmock GTest::gtest_main)
    target_compile_definitions(${name} PRIVATE HIGHWATER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    if(arg_PROGRAM)
        target_compile_definitions(${name} PRIVATE
            HIGHWATER_PROGRAM="$<TARGET_FILE:${arg_PROGRAM}>")
        add_dependencies(${name} ${arg_PROGRAM})
    endif()
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    target_precompile_headers(${name} REUSE_FROM highwater_test_pch)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
endfunction()

# GoogleTest's headers cost a second a file; they are compiled once for all tests.
if(HIGHWATER_TESTS)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_pch.cc CONTENT "")
    add_library(highwater_test_pch OBJECT ${PROJECT_BINARY_DIR}/test_pch.cc)
    target_link_libraries(highwater_test_pch PRIVATE
        highwater_settings fmt::fmt GTest::gmock rapidcheck)
    # ccache needs this to see into a precompiled header.
    target_compile_options(highwater_test_pch PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    target_precompile_headers(highwater_test_pch PRIVATE <gmock/gmock.h>)
endif()
