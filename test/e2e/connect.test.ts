import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import {
  type Command,
  connectCommand,
  type SpawnedPeer,
  spawnV1,
  spawnV2,
  walletKey,
} from '../support/connect-spawn.ts';
import { DEBATE, question } from '../support/connect-world.ts';
import {
  balanceOf,
  cleanUp,
  cliPath,
  freshDataDir,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

const CENTS = { micro_usd: '2000000', amount: '2.00', currency: 'USD' };

let server: RealServer;

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
}, 120_000);
afterAll(cleanUp);

/** A command with a wallet of its own, paying on the server's chain. */
async function command(flags: readonly string[] = []): Promise<Command> {
  return connectCommand(server.ready.mcp, server.dataDir, ['--per-day', '1000', ...flags]);
}

let asked = 0;
function fresh(): object {
  asked += 1;
  return question(`Number ${asked}`);
}

describe.each<[string, (line: Command) => Promise<SpawnedPeer>]>([
  ['the first generation', spawnV1],
  ['the second, with a handshake', (line) => spawnV2(line, 'legacy')],
  ['the second, choosing for itself', (line) => spawnV2(line, 'auto')],
  ['the second, without a session', (line) => spawnV2(line, { pin: '2026-07-28' })],
])('an unmodified client of %s', (_name, start) => {
  test('buys a panel with a wallet that was made and funded for it', {
    timeout: 60_000,
  }, async () => {
    const peer = await start(await command());
    expect(await peer.names()).toContain('wallet_status');
    const told = await peer.call(DEBATE, fresh());
    expect(told.isError).toBeFalsy();
    expect(told.structuredContent).toMatchObject({ status: 'needs_turns' });
    expect(told._meta).toMatchObject({ 'stoa/spending': { paid: CENTS } });
    expect(peer.progress.some((line) => line.startsWith('paid $2.00, $'))).toBe(true);
    const read = { job_id: told.structuredContent?.['job_id'], wait_s: 0 };
    expect((await peer.call('get_result', read)).isError).toBeFalsy();
    await peer.close();
  });
});

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
  'the version %s is spoken as it was asked for',
  { timeout: 30_000 },
  async (version) => {
    const { command: node, args } = await command();
    const child = spawn(node, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const say = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const params = {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    };
    say({ id: 1, method: 'initialize', params });
    const hello = JSON.parse((await lines.next()).value ?? '');
    expect(hello.result).toMatchObject({
      protocolVersion: version,
      serverInfo: { name: 'stoa-connect' },
    });
    expect(hello.result.instructions).toContain('wallet_status says what is left');
    say({ method: 'notifications/initialized' });
    say({ id: 2, method: 'tools/list' });
    expect(JSON.parse((await lines.next()).value ?? '').result.tools.length).toBeGreaterThan(1);
    const gone = new Promise<number | null>((done) => child.once('exit', done));
    child.stdin.end();
    expect(await gone).toBe(0);
  },
);

test('a question above a cap reaches a client without a session, and its yes pays once', {
  timeout: 60_000,
}, async () => {
  const messages: string[] = [];
  const line = await command(['--per-call', '0.50']);
  const yes = await spawnV2(line, { pin: '2026-07-28' }, async (message) => {
    messages.push(message);
    return { action: 'accept', content: { pay: true } };
  });
  const told = await yes.call(DEBATE, fresh());
  expect(told.isError).toBeFalsy();
  expect(messages).toHaveLength(1);
  expect(messages[0]).toMatch(/^Pay \$2\.00 for /);
  await yes.close();
  const no = await spawnV2(line, { pin: '2026-07-28' }, async () => ({ action: 'decline' }));
  const declined = await no.call(DEBATE, fresh());
  expect(declined.structuredContent).toMatchObject({
    error: 'SPENDING_CAP',
    data: { asked: 'declined' },
  });
  await no.close();
});

test('two processes on one wallet keep its daily cap together', { timeout: 120_000 }, async () => {
  const wallet = join(freshDataDir(), 'shared.key');
  const line = await command(['--wallet', wallet, '--per-day', '6']);
  const address = (await runCli(['connect', '--address', '--wallet', wallet])).stdout.trim();
  const peers = await Promise.all([spawnV1(line), spawnV1(line)]);
  const told = await Promise.all(
    peers.flatMap((peer) => [1, 2, 3, 4].map(() => peer.call(DEBATE, fresh()))),
  );
  expect(told.filter(({ isError }) => isError !== true)).toHaveLength(3);
  const funded = await balanceOf(server, address);
  expect(funded % 20_000_000n).toBe(14_000_000n);
  await Promise.all(peers.map((peer) => peer.close()));
});

