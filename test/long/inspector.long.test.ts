import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { cacheFolder, HAS_OTHER_NODES, installed, nodeOf } from '../support/other-node.ts';
import { createPayer } from '../support/payer.ts';
import {
  cleanUp,
  cliPath,
  freshDataDir,
  fund,
  inBandPayment,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';
import { ASKING, DEBATE } from '../support/task-world.ts';

const INSPECTOR = '@modelcontextprotocol/inspector';
const VERSION = '2.12.0';
/** It wants at least 22.19. */
const NODE = '22.23.3';
const HANG_MS = 60_000;
// Where nobody waits for the figures, another platform may leave this out and is told so.
const isLeftOut = !HAS_OTHER_NODES && process.env['CI'] !== 'true';

interface Said {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

let inspect: (...argv: string[]) => Promise<Said>;
let server: RealServer;
let jobId: string;
let ways: Readonly<Record<'v1' | 'v2' | 'stdio', readonly string[]>>;

beforeAll(async () => {
  if (isLeftOut) return;
  const node = await nodeOf(NODE);
  const file = join(INSPECTOR, 'clients', 'launcher', 'build', 'index.js');
  const folder = cacheFolder('inspector', VERSION);
  const program = await installed(folder, `${INSPECTOR}@${VERSION}`, file);
  const home = freshDataDir();
  inspect = (...argv) => run(node, [program, '--cli', ...argv, '--format', 'json'], home);
  server = await startRealServer(freshDataDir());
  const { ready, dataDir } = server;
  ways = {
    v1: [ready.mcp_v1, '--transport', 'http'],
    v2: [ready.mcp_v2, '--transport', 'http'],
    stdio: [process.execPath, await cliPath(), 'stdio', '--data', dataDir],
  };
  jobId = await buy(server);
}, 300_000);
afterAll(cleanUp);

describe.skipIf(isLeftOut)('the Inspector', { timeout: HANG_MS }, () => {
  test.each(['v1', 'v2', 'stdio'] as const)('begins by %s', async (way) => {
    const { code, out } = await inspect(...ways[way], '--method', 'initialize');
    expect(code).toBe(0);
    expect(JSON.parse(out).result).toMatchObject({
      serverInfo: { name: 'stoa-commerce' },
      protocolVersion: '2025-11-25',
    });
  });

  test.each(['v1', 'v2', 'stdio'] as const)('finds every schema portable by %s', async (way) => {
    const listed = await inspect(...ways[way], '--method', 'tools/list', '--strict');
    expect([listed.code, listed.errors]).toEqual([0, expect.not.stringContaining('Path:')]);
    const names = JSON.parse(listed.out).result.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['get_result', DEBATE]));
  });

  test.each(['v1', 'stdio'] as const)('calls the free tool by %s', async (way) => {
    const { code, out } = await inspect(...ways[way], ...call());
    expect(code).toBe(0);
    expect(JSON.parse(out).result.structuredContent).toMatchObject({
      job_id: jobId,
      status: 'needs_turns',
    });
  });

  test('loads the free tool without a failure', async () => {
    const load = ['--load', '--load-requests', '200', '--load-concurrency', '4'];
    const { code, out } = await inspect(...ways.v1, ...call(), ...load);
    expect([code, JSON.parse(out)]).toEqual([0, expect.anything()]);
    expect(out).toMatch(/"ok":200\b/);
  });

  test.each([
    ['legacy', 'v2', '2025-11-25'],
    ['auto', 'v2', '2026-07-28'],
    ['modern', 'v2', '2026-07-28'],
    ['legacy', 'stdio', '2025-11-25'],
    ['auto', 'stdio', '2026-07-28'],
    ['modern', 'stdio', '2026-07-28'],
  ] as const)('speaks its era %s by %s', async (era, way, version) => {
    const begun = await inspect(...ways[way], '--protocol-era', era, '--method', 'initialize');
    expect(JSON.parse(begun.out).result.protocolVersion).toBe(version);
    const called = await inspect(...ways[way], '--protocol-era', era, ...call());
    expect(called.code).toBe(0);
  });

  test('is told where the newest version is not spoken', async () => {
    const argv = ['--protocol-era', 'modern', '--method', 'tools/list'];
    const { code, errors } = await inspect(...ways.v1, ...argv);
    expect(code).toBe(1);
    expect(errors).toContain('2026-07-28');
  });
});

function call(): string[] {
  const args = JSON.stringify({ job_id: jobId, wait_s: 0 });
  return ['--method', 'tools/call', '--tool-name', 'get_result', '--tool-args-json', args];
}

async function buy({ ready }: RealServer): Promise<string> {
  const payer = createPayer();
  await fund(server, payer.address, '5');
  const client = new Client({ name: 'buyer', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(ready.mcp_v2)));
  const wanted = { name: DEBATE, arguments: { ...ASKING, wait_s: 0 } };
  const asked = await client.callTool(wanted);
  const challenge = PaymentRequired.parse(asked.structuredContent);
  const paid = await client.callTool({ ...wanted, _meta: await inBandPayment(payer, challenge) });
  await client.close();
  return String((paid.structuredContent as { job_id: string }).job_id);
}

function run(node: string, argv: readonly string[], home: string): Promise<Said> {
  const env = { ...process.env, HOME: home, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(node, argv, { env, timeout: HANG_MS }, (error, out, errors) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, errors });
    });
  });
}
