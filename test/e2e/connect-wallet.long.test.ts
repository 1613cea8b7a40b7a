import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { type Command, connectCommand, spawnV1, walletKey } from '../support/connect-spawn.ts';
import { DEBATE, question } from '../support/connect-world.ts';
import {
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
  return connectCommand(server.ready.mcp_v1, server.dataDir, ['--per-day', '1000', ...flags]);
}

let asked = 0;
function fresh(): object {
  asked += 1;
  return question(`Number ${asked}`);
}

test('the key is in no output, argument, ledger or note, and the ledger can be printed', {
  timeout: 60_000,
}, async () => {
  const peer = await spawnV1(await command());
  const said = [
    JSON.stringify(await peer.call(DEBATE, fresh())),
    JSON.stringify(await peer.call('wallet_status', {})),
    JSON.stringify(await peer.call(DEBATE, { question: 1 })),
    ...shownByTheSystem(peer.pid),
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
  // A signed authorization is money until it lapses: it is made anew, never kept.
  expect(files.filter((text) => text.includes('"signature"'))).toEqual([]);
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
    const forms = page.match(/^\{\n[\s\S]*?^\}$/gm) ?? [];
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

/** What every process of the user can see of another, where the system has it as files. */
function shownByTheSystem(pid: number): readonly string[] {
  if (process.platform !== 'linux') return [];
  return ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
}
