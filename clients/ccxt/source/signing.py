# SPDX-License-Identifier: MIT
"""Requests: their address, their signature, what their answers mean, and what became of one without an answer."""
from .description import ACTIONS, Description
from ccxt.base.errors import (
    AuthenticationError, ExchangeError, InvalidNonce, NetworkError, OperationFailed, RequestTimeout)

# keccak256 of the type texts (wire 3.1).
DOMAIN_TYPE = '8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f'
ACTION_TYPE = '4e81314d912f60a86c7c07c92fe29b978d114e680180be0547ceb513ba50bc9a'
# Refusals of signature, nonce or key. After a lost reply they do not say that the first attempt was not executed: the
# exchange remembers a nonce behind at most 100 newer ones, and the key may have been revoked since.
SIGNATURE_CODES = {'40101': True, '40102': True, '40103': True, '40104': True, '40105': True}


class Signing(Description):

    def nonce(self):
        """Engine time in ms, never the same twice."""
        now = self.milliseconds() - self.options['timeDifference']
        last = self.safe_integer(self.options, 'lastNonce', 0)
        self.options['lastNonce'] = max(now, last + 1)
        return self.options['lastNonce']

    def action_digest(self, payload, domain, nonce, chainId):
        """The EIP-712 digest of ExchangeAction over the signed text, in hex."""
        name = self.keccak_text(domain)
        version = self.keccak_text('1')
        separator = self.keccak_hex(DOMAIN_TYPE + name + version + self.word(chainId) + self.word(0))
        action = self.keccak_hex(ACTION_TYPE + self.keccak_text(payload) + self.word(nonce))
        return self.keccak_hex('1901' + separator + action)

    def sign_action(self, type, body, domain, nonce, chainId):
        """X-API-Sign of a body: the type byte 01, r, s and v."""
        payload = '{"type":"' + type + '","params":' + body + '}'
        return '0x01' + self.sign_digest(self.action_digest(payload, domain, nonce, chainId), self.privateKey)

    def sign(self, path, api='public', method='GET', params={}, headers=None, body=None):
        url = self.implode_hostname(self.urls['api']['rest']) + '/api/v1/' + self.implode_params(path, params)
        query = self.omit(params, self.extract_params(path))
        if method == 'GET':             # every read is unsigned, every write signed
            if len(list(query.keys())) > 0:
                url += '?' + self.urlencode(query)
        else:
            self.check_required_credentials()
            type = self.safe_string(ACTIONS, method + ' ' + path)
            domain = 'spot' if path.startswith('spot/') else 'futures'
            nonce = self.nonce()
            body = self.json(query)
            headers = {
                'Content-Type': 'application/json',
                'X-API-Nonce': self.number_to_string(nonce),
                'X-API-Chain': self.number_to_string(self.options['chainId']),
                'X-API-Sign': self.sign_action(type, body, domain, nonce, self.options['chainId']),
            }
            if self.is_key_name(self.apiKey):
                headers['X-API-Key'] = self.apiKey
        return {'url': url, 'method': method, 'body': body, 'headers': headers}

    def is_key_name(self, name):
        """Whether the private key is that of a registered API key, not of the wallet."""
        return name is not None and name != '' and name != 'default'

    def calculate_rate_limiter_cost(self, api, method, path, params, config={}):
        rows = self.safe_list(config, 'byLimit')
        limit = self.safe_integer(params, 'limit')
        if rows is not None and limit is not None:
            for row in rows:
                if limit <= row[0]:
                    return row[1]
        return self.safe_value(config, 'cost', 1)

    def handle_errors(self, code, reason, url, method, headers, body, response, requestHeaders, requestBody):
        if response is None:
            return None
        answer = self.safe_string(response, 'code')
        if answer is None or answer == '0':
            return None
        feedback = self.id + ' ' + body
        self.throw_exactly_matched_exception(self.exceptions['exact'], answer, feedback)
        raise ExchangeError(feedback)

    def item_error(self, item):
        """The exception of an item of a batch that was refused, as text: what a whole refusal would look like."""
        code = self.safe_string(item, 'code')
        if code is None or code == '0':
            return
        feedback = self.id + ' ' + self.json(item)
        self.throw_exactly_matched_exception(self.exceptions['exact'], code, feedback)
        raise ExchangeError(feedback)

    def answer_of(self, error):
        """The exchange's answer that an exception carries; an empty object when there was none."""
        text = self.message_of(error)
        start = len(self.id) + 1
        body = text[start:]
        if not body.startswith('{'):
            return {}
        answer = self.parse_json(body)
        if answer is None:
            return {}
        return answer

    def learn_time(self, answer):
        """Takes engine time from a refusal of a nonce."""
        serverTime = self.safe_integer(self.safe_dict(answer, 'details', {}), 'serverTime')
        if serverTime is None:
            serverTime = self.safe_integer(answer, 'timestamp')
        if serverTime is not None:
            self.options['timeDifference'] = self.milliseconds() - serverTime
            # A clock that went back must not be held by the nonces of the future.
            self.options['lastNonce'] = min(self.safe_integer(self.options, 'lastNonce', 0), serverTime)

    def outcome_unknown(self, request, error):
        """The exception of a write that was executed or was not."""
        return RequestTimeout(
            self.id + ' outcome unknown, ask for the order before you send it again: nonce '
            + request['headers']['X-API-Nonce'] + ', body ' + request['body'] + ': ' + self.message_of(error))

    async def write(self, path, method, body, cost=1):
        """
        Sends a signed request until its outcome is known. A reply that was lost is asked for again with the same bytes
        and nonce, which the exchange executes at most once (ruling 35). Gives the answer; when the lost request had been
        executed, an answer with `executedBefore` in place of `data`.
        """
        if self.enableRateLimit:
            await self.throttle(cost)
        request = self.sign(path, 'private', method, body)
        pause = self.options['lostReplyPause']
        lost = 0
        signed = 1
        while True:
            try:
                return await self.fetch(request['url'], request['method'], request['headers'], request['body'])
            except Exception as e:
                answer = self.answer_of(e)
                code = self.safe_string(answer, 'code')
                details = self.safe_dict(answer, 'details', {})
                if code == '40102' and self.safe_string(details, 'hash') is not None:
                    return {'executedBefore': details}
                # Other bytes have used the nonce, so these were not executed.
                taken = code == '40102' and self.safe_string(details, 'reason') == 'used'
                if lost > 0 and code in SIGNATURE_CODES and not taken:
                    raise self.outcome_unknown(request, e)
                if code == '40102' and lost == 0 and signed <= 3:
                    # Nothing was executed: the clock is wrong, or another process took this nonce.
                    if not taken:
                        self.learn_time(answer)
                    request = self.sign(path, 'private', method, body)
                    signed += 1
                else:
                    known = code is not None and code != '50303'
                    # Once a reply was lost, an answer that refuses the copy says nothing about the first.
                    transport = code == '42901' or code == '50301' or code == '50302'
                    if known and not (lost > 0 and transport):
                        raise e
                    if not known and not isinstance(e, OperationFailed):
                        raise e
                    if lost >= self.options['lostReplyRetries']:
                        raise self.outcome_unknown(request, e)
                    lost += 1
                    await self.sleep(pause)
                    pause = min(pause * 2, 4000)
