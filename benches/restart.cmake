add_executable(bench_restart restart.c)
target_link_libraries(bench_restart PRIVATE app)
