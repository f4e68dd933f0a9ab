# The cost of pushing, its latency, the memory of subscribers, and their effect on trading (benches/streams.c).
add_executable(bench_streams streams.c streams_notes.c streams_clients.c streams_trade.c streams_bare.c http_orders.c
               standstill.c)
target_link_libraries(bench_streams PRIVATE app crypto)
target_link_options(bench_streams PRIVATE -Wl,--wrap=log_submit -Wl,--wrap=log_wait -Wl,--wrap=exchange_run
                    -Wl,--wrap=event_queues_add -Wl,--wrap=event_queues_show
                                           -Wl,--wrap=stream_turn -Wl,--wrap=send -Wl,--wrap=sendmsg)
