import { afterEach, expect, test } from 'vitest';
import { startTarget } from '../start-target.ts';
import { begin, hello, send } from '../steps/wire.ts';
import type { RunningTarget, Target, Values } from '../target.ts';
import { changesTools } from './changes-tools.ts';
import { closes } from './closes.ts';
import { floods } from './floods.ts';
import { hangs } from './hangs.ts';
import { misbehavingTargets } from './misbehaving-targets.ts';
import { redirectsInside } from './redirects-inside.ts';

const SEEDS = [0, 1, 2, 3, 4];
const PATIENCE_MS = 300;

let running: RunningTarget | undefined;
afterEach(() => running?.close());

test.each(misbehavingTargets.map((target) => [target.name, target] as const))(
  'the twin of %s answers a call',
  async (_name, target) => {
    const { text } = await callOf(await start(target, 0, true));
    expect(text).toMatch(/Basel: /);
  },
);

test.each(SEEDS)('a request hangs, with seed %i', async (seed) => {
  const wait = new Promise((resolve) => setTimeout(() => resolve('hung'), PATIENCE_MS));
  const story = tell(await start(hangs, seed)).catch(() => 'ended');
  expect(await Promise.race([story, wait])).toBe('hung');
});

test.each(SEEDS)('a flood has an end, with seed %i', async (seed) => {
  const told = await tell(await start(floods, seed));
  const isPaged = told.listing.includes('nextCursor');
  const sizeBytes = told.listing.length + told.call.length;
  expect(isPaged || sizeBytes > 10_000_000).toBe(true);
  expect(sizeBytes).toBeLessThan(16_000_000);
});

test.each(SEEDS)('the list of tools is another one after a call, with seed %i', async (seed) => {
  const target = await start(changesTools, seed);
  const session = await begin(target);
  const before = await session.list();
  await session.call(String(before[0]?.['name']), target.weakSpot.argumentsWith('Basel'));
  expect(await session.list()).not.toEqual(before);
});

test.each(SEEDS)('a redirect leads to an internal address, with seed %i', async (seed) => {
  const target = await start(redirectsInside, seed);
  const answers = [await send(target, { body: hello() })];
  for (const method of ['tools/list', 'tools/call']) {
    answers.push(await send(target, { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) }));
  }
  const places = answers.map(({ headers }) => String(headers['location'] ?? ''));
  expect(places.join('')).toMatch(/^(http:\/\/(169\.254|127\.|\[::1|localhost)|file:)/);
});

test.each(SEEDS)('a connection closes before the answer, with seed %i', async (seed) => {
  const target = await start(closes, seed);
  const told = await Promise.all([1, 2, 3].map(() => tell(target).then(isWhole, () => false)));
  expect(told).toContain(false);
});

async function start(target: Target, seed: number, fixed = false): Promise<RunningTarget> {
  running = await startTarget(target, { seed, fixed });
  return running;
}

async function callOf(target: RunningTarget): Promise<{ readonly text: string }> {
  const session = await begin(target);
  return session.call(target.weakSpot.tool, target.weakSpot.argumentsWith('Basel'));
}

interface Told {
  readonly listing: string;
  readonly call: string;
}

// A client's story: begin, list, call.
async function tell(target: RunningTarget): Promise<Told> {
  const session = await begin(target);
  const headers = { 'mcp-session-id': session.id };
  const ask = async (id: number, method: string, params: Values): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    return (await send(target, { headers, body })).text;
  };
  const { tool, argumentsWith } = target.weakSpot;
  const listing = await ask(1, 'tools/list', {});
  const call = await ask(2, 'tools/call', { name: tool, arguments: argumentsWith('Basel') });
  return { listing, call };
}

function isWhole({ listing, call }: Told): boolean {
  return listing.includes('"tools"') && call.includes('Basel');
}
