import { expect, test } from 'vitest';
import { findComponents } from '../../../src/domain/reputation/components.ts';
import { between } from '../../support/job-events.ts';
import { seeded } from '../../support/seeded.ts';

/** Nodes that can be reached from one, by walking. */
function reach(targets: readonly (readonly number[])[], from: number): Set<number> {
  const found = new Set<number>();
  const open = [from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const target of targets[node] ?? []) {
      if (found.has(target)) continue;
      found.add(target);
      open.push(target);
    }
  }
  return found;
}

test('two nodes are in one component exactly when each can be reached from the other', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = seeded(seed);
    const size = between(random, 1, 14);
    const targets = Array.from({ length: size }, () =>
      Array.from({ length: between(random, 0, 3) }, () => between(random, 0, size - 1)),
    );
    const component = findComponents(targets);
    const reached = targets.map((_, node) => reach(targets, node));
    for (let a = 0; a < size; a += 1) {
      for (let b = 0; b < size; b += 1) {
        const isOne = a === b || (reached[a]?.has(b) === true && reached[b]?.has(a) === true);
        expect(component[a] === component[b], `seed ${seed}: ${a} and ${b}`).toBe(isOne);
      }
    }
  }
});

test('a chain of a million payments, and a circle of them, need no deep stack', () => {
  const size = 1_000_000;
  const chain = Array.from({ length: size }, (_, n) => (n + 1 < size ? [n + 1] : []));
  expect(new Set(findComponents(chain)).size).toBe(size);
  const circle = Array.from({ length: size }, (_, n) => [(n + 1) % size]);
  expect(new Set(findComponents(circle)).size).toBe(1);
});
