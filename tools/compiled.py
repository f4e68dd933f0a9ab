# SPDX-License-Identifier: MIT
"""src/ as the compiler and the linker see it, for the gates layers, cycles, alone and symbols.

The flags are those of BUILD/compile_commands.json. Paths are relative to the root; a planted file lies in a folder of
its own, whose src/ is searched before the real one, and has the path that it would have in the tree.
"""
import concurrent.futures
import fcntl
import glob
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINE = re.compile(r'^# \d+ "([^"]+)"|^#\s*(?:include|include_next|import)\s*([<"])([^>"]+)[>"]', re.M)


def parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))


def run(words, text=None):
    return subprocess.run(words, input=text, capture_output=True, text=True)


def is_test(path):
    return path.endswith("_test.c")


def room_of(path):
    """src/ROOM/...; None of a file that lies in src/ itself."""
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def symbols(objects):
    """What an object defines for others, and what it wants: {path as nm prints it: (names, names)}."""
    done = run(["nm", "-P", "-g", *objects])
    found, path = {}, None
    for line in done.stdout.splitlines():
        words = line.split()
        if line.endswith(":"):
            path = re.sub(r".*\[(.*)\]:$|:$", r"\1", line)
            found[path] = (set(), set())
        elif len(words) > 1:
            found[path][words[1] in "Uw"].add(words[0])
    return found


class Tree:
    def __init__(self, build, planted=None):
        self.build = build
        self.roots = [root for root in (planted, ROOT) if root]
        self.flags_of_file, self.flags_of_room = {}, {}
        with open(os.path.join(build, "compile_commands.json")) as file:
            for entry in json.load(file):
                words = [word for word in shlex.split(entry["command"]) if word not in ("-c", entry["file"])]
                into = words.index("-o")
                flags = words[:into] + words[into + 2:]
                self.flags_of_file[self.relative(entry["file"])] = flags
                room = re.search(r"(?:^|/)CMakeFiles/([a-z]+)\.dir/", words[into + 1])
                if room and not words[into + 1].startswith(("tests/", "twin/", "fuzz/", "benches/")):
                    self.flags_of_room[room[1]] = flags

    def relative(self, path):
        for root in self.roots:
            if path.startswith(root + "/"):
                return os.path.relpath(path, root)
        return path

    def flags(self, path):
        """How the file is compiled: itself, or its room when that is one unit, or some room when it is in none."""
        flags = self.flags_of_file.get(path) or self.flags_of_room.get(room_of(path)) or self.flags_of_room["base"]
        include = [f"-I{self.roots[0]}/src"] + (["-I" + ROOT + "/tests"] if is_test(path) else [])
        return flags[:1] + include + flags[1:]

    def files(self, *endings):
        """Of the first root: the tree, or what was planted."""
        found = glob.glob(self.roots[0] + "/src/**/*", recursive=True)
        return sorted(self.relative(path) for path in found if path.endswith(endings) and os.path.isfile(path))

    def is_unity(self, room):
        return not any(room_of(path) == room and not is_test(path) for path in self.flags_of_file)

    def _digest(self):
        """Of all that the answers of the compiler follow from: itself, the flags and the text of the tree."""
        version = run([self.flags_of_room["base"][0], "--version"]).stdout
        flags = json.dumps([version, self.flags_of_file, self.flags_of_room], sort_keys=True)
        digest = hashlib.sha256(flags.encode())
        with open(os.path.abspath(__file__), "rb") as file:
            digest.update(file.read())
        for folder in ("src", "include", "tests/rigs", "tests/support"):
            for path in sorted(glob.glob(os.path.join(ROOT, folder, "**", "*.[ch]"), recursive=True)):
                with open(path, "rb") as file:
                    digest.update(f"\n{path}\n".encode() + file.read())
        return digest.hexdigest()

    def _once(self, name, work):
        """What work() returns, a list. Of the tree as it is, one gate asks the compiler and the others read what it
        found, from a file of the build that is of the same digest; what is planted is never read from there."""
        if len(self.roots) > 1:
            return work()
        path = os.path.join(self.build, f"gate_{name}.json")
        with open(path, "a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            text, digest = file.read(), self._digest()
            kept = json.loads(text) if text.endswith("]]\n") else [None, []]
            if kept[0] == digest:
                return kept[1]
            found = work()
            file.truncate(0)
            file.write(json.dumps([digest, found]) + "\n")
            return found

    def _resolve(self, inside, mark, name, folders):
        """Which file an include means: of the tree as its path there, None when it is a library's."""
        for folder in ([os.path.dirname(inside)] if mark == '"' else []) + folders:
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(path):
                return self.relative(path) if path.startswith(tuple(root + "/" for root in self.roots)) else None
        return None

    def _includes(self, path):
        """Pairs (file, what it includes) of all that is read when this one is compiled."""
        flags = self.flags(path)
        full = os.path.join(self.roots[0], path)
        done = run(flags + ["-E", "-dI", "-x", "c", full])
        if done.returncode:
            sys.exit(f"{path} does not compile:\n{done.stderr}")
        folders = [flag[2:] for flag in flags if flag.startswith("-I")]
        pairs, inside, known = set(), full, {}
        for match in LINE.finditer(done.stdout):
            if match[1]:
                inside = match[1]
            elif inside.startswith(tuple(root + "/" for root in self.roots)):
                key = (inside, match[2], match[3])
                if key not in known:
                    known[key] = self._resolve(*key, folders)
                if known[key]:
                    pairs.add((self.relative(inside), known[key]))
        return pairs

    def _all_includes(self):
        sources = self.files(".c")
        pairs = set().union(*parallel(self._includes, sources))
        seen = {path for pair in pairs for path in pair}
        rest = [path for path in self.files(".h") if path not in seen]
        return sorted(pairs.union(*parallel(self._includes, rest)))

    def includes(self):
        """All pairs (file, what it includes), read off the preprocessor: a header that nothing includes, too."""
        return {(file, header) for file, header in self._once("includes", self._all_includes)}

    def _compiled_alone(self, path):
        flags = self.flags(path) + ["-Werror", "-O0", "-U_FORTIFY_SOURCE", "-g0", "-c"]
        with tempfile.NamedTemporaryFile(suffix=".o") as into:
            done = run(flags + [os.path.join(self.roots[0], path), "-o", into.name])
            defined, wanted = (set(), set()) if done.returncode else symbols([into.name, into.name])[into.name]
        return path, done.stderr if done.returncode else None, sorted(defined), sorted(wanted)

    def compiled_alone(self):
        """Each source that the build compiles as a part of one unit, or not at all, compiled by itself with warnings as
        errors: (path, what is wrong or None, symbols that it defines, symbols that it wants)."""
        paths = [path for path in self.files(".c") if room_of(path) and not is_test(path)
                 and (len(self.roots) > 1 or path not in self.flags_of_file)]
        return self._once("alone", lambda: parallel(self._compiled_alone, paths))
