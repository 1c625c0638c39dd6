# What every translation unit of this project is compiled with. Nothing here leaks to a consumer:
# rooms link `highwater_settings` privately.

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(highwater_settings INTERFACE)
target_compile_features(highwater_settings INTERFACE cxx_std_20)
# No fused multiply-add: a sum has the same bits on every machine.
target_compile_options(highwater_settings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
    -Wunused-result -ffp-contract=off
    $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Wno-missing-designated-field-initializers>)

# What gcc 12 says of values never set and bounds crossed, once it optimizes, is wrong about std::variant
# and std::string; clang looks for the same.
target_compile_options(highwater_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:
    -Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-restrict>)

if(HIGHWATER_SANITIZE)
    target_compile_options(highwater_settings INTERFACE
        -fsanitize=${HIGHWATER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(highwater_settings INTERFACE -fsanitize=${HIGHWATER_SANITIZE})
endif()

# A faster linker and a compiler cache, where the machine has them.
find_program(HIGHWATER_MOLD mold)
if(HIGHWATER_MOLD)
    target_link_options(highwater_settings INTERFACE -fuse-ld=mold)
endif()
find_program(HIGHWATER_CCACHE ccache)
if(HIGHWATER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Sloppy only where a precompiled header needs it.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros
        ${HIGHWATER_CCACHE})
endif()
