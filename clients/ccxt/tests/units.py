# SPDX-License-Identifier: MIT
"""The fast slice, without ccxt: the tables against what the program prints, and the two forms written from the source."""
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
SOURCE = ROOT / 'clients/ccxt/source'
sys.path.insert(0, str(ROOT / 'clients/ccxt'))
from to_javascript import Refused, Writer     # noqa: E402

# Not for a bot that trades: keys are managed by the wallet's owner, prices come from feeders.
NOT_OFFERED = {'POST oracle', 'POST user/{userAddress}/api-keys', 'DELETE user/{userAddress}/api-keys',
               'POST spot/accounts/api-keys', 'DELETE spot/accounts/api-keys', 'POST perps/accounts/api-keys',
               'DELETE perps/accounts/api-keys'}


def printed():
    apidoc = os.environ.get('APIDOC', str(ROOT / 'build/release/apidoc'))
    return subprocess.run([apidoc], check=True, stdout=subprocess.PIPE, text=True).stdout


class Names(ast.NodeTransformer):
    """Names become texts."""

    def visit_Name(self, node):
        return ast.copy_location(ast.Constant(node.id), node)


def table(name):
    """A table of description.py, names in place of classes."""
    for node in ast.parse((SOURCE / 'description.py').read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return ast.literal_eval(Names().visit(node.value))
    raise AssertionError(name)


class Tables(unittest.TestCase):

    def test_every_error_has_an_exception(self):
        rows = printed().split('## Errors')[1]
        codes = set(re.findall(r'^\| (\d{5}) \|', rows, re.M))
        self.assertGreater(len(codes), 50)
        self.assertEqual(codes, set(table('ERRORS')))

    def test_every_endpoint_is_known(self):
        text, found = printed().split('## The process')[0], set()
        for part in re.split(r'^## ', text, flags=re.M)[1:]:
            base = re.search(r'under `/api/v1/?(\w*)`', part)[1]
            for method, path in re.findall(r'^### `(\w+) /(\S+)`', part, re.M):
                found.add(f'{method} {base + "/" if base else ""}{path}')
        self.assertGreater(len(found), 50)
        api = table('API')
        ours = {f'{method.upper()} {path}' for kind in api.values() for method, paths in kind.items() for path in paths}
        self.assertEqual(found - NOT_OFFERED, ours)

    def test_every_write_is_signed_as_its_action(self):
        text, actions = printed(), {}
        for part in re.split(r'^## ', text, flags=re.M)[1:3]:
            base = re.search(r'under `/api/v1/(\w+)`', part)[1]
            for method, path, rest in re.findall(r'^### `(\w+) /(\S+)`\n(.*?)(?=^### |\Z)', part, re.M | re.S):
                signed = re.search(r'^Signed; `type` of the signed payload: `(\w+)`', rest, re.M)
                if signed:
                    actions[f'{method} {base}/{path}'] = signed[1]
        self.assertEqual(actions, table('ACTIONS'))

    def test_weights_are_those_of_the_exchange(self):
        text = printed()
        for path, cost in table('API')['private']['post'].items():
            base, rest = path.split('/', 1)
            part = text.split(f'under `/api/v1/{base}`')[1].split(f'### `POST /{rest}`')[1]
            self.assertEqual(int(re.search(r'Weight: (\d+)', part)[1]), cost, path)


class Forms(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix='dojima-ccxt-')
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([sys.executable, ROOT / 'clients/ccxt/generate', cls.folder.name], check=True,
                       stdout=subprocess.DEVNULL)

    def test_python_is_python(self):
        files = list(Path(self.folder.name, 'python').rglob('*.py'))
        self.assertGreater(len(files), 15)
        for path in files:
            tree = ast.parse(path.read_text())
            if path.parent.name == 'sync':
                waits = [node for node in ast.walk(tree) if isinstance(node, (ast.Await, ast.AsyncFunctionDef))]
                self.assertEqual(waits, [], path)

    def test_javascript_is_javascript(self):
        node = shutil.which('node')
        if node is None:
            self.skipTest('no node')
        files = list(Path(self.folder.name, 'javascript').glob('*.js'))
        self.assertGreater(len(files), 10)
        for path in files:
            subprocess.run([node, '--check', path], check=True)

    def test_both_have_the_same_methods(self):
        for source in SOURCE.glob('*.py'):
            ours = [node.name for node in ast.walk(ast.parse(source.read_text()))
                    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
            text = Path(self.folder.name, 'javascript', source.stem + '.js').read_text()
            theirs = re.findall(r'^    (?:async )?(\w+)\(.*\) \{$', text, re.M)
            self.assertEqual([name.replace('_', '').lower() for name in ours], [name.lower() for name in theirs])


class Translation(unittest.TestCase):

    def js(self, body):
        text = f'class A(B):\n    def f(self, a, b=None):\n        {body}\n'
        return Writer('t').module(text)

    def test_what_it_knows(self):
        for python, javascript in (
                ("return self.safe_string(a, 'x')", "return this.safeString(a, 'x');"),
                ("return a is not None and not (b in a)", 'return ((a !== undefined) && !(b in a));'),
                ('return a[1:b]', 'return a.slice(1, b);'),
                ("return 'x' if a == b else []", "return ((a === b) ? 'x' : []);"),
                ('raise Refused(a)', 'throw new Refused(a);'),
                ('return self.fetch_ohlcv(a)', 'return this.fetchOHLCV(a);'),
                ('return len(a) + max(a, b)', 'return (a.length + Math.max(a, b));')):
            self.assertIn(javascript, self.js(python), python)

    def test_what_it_does_not_know_is_refused(self):
        for python in ('return f"{a}"', 'return [x for x in a]', 'return a ** b', 'return a < b < 3', 'return self.f(b=1)',
                       'return lambda: a', 'return a % b', 'return sorted(a)', 'return a.strip()', 'return 1.5',
                       'with a: pass', 'return -a', 'return {**a}', 'assert a'):
            with self.assertRaises(Refused, msg=python):
                self.js(python)


if __name__ == '__main__':
    unittest.main(verbosity=2)
