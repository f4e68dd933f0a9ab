add_executable(bench_shared_exchange shared_exchange.c cycle.c)
target_link_libraries(bench_shared_exchange PRIVATE app PkgConfig::PQ)
