# Signed orders over HTTP against bare signature recoveries, without fdatasync, on two I/O threads (benches/http.c).
add_library(nosync SHARED nosync.c)
set_target_properties(nosync PROPERTIES C_VISIBILITY_PRESET default)
add_executable(bench_http http.c served.c http_load.c http_orders.c)
target_link_libraries(bench_http PRIVATE crypto PkgConfig::SECP)
target_compile_definitions(bench_http PRIVATE NOSYNC="$<TARGET_FILE:nosync>")
add_dependencies(bench_http nosync)

# A constant rate, latencies from when a request was due (benches/open_loop.c).
add_executable(bench_open_loop open_loop.c served.c http_load.c http_orders.c)
target_link_libraries(bench_open_loop PRIVATE crypto)
