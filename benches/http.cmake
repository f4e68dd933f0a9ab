# Signed orders over HTTP against bare signature recoveries, without fdatasync, on two I/O threads (benches/http.c).
add_library(nosync SHARED nosync.c)
set_target_properties(nosync PROPERTIES C_VISIBILITY_PRESET default)
add_executable(bench_http http.c served.c http_load.c http_orders.c)
target_link_libraries(bench_http PRIVATE crypto PkgConfig::SECP)
target_compile_definitions(bench_http PRIVATE NOSYNC="$<TARGET_FILE:nosync>")
add_dependencies(bench_http nosync)

# A constant rate, latencies from when a request was due (benches/open_loop.c).
add_library(nohistory SHARED nohistory.c)
set_target_properties(nohistory PROPERTIES C_VISIBILITY_PRESET default)
target_link_libraries(nohistory PRIVATE PkgConfig::LMDB ${CMAKE_DL_LIBS})
add_executable(bench_open_loop open_loop.c open_load.c lone.c causes.c served.c http_load.c http_orders.c)
target_link_libraries(bench_open_loop PRIVATE crypto PkgConfig::SECP)
target_compile_definitions(bench_open_loop PRIVATE NOSYNC="$<TARGET_FILE:nosync>" NOHISTORY="$<TARGET_FILE:nohistory>")
add_dependencies(bench_open_loop nosync nohistory)