test('the key is in no output, argument, ledger or note, and the ledger can be printed', {
  timeout: 60_000,
}, async () => {
  const peer = await spawnV1(await command());
  const said = [
    JSON.stringify(await peer.call(DEBATE, fresh())),
    JSON.stringify(await peer.call('wallet_status', {})),
    JSON.stringify(await peer.call(DEBATE, { question: 1 })),
    readFileSync(`/proc/${peer.pid}/cmdline`, 'utf8'),
    readFileSync(`/proc/${peer.pid}/environ`, 'utf8'),
  ];
  await peer.close();
  const own = ['--data', server.dataDir];
  const table = await runCli(['connect', '--ledger', ...own]);
  const json = await runCli(['connect', '--ledger', '--json', ...own]);
  const address = await runCli(['connect', '--address', ...own]);
  const page = JSON.parse(json.stdout);
  expect(page.address).toBe(address.stdout.trim());
  expect(page.days.at(-1)).toMatchObject({ tool: DEBATE });
  expect(page.payments.at(-1)).toMatchObject({
    tool: DEBATE,
    amount: CENTS,
    outcome: 'settled',
    server: server.ready.base_url,
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(table.stdout).toContain(page.payments.at(-1).transaction);
  const folder = join(server.dataDir, 'connect');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'wallet.key')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(files.length).toBeGreaterThan(1);
  const key = walletKey(server.dataDir).slice(2);
  const all = [...said, ...files, peer.errors(), server.errors()];
  for (const { stdout, stderr } of [table, json, address]) all.push(stdout, stderr);
  expect(all.filter((text) => text.toLowerCase().includes(key))).toEqual([]);
  expect(all.join('')).not.toContain('signature":"0x0');
});

test('a bad flag is wrong usage, and names no key', { timeout: 60_000 }, async () => {
  const dataDir = freshDataDir();
  const bad = [
    [],
    ['ftp://127.0.0.1'],
    ['http://127.0.0.1:1', '--per-call', 'two'],
    ['http://127.0.0.1:1', '--per-tool', 'debate'],
    ['http://127.0.0.1:1', '--payee', '0x12'],
    ['http://127.0.0.1:1', '--network', 'base'],
    ['http://127.0.0.1:1', '--network', 'eip155:99'],
  ];
  for (const args of bad) {
    const { code, stdout, stderr } = await runCli(['connect', ...args, '--data', dataDir]);
    expect([args, code, stdout]).toEqual([args, 2, '']);
    expect(stderr).toContain('CONFIG_INVALID');
  }
  const env = { STOA_CONNECT_KEY: `0x${'5'.repeat(63)}` };
  const { code, stderr } = await runCli(['connect', '--address'], { env });
  expect(code).toBe(2);
  expect(stderr).not.toContain('5555');
});

test('the lines that the server prints start a bridge that pays', {
  timeout: 120_000,
}, async () => {
  const dataDir = freshDataDir();
  const child = spawn(
    process.execPath,
    [await cliPath(), 'serve', '--port', '0', '--data', dataDir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    let page = '';
    for await (const chunk of child.stdout) {
      page += String(chunk);
      if (page.includes('Ctrl-C')) break;
    }
    const [, line = ''] = /^ +claude mcp add stoa -- (.+)$/m.exec(page) ?? [];
    const byShell = await spawnV1({ command: 'sh', args: ['-c', `exec ${line}`] });
    expect((await byShell.call(DEBATE, fresh())).isError).toBeFalsy();
    await byShell.close();
    const forms = page.match(/^\{\n[^]*?^\}$/gm) ?? [];
    const parsed = forms.map((form) => JSON.parse(form).mcpServers.stoa as Command);
    const own = parsed.find(({ args }) => args?.includes('connect'));
    if (own === undefined) throw new Error('no form of connect was printed');
    const byForm = await spawnV1(own);
    expect((await byForm.call(DEBATE, fresh())).isError).toBeFalsy();
    await byForm.close();
  } finally {
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await gone;
  }
});
