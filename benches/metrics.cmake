# The cost of counting a placement, compared with its readings of the clock (benches/metrics.c).
add_executable(bench_metrics metrics.c)
target_link_libraries(bench_metrics PRIVATE app)
