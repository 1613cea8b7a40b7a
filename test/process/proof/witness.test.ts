import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/program.ts';
import { findSignedAt, parseNote } from '../../../src/domain/proof/note.ts';
import { openProofKeys, verifyEd25519 } from '../../../src/process/proof/proof-keys.ts';
import { type WitnessDeps, witnessOnce } from '../../../src/process/proof/witness.ts';
import { openWitnessKey } from '../../../src/process/proof/witness-files.ts';
import { systemRandom } from '../../../src/process/server/system.ts';
import { type DurableProofLog, openProofLog } from '../../../src/store/proof/proof-log.ts';
import { cosignatureRoute } from '../../../src/transport/proof/cosignature-route.ts';
import { proofRoutes } from '../../../src/transport/proof/proof-routes.ts';
import { type FrontRig, startFront } from '../../support/front-rig.ts';
import { realClock } from '../../support/real-clock.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOW = Date.UTC(2026, 0, 1);
const clock = { now: () => NOW, at: () => () => undefined };
let dir: { readonly path: string; readonly remove: () => void };
let logs: DurableProofLog[];
let front: FrontRig;
/** The same server moved: its own address, and one of the logs under the same key. */
let moved: FrontRig;
let shownMoved: DurableProofLog;
/** What the front serves: one of the logs, under one key and one name. */
let shown: DurableProofLog;
let witness: WitnessDeps;

beforeEach(async () => {
  dir = tempDir();
  const { mac, signer, verifierKey } = openProofKeys(dir.path, undefined);
  const key = openWitnessKey(join(dir.path, 'witness.json'), undefined);
  logs = ['one', 'two'].map((name) => {
    const path = join(dir.path, name);
    return openProofLog({ path, clock, random: systemRandom, mac, signer });
  });
  for (const log of logs) await grow(log, 3);
  shown = at(0);
  shownMoved = at(1);
  const serve = (served: () => DurableProofLog): Promise<FrontRig> => {
    const log = new Proxy({} as DurableProofLog, {
      get: (_none, name) => {
        const value = Reflect.get(served(), name, served()) as unknown;
        return typeof value === 'function' ? value.bind(served()) : value;
      },
    });
    const witnesses = [key.key];
    return startFront('node', {
      routes: [
        ...proofRoutes({ log, verifierKey, clock, isComing: async () => false }),
        cosignatureRoute({ log, clock: realClock, witnesses, verify: verifyEd25519 }),
      ],
    });
  };
  front = await serve(() => shown);
  moved = await serve(() => shownMoved);
  const seenPath = join(dir.path, 'seen.json');
  witness = { log: front.baseUrl, key, seenPath, logKey: undefined, now: () => NOW };
});
afterEach(async () => {
  await front.front.close();
  await moved.front.close();
  await Promise.all(logs.map((log) => log.close()));
  dir.remove();
});

function at(place: number): DurableProofLog {
  const log = logs[place];
  if (log === undefined) throw new Error('there are two logs');
  return log;
}

async function grow(log: DurableProofLog, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const key = `k${log.size}`;
    await log.append({ kind: 30020, key, ref: key, subject: 's', payload: {} });
  }
  await log.checkpoint();
}

test('a log that grows is cosigned again and again; what is served carries the cosignature', async () => {
  expect(await witnessOnce(witness)).toEqual({ state: 'cosigned', size: 3 });
  expect(await witnessOnce(witness)).toEqual({ state: 'cosigned', size: 3 });
  await grow(shown, 2);
  expect(await witnessOnce(witness)).toEqual({ state: 'cosigned', size: 5 });
  const note = parseNote(await (await fetch(`${front.baseUrl}/v1/proofs/checkpoint`)).text());
  if (note === undefined) throw new Error('a checkpoint is served');
  expect(await findSignedAt(note, witness.key.key, verifyEd25519)).toBe(NOW / 1_000);
  await grow(shown, 1);
  const file = await (await fetch(`${front.baseUrl}/v1/proofs/0.json`)).json();
  expect(file).toMatchObject({
    inclusion: { size: 5 },
    checkpoint: expect.stringContaining('witness.local'),
  });
});

test('another log of the same size under the same key is a fork: no signature, both kept', async () => {
  await witnessOnce(witness);
  shown = at(1);
  const seen = await witnessOnce(witness);
  expect(seen).toMatchObject({ state: 'forked', reason: 'two roots for 3 records' });
  if (seen.state !== 'forked') return;
  expect(existsSync(seen.evidence)).toBe(true);
  const evidence = JSON.parse(readFileSync(seen.evidence, 'utf8'));
  expect(evidence.seen.note).not.toBe(evidence.shown);
  expect(at(1).evidence.latestCosigned()).toBeUndefined();
  // It is not forgotten: the first story stays the one that counts.
  expect((await witnessOnce(witness)).state).toBe('forked');
  shown = at(0);
  expect((await witnessOnce(witness)).state).toBe('cosigned');
});

test('a fork that has grown, and one that was rolled back, are found too', async () => {
  await grow(at(0), 2);
  await witnessOnce(witness);
  shown = at(1);
  expect(await witnessOnce(witness)).toMatchObject({
    state: 'forked',
    reason: expect.stringContaining('no proof that the log of 3 records'),
  });
  await grow(at(1), 4);
  expect(await witnessOnce(witness)).toMatchObject({
    state: 'forked',
    reason: expect.stringContaining('differ from those seen before'),
  });
});

