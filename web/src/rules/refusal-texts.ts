// SPDX-License-Identifier: MIT
// Why an order is or was refused, in words: by the row of the exchange where the preview knows it, else by code.
import { type Message, language } from '../ui/i18n';
import type { Refusal, Rule } from './draft';
import { unitsOf } from './units';

const BY_RULE: Readonly<Record<Rule, Message>> = {
  PRICE_REQUIRED: { en: 'Enter a price.', ja: '価格を入力してください。' },
  QUANTITY_REQUIRED: { en: 'Enter a size.', ja: '数量を入力してください。' },
  SYNTAX: { en: 'Digits and one point only.', ja: '数字と小数点のみ入力できます。' },
  PRICE_DECIMALS: { en: 'The price has to be a multiple of {need}.', ja: '価格は {need} の倍数にしてください。' },
  PRICE_TICK: { en: 'The price has to be a multiple of {need}.', ja: '価格は {need} の倍数にしてください。' },
  PRICE_MIN: { en: 'The price is at least {need}.', ja: '価格は {need} 以上です。' },
  PRICE_MAX: { en: 'The price is at most {need}.', ja: '価格は {need} 以下です。' },
  QUANTITY_DECIMALS: { en: 'The size has to be a multiple of {need}.', ja: '数量は {need} の倍数にしてください。' },
  QUANTITY_STEP: { en: 'The size has to be a multiple of {need}.', ja: '数量は {need} の倍数にしてください。' },
  QUANTITY_MIN: { en: 'The size is at least {need}.', ja: '数量は {need} 以上です。' },
  QUANTITY_MAX: { en: 'The size is at most {need}.', ja: '数量は {need} 以下です。' },
  MARKET_QUANTITY_MIN: { en: 'A market order is at least {need}.', ja: '成行注文は {need} 以上です。' },
  MARKET_QUANTITY_MAX: { en: 'A market order is at most {need}.', ja: '成行注文は {need} 以下です。' },
  NOTIONAL_MIN: {
    en: 'The order is worth {got}; at least {need} is needed.',
    ja: '注文額 {got} は最低 {need} が必要です。',
  },
  NOTIONAL_MAX: {
    en: 'The order is worth {got}; at most {need} is allowed.',
    ja: '注文額 {got} は上限 {need} を超えています。',
  },
  FUNDS_DECIMALS: { en: 'At most {need} decimals.', ja: '小数は {need} 桁までです。' },
  BUY_LIMIT: { en: 'Buys may not be above {need} now.', ja: '現在の買値の上限は {need} です。' },
  SELL_LIMIT: { en: 'Sales may not be below {need} now.', ja: '現在の売値の下限は {need} です。' },
  NO_REFERENCE_PRICE: {
    en: 'There is no last price yet; use a limit order.',
    ja: '直近価格がありません。指値を使ってください。',
  },
  SYMBOL_HALTED: { en: 'Trading of this symbol is halted.', ja: 'この銘柄は取引停止中です。' },
  POST_ONLY_CROSS: {
    en: 'It would trade at once with {need}; a post-only order may not.',
    ja: '{need} と即時約定するため、ポストオンリーでは出せません。',
  },
  INSUFFICIENT_BALANCE: { en: 'Needs {need}; {got} is available.', ja: '必要額 {need}、利用可能 {got}。' },
  INSUFFICIENT_MARGIN: {
    en: 'Needs {need} more margin; {got} is available.',
    ja: '必要証拠金 {need}、利用可能 {got}。',
  },
  REDUCE_ONLY: { en: 'There is no position on the other side to reduce.', ja: '減らせる反対側の建玉がありません。' },
  REDUCE_ONLY_FULL: {
    en: 'Other reduce-only orders already cover the position.',
    ja: '他のリデュースオンリー注文が建玉全体を覆っています。',
  },
  LEVERAGE_TIER: {
    en: 'The position would be worth {got}; this leverage allows {need}.',
    ja: '建玉額 {got} はこのレバレッジの上限 {need} を超えます。',
  },
  OPEN_INTEREST_CAP: {
    en: 'The open interest of the symbol is at its cap.',
    ja: '銘柄の未決済建玉が上限に達しています。',
  },
  ORACLE_STALE: {
    en: 'The index price is stale; only closing is possible.',
    ja: '指数価格が古いため、決済のみ可能です。',
  },
  TAKE_PROFIT_ABOVE: { en: 'The take profit has to be above {need}.', ja: '利確は {need} より上にしてください。' },
  TAKE_PROFIT_BELOW: { en: 'The take profit has to be below {need}.', ja: '利確は {need} より下にしてください。' },
  STOP_LOSS_ABOVE: { en: 'The stop loss has to be above {need}.', ja: '損切りは {need} より上にしてください。' },
  STOP_LOSS_BELOW: { en: 'The stop loss has to be below {need}.', ja: '損切りは {need} より下にしてください。' },
  BRACKET_SHAPE: { en: 'A stop loss needs a take profit beside it.', ja: '損切りには利確も必要です。' },
  LEVERAGE_LOCKED: {
    en: 'Close the position and cancel the orders of the symbol first.',
    ja: '先に建玉を決済し、この銘柄の注文を取り消してください。',
  },
  LEVERAGE_RANGE: { en: 'The leverage is 1 to {need}.', ja: 'レバレッジは 1〜{need} です。' },
  AMOUNT_DECIMALS: { en: 'At most {need} decimals.', ja: '小数は {need} 桁までです。' },
  AMOUNT_ZERO: { en: 'Enter an amount above zero.', ja: '0 より大きい額を入力してください。' },
};

