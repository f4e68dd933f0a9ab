# Signed orders per second over HTTP against bare signature recoveries (benches/http.c).
add_executable(bench_http http.c http_load.c http_orders.c)
target_link_libraries(bench_http PRIVATE crypto PkgConfig::SECP)
