/* SPDX-License-Identifier: MIT */
/*
 * commands.h — the sub-commands of the program, as named in main.c's table. Each takes its own arguments (argv[0] is
 * its name) and returns the exit code of ruling 52.
 */
#ifndef APP_CLI_COMMANDS_H
#define APP_CLI_COMMANDS_H

int command_dev(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_init(int argc, char **argv);
int command_init_log(int argc, char **argv);
int command_copy_log(int argc, char **argv);
int command_trim_log(int argc, char **argv);
int command_shadow(int argc, char **argv);
int command_log(int argc, char **argv);
int command_explain_liquidation(int argc, char **argv);
int command_sign(int argc, char **argv);
int command_account(int argc, char **argv);
int command_deposit(int argc, char **argv);
int command_redeem(int argc, char **argv);
int command_market(int argc, char **argv);
int command_cancel(int argc, char **argv);
int command_staking(int argc, char **argv);
int command_mode(int argc, char **argv);
int command_limits(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_health(int argc, char **argv);
int command_request(int argc, char **argv);
int command_faucet(int argc, char **argv);
int command_chaos(int argc, char **argv);
int command_snapshot(int argc, char **argv);
int command_revert(int argc, char **argv);
int command_snapshots(int argc, char **argv);
int command_handover(int argc, char **argv);
int command_join(int argc, char **argv);
int command_oracle(int argc, char **argv);
int command_record(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_scenario(int argc, char **argv);

/* Of traders, at a URL (app/client). command_cancel_either: the operator's with --data, else a trader's. */
int command_markets(int argc, char **argv);
int command_book(int argc, char **argv);
int command_trades(int argc, char **argv);
int command_balances(int argc, char **argv);
int command_positions(int argc, char **argv);
int command_orders(int argc, char **argv);
int command_buy(int argc, char **argv);
int command_sell(int argc, char **argv);
int command_bracket(int argc, char **argv);
int command_cancel_either(int argc, char **argv);
int command_cancel_own(int argc, char **argv);
int command_replace(int argc, char **argv);
int command_transfer(int argc, char **argv);
int command_keys(int argc, char **argv);
int command_env(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_conform(int argc, char **argv);

#endif