const BY_CODE: Readonly<Record<number, Message>> = {
  40001: { en: 'The request is not valid.', ja: 'リクエストが不正です。' },
  40002: { en: 'These fields do not go together.', ja: '項目の組み合わせが不正です。' },
  40003: { en: 'Too many orders in one request.', ja: '一度に送れる注文数を超えています。' },
  40004: { en: 'The client order id is not valid.', ja: 'クライアント注文 ID が不正です。' },
  40005: { en: 'The exchange does not offer this.', ja: 'この操作には対応していません。' },
  40101: { en: 'The signature is not that of this account.', ja: '署名がこの口座のものではありません。' },
  40102: {
    en: 'The nonce was used or is too old; check the clock of this computer.',
    ja: 'ナンスが使用済みか古すぎます。時計を確認してください。',
  },
  40103: { en: 'The exchange does not know this API key.', ja: 'この API キーは登録されていません。' },
  40104: { en: 'The API key has expired.', ja: 'API キーの期限が切れています。' },
  40105: { en: 'This API key may not do that.', ja: 'この API キーには権限がありません。' },
  40401: { en: 'The symbol does not exist.', ja: '銘柄が存在しません。' },
  40402: { en: 'The order is no longer open.', ja: '注文はすでに終了しています。' },
  40403: { en: 'The account does not exist.', ja: '口座が存在しません。' },
  40404: { en: 'The coin does not exist.', ja: 'コインが存在しません。' },
  40901: { en: 'The client order id is in use.', ja: 'クライアント注文 ID は使用中です。' },
  40902: { en: 'This order cannot be changed.', ja: 'この注文は変更できません。' },
  40903: { en: 'More than this has traded already: {got}.', ja: 'すでに約定した数量以下です: {got}。' },
  40904: { en: 'The transfer id was used for another transfer.', ja: '振替 ID は別の振替で使われています。' },
  40905: { en: 'The stop has fired already.', ja: 'ストップはすでに発動しました。' },
  40906: { en: 'The transfer id is too old.', ja: '振替 ID が古すぎます。' },
  40908: { en: 'The order is no take profit or stop loss.', ja: '利確・損切り注文ではありません。' },
  42001: BY_RULE.INSUFFICIENT_BALANCE,
  42002: BY_RULE.INSUFFICIENT_MARGIN,
  42003: BY_RULE.LEVERAGE_TIER,
  42004: BY_RULE.OPEN_INTEREST_CAP,
  42005: BY_RULE.REDUCE_ONLY,
  42006: BY_RULE.REDUCE_ONLY_FULL,
  42007: BY_RULE.POST_ONLY_CROSS,
  42008: { en: 'The stop would fire at once: the reference is {need}.', ja: '即時に発動します（参照価格 {need}）。' },
  42009: { en: 'The stop is on the wrong side of {need}.', ja: 'ストップは {need} に対して反対側です。' },
  42010: { en: 'There is no position in this symbol.', ja: 'この銘柄の建玉がありません。' },
  42011: { en: 'The position has such a stop already.', ja: '同じ種類のストップがすでにあります。' },
  42012: BY_RULE.LEVERAGE_LOCKED,
  42014: BY_RULE.SYMBOL_HALTED,
  42015: BY_RULE.ORACLE_STALE,
  42016: { en: 'The account is in liquidation; only closing is possible.', ja: '清算中のため、決済のみ可能です。' },
  42017: { en: 'Withdrawals are suspended.', ja: '出金は停止中です。' },
  42018: { en: 'This time in force is not offered.', ja: 'この執行条件には対応していません。' },
  42019: BY_RULE.NO_REFERENCE_PRICE,
  42021: { en: 'The account has too many open orders.', ja: '未約定注文が多すぎます。' },
  42022: { en: 'The account has too many stops.', ja: 'ストップ注文が多すぎます。' },
  42024: { en: 'The order is worth too much.', ja: '注文額が大きすぎます。' },
  42026: { en: 'The exchange is at capacity.', ja: '取引所の処理能力が上限に達しています。' },
  42027: { en: 'Not possible in the present mode.', ja: '現在の状態では実行できません。' },
  42028: {
    en: 'Prices are not live ({got}); nothing may leave meanwhile.',
    ja: '価格が配信されていないため ({got})、出金できません。',
  },
  42029: BY_RULE.LEVERAGE_RANGE,
  42030: { en: 'The position is not isolated.', ja: 'この建玉は分離マージンではありません。' },
  42201: { en: 'The price {got} is not valid; needed: {need}.', ja: '価格 {got} は不正です（必要: {need}）。' },
  42202: { en: 'The amount {got} is not valid; needed: {need}.', ja: '数量 {got} は不正です（必要: {need}）。' },
  42203: {
    en: 'A market order of {got} is not possible; bound: {need}.',
    ja: '成行数量 {got} は不正です（限度: {need}）。',
  },
  42204: {
    en: 'An order worth {got} is not possible; bound: {need}.',
    ja: '注文額 {got} は不正です（限度: {need}）。',
  },
  42205: {
    en: 'A price of {got} is too far from the market; the limit is {need} now.',
    ja: '価格 {got} は市場から離れすぎています（現在の限度: {need}）。',
  },
  42901: { en: 'Too many requests; try again in a moment.', ja: 'リクエストが多すぎます。少し待ってください。' },
  50001: { en: 'The exchange had an internal error.', ja: '取引所の内部エラーです。' },
  50301: { en: 'The exchange is busy; nothing was executed.', ja: '取引所が混雑しています。何も実行されていません。' },
  50302: { en: 'No node leads now; nothing was executed.', ja: '主ノードが不在です。何も実行されていません。' },
};

