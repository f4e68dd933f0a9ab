# Encoding of 1,500 klines without a cache (benches/klines.c).
add_executable(bench_klines klines.c)
target_link_libraries(bench_klines PRIVATE api)
