add_executable(bench_shared_log shared_log.c)
target_include_directories(bench_shared_log PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(bench_shared_log PRIVATE log PkgConfig::PQ)
