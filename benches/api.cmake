# Time of api_handle alone: a cached book, one that changed, a signed order against a bare recovery (benches/api.c).
add_executable(bench_api api.c api_world.c)
target_link_libraries(bench_api PRIVATE api)
target_link_options(bench_api PRIVATE -Wl,--wrap=history_is_full)
