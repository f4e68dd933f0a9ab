# SPDX-License-Identifier: MIT
"""Hashing and signing with what ccxt brings, and the implicit methods of the paths, such as public_get_time()."""
import re

from ccxt.base.types import Entry


def parts_of(path):
    return [part for part in re.split(r'[^a-zA-Z0-9]', path) if part]


def names_of(api, method, path):
    """The two names of a path, as ccxt builds them."""
    words = [part.lower() for part in parts_of(path)]
    snake = '_'.join([api, method, *words])
    camel = api + method.capitalize() + ''.join(part[0].upper() + part[1:] for part in parts_of(path))
    return snake, camel


class Common:

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        api = getattr(__import__(cls.__module__, fromlist=['API']), 'API', {})
        for kind, methods in api.items():
            for method, paths in methods.items():
                for path, config in paths.items():
                    entry = Entry(path, kind, method.upper(), config if isinstance(config, dict) else {'cost': config})
                    for name in names_of(kind, method, path):
                        setattr(cls, name, entry)

    def ask(self, path, params, cost):
        """Sends a read. Between 4.5.84 and 4.5.90 ccxt has moved the place of config."""
        return self.request(path, 'public', 'GET', params, config={'cost': cost})

    def keccak_text(self, text):
        return self.hash(self.encode(text), 'keccak', 'hex')

    def keccak_hex(self, text):
        return self.hash(self.base16_to_binary(text), 'keccak', 'hex')

    def word(self, number):
        """A number as 32 bytes in hex."""
        return format(int(number), '064x')

    def sign_digest(self, digest, key):
        """r, s and v over a digest, in hex; deterministic (RFC 6979), low s."""
        signature = self.ecdsa(digest, self.remove0x_prefix(key), 'secp256k1', None)
        return signature['r'].rjust(64, '0') + signature['s'].rjust(64, '0') + format(signature['v'], '02x')

    def message_of(self, error):
        return str(error)

    def reversed(self, rows):
        return rows[::-1]
