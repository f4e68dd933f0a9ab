# Instruction counts of hot paths compared with committed ones (benches/guard.py); the numbers are gcc's for a release
# build.
add_executable(bench_guard guard.c api_world.c)
target_link_libraries(bench_guard PRIVATE api)
target_link_options(bench_guard PRIVATE -Wl,--wrap=history_is_full)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_FLAGS MATCHES "-O2" AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    set(guard python3 ${CMAKE_SOURCE_DIR}/benches/guard.py --build ${CMAKE_BINARY_DIR} --compiler
        "gcc ${CMAKE_C_COMPILER_VERSION}")
    add_test(NAME guard/instructions COMMAND ${guard} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    add_test(NAME guard/planted COMMAND ${guard} --plant WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(guard/instructions guard/planted PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
    busy_tests(70 guard/instructions)
endif()
