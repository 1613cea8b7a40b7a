import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Command,
  connectCommand,
  type SpawnedPeer,
  spawnV1,
  spawnV2,
} from '../support/connect-spawn.ts';
import { DEBATE, ruledQuestion } from '../support/connect-world.ts';
import { cleanUp, freshDataDir, type RealServer, startRealServer } from '../support/real-server.ts';

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
  return ruledQuestion(`Number ${asked}`);
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
    expect(told.structuredContent).toMatchObject({ status: 'decided' });
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
    expect(hello.result.instructions).toContain('wallet_status returns the budget left');
    say({ method: 'notifications/initialized' });
    say({ id: 2, method: 'tools/list' });
    expect(JSON.parse((await lines.next()).value ?? '').result.tools.length).toBeGreaterThan(1);
    const gone = new Promise<number | null>((done) => child.once('exit', done));
    child.stdin.end();
    expect(await gone).toBe(0);
  },
);
