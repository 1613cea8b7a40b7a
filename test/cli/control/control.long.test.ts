import { afterAll, beforeAll, expect, test } from 'vitest';
import { proves } from '../../support/proves.ts';
import {
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
} from '../../support/real-server.ts';
import { firstLine, runCli } from '../run-cli.ts';

let server: RealServer;

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
}, 120_000);
afterAll(cleanUp);

function control(...args: readonly string[]) {
  return runCli(['control', ...args, '--data', server.dataDir]);
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function read(path: string): Promise<any> {
  const answer = await fetch(`${server.ready.base_url}${path}`);
  return { status: answer.status, ...((await answer.json()) as object) };
}

async function listed(): Promise<readonly string[]> {
  const { services } = await read('/.well-known/agent-services.json');
  return services.map(({ name }: { readonly name: string }) => name);
}

test('the operator turns a control off and on again; what it offers goes and comes with it', async () => {
  proves('C3.s2');
  expect(await listed()).toContain('passport');
  const off = await control('set', 'passport-read', 'OFF', '--why', 'a drill', '--who', 'ops-1');
  expect([off.code, off.stderr]).toEqual([0, '']);
  expect(off.stdout).toMatch(/^OFF +passport-read .*protects nobody\. \(ops-1, .*"a drill"\)/);
  expect(await listed()).not.toContain('passport');
  expect(await read('/a2a/passport/stoa')).toMatchObject({ status: 503, error: 'CONTROL_OFF' });
  const list = await control('list');
  expect(list.stdout).toMatch(/^OFF +passport-read/m);
  expect(list.stdout).toContain('They do not remove trust in the operator');
  await server.stop();
  server = await startRealServer(server.dataDir);
  const { controls } = JSON.parse((await control('list', '--json')).stdout);
  const row = controls.find(({ id }: { readonly id: string }) => id === 'passport-read');
  expect(row).toMatchObject({ label: 'OFF', change: { who: 'ops-1', why: 'a drill' } });
  expect((await control('set', 'passport-read', 'LIVE', '--why', 'over')).code).toBe(0);
  expect(await listed()).toContain('passport');
}, 120_000);

test('what is wrong with a change is said, and nothing changes', async () => {
  const refused = [
    [['set', 'two-leg-escrow', 'LIVE', '--why', 'x'], 1, /No product has opted in/],
    [['set', 'no-such', 'OFF', '--why', 'x'], 1, /CONTROL_UNKNOWN/],
    [['set', 'payer-binding', 'ON', '--why', 'x'], 1, /INPUT_INVALID/],
    [['set', 'payer-binding', 'OFF'], 2, /--why is missing/],
    [['set', 'payer-binding', '--why', 'x'], 2, /Missing required argument 'label'/],
    [['turn'], 2, /must be one of list, set/],
  ] as const;
  for (const [args, code, words] of refused) {
    const ended = await control(...args);
    expect([args, ended.code]).toEqual([args, code]);
    expect(firstLine(ended.stderr)).toMatch(words);
  }
  const { controls } = await read('/a2a/controls');
  expect(controls.filter(({ label }: { label: string }) => label === 'LIVE')).toHaveLength(14);
});

test('the manifest of a real server counts the tools that it lists', async () => {
  const { counts, services, payment } = await read('/.well-known/agent-services.json');
  const tools = services.filter(({ kind }: { kind: string }) => kind === 'tool');
  expect(counts.tools).toBe(tools.length);
  expect(payment.asset).toBe(server.ready.chain.token);
  const card = await read('/.well-known/mcp/server-card.json');
  expect(card._meta['stoa/counts']).toEqual(counts);
  expect(card.remotes[0].url).toBe(server.ready.mcp);
});

test('without a server the command says how to start one', async () => {
  const ended = await runCli(['control', 'list', '--data', freshDataDir()]);
  expect([ended.code, firstLine(ended.stderr)]).toEqual([
    1,
    expect.stringContaining('No server runs'),
  ]);
});
