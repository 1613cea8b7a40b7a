import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { assess } from '../../support/audits/assess.ts';
import {
  type DisposableRoot,
  damageBetween,
  disposableServer,
  makeDisposableRoot,
} from '../../support/audits/disposable-root.ts';
import { WRITING_TARGETS, type WritingTarget } from '../../support/audits/writing-targets.ts';
import { createMemoryTargets } from '../../support/target-memory-targets.ts';

const roots: DisposableRoot[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) root.remove();
});

/** Processes that this one has begun, and its variables. */
function surroundings() {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => parentOf(pid) === String(process.pid));
  return { children, env: { ...process.env } };
}

function parentOf(pid: string): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[1];
  } catch {
    return undefined;
  }
}

async function audited({ name, tools }: WritingTarget, allowWrites: boolean) {
  const root = makeDisposableRoot();
  roots.push(root);
  const files = root.contents();
  const before = surroundings();
  const targets = createMemoryTargets({ [name]: disposableServer(tools, root) });
  const seen = await assess({ kind: 'mcp_stdio', name }, { targets, allowWrites, seed: name });
  expect(damageBetween(files, root)).toEqual([]);
  expect(surroundings()).toEqual(before);
  return { ...seen, root };
}

test('there are targets enough, of as many names', () => {
  expect(new Set(WRITING_TARGETS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(60);
});

test.each(WRITING_TARGETS)(
  '$name: a full audit that may write changes nothing that was there',
  async (target) => {
    const { root, leftBehind } = await audited(target, true);
    const named =
      leftBehind.length > 0 &&
      target.tools.some(({ definition }) => leftBehind.includes(definition.name));
    if (root.canaries().length > 0)
      expect(named, `${root.canaries().join(' ')}; ${leftBehind}`).toBe(true);
  },
);

const some = WRITING_TARGETS.filter((_target, at) => at % 3 === 0);

test.each(some)(
  '$name: without allow_writes a tool that is not clearly a reader is not called',
  async (target) => {
    const { root, leftBehind } = await audited(target, false);
    if (root.canaries().length > 0) expect(leftBehind).not.toBe('');
    const honest = target.tools.filter(({ definition }) => !('annotations' in definition));
    if (honest.length === target.tools.length) expect(root.canaries()).toEqual([]);
  },
);

test('what a target can take back is taken back, and nothing is told as left', async () => {
  const [whole] = WRITING_TARGETS;
  if (whole === undefined) expect.fail('there is a whole file server');
  const { root, leftBehind } = await audited(whole, true);
  expect(root.canaries()).toEqual([]);
  expect(leftBehind).toBe('');
});
