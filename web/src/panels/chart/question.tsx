// SPDX-License-Identifier: MIT
// The question at a line that was let go: amend, or back. Enter amends, Escape returns the line.
import { useEffect, useRef } from 'preact/hooks';
import { say } from './messages';

export interface QuestionProps {
  readonly text: string;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

export function Question({ text, onYes, onNo }: QuestionProps) {
  const yes = useRef<HTMLButtonElement>(null);
  useEffect(() => yes.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onNo();
  };
  return (
    <div class="line-question" role="group" aria-label={text} onKeyDown={onKeyDown}>
      <span>{text}</span>
      <button type="button" class="primary" ref={yes} onClick={onYes}>
        {say.amend()}
      </button>
      <button type="button" onClick={onNo}>
        {say.back()}
      </button>
    </div>
  );
}
