add_executable(bench_recover recover.c)
target_link_libraries(bench_recover PRIVATE crypto model base)
