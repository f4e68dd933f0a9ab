// SPDX-License-Identifier: MIT
// Which dialog of the shell is open, and whether the developer drawer is.
import { signal } from '@preact/signals-core';

export type DialogName = 'symbols' | 'account' | 'notifications' | 'settings' | 'keys';

export const openDialog = signal<DialogName | undefined>(undefined);
export const drawerOpen = signal(false);
