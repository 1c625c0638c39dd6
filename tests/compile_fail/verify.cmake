# Compiles CASE with COMPILER and holds the outcome against the file's first line.

file(STRINGS ${CASE} first_line LIMIT_COUNT 1)
if(NOT first_line MATCHES "^// expect: (.+)$")
    message(FATAL_ERROR "${CASE}: the first line must read '// expect: ...'")
endif()
set(expected "${CMAKE_MATCH_1}")

execute_process(
    COMMAND ${COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Werror=unused-result
        -I${ROOT}/src -I${ROOT}/include ${CASE}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(expected STREQUAL "compiles")
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${CASE} must compile:\n${output}")
    endif()
elseif(status EQUAL 0)
    message(FATAL_ERROR "${CASE} compiled, but must fail with: ${expected}")
elseif(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${CASE} failed, but not with: ${expected}\n${output}")
endif()
