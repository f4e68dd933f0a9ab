add_executable(bench_keccak keccak.c)
target_link_libraries(bench_keccak PRIVATE base PkgConfig::NETTLE)
