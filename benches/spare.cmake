add_executable(bench_spare spare.c)
target_link_libraries(bench_spare PRIVATE log io)
