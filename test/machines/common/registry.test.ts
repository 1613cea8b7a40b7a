import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AnyStateNode } from 'xstate';
import { PANELS } from '../../../src/domain/panel/panels.ts';
import { MACHINES } from '../../../src/machines/common/registry.ts';

test('every machine file and every panel is registered once', () => {
  const read = (file: string) => readFileSync(`src/machines/${file}`, 'utf8');
  const files = readdirSync('src/machines', { recursive: true, encoding: 'utf8' });
  const stems = files
    .filter((file) => file.endsWith('.ts') && /^export const version\b/m.test(read(file)))
    .map((file) => basename(file, '.ts'));
  const panels = PANELS.map(({ kind }) => kind);
  expect(MACHINES.map(({ kind }) => kind).sort()).toEqual(
    [...new Set([...stems, ...panels])].sort(),
  );
});

describe.each(MACHINES)('$kind', ({ machine, version, kind, title }) => {
  const nodes = [...walk(machine.root)];
  const states = nodes.filter((node) => node !== machine.root);

  test('has a whole version, a title and its kind as id', () => {
    expect(Number.isSafeInteger(version) && version > 0).toBe(true);
    expect(machine.id).toBe(kind);
    expect(title).not.toBe('');
  });

  test('every state has a description', () => {
    expect(states.filter(({ description }) => !description).map(({ id }) => id)).toEqual([]);
  });

  test('every state is reachable', () => {
    const reached = reachable(machine.root);
    expect(states.filter((node) => !reached.has(node)).map(({ id }) => id)).toEqual([]);
  });

  test('every state that is not final has an exit', () => {
    const stuck = states.filter((node) => node.type !== 'final' && !hasExit(node));
    expect(stuck.map(({ id }) => id)).toEqual([]);
  });

  test('every invoke says what follows its error', () => {
    const invokes = nodes.flatMap((node) => node.invoke);
    expect(invokes.filter(({ onError }) => onError === undefined).map(({ id }) => id)).toEqual([]);
  });

  test('nothing in it is written inline', () => {
    expect([...inlineFunctions(machine.config)]).toEqual([]);
  });
});

function* walk(node: AnyStateNode): Generator<AnyStateNode> {
  yield node;
  for (const child of Object.values(node.states)) yield* walk(child);
}

function exitsOf(node: AnyStateNode): AnyStateNode[] {
  const own = [...node.transitions.values(), node.always ?? []].flat();
  return own.flatMap((transition) => [...(transition.target ?? [])]);
}

function reachable(root: AnyStateNode): ReadonlySet<AnyStateNode> {
  const reached = new Set<AnyStateNode>();
  const enter = (node: AnyStateNode): void => {
    for (let up: AnyStateNode | undefined = node; up !== undefined; up = up.parent) {
      if (reached.has(up)) continue;
      reached.add(up);
      exitsOf(up).forEach(enter);
    }
    if (node.type === 'compound') node.initial.target.forEach(enter);
    if (node.type === 'parallel') Object.values(node.states).forEach(enter);
  };
  enter(root);
  return reached;
}

/** An exit leads out of a state; it may stand on the state, inside it, or on what is around it. */
function hasExit(node: AnyStateNode): boolean {
  const inside = new Set(walk(node));
  const around: AnyStateNode[] = [];
  for (let up = node.parent; up !== undefined; up = up.parent) around.push(up);
  return [...inside, ...around].some((from) => exitsOf(from).some((to) => !inside.has(to)));
}

/** Functions of a configuration whose name is that of the key that they stand under, or none. */
function* inlineFunctions(value: unknown, path = '', key = ''): Generator<string> {
  if (typeof value === 'function') {
    const isBuiltIn = 'resolve' in value || 'check' in value;
    if (isBuiltIn || value.name === '' || value.name === key) yield path;
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      yield* inlineFunctions(inner, `${path}/${name}`, name);
    }
  }
}