test('a second story is refused wherever the log of that key is served', async () => {
  const there = { ...witness, log: moved.baseUrl };
  expect((await witnessOnce(witness)).state).toBe('cosigned');
  expect(await witnessOnce(there)).toMatchObject({
    state: 'forked',
    reason: 'two roots for 3 records',
  });
  expect(at(1).evidence.latestCosigned()).toBeUndefined();
  // The address makes no difference for the story that was seen.
  shownMoved = at(0);
  await grow(at(0), 2);
  expect(await witnessOnce(there)).toEqual({ state: 'cosigned', size: 5 });
  // What was seen there counts here, too.
  shown = at(1);
  await grow(at(1), 3);
  expect((await witnessOnce(witness)).state).toBe('forked');
});

test('a memory that holds two stories of one key cosigns neither of them again', async () => {
  const there = { ...witness, log: moved.baseUrl };
  await witnessOnce(witness);
  const first = JSON.parse(readFileSync(witness.seenPath, 'utf8'));
  rmSync(witness.seenPath);
  await witnessOnce(there);
  const second = JSON.parse(readFileSync(witness.seenPath, 'utf8'));
  writeFileSync(witness.seenPath, JSON.stringify({ ...first, ...second }));
  for (const parts of [witness, there]) expect((await witnessOnce(parts)).state).toBe('forked');
});

test('of two witnesses with one key that see two stories at once, one cosigns', async () => {
  for (let round = 0; round < 5; round += 1) {
    rmSync(witness.seenPath, { force: true });
    const both = [witness, { ...witness, log: moved.baseUrl, now: () => NOW + 1 }];
    const states = (await Promise.all(both.map(witnessOnce))).map(({ state }) => state);
    expect(states.toSorted()).toEqual(['cosigned', 'forked']);
  }
});

test('witnesses with one key that watch several logs at once forget none of them', async () => {
  shownMoved = at(0);
  const { port } = new URL(moved.baseUrl);
  const names = [witness.log, moved.baseUrl, `http://127.0.0.1:${port}/.`, `${witness.log}/.`];
  const looks = names.map((log) => ({ ...witness, log }));
  const states = await Promise.all(looks.map(witnessOnce));
  expect(states.map(({ state }) => state)).toEqual(names.map(() => 'cosigned'));
  expect(Object.keys(JSON.parse(readFileSync(witness.seenPath, 'utf8'))).toSorted()).toEqual(
    names.toSorted(),
  );
});

test('a key that two processes make at once is one key', () => {
  const path = join(dir.path, 'fresh.json');
  const keys = [1, 2].map(() => openWitnessKey(path, undefined).verifierKey);
  expect(new Set(keys).size).toBe(1);
  const link = join(dir.path, 'link.json');
  symlinkSync(path, link);
  expect(openWitnessKey(link, undefined).verifierKey).toBe(keys[0]);
});

test('a log with another key than at the first visit is refused, and so is none at all', async () => {
  await witnessOnce(witness);
  const elsewhere = join(dir.path, 'elsewhere');
  mkdirSync(elsewhere);
  const other = openProofKeys(elsewhere, undefined).verifierKey;
  await expect(witnessOnce({ ...witness, logKey: other })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
  await expect(witnessOnce({ ...witness, log: 'http://127.0.0.1:9' })).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
  });
});

test('the command cosigns, and ends with 1 and a loud word at a fork', async () => {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
  }
  const argv = ['witness', '--log', front.baseUrl, '--key-file', join(dir.path, 'witness.json')];
  try {
    expect(await runCommand([...argv, '--once'])).toBe(0);
    expect(said.stdout).toContain(`witness ${witness.key.verifierKey}\ncosigned 3 records`);
    shown = at(1);
    expect(await runCommand(argv)).toBe(1);
    expect(said.stderr).toMatch(/^FORK: .* is inconsistent: two roots for 3 records\./);
  } finally {
    vi.restoreAllMocks();
  }
  const wrong = [
    ['--log', 'x'],
    ['--every-s', '0'],
    ['--log-key', 'x'],
    ['--key-file', dir.path],
  ];
  for (const flags of wrong) {
    await expect(runCommand([...argv, ...flags, '--once']), flags.join(' ')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  }
});

test('a witness that the log does not know hears so', async () => {
  const key = openWitnessKey(join(dir.path, 'stranger.json'), 'stranger');
  await expect(witnessOnce({ ...witness, key })).rejects.toMatchObject({
    code: 'FORBIDDEN',
    data: { status: 403 },
  });
});

test('cosignatures are refused by size, by their number, and where no witness is named', async () => {
  const post = (body: string) =>
    fetch(`${front.baseUrl}/v1/proofs/cosignatures`, { method: 'POST', body });
  expect((await post('x'.repeat(20_000))).status).toBe(413);
  const answer = await post('nothing');
  expect([answer.status, await answer.json()]).toMatchObject([422, { error: 'INPUT_INVALID' }]);
  const many = await Promise.all(Array.from({ length: 90 }, () => post('nothing')));
  expect(many.map(({ status }) => status)).toContain(429);
});
