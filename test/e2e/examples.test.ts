import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { createPayer } from '../support/payer.ts';
import { cleanUp, freshDataDir, fund, startRealServer } from '../support/real-server.ts';

const run = promisify(execFile);
const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const EXAMPLE = 'examples/buy-a-decision.mjs';

afterAll(cleanUp);

test('the example buys a decision from a running server', { timeout: 120_000 }, async () => {
  const server = await startRealServer(freshDataDir());
  const payer = createPayer();
  await fund(server, payer.address, '2');
  const { stdout } = await run(process.execPath, [file(EXAMPLE), server.ready.mcp], {
    env: { ...process.env, PAYER_KEY: payer.privateKey },
    timeout: 60_000,
  });
  expect(stdout).toMatch(/^decided: PostgreSQL \(majority\)$/m);
  expect(stdout).toMatch(/^paid in transaction 0x[0-9a-f]{64}$/m);
  expect(stdout.split('\n').length).toBeGreaterThan(10);
});

test('the code in the README is the code of the example', () => {
  const region = /\/\/ \[readme\n([\s\S]*?)\/\/ readme\]/.exec(readFileSync(file(EXAMPLE), 'utf8'));
  const block = /```js\n([\s\S]*?)```/.exec(readFileSync(file('README.md'), 'utf8'));
  expect(region?.[1]).toBeDefined();
  expect(block?.[1]).toBe(region?.[1]);
});
