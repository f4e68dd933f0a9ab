// SPDX-License-Identifier: MIT
// What is filled in, as a program in four languages.
import { useState } from 'preact/hooks';
import { remembered } from '../state/prefs';
import { Tabs } from '../ui/tabs';
import type { Asked } from './request';
import { LANGUAGES, type Language, sampleOf } from './samples';
import { say } from './words';

const language = remembered<Language>('docs.language', 'curl', (value): value is Language =>
  LANGUAGES.includes(value as Language),
);

function Copy({ text }: { text: string }) {
  const [copied, setCopied] = useState('');
  if (typeof navigator.clipboard?.writeText !== 'function') return null;
  return (
    <button
      type="button"
      class="docs-copy"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
    >
      {copied === text ? say.copied() : say.copy()}
    </button>
  );
}

export function Samples({ asked }: { asked: Asked }) {
  const text = sampleOf(language.value, asked, location.origin);
  return (
    <Tabs
      label={say.examples()}
      tabs={LANGUAGES.map((name) => ({ name, title: name }))}
      active={language.value}
      onChange={(name) => {
        language.value = name;
      }}
    >
      <div class="docs-sample">
        <Copy text={text} />
        <pre tabIndex={0} aria-label={language.value}>
          <code>{text}</code>
        </pre>
      </div>
    </Tabs>
  );
}
