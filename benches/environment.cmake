# Steps of an environment in C beside the bare engine; benches/environment.py runs it, and the same in Python.
if(TARGET dojima_market)
    add_executable(bench_environment environment.c)
    target_include_directories(bench_environment PRIVATE ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(bench_environment PRIVATE dojima_market dojima_shared)
endif()
