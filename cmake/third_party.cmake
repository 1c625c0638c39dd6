# The libraries of others. Debian's are installed by tools/setup; Arrow and DuckDB are prebuilt,
# pinned by digest in tools/versions and fetched through package clients (pip, go) into .deps/.

find_package(fmt REQUIRED)
if(HIGHWATER_TESTS)
    enable_testing()
    include(GoogleTest)
    find_package(GTest REQUIRED)
endif()

option(HIGHWATER_SYSTEM_ARROW "Use the Arrow that is installed instead of the pinned one" OFF)
option(HIGHWATER_SYSTEM_DUCKDB "Use the DuckDB that is installed instead of the pinned one" OFF)
set(HIGHWATER_DEPS "${PROJECT_SOURCE_DIR}/.deps" CACHE PATH "Where fetched libraries are kept")

# Sets `version` and `digest` to what tools/versions says of `kind` `name`.
function(highwater_read_pin kind name version digest)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
        CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/versions)
    file(STRINGS ${PROJECT_SOURCE_DIR}/tools/versions line REGEX "^${kind} +${name} ")
    separate_arguments(fields UNIX_COMMAND "${line}")
    list(LENGTH fields count)
    if(NOT count EQUAL 4)
        message(FATAL_ERROR "tools/versions: no single line '${kind} ${name} version digest'")
    endif()
    list(GET fields 2 found_version)
    list(GET fields 3 found_digest)
    set(${version} ${found_version} PARENT_SCOPE)
    set(${digest} ${found_digest} PARENT_SCOPE)
endfunction()

function(highwater_require_sha256 file expected)
    file(SHA256 "${file}" found)
    if(NOT found STREQUAL expected)
        message(FATAL_ERROR "${file}: SHA-256 is ${found}, not ${expected}")
    endif()
endfunction()

# Arrow: the pyarrow wheel carries headers and shared libraries, each named by its soname.
function(highwater_fetch_arrow)
    highwater_read_pin(wheel pyarrow version digest)
    set(wheel "${HIGHWATER_DEPS}/pyarrow-${version}-cp311-cp311-manylinux_2_28_x86_64.whl")
    set(root "${HIGHWATER_DEPS}/pyarrow-${version}/pyarrow")
    if(NOT EXISTS "${wheel}")
        message(STATUS "Arrow ${version}: fetching")
        find_program(HIGHWATER_PYTHON NAMES python3 REQUIRED)
        set(requirements "${HIGHWATER_DEPS}/requirements.txt")
        file(WRITE "${requirements}" "pyarrow==${version} --hash=sha256:${digest}\n")
        execute_process(
            COMMAND ${HIGHWATER_PYTHON} -m pip download -q --no-deps --require-hashes
                --only-binary :all: --python-version 3.11 --implementation cp --abi cp311
                --platform manylinux_2_28_x86_64 -d "${HIGHWATER_DEPS}" -r "${requirements}"
            COMMAND_ERROR_IS_FATAL ANY)
    endif()
    highwater_require_sha256("${wheel}" ${digest})
    if(NOT EXISTS "${root}/.unpacked")
        file(ARCHIVE_EXTRACT INPUT "${wheel}" DESTINATION "${HIGHWATER_DEPS}/pyarrow-${version}"
            PATTERNS "pyarrow/include/*" "pyarrow/lib*.so.*")
        file(WRITE "${root}/.unpacked" "")
    endif()
    foreach(library arrow arrow_compute arrow_acero arrow_dataset parquet)
        file(GLOB file "${root}/lib${library}.so.*")
        add_library(deps::${library} SHARED IMPORTED GLOBAL)
        set_target_properties(deps::${library} PROPERTIES IMPORTED_LOCATION "${file}"
            INTERFACE_INCLUDE_DIRECTORIES "${root}/include"
            INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${root}/include")
    endforeach()
endfunction()

function(highwater_use_system_arrow)
    foreach(package Arrow ArrowCompute ArrowAcero ArrowDataset Parquet)
        find_package(${package} REQUIRED)
    endforeach()
    add_library(deps::arrow ALIAS Arrow::arrow_shared)
    add_library(deps::arrow_compute ALIAS ArrowCompute::arrow_compute_shared)
    add_library(deps::arrow_acero ALIAS ArrowAcero::arrow_acero_shared)
    add_library(deps::arrow_dataset ALIAS ArrowDataset::arrow_dataset_shared)
    add_library(deps::parquet ALIAS Parquet::parquet_shared)
endfunction()

# DuckDB: static archives and the matching C header.
function(highwater_fetch_duckdb)
    set(module github.com/duckdb/duckdb-go-bindings/lib/linux-amd64)
    highwater_read_pin(module ${module} version digest)
    set(cache "${HIGHWATER_DEPS}/gomod")
    set(root "${cache}/${module}@${version}")
    set(zip "${cache}/cache/download/${module}/@v/${version}.zip")
    if(NOT EXISTS "${zip}" OR NOT EXISTS "${root}/duckdb.h")
        message(STATUS "DuckDB: fetching")
        find_program(HIGHWATER_GO go REQUIRED)
        file(MAKE_DIRECTORY "${HIGHWATER_DEPS}")
        execute_process(
            COMMAND ${CMAKE_COMMAND} -E env "GOMODCACHE=${cache}" "GOPATH=${HIGHWATER_DEPS}/go"
                GOFLAGS=-modcacherw GOWORK=off
                ${HIGHWATER_GO} mod download ${module}@${version}
            WORKING_DIRECTORY "${HIGHWATER_DEPS}" COMMAND_ERROR_IS_FATAL ANY)
    endif()
    highwater_require_sha256("${zip}" ${digest})
    file(GLOB archives "${root}/*.a")
    add_library(deps::duckdb INTERFACE IMPORTED GLOBAL)
    target_include_directories(deps::duckdb SYSTEM INTERFACE "${root}")
    target_link_libraries(deps::duckdb INTERFACE
        -Wl,--start-group ${archives} -Wl,--end-group pthread dl m)
endfunction()

function(highwater_use_system_duckdb)
    find_path(HIGHWATER_DUCKDB_INCLUDE duckdb.h REQUIRED)
    find_library(HIGHWATER_DUCKDB_LIBRARY duckdb REQUIRED)
    add_library(deps::duckdb INTERFACE IMPORTED GLOBAL)
    target_include_directories(deps::duckdb SYSTEM INTERFACE "${HIGHWATER_DUCKDB_INCLUDE}")
    target_link_libraries(deps::duckdb INTERFACE "${HIGHWATER_DUCKDB_LIBRARY}")
endfunction()

if(HIGHWATER_COLUMNS)
    # Build folders may be configured at the same time; one of them fetches.
    file(LOCK "${HIGHWATER_DEPS}" DIRECTORY GUARD FILE)
    if(HIGHWATER_SYSTEM_ARROW)
        highwater_use_system_arrow()
    else()
        highwater_fetch_arrow()
    endif()
    if(HIGHWATER_SYSTEM_DUCKDB)
        highwater_use_system_duckdb()
    else()
        highwater_fetch_duckdb()
    endif()
endif()
