# What counting costs a placement, beside the looks at the clock that are in it (benches/metrics.c).
add_executable(bench_metrics metrics.c)
target_link_libraries(bench_metrics PRIVATE app)
