import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { hostingServer } from '../support/hosting/real-hosting.ts';
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

test('the example hosts a service, breaks and repairs it, and a site', {
  timeout: 300_000,
}, async () => {
  await using hosting = await hostingServer();
  const { server, sources, token } = hosting;
  const args = [server.ready.hosting_mcp ?? '', `${sources}/hello`, '--without-cron'];
  const { stdout } = await run(process.execPath, [file('examples/hosting-story.mjs'), ...args], {
    env: { ...process.env, STOA_TOKEN: token },
    timeout: 240_000,
  });
  expect(stdout).toMatch(/^live: http:\/\/hello\.localhost:\d+ says "Good day, one"$/m);
  expect(stdout).toMatch(/^failed: exit code 3; version one goes on$/m);
  expect(stdout).toMatch(/^repaired: version two serves$/m);
  expect(stdout).toMatch(/^logs: GET hello\.localhost\/ 200 /m);
  expect(stdout).toMatch(/^metrics: [4-9] requests counted$/m);
});
