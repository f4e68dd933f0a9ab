# Time of api_handle alone: a cached book, one that changed, a signed order against a bare recovery (benches/api.c).
add_executable(bench_api api.c)
target_link_libraries(bench_api PRIVATE api)