/** Codes of the filters have several rules each; the exchange names the value of the symbol that was not met. */
const BY_FILTER: Readonly<Record<string, Message>> = {
  pricePrecision: { en: 'Decimals of the price: at most {need}.', ja: '価格の小数は {need} 桁までです。' },
  tickSize: BY_RULE.PRICE_TICK,
  minPrice: BY_RULE.PRICE_MIN,
  maxPrice: BY_RULE.PRICE_MAX,
  quantityPrecision: { en: 'Decimals of the size: at most {need}.', ja: '数量の小数は {need} 桁までです。' },
  stepSize: BY_RULE.QUANTITY_STEP,
  minQuantity: BY_RULE.QUANTITY_MIN,
  maxQuantity: BY_RULE.QUANTITY_MAX,
  marketMinQuantity: BY_RULE.MARKET_QUANTITY_MIN,
  marketMaxQuantity: BY_RULE.MARKET_QUANTITY_MAX,
  minNotional: BY_RULE.NOTIONAL_MIN,
  maxNotional: BY_RULE.NOTIONAL_MAX,
};

/** The message of a code, or of the filter that a refusal names. */
function messageOf(code: number, rule: unknown): Message | undefined {
  const name = String(rule)
    .split(' ')
    .find((word) => Object.hasOwn(BY_FILTER, word));
  return (name === undefined ? undefined : BY_FILTER[name]) ?? BY_CODE[code];
}

const MOST_AMOUNT: Message = { en: 'At most {need} can be moved now.', ja: '現在動かせる上限は {need} です。' };

/** The smaller of two amounts without their signs: of what was asked and what is possible, the possible one. */
function smallerOf(a: string, b: string): string {
  const [left, right] = [a.replace('-', ''), b.replace('-', '')];
  return unitsOf(left, AMOUNT_SCALE) < unitsOf(right, AMOUNT_SCALE) ? left : right;
}

const AMOUNT_SCALE = 18;
const NO_MONEY: ReadonlySet<number> = new Set([42001, 42002]);

/** Thousands apart, where the exchange names a decimal; anything else stays as it is. */
function grouped(text: string | undefined): string {
  if (text === undefined || !/^-?\d+(\.\d+)?$/.test(text)) return text ?? '?';
  const [whole = '', fraction] = text.split('.');
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? apart : `${apart}.${fraction}`;
}

function fill(text: string, got: string | undefined, need: string | undefined): string {
  return text.replace('{got}', grouped(got)).replace('{need}', grouped(need));
}

/** A text that names figures is only used where they came. */
function usable(message: Message | undefined, got: string | undefined, need: string | undefined): message is Message {
  if (message === undefined) return false;
  if (message.en.includes('{need}') && need === undefined) return false;
  return !message.en.includes('{got}') || got !== undefined;
}

export function refusalText(refusal: Refusal): string {
  return fill(BY_RULE[refusal.rule][language.value], refusal.got, refusal.need);
}

/** What the exchange answered: by code, else its own words. */
export function answerText(code: number, error: string, details: Readonly<Record<string, unknown>> = {}): string {
  const got = details['got'] === undefined ? undefined : String(details['got']);
  const need = details['need'] === undefined ? undefined : String(details['need']);
  if (NO_MONEY.has(code) && details['field'] === 'amount' && got !== undefined && need !== undefined)
    return fill(MOST_AMOUNT[language.value], undefined, smallerOf(got, need));
  const message = messageOf(code, details['rule']);
  if (!usable(message, got, need)) return error === '' ? `code ${code}` : error;
  return fill(message[language.value], got, need);
}
