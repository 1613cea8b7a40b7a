import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { execFile, execFileSync, spawn, spawnSync } from '../../src/system/child.ts';
import { sealDescriptors } from '../../src/system/descriptors.ts';
import { tempDir } from '../support/temp-dir.ts';

const O_CLOEXEC = 0o2000000;
const LIST = ['-c', 'for fd in /proc/self/fd/*; do readlink "$fd"; done; true'] as const;
let dir: ReturnType<typeof tempDir>;

beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

test('a store that is open leaves a descriptor that every child would inherit', async () => {
  const store = openEngineStore({ path: dir.path });
  try {
    const names = inheritableDescriptors().map((fd) => readlinkSync(`/proc/self/fd/${fd}`));
    expect(names.filter((name) => name.startsWith(dir.path))).not.toEqual([]);
    sealDescriptors();
    expect(inheritableDescriptors()).toEqual([]);
  } finally {
    await store.close();
  }
});

const STARTS: Readonly<Record<string, () => Promise<string> | string>> = {
  spawn: () => spawned(),
  spawnSync: () => spawnSync('/bin/sh', LIST).stdout.toString(),
  execFile: () =>
    new Promise((done, fail) => {
      execFile('/bin/sh', LIST, (fault, stdout) => (fault === null ? done(stdout) : fail(fault)));
    }),
  'execFile as a promise': async () => (await promisify(execFile)('/bin/sh', LIST)).stdout,
  execFileSync: () => execFileSync('/bin/sh', LIST).toString(),
};

test.each(Object.entries(STARTS))(
  'a child of %s has no store open: fresh, compacted, opened again',
  async (_name, start) => {
    const first = openEngineStore({ path: dir.path });
    expect(await start()).not.toContain(dir.path);
    await first.compact?.({ force: true });
    expect(await start()).not.toContain(dir.path);
    await first.close();
    const second = openEngineStore({ path: dir.path });
    expect(await start()).not.toContain(dir.path);
    await second.close();
  },
);

test('what is handed over on purpose arrives', async () => {
  const child = spawn('/bin/sh', ['-c', `cat <&3; exec 3<&-`], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  const out = textOf(child.stdout);
  const [, , , third] = child.stdio;
  (third as NodeJS.WritableStream).end('over');
  expect(await out).toBe('over');
});

async function spawned(): Promise<string> {
  return textOf(spawn('/bin/sh', LIST, { stdio: ['ignore', 'pipe', 'ignore'] }).stdout);
}

async function textOf(stream: AsyncIterable<Buffer> | null): Promise<string> {
  let text = '';
  for await (const piece of stream ?? []) text += piece.toString();
  return text;
}

/** Returns descriptors above the standard three that a child would inherit now. */
function inheritableDescriptors(): readonly number[] {
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((fd) => fd > 2 && !isSealed(fd));
}

function isSealed(fd: number): boolean {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
    const [, flags = '0'] = /^flags:\s+(\d+)$/m.exec(text) ?? [];
    return (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    // The descriptor used to read the folder is already closed.
    return true;
  }
}
