import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { hostingServer } from '../support/hosting/real-hosting.ts';
import { createPayer } from '../support/payer.ts';
import { proves } from '../support/proves.ts';
import { cleanUp, freshDataDir, fund, startRealServer } from '../support/real-server.ts';

const run = promisify(execFile);
const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Where Debian puts the programs of each major of Postgres. */
const MAJORS = '/usr/lib/postgresql';
const EXAMPLE = 'examples/buy-a-decision.mjs';

afterAll(cleanUp);

test('the example buys a decision from a running server', { timeout: 120_000 }, async () => {
  const server = await startRealServer(freshDataDir());
  const payer = createPayer();
  await fund(server, payer.address, '2');
  const { stdout } = await run(process.execPath, [file(EXAMPLE), server.ready.mcp_v1], {
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

test('the example hosts databases and a service, breaks and repairs it, and a site', {
  timeout: 660_000,
}, async () => {
  proves('H1.i1', 'H1.i4');
  await using hosting = await hostingServer();
  const { server, sources, token } = hosting;
  // A major of this machine spares the test a download.
  const [major] = existsSync(MAJORS) ? readdirSync(MAJORS).sort().reverse() : [];
  const args = [server.ready.hosting_mcp ?? '', `${sources}/hello`, '--without-cron'];
  if (major !== undefined) args.push(`--postgres=${major}`);
  const { stdout } = await run(process.execPath, [file('examples/hosting-story.mjs'), ...args], {
    env: { ...process.env, STOA_TOKEN: token },
    timeout: 600_000,
  });
  expect(stdout).toMatch(/^live: http:\/\/hello\.localhost:\d+ says "Good day, one"$/m);
  expect(stdout).toMatch(/^failed: exit code 3; version one goes on$/m);
  expect(stdout).toMatch(/^repaired: version two serves, and has the data of version one$/m);
  expect(stdout).toMatch(/^databases: Postgres \d+ and Key Value are available$/m);
  expect(stdout).toMatch(/^databases: http:\/\/hello\.localhost:\d+\/visits has written to both$/m);
  expect(stdout).toMatch(/^sql: .* answers 3$/m);
  expect(stdout).toMatch(/^logs: GET hello\.localhost\/\S* 200 /m);
  expect(stdout).toMatch(/^metrics: \d+ requests counted$/m);
});
