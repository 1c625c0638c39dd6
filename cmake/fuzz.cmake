# highwater_fuzz(NAME SOURCE file CORPUS folder [USES room...])
#
# SOURCE defines LLVMFuzzerTestOneInput. The preset `fuzz` builds it with libFuzzer (`make fuzz` runs
# it); every other build replays the files of CORPUS through it as an ordinary test.

add_custom_target(highwater_fuzzers)
file(WRITE ${PROJECT_BINARY_DIR}/fuzzers.txt "")  # For tools/fuzz: name and seed corpus.

function(highwater_fuzz name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;CORPUS" "USES")
    highwater_find_rooms(rooms absent ${arg_USES})
    if(absent)
        message(STATUS "fuzz target ${name} is left out: no ${absent} in this build")
        return()
    endif()
    add_executable(fuzz_${name} ${arg_SOURCE})
    target_link_libraries(fuzz_${name} PRIVATE ${rooms} highwater_settings)
    add_dependencies(highwater_fuzzers fuzz_${name})
    set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/${arg_CORPUS})
    if(HIGHWATER_FUZZ)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        set_target_properties(fuzz_${name} PROPERTIES
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
        file(APPEND ${PROJECT_BINARY_DIR}/fuzzers.txt "${name} ${corpus}\n")
    else()
        target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cc)
        add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${corpus})
        set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
    endif()
endfunction()
