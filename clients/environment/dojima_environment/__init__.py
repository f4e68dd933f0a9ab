# SPDX-License-Identifier: MIT
"""An account in the market of dojima, in lock-step, as a Gymnasium environment.

    import dojima_environment
    env = dojima_environment.Environment("calm")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
"""

import gymnasium

from .environment import Environment
from .layout import Action, Observation, Symbol, market_text
from .native import Error
from .vector import VectorEnvironment

NONE, PLACE, CANCEL, REPLACE, CANCEL_ALL = range(5)
BUY, SELL = range(2)
GTC, IOC, GTX = range(3)

__all__ = ["Action", "Environment", "Error", "Observation", "Symbol", "VectorEnvironment", "market_text", "NONE",
           "PLACE", "CANCEL", "REPLACE", "CANCEL_ALL", "BUY", "SELL", "GTC", "IOC", "GTX"]

gymnasium.register("dojima/Market-v0", entry_point="dojima_environment:Environment",
                   vector_entry_point="dojima_environment:VectorEnvironment")
