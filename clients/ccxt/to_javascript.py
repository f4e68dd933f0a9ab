# SPDX-License-Identifier: MIT
"""Writes a module of source/ in JavaScript. It knows the small part of Python that source/ is written in, and refuses
everything else, so nothing is translated by guess."""
import ast
import re

# Names that ccxt spells its own way in JavaScript.
METHODS = {
    'fetch_ohlcv': 'fetchOHLCV', 'parse_ohlcv': 'parseOHLCV', 'parse_ohlcvs': 'parseOHLCVs', 'watch_ohlcv': 'watchOHLCV',
    'handle_ohlcv': 'handleOHLCV',
}
# Methods of text, arrays and objects.
PLAIN = {
    'append': None, 'startswith': 'startsWith', 'endswith': 'endsWith', 'lower': 'toLowerCase', 'upper': 'toUpperCase',
}
COMPARE = {ast.Eq: '===', ast.NotEq: '!==', ast.Is: '===', ast.IsNot: '!==', ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>',
           ast.GtE: '>='}
ARITHMETIC = {ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/'}
MODULES = {'ccxt.base.errors': './errors.js', 'ccxt.base.precise': './errors.js',
           'ccxt.base.decimal_to_precision': './errors.js'}


class Refused(Exception):
    """Something that this translation does not know."""


def camel(name):
    return METHODS.get(name) or re.sub(r'(?<=[a-zA-Z0-9])_([a-z0-9])', lambda found: found.group(1).upper(), name)


class Writer:
    """The text of one module."""

    def __init__(self, path):
        self.path, self.classes, self.constants = path, set(), set()

    def refuse(self, node, why):
        raise Refused(f'{self.path}:{node.lineno}: {why}: {ast.unparse(node)[:80]}')

    # ---- expressions

    def expression(self, node):
        write = getattr(self, 'write_' + type(node).__name__.lower(), None)
        return write(node) if write else self.refuse(node, 'no expression of ' + type(node).__name__)

    def write_constant(self, node):
        if node.value is None:
            return 'undefined'
        if isinstance(node.value, bool):
            return 'true' if node.value else 'false'
        if isinstance(node.value, int):
            return str(node.value)
        if isinstance(node.value, str):
            return "'" + node.value.replace('\\', '\\\\').replace("'", "\\'").replace('\n', '\\n') + "'"
        return self.refuse(node, 'a constant of another kind')

    def write_name(self, node):
        return {'self': 'this'}.get(node.id, node.id)

    def write_dict(self, node):
        rows = []
        for key, value in zip(node.keys, node.values):
            if key is None:
                self.refuse(node, 'no ** in a dictionary')
            rows.append(f'{self.expression(key)}: {self.expression(value)}')
        return '{ ' + ', '.join(rows) + ' }' if rows else '{}'

    def write_list(self, node):
        return '[' + ', '.join(map(self.expression, node.elts)) + ']'

    def write_attribute(self, node):
        return f'{self.expression(node.value)}.{node.attr}'

    def write_subscript(self, node):
        of = self.expression(node.value)
        if not isinstance(node.slice, ast.Slice):
            return f'{of}[{self.expression(node.slice)}]'
        ends = [self.expression(end) if end else None for end in (node.slice.lower, node.slice.upper)]
        return f'{of}.slice({ends[0] or 0}' + (f', {ends[1]})' if ends[1] else ')')

    def write_await(self, node):
        return f'(await {self.expression(node.value)})'

    def write_ifexp(self, node):
        return f'({self.expression(node.test)} ? {self.expression(node.body)} : {self.expression(node.orelse)})'

    def write_boolop(self, node):
        word = ' && ' if isinstance(node.op, ast.And) else ' || '
        return '(' + word.join(map(self.expression, node.values)) + ')'

    def write_unaryop(self, node):
        if isinstance(node.op, ast.Not):
            return f'!{self.expression(node.operand)}'
        return self.refuse(node, 'no operator')

    def write_binop(self, node):
        sign = ARITHMETIC.get(type(node.op)) or self.refuse(node, 'no operator')
        return f'({self.expression(node.left)} {sign} {self.expression(node.right)})'

    def write_compare(self, node):
        if len(node.ops) != 1:
            self.refuse(node, 'one comparison at a time')
        left, right, op = self.expression(node.left), self.expression(node.comparators[0]), type(node.ops[0])
        if op is ast.In:
            return f'({left} in {right})'
        sign = COMPARE.get(op) or self.refuse(node, 'no comparison')
        return f'({left} {sign} {right})'

    def write_call(self, node):
        if node.keywords:
            self.refuse(node, 'no arguments by name')
        args = [self.expression(arg) for arg in node.args]
        if isinstance(node.func, ast.Name):
            return self.call_of_name(node, node.func.id, args)
        if not isinstance(node.func, ast.Attribute):
            self.refuse(node, 'no call of this')
        owner, name = node.func.value, node.func.attr
        if isinstance(owner, ast.Call) and ast.unparse(owner) == 'super()':
            return f'super.{camel(name)}({", ".join(args)})'
        of = self.expression(owner)
        if name == 'append' and not of.startswith(('this.orders', 'this.myTrades')) and False:
            return ''
        if name == 'append':
            return f'appended({of}, {args[0]})'
        if name == 'keys':
            return f'Object.keys({of})'
        if isinstance(owner, ast.Name) and owner.id not in ('self', 'Precise', 'client', 'book', 'side', 'orders',
                                                            'trades', 'bars'):
            return f'{of}.{PLAIN.get(name) or self.refuse(node, "no method of this name")}({", ".join(args)})'
        return f'{of}.{PLAIN.get(name) or camel(name)}({", ".join(args)})'

    def call_of_name(self, node, name, args):
        if name == 'len':
            return f'{args[0]}.length'
        if name in ('max', 'min'):
            return f'Math.{name}({", ".join(args)})'
        if name == 'list':
            return args[0]
        if name == 'isinstance':
            return f'({args[0]} instanceof {args[1]})'
        if name[0].isupper():
            return f'new {name}({", ".join(args)})'
        return self.refuse(node, 'no function of this name')

    # ---- statements

    def block(self, body, depth):
        lines = []
        for statement in body:
            write = getattr(self, 'put_' + type(statement).__name__.lower(), None)
            if not write:
                self.refuse(statement, 'no statement of ' + type(statement).__name__)
            lines += [('    ' * depth + line) if line else line for line in write(statement)]
        return lines

    def inner(self, body):
        return self.block(body, 1)

    def put_expr(self, node):
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            text = [line.strip() for line in node.value.value.strip().split('\n')]
            return ['/** ' + text[0] + ' */'] if len(text) == 1 else ['/**'] + [' * ' + t for t in text] + [' */']
        return [self.expression(node.value) + ';']

    def put_assign(self, node):
        if len(node.targets) != 1:
            self.refuse(node, 'one target')
        target, value = node.targets[0], self.expression(node.value)
        if isinstance(target, ast.Tuple):
            return ['[' + ', '.join(name.id for name in target.elts) + f'] = {value};']
        return [f'{self.expression(target)} = {value};']

    def put_augassign(self, node):
        sign = ARITHMETIC.get(type(node.op)) or self.refuse(node, 'no operator')
        return [f'{self.expression(node.target)} {sign}= {self.expression(node.value)};']

    def put_return(self, node):
        return [f'return {self.expression(node.value)};' if node.value else 'return undefined;']

    def put_raise(self, node):
        return [f'throw {self.expression(node.exc)};']

    def put_pass(self, _node):
        return []

    def put_delete(self, node):
        return [f'delete {self.expression(target)};' for target in node.targets]

    def put_if(self, node):
        lines = [f'if ({self.condition(node.test)}) {{'] + self.inner(node.body)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            rest = self.put_if(node.orelse[0])
            return lines + ['} else ' + rest[0]] + rest[1:]
        if node.orelse:
            lines += ['} else {'] + self.inner(node.orelse)
        return lines + ['}']

    def condition(self, node):
        text = self.expression(node)
        return text[1:-1] if re.fullmatch(r'\([^()]*\)', text) else text

    def put_while(self, node):
        return [f'while ({self.expression(node.test)}) {{'] + self.inner(node.body) + ['}']

    def put_for(self, node):
        name = node.target.id
        if isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == 'range':
            args = [self.expression(arg) for arg in node.iter.args]
            step = args[2] if len(args) == 3 else '1'
            head = f'for ({name} = {args[0]}; {name} < {args[1]}; {name} += {step}) {{'
        else:
            head = f'for ({name} of {self.expression(node.iter)}) {{'
        return [head] + self.inner(node.body) + ['}']

    def put_try(self, node):
        if len(node.handlers) != 1 or node.orelse or node.finalbody or ast.unparse(node.handlers[0].type) != 'Exception':
            self.refuse(node, 'only try and except Exception as')
        handler = node.handlers[0]
        return (['try {'] + self.inner(node.body) + [f'}} catch ({handler.name}) {{'] + self.inner(handler.body) + ['}'])

    # ---- functions, classes, the module

    def function(self, node):
        names = [arg.arg for arg in node.args.args]
        if not names or names[0] != 'self' or node.args.vararg or node.args.kwonlyargs or node.args.kwarg:
            self.refuse(node, 'only plain methods')
        defaults = [None] * (len(names) - len(node.args.defaults)) + node.args.defaults
        params = [name + (f' = {self.expression(default)}' if default else '')
                  for name, default in zip(names, defaults)][1:]
        body = list(node.body)
        lines = []
        if ast.get_docstring(node):
            lines += self.put_expr(body.pop(0))
        word = 'async ' if isinstance(node, ast.AsyncFunctionDef) else ''
        lines.append(f'{word}{camel(node.name)}({", ".join(params)}) {{')
        local = self.locals_of(node, set(names))
        if local:
            lines.append('    let ' + ', '.join(sorted(local)) + ';')
        return lines + self.inner(body) + ['}', '']

    def locals_of(self, node, params):
        names = set()
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                names.add(inner.id)
        return names - params

    def put_class(self, node):
        lines = [f'export class {node.name} extends {node.bases[0].id} {{', '']
        for method in node.body:
            if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines += ['    ' + line if line else '' for line in self.function(method)]
            elif not isinstance(method, ast.Pass):
                self.refuse(method, 'only methods in a class')
        return lines + ['}', '']

    def imports(self, node):
        names = ', '.join(name.name + (f' as {name.asname}' if name.asname else '') for name in node.names)
        path = f'./{node.module}.js' if node.level == 1 else MODULES.get(node.module)
        return f"import {{ {names} }} from '{path or self.refuse(node, 'no such module')}';"

    def module(self, text):
        lines = ['// SPDX-License-Identifier: MIT', '// Written by clients/ccxt/generate; do not edit.',
                 "import { appended } from './platform.js';"]
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom):
                lines.append(self.imports(node))
            elif isinstance(node, ast.ClassDef):
                lines += [''] + self.put_class(node)
            elif isinstance(node, ast.Assign):
                lines.append(f'export const {node.targets[0].id} = {self.expression(node.value)};')
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                lines += self.put_expr(node)
            else:
                self.refuse(node, 'nothing else in a module')
        return '\n'.join(lines).rstrip() + '\n'
