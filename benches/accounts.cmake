# Memory of an account (benches/accounts.c).
add_executable(bench_accounts accounts.c)
target_link_libraries(bench_accounts PRIVATE core model base)
