# A log read again, with all its checks (benches/replay.c).
add_executable(bench_replay replay.c cycle.c)
target_link_libraries(bench_replay PRIVATE app)
