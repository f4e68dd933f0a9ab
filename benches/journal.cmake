add_executable(bench_journal journal.c)
target_link_libraries(bench_journal PRIVATE log io)
