# SPDX-License-Identifier: MIT
"""The package over the libraries of a build ($DOJIMA_LIBRARY) or its own; exit code 77 without numpy and gymnasium."""

import sys
import unittest

try:
    import gymnasium
    import numpy as np
    from gymnasium.utils.env_checker import check_env
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import copy
import hashlib
import pickle
import warnings

import dojima_environment as dojima

STEPS = 3000


def rows(seed, count, space):
    """Actions near the market, so that many are taken."""
    dice = np.random.default_rng(seed)
    drawn = dice.integers(space.low, space.high, (count, *space.shape), endpoint=True)
    drawn[..., 3] = dice.integers(-40, 20, drawn.shape[:-1])
    drawn[..., 4] = dice.integers(0, 3000, drawn.shape[:-1])
    return drawn


def digest(environment, seed, actions):
    """Every byte of an episode."""
    total = hashlib.sha256()
    observation, _ = environment.reset(seed=seed)
    for action in actions:
        for part in observation.values():
            total.update(part.tobytes())
        observation, reward, terminated, truncated, info = environment.step(action)
        total.update(repr((reward, terminated, truncated, info)).encode())
    return total.hexdigest(), environment.state_hash()


class Single(unittest.TestCase):
    def test_checker(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(gymnasium.make("dojima/Market-v0", render_mode="ansi").unwrapped)

    def test_same_again(self):
        environment, other = dojima.Environment(), dojima.Environment(reuse=True)
        actions = rows(1, STEPS, environment.action_space)
        first = digest(environment, 5, actions)
        self.assertEqual(first, digest(environment, 5, actions))
        self.assertEqual(first, digest(other, 5, actions))
        self.assertNotEqual(first, digest(environment, 6, actions))

    def test_reward_is_the_change_of_value(self):
        environment = dojima.Environment()
        observation, _ = environment.reset(seed=2)
        value = int(observation["account"][1])
        fills = 0
        for action in rows(3, STEPS, environment.action_space):
            observation, reward, *_ = environment.step(action)
            self.assertEqual(round(reward * 1_000_000), int(observation["account"][1]) - value)
            value = int(observation["account"][1])
            fills += int(observation["account"][5])
        self.assertGreater(fills, 50)

    def test_observations_stay_without_reuse(self):
        environment = dojima.Environment()
        kept = [environment.reset(seed=4)[0]]
        copies = [{name: part.copy() for name, part in kept[0].items()}]
        for action in rows(5, 200, environment.action_space):
            observation = environment.step(action)[0]
            kept.append(observation)
            copies.append({name: part.copy() for name, part in observation.items()})
        for one, copy in zip(kept, copies):
            for name, part in one.items():
                np.testing.assert_array_equal(part, copy[name])
                self.assertFalse(part.flags.owndata, "a view of the memory that the library writes")

    def test_reuse_is_one_place(self):
        environment = dojima.Environment(reuse=True)
        observation, _ = environment.reset(seed=4)
        later = environment.step(np.zeros(environment.action_space.shape, np.int64))[0]
        for name, part in observation.items():
            self.assertIs(part, later[name])

    def test_orders(self):
        environment = dojima.Environment(prices="ticks")
        observation, _ = environment.reset(seed=7)
        bid = int(observation["books"][0, 0, 0, 0])
        place = [[dojima.PLACE, 0, dojima.BUY, bid - 100, 1000, dojima.GTX, 0]]
        observation, _, _, _, info = environment.step(np.array(place))
        self.assertEqual(info, {})
        self.assertEqual(observation["orders"][0, 1:5].tolist(), [1, dojima.BUY, bid - 100, 1000])
        observation, *_ = environment.step(np.array([[dojima.CANCEL, 0, 0, 1, 0, 0, 0]]))
        self.assertEqual(observation["account"][3], 0)
        *_, info = environment.step(np.array([[dojima.CANCEL, 0, 0, 1, 0, 0, 0]]))
        self.assertEqual(info, {"refused": 1, "reject": "ORDER_NOT_FOUND"})

    def test_end(self):
        environment = dojima.Environment(max_steps=3)
        environment.reset(seed=1)
        none = np.zeros(environment.action_space.shape, np.int64)
        ends = [environment.step(none)[2:4] for _ in range(3)]
        self.assertEqual(ends, [(False, False), (False, False), (False, True)])

    def test_bad_options(self):
        for options in ({"market": "quiet"}, {"prices": "dollars"}, {"levels": 0}, {"actions": 101},
                        {"genesis": "{}"}, {"render_mode": "human"}):
            with self.assertRaises(dojima.Error, msg=str(options)):
                dojima.Environment(**options)
        for name, value in (("levels", 2**32 + 5), ("levels", 2.5), ("orders", -1), ("actions", 2**32 + 1),
                            ("actions", None), ("max_steps", -1), ("max_steps", 2**64 + 3), ("max_steps", 1.5),
                            ("warm_up", -1), ("warm_up", float("nan")), ("warm_up", float("inf")),
                            ("warm_up", 2**32 / 1000), ("warm_up", "3"), ("log_bytes", -1), ("log_bytes", 2**60),
                            ("genesis", 5)):
            with self.assertRaisesRegex(dojima.Error, name, msg=f"{name}={value}"):
                dojima.Environment(**{name: value})
            if name != "log_bytes":
                with self.assertRaisesRegex(dojima.Error, name, msg=f"{name}={value}"):
                    dojima.VectorEnvironment(2, **{name: value})
        with self.assertRaises(dojima.Error):
            dojima.Environment().step(np.zeros((1, 7), np.int64))

    def test_bad_actions(self):
        environment = dojima.Environment()
        environment.reset(seed=1)
        row = [1, 0, 0, -5, 100, 0, 0]
        for wrong in (np.array([[1.5, *row[1:]]]), np.array([row], np.float32), [[1.0, *row[1:]]], [[None] * 7]):
            with self.assertRaisesRegex(dojima.Error, "actions are whole numbers"):
                environment.step(wrong)
        for right in ([row], np.array([row], np.int32), np.array([row]), np.array([[0] * 7], np.uint64)):
            environment.step(right)
        with self.assertRaisesRegex(dojima.Error, "18446744073709551615"):
            environment.step(np.array([[2**64 - 1, 0, 0, 0, 0, 0, 0]], np.uint64))

    def test_one_row_is_not_many(self):
        environment = dojima.Environment(actions=3)
        environment.reset(seed=1)
        row, before = [dojima.PLACE, 0, dojima.BUY, -5, 100, dojima.GTC, 0], environment.state_hash()
        for wrong in (row, [row], [row] * 2, [row] * 4, 1, 0, [[1]] * 3, [[row] * 3]):
            with self.assertRaisesRegex(dojima.Error, r"shape \(.*\), not \(3, 7\)"):
                environment.step(np.array(wrong))
        self.assertEqual(environment.state_hash(), before)
        self.assertEqual(environment.step([row] * 3)[0]["account"][3], 3)

    def test_seeds(self):
        environment, many = dojima.Environment(), dojima.VectorEnvironment(2, threads=1)
        environment.reset(seed=2**64 - 1)
        last = environment.state_hash()
        for wrong in (2**64, 2**64 + 1):
            with self.assertRaisesRegex(dojima.Error, f"seed .* not {wrong}"):
                environment.reset(seed=wrong)
        for wrong in (2**64, 2**64 - 1, [1, 2**64], [1, -1], (1, 2.5), [1], [1, 2, 3], 1.5, "12"):
            with self.assertRaisesRegex(dojima.Error, "seed", msg=str(wrong)):
                many.reset(seed=wrong)
        many.reset(seed=[None, 2**64 - 1])
        self.assertEqual(many.state_hashes()[1], last)
        found = []
        for same in (3, np.int64(3), [3, 4], np.array([3, 4])):
            many.reset(seed=same)
            found.append(many.state_hashes())
        self.assertEqual(found, found[:1] * 4)

    def test_before_the_first_reset(self):
        environment = dojima.Environment(log_bytes=1000, render_mode="ansi")
        for call in (environment.state_hash, environment.log, environment.render,
                     dojima.VectorEnvironment(2).state_hashes):
            with self.assertRaisesRegex(dojima.Error, "reset comes before"):
                call()

    def test_no_copies(self):
        for environment in (dojima.Environment(), dojima.VectorEnvironment(2)):
            for call in (pickle.dumps, copy.copy, copy.deepcopy):
                with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                    call(environment)

    def test_text(self):
        environment = dojima.Environment(render_mode="ansi")
        environment.reset(seed=1)
        self.assertIn("BTC-USD  last ", environment.render())


class Vector(unittest.TestCase):
    def test_rows_are_single_environments(self):
        many = dojima.VectorEnvironment(3, threads=2)
        singles = [dojima.Environment() for _ in range(3)]
        observation, _ = many.reset(seed=20)
        single = [one.reset(seed=20 + i)[0] for i, one in enumerate(singles)]
        for actions in rows(9, 500, many.action_space):
            observation, rewards, *_ = many.step(actions)
            for i, one in enumerate(singles):
                single[i], reward, *_ = one.step(actions[i])
                self.assertEqual(reward, rewards[i])
        for name, part in observation.items():
            np.testing.assert_array_equal(part, np.stack([one[name] for one in single]))
        self.assertEqual(many.state_hashes(), [one.state_hash() for one in singles])
        many.close()

    def test_threads_change_nothing(self):
        found = []
        for threads in (1, 2, 5):
            many = dojima.VectorEnvironment(5, threads=threads, max_steps=100)
            many.reset(seed=[1, 2, 3, 4, 5])
            for actions in rows(2, 350, many.action_space):
                many.step(actions)
            found.append(many.state_hashes())
            many.close()
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        self.assertEqual(len(set(found[0])), 5)

    def test_refusals_are_in_info(self):
        many, single = dojima.VectorEnvironment(3, threads=1), dojima.Environment()
        many.reset(seed=1)
        single.reset(seed=2)
        actions = np.zeros(many.action_space.shape, np.int64)
        self.assertEqual(many.step(actions)[4], {})
        single.step(actions[1])
        actions[1, 0, 0] = dojima.CANCEL
        info, expected = many.step(actions)[4], single.step(actions[1])[4]
        self.assertEqual(expected, {"refused": 1, "reject": "ORDER_NOT_FOUND"})
        self.assertEqual(info["_refused"].tolist(), [False, True, False])
        self.assertEqual(info["_reject"].tolist(), [False, True, False])
        self.assertEqual({name: info[name][1] for name in expected}, expected)
        self.assertEqual(info["refused"].tolist(), [0, 1, 0])

    def test_closed(self):
        for threads in (1, 2):
            many = dojima.VectorEnvironment(2, threads=threads)
            many.reset(seed=1)
            many.close()
            for call in (many.reset, lambda: many.step(np.zeros(many.action_space.shape, np.int64))):
                with self.assertRaisesRegex(dojima.Error, "closed"):
                    call()

    def test_next_episode(self):
        many = dojima.VectorEnvironment(2, threads=1, max_steps=3)
        many.reset(seed=1)
        none = np.zeros(many.action_space.shape, np.int64)
        ends, steps = [], []
        for _ in range(8):
            observation, rewards, _, truncated, _ = many.step(none)
            ends.append(bool(truncated.all()))
            steps.append(int(observation["account"][0, 2]))
        self.assertEqual(ends, [False, False, True, False, False, False, True, False])
        self.assertEqual(steps, [1, 2, 3, 0, 1, 2, 3, 0])

    def test_bad_actions(self):
        many = dojima.VectorEnvironment(2, threads=1)
        with self.assertRaises(dojima.Error):
            many.step(np.zeros((2, 1, 7), np.int64))
        many.reset(seed=1)
        with self.assertRaises(dojima.Error):
            many.step(np.zeros((2, 1, 6), np.int64))
        with self.assertRaisesRegex(dojima.Error, "not float64"):
            many.step(np.zeros((2, 1, 7)))


if __name__ == "__main__":
    unittest.main(verbosity=1)
