# Commands through the log with the engine, compared with the bare disk (benches/durable.c).
add_executable(bench_durable durable.c cycle.c)
target_link_libraries(bench_durable PRIVATE app)
