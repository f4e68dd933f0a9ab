# SPDX-License-Identifier: MIT
"""python3 clients/python/wheel.py PROGRAM VERSION TAG FOLDER: writes the wheel of this package with the program inside.

Two runs give the same bytes: names are sorted, times are fixed, nothing of the machine goes in. TAG is the platform,
such as manylinux_2_17_x86_64. Prints the path of the wheel.
"""
import base64
import hashlib
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
WHEN = (2020, 1, 1, 0, 0, 0)


def listed(text, key):
    """The strings of a list of pyproject.toml (Python 3.9 has no reader of TOML)."""
    return re.findall(r'"([^"]+)"', re.search(rf"^{key} = \[(.*?)\]$", text, re.M | re.S).group(1))


def value(text, key):
    return re.search(rf'^{key} = "(.*)"$', text, re.M).group(1)


def metadata(project, version):
    lines = ["Metadata-Version: 2.1", f"Name: {value(project, 'name')}", f"Version: {version}",
             f"Summary: {value(project, 'description')}", "License: MIT",
             f"Requires-Python: {value(project, 'requires-python')}"]
    lines += [f"Requires-Dist: {one}" for one in listed(project, "dependencies")]
    lines += [f"Classifier: {one}" for one in listed(project, "classifiers")]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text()]
    return "\n".join(lines).encode()


def contents(program, version, tags):
    """Every file of the wheel: name, bytes, whether it is a program."""
    project = (HERE / "pyproject.toml").read_text()
    for path in sorted((HERE / "src" / "dojima").rglob("*")):
        if path.suffix in (".py", ".typed"):
            yield path.relative_to(HERE / "src").as_posix(), path.read_bytes(), False
    yield "dojima/_bin/dojima", pathlib.Path(program).read_bytes(), True
    info = f"dojima-{version}.dist-info"
    points = re.search(r"^\[project\.entry-points\.(\w+)\]\n((?:\w+ = .*\n)+)", project, re.M)
    yield f"{info}/METADATA", metadata(project, version), False
    wheel = "Wheel-Version: 1.0\nGenerator: dojima\nRoot-Is-Purelib: false\n"
    yield f"{info}/WHEEL", (wheel + "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))).encode(), False
    yield f"{info}/entry_points.txt", f"[{points.group(1)}]\n{points.group(2)}".replace('"', "").encode(), False


def main():
    program, version, tags, folder = sys.argv[1:]
    target = pathlib.Path(folder) / f"dojima-{version}-py3-none-{tags}.whl"
    target.parent.mkdir(parents=True, exist_ok=True)
    record = f"dojima-{version}.dist-info/RECORD"
    rows = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def put(name, data, program=False):
            entry = zipfile.ZipInfo(name, WHEN)
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
        for name, data, runs in contents(program, version, tags):
            put(name, data, runs)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(data)}\n")
        put(record, ("".join(rows) + f"{record},,\n").encode())
    print(target)


if __name__ == "__main__":
    main()
