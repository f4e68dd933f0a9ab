# Placement, TICKs with many liquidations, and a million stops (benches/perps.c).
add_executable(bench_perps perps.c)
target_link_libraries(bench_perps PRIVATE core model base)
