# Cost of a rate limit decision, and memory over a million addresses (benches/limits.c).
add_executable(bench_limits limits.c)
target_link_libraries(bench_limits PRIVATE limits)
