# SPDX-License-Identifier: MIT
"""The part of PromQL that our dashboard and alerts use: an expression is read by its grammar, and its metrics are
collected. Every other syntax is an error, so no expression passes unread."""
import re

TOKEN = re.compile(r"""\s*(?:
    (?P<duration>\d+(?:ms|[smhdwy]))(?![\w]) | (?P<number>\d+(?:\.\d+)?) | (?P<string>"(?:[^"\\]|\\.)*") |
    (?P<variable>\$__rate_interval) | (?P<word>[a-zA-Z_:][a-zA-Z0-9_:]*) |
    (?P<mark>==|!=|<=|>=|=~|!~|[-+*/%^<>=(){}\[\],]))""", re.X)
AGGREGATES = {"sum", "max", "min", "avg", "count", "topk"}
RANGES = {"rate", "increase", "changes"}                        # functions of a range
OTHERS = {"histogram_quantile": 2, "time": 0}                   # functions of so many instants
LEVELS = [{"or"}, {"and", "unless"}, {"==", "!=", "<", ">", "<=", ">="}, {"+", "-"}, {"*", "/", "%"}]


class Wrong(Exception):
    pass


class Selector:
    def __init__(self, name, labels, ranged):
        self.name, self.labels, self.ranged = name, labels, ranged


class Reader:
    def __init__(self, text):
        self.text, self.tokens, at = text, [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if not match:
                raise Wrong(f"not understood: {text[at:]!r}")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at, self.selectors, self.grouped = 0, [], set()
        self.level(0)
        if self.at != len(self.tokens):
            raise Wrong(f"behind the end: {self.tokens[self.at:]}")

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else (None, None)

    def take(self, *texts):
        """One of these when it is next."""
        if self.peek()[1] in texts:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def must(self, *texts):
        if not self.take(*texts):
            raise Wrong(f"wanted {texts}, got {self.peek()}")

    def kind(self, kind):
        if self.peek()[0] != kind:
            raise Wrong(f"wanted a {kind}, got {self.peek()}")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def level(self, depth):
        if depth == len(LEVELS):
            return self.unit()
        self.level(depth + 1)
        while self.take(*LEVELS[depth]):
            if self.take("on", "ignoring"):
                self.names()
            self.level(depth + 1)

    def unit(self):
        self.take("-")
        if self.take("("):
            self.level(0)
            return self.must(")")
        if self.peek()[0] == "number":
            return self.kind("number")
        word = self.kind("word")
        if word in AGGREGATES:
            return self.aggregate(word)
        if word in RANGES:
            self.must("(")
            self.selector(self.kind("word"), True)
            return self.must(")")
        if word in OTHERS:
            self.must("(")
            for i in range(OTHERS[word]):
                if i:
                    self.must(",")
                self.level(0)
            return self.must(")")
        return self.selector(word, False)

    def aggregate(self, word):
        if self.take("by", "without"):
            self.names()
        self.must("(")
        if word == "topk":
            self.kind("number")
            self.must(",")
        self.level(0)
        self.must(")")

    def names(self):
        self.must("(")
        self.grouped.add(self.kind("word"))
        while self.take(","):
            self.grouped.add(self.kind("word"))
        self.must(")")

    def selector(self, name, ranged):
        labels = {}
        if self.take("{"):
            while not self.take("}"):
                key = self.kind("word")
                self.must("=", "!=", "=~", "!~")
                labels[key] = self.kind("string")[1:-1]
                if not self.take(",") and self.peek()[1] != "}":
                    raise Wrong(f"wanted , or }}, got {self.peek()}")
        if ranged:
            self.must("[")
            if self.peek()[0] not in ("duration", "variable"):
                raise Wrong(f"no range: {self.peek()}")
            self.at += 1
            self.must("]")
        self.selectors.append(Selector(name, labels, ranged))
