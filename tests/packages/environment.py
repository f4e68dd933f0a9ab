# SPDX-License-Identifier: MIT
"""The wheel in an empty virtual environment: its tests pass there, over the libraries in it, and mypy accepts it."""
import glob
import os
import subprocess
import sys
import tempfile

NEEDS = ("numpy==2.2.6", "gymnasium==1.4.0", "mypy==1.18.2")

AGENT = """
import dojima_environment as dojima

environment = dojima.Environment("calm")
observation, info = environment.reset(seed=1)
value: float = environment.step(environment.action_space.sample())[1]
price = environment.layout.symbols[0].price(int(observation["books"][0, 0, 0, 0])) + 1
"""


def python_of(folder):
    """A Python with venv; the system's may lack it."""
    made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, text=True)
    if made.returncode:
        print("skipped: python3-venv is not installed")
        sys.exit(77)
    return os.path.join(folder, "bin", "python")


def main():
    for wheel in glob.glob("dist/dojima_environment-*.whl"):
        os.unlink(wheel)
    build = os.path.dirname(os.environ["DOJIMA"])
    made = subprocess.run(["tools/package", "environment"], capture_output=True, text=True,
                          env={**os.environ, "DOJIMA_BUILD": build})
    if made.returncode == 77:
        print("skipped: " + made.stdout.strip())
        sys.exit(77)
    wheels = glob.glob("dist/dojima_environment-*.whl")
    if made.returncode or len(wheels) != 1:
        sys.exit(made.stdout + made.stderr)
    with tempfile.TemporaryDirectory(prefix="dojima-environment.") as folder:
        python = python_of(folder)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if subprocess.run([*pip, *NEEDS], capture_output=True).returncode:
            print("skipped: numpy and gymnasium cannot be installed (no network?)")
            sys.exit(77)
        subprocess.run([*pip, "--no-index", *wheels], check=True)
        clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "DOJIMA_LIBRARY")}
        tests = os.path.abspath("clients/environment/tests/run.py")
        where = subprocess.run([python, "-c", "import dojima_environment; print(dojima_environment.__file__)"],
                               cwd=folder, env=clean, check=True, capture_output=True, text=True).stdout.strip()
        if not where.startswith(folder):
            sys.exit(f"the package is not the wheel's: {where}")
        with open(os.path.join(folder, "agent.py"), "w") as file:
            file.write(AGENT)
        for what in (["agent.py"], ["-p", "dojima_environment"]):
            subprocess.run([python, "-m", "mypy", "--strict", *what], cwd=folder, env=clean, check=True)
        sys.exit(subprocess.run([python, "-B", tests], cwd=folder, env=clean).returncode)


if __name__ == "__main__":
    main()
