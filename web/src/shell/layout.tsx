// SPDX-License-Identifier: MIT
// The panels of the page in their arrangement; on a phone one at a time.
import { type PanelName, titles } from '../panels/panels';
import { Tabs } from '../ui/tabs';
import { messages } from '../ui/i18n';
import { arrangement, narrow, phonePanel } from './arrangement';
import { beginDrag, dragged, landing, moveByKey } from './dragging';
import { Region } from './region';
import { Splitter } from './splitter';
import { type Group, type Node, type Path, activate, isSplit, panelsOf, resize } from './tree';

const say = messages({ panels: { en: 'Panels', ja: 'パネル' } });

function Landing({ group }: { group: Group }) {
  const place = landing.value;
  if (!place || !group.panels.includes(place.target)) return null;
  return <div class={`landing ${place.edge ?? 'whole'}`} aria-hidden="true" />;
}

function GroupView({ group }: { group: Group }) {
  const moving = dragged.value !== undefined && group.panels.includes(dragged.value);
  return (
    <div class={moving ? 'group dragged' : 'group'} data-group={group.active}>
      <Tabs
        label={say.panels()}
        tabs={group.panels.map((name) => ({
          name,
          title: titles[name](),
          onPointerDown: (event: PointerEvent) => beginDrag(name, event),
          onKeyDown: (event: KeyboardEvent) => moveByKey(name, event),
        }))}
        active={group.active}
        onChange={(name) => {
          arrangement.value = activate(arrangement.value, name);
        }}
      >
        <Region key={group.active} name={group.active} />
      </Tabs>
      <Landing group={group} />
    </div>
  );
}

function Part({ node, path, size }: { node: Node; path: Path; size: number }) {
  const style = { flexGrow: size };
  if (!isSplit(node))
    return (
      <div class="part" style={style}>
        <GroupView group={node} />
      </div>
    );
  return (
    <div class={`part split ${node.direction}`} style={style}>
      {node.children.flatMap((child, at) => {
        const part = (
          <Part key={panelsOf(child).join()} node={child} path={[...path, at]} size={node.sizes[at] ?? 1} />
        );
        if (at === node.children.length - 1) return [part];
        const onResize = (sizes: readonly number[]) => {
          arrangement.value = resize(arrangement.value, path, sizes);
        };
        return [
          part,
          <Splitter key={`line ${at}`} direction={node.direction} sizes={node.sizes} at={at} onResize={onResize} />,
        ];
      })}
    </div>
  );
}

/** By how often a thumb needs them. */
const PHONE_ORDER: readonly PanelName[] = [
  'chart',
  'book',
  'ticket',
  'positions',
  'orders',
  'trades',
  'history',
  'balances',
  'transfer',
];

function Phone() {
  const tabs = PHONE_ORDER.map((name) => ({ name, title: titles[name]() }));
  return (
    <Tabs
      class="phone"
      label={say.panels()}
      tabs={tabs}
      active={phonePanel.value}
      onChange={(name) => {
        phonePanel.value = name;
      }}
    >
      <Region key={phonePanel.value} name={phonePanel.value} />
    </Tabs>
  );
}

export function Layout() {
  return <main>{narrow.value ? <Phone /> : <Part node={arrangement.value} path={[]} size={1} />}</main>;
}
