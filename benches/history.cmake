add_executable(bench_history history.c)
target_link_libraries(bench_history PRIVATE history)
