// SPDX-License-Identifier: MIT
// A component whose code is loaded when it is shown first.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Draws nothing until the code is there; a load that fails is tried again with the next showing. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let view: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [, drawAgain] = useState(0);
    useEffect(() => {
      if (view) return;
      load().then(
        (loaded) => {
          view = loaded;
          drawAgain((count) => count + 1);
        },
        () => {},
      );
    }, []);
    const View = view;
    return View ? <View {...props} /> : null;
  };
}
