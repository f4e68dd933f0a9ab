// SPDX-License-Identifier: MIT
// The same request as a program: for a shell, Python, TypeScript and Go. Each is whole; a signed one takes the key from
// the environment variable DOJIMA_PRIVATE_KEY. tests/e2e/samples.py runs them against an exchange.
import type { Asked } from '../request';
import { curlSample } from './curl';
import { goSample } from './go';
import { pythonSample } from './python';
import { typescriptSample } from './typescript';

export type Language = 'curl' | 'Python' | 'TypeScript' | 'Go';
export const LANGUAGES: readonly Language[] = ['curl', 'Python', 'TypeScript', 'Go'];

const makers: Readonly<Record<Language, (asked: Asked, origin: string) => string>> = {
  curl: curlSample,
  Python: pythonSample,
  TypeScript: typescriptSample,
  Go: goSample,
};

/** The program feeds index prices; a library would have to know the precision of each symbol. */
const feeder = (origin: string, mark: string): string =>
  [
    'Index prices are posted by the feeder program, which signs them:',
    'echo "BTC-USD 100000.5 100001" > prices.txt',
    `dojima oracle --to ${origin} --key feeder.key --file prices.txt --once`,
  ]
    .map((line, at) => (mark === '#' && at > 0 ? line : `${mark} ${line}`))
    .join('\n') + '\n';

export function sampleOf(language: Language, asked: Asked, origin: string): string {
  if (asked.kind !== 'feeder') return makers[language](asked, origin);
  return feeder(origin, language === 'curl' ? '#' : language === 'Python' ? '# $' : '// $');
}
