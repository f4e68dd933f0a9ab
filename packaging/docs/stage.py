#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""packaging/docs/stage.py INTO — the pages of the site as mkdocs wants them: docs/, the README as start.md, and the files
of the repository that they link to, under source/. A link that leads nowhere is printed; then the exit code is 1."""
import os
import re
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ANCHOR = re.compile(r'<a id="([^"]+)"></a>\n(# .*)\n')
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
OUTSIDE = re.compile(r"^(?:[a-z]+:|#|/)")


class Stage:
    def __init__(self, into):
        self.into, self.faults, self.copied = into, [], set()
        shutil.rmtree(into, ignore_errors=True)
        os.makedirs(into)

    def page(self, path, name):
        """Copies a page; `path` from the root, `name` in the site."""
        with open(os.path.join(ROOT, path)) as file:
            # A page is named after its title only when that is the first line.
            lines = ANCHOR.sub(r"\2 {#\1}\n", file.read(), count=1).split("\n")
        fenced = False
        for i, line in enumerate(lines):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if not fenced:
                lines[i] = LINK.sub(lambda found: f"]({self.link(found.group(1), path, name)})", line)
        place = os.path.join(self.into, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w") as file:
            file.write("\n".join(lines))

    def link(self, target, path, name):
        if OUTSIDE.match(target):
            return target
        file, _, anchor = target.partition("#")
        real = os.path.normpath(os.path.join(os.path.dirname(path), file))
        if not os.path.exists(os.path.join(ROOT, real)):
            self.faults.append(f"{path}: {target} is not there")
            return target
        there = self.place(real)
        return os.path.relpath(there, os.path.dirname(name) or ".") + ("#" + anchor if anchor else "")

    def place(self, real):
        """Where a file of the repository is in the site."""
        if real == "README.md":
            return "start.md"
        if os.path.isdir(os.path.join(ROOT, real)):
            inside = os.path.join(real, "README.md")
            return self.place(inside) if os.path.exists(os.path.join(ROOT, inside)) else self.listing(real)
        if real.startswith("docs/"):
            return real[len("docs/"):]
        there = os.path.join("source", real if real.endswith(".md") else real + ".txt")
        if real not in self.copied:
            self.copied.add(real)
            if real.endswith(".md"):
                self.page(real, there)
            else:
                os.makedirs(os.path.dirname(os.path.join(self.into, there)), exist_ok=True)
                shutil.copyfile(os.path.join(ROOT, real), os.path.join(self.into, there))
        return there

    def script(self, name):
        """A script of the site's own pages."""
        place = os.path.join(self.into, "assets", "javascripts", name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copyfile(os.path.join(ROOT, "packaging", "docs", name), place)

    def listing(self, folder):
        there = os.path.join("source", folder, "index.md")
        if folder not in self.copied:
            self.copied.add(folder)
            os.makedirs(os.path.dirname(os.path.join(self.into, there)), exist_ok=True)
            with open(os.path.join(self.into, there), "w") as file:
                file.write(f"# {folder}\n\n" + "".join(f"- `{one}`\n" for one in
                                                       sorted(os.listdir(os.path.join(ROOT, folder)))))
        return there


def main():
    stage = Stage(os.path.abspath(sys.argv[1]))
    for folder, folders, names in os.walk(os.path.join(ROOT, "docs")):
        folders.sort()
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if name.endswith(".md"):
                stage.page(path, path[len("docs/"):])
            else:
                place = os.path.join(stage.into, path[len("docs/"):])
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copyfile(os.path.join(ROOT, path), place)
    stage.page("README.md", "start.md")
    stage.page("packaging/docs/index.md", "index.md")
    stage.script("iframe-worker.js")
    print("\n".join(stage.faults), file=sys.stderr, end="\n" if stage.faults else "")
    sys.exit(1 if stage.faults else 0)


if __name__ == "__main__":
    main()
