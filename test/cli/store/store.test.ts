import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/program.ts';
import { withModule } from '../../../src/cli/store/program-module.ts';
import { openInspector } from '../../../src/process/inspect/open-inspector.ts';
import { journalLines, rehearse } from '../../../src/runtime/index.ts';
import { durable } from '../../../src/store/durable/durable.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { actors } from './actors.mjs';

const MODULE = fileURLToPath(new URL('./actors.mjs', import.meta.url));

let place: ReturnType<typeof tempDir>;
beforeEach(() => {
  place = tempDir();
});
afterEach(() => {
  vi.unstubAllEnvs();
  place.remove();
});

/** Runs a command; returns what it printed. */
async function stoa(...words: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  try {
    await runCommand(['store', ...words]);
  } finally {
    write.mockRestore();
  }
  return lines.join('');
}

/** Fills the store: `1` is open, `2` has ended, `3` has a dead letter. */
async function fill(): Promise<string> {
  const { path } = place;
  const app = await durable({ path, actors, keepAlive: false });
  for (const id of ['1', '2', '3']) await app.order.start(id, { item: `item ${id}` });
  await app.order.get('2').send({ type: 'CANCEL' });
  await app.order
    .get('3')
    .send({ type: 'PAY', amount: -1 })
    .catch(() => undefined);
  await app.close();
  return path;
}

describe('reading a store without its program', () => {
  test('list finds by kind, state, status and prefix, also while a program has it open', async () => {
    const path = await fill();
    const app = await durable({ path, actors, keepAlive: false });
    try {
      const all = await stoa('list', path, '--json');
      expect(
        all
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toMatchObject([
        { id: '1', kind: 'order', state: 'open', status: 'active', seq: 1 },
        { id: '2', state: 'over', status: 'done', seq: 2 },
        { id: '3', state: 'open', seq: 2 },
      ]);
      expect(await stoa('list', path, '--status', 'done')).toMatch(
        / {2}2 {2}order {2}over {2}done/,
      );
      expect(await stoa('list', path, '--prefix', '1')).toContain('  1  order  open');
      expect(await stoa('list', path, '--kind', 'parcel')).toBe('Nothing matches.\n');
      expect(await stoa('list', path, '--dead-letters')).toContain('PAY  PAY: ');
    } finally {
      await app.close();
    }
  });

  test('show gives state, context, dead letters and journal, now and after a row', async () => {
    const path = await fill();
    const now = JSON.parse(await stoa('show', path, '2', '--json'));
    expect(now).toMatchObject({
      kind: 'order',
      seq: 2,
      status: 'done',
      value: 'over',
      context: { item: 'item 2' },
      journal: [{ seq: 1 }, { seq: 2, event: { type: 'CANCEL' } }],
    });
    const past = JSON.parse(await stoa('show', path, '2', '--at', '1', '--json'));
    expect(past).toMatchObject({ seq: 1, status: 'active', value: 'open' });
    const text = await stoa('show', path, '3');
    expect(text).toContain('letter   ');
    expect(text).toContain('PAY (poison)  by outside  "open"');
  });

  test('export writes rows that rehearse replays', async () => {
    const path = await fill();
    const text = await stoa('export', path, '2');
    const app = await durable({ path, actors, keepAlive: false });
    await app.close();
    const { toDefinition } = await import('../../../src/runtime/durable/to-definition.ts');
    const definition = toDefinition('order', actors.order);
    expect(await rehearse(definition, journalLines(text.split('\n')))).toEqual({
      same: true,
      rows: 2,
    });
    const all = await stoa('export', path);
    expect(all.trim().split('\n')).toHaveLength(5);
  });

  test('a folder without a store, and an unknown id, are named', async () => {
    await expect(stoa('list', join(place.path, 'none'))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    expect(existsSync(join(place.path, 'none'))).toBe(false);
    const path = await fill();
    await expect(stoa('show', path, 'lost')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
    await expect(stoa('list', path, '--limit', '0')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: '--limit is "0"; it must be 1 to 1000000.',
    });
  });
});

describe('changing a store with the module of its program', () => {
  test('tell stores the event; the effect runs when the program does, not here', async () => {
    const path = await fill();
    const log = join(path, 'ship.log');
    vi.stubEnv('STOA_TEST_SHIP_LOG', log);
    const words = ['tell', path, '1', 'PAY', '--data', '{"amount":5}', '--module', MODULE];
    expect(await stoa(...words)).toBe('1  row 2  "shipping"  active\n');
    await withModule(path, MODULE, async (engine) => {
      await engine.tell('3', { type: 'PAY', amount: 5 });
      await setTimeout(50);
    });
    expect(existsSync(log)).toBe(false);
    const app = await durable({ path, actors, keepAlive: false });
    expect(await app.order.get('1').result()).toBe('parcel');
    await app.close();
    expect(existsSync(log)).toBe(true);
  });

  test('a key makes a repeat harmless', async () => {
    const path = await fill();
    const words = ['tell', path, '1', 'CANCEL', '--key', 'once', '--module', MODULE];
    expect(await stoa(...words)).toBe('1  row 2  "over"  done\n');
    expect(await stoa(...words)).toBe('1  row 2  "over"  done\n');
  });

  test('fork copies a row; retry delivers a dead letter again', async () => {
    const path = await fill();
    const copy = await stoa('fork', path, '2', '--at', '1', '--module', MODULE);
    expect(copy).toMatch(/^2\/fork-\d+ {2}row 1 {2}"open" {2}active\n$/);
    const line = await stoa('list', path, '--dead-letters', '--json');
    const { deadLetterId } = JSON.parse(line);
    await expect(stoa('retry', path, deadLetterId, '--module', MODULE)).rejects.toMatchObject({
      code: 'EVENT_POISON',
    });
  });

  test('without a module, with a wrong one or with wrong data, it says what is allowed', async () => {
    const path = await fill();
    await expect(stoa('tell', path, '1', 'PAY')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('--module'),
    });
    const wrong = stoa('tell', path, '1', 'PAY', '--module', fileURLToPath(import.meta.url));
    await expect(wrong).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const data = stoa('tell', path, '1', 'PAY', '--data', '[1]', '--module', MODULE);
    await expect(data).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('a store that a program has open is changed through its inspector', async () => {
    const path = await fill();
    const app = await durable({ path, actors, keepAlive: false });
    try {
      const { url } = await openInspector(app);
      const busy = stoa('tell', path, '1', 'CANCEL', '--module', MODULE);
      await expect(busy).rejects.toMatchObject({
        code: 'DATA_DIR_BUSY',
        message: expect.stringContaining('link of its inspector'),
      });
      expect(await stoa('tell', url, '1', 'CANCEL')).toBe('1  row 2  "over"  done\n');
      expect(await stoa('fork', url, '1', '--at', '1')).toMatch(/^1\/fork-\d+ {2}row 1/);
      expect(await stoa('fork', url, '3')).toMatch(/^3\/fork-\d+ {2}row 1 {2}"open"/);
      await expect(stoa('tell', url.slice(0, -1), '1', 'CANCEL')).rejects.toMatchObject({
        code: 'UNAUTHORIZED',
      });
      await expect(stoa('tell', url, 'lost', 'CANCEL')).rejects.toMatchObject({
        code: 'ACTOR_UNKNOWN',
      });
      await app.close();
      await expect(stoa('tell', url, '1', 'CANCEL')).rejects.toMatchObject({
        code: 'HOST_UNAVAILABLE',
      });
    } finally {
      await app.close();
    }
  });
});
