import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { ENGINES } from '../support/engines.ts';
import { type FrontRig, startFront } from '../support/front-rig.ts';

const SHIM = fileURLToPath(new URL('../support/fs-glob-shim.mjs', import.meta.url));
const SUITE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const HANG_MS = 120_000;

let rig: FrontRig | undefined;
afterEach(() => rig?.front.close());

test.for(ENGINES)(
  'the conformance suite finds no fault over %s',
  { timeout: HANG_MS + 10_000 },
  async (engine) => {
    rig = await startFront(engine, { conformanceFixtures: true });
    const { code, text } = await runSuite(`${rig.baseUrl}/v1/mcp`);
    const total = /Total: (\d+) passed, (\d+) failed/.exec(text);
    expect([code, total?.[2]], text.slice(-3_000)).toEqual([0, '0']);
    expect(Number(total?.[1])).toBeGreaterThanOrEqual(40);
  },
);

function runSuite(url: string): Promise<{ code: number | null; text: string }> {
  const argv = ['--import', SHIM, SUITE, 'server', '--url', url, '--suite', 'all'];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, argv, { timeout: HANG_MS });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    child.on('close', (code) => resolve({ code, text }));
  });
}
