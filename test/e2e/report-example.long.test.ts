import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { startStoa } from '../../src/main.ts';
import { built } from '../support/built.ts';
import { createPayer } from '../support/payer.ts';
import { tempDir } from '../support/temp-dir.ts';
import { otherWorld } from '../support/upstreams/other-world.ts';

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL('../../examples/reports.mjs', import.meta.url));

test('the example buys both reports, shows their progress, and saves pages that are checked', {
  timeout: 240_000,
}, async () => {
  await built();
  const [world, { path, remove }] = [await otherWorld(), tempDir()];
  const config = parseConfig(['--port', '0', '--data', join(path, 'data')], {});
  const stoa = await startStoa(config, () => undefined, { upstreams: world.upstreams });
  onTestFinished(async () => {
    await stoa.close();
    await world.close();
    remove();
  });
  const payer = createPayer();
  const token = readFileSync(stoa.ready.token_file, 'utf8').trim();
  await fetch(`${stoa.ready.base_url}/dev/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ to: payer.address, usd: '1.02' }),
  });
  const folder = join(path, 'reports');
  const { stdout } = await run(
    process.execPath,
    [EXAMPLE, stoa.ready.base_url, folder, '--company=Equinor', '--jurisdiction=no'],
    { env: { ...process.env, PAYER_KEY: payer.privateKey }, timeout: 180_000 },
  );
  for (const line of [
    /^paid: oracle_comprehensive-report, 0\.12 dollars$/m,
    /^market: (full|partial), \d+ sources, missing: /m,
    /^paid: ops_due-diligence-scan, 0\.9 dollars$/m,
    /^ {2}\d+\/13 step \d+\/11: /m,
    /^diligence: overall \w+, \d+ red flags$/m,
    /^stoa report: .*market\.html: \d+ bytes$/m,
    /^stoa verify: yes: this answer of oracle_comprehensive-report was signed by 0x/m,
    /^stoa verify: yes: this answer of ops_due-diligence-scan was signed by 0x/m,
  ]) {
    expect(stdout).toMatch(line);
  }
  const page = (name: string): string => readFileSync(join(folder, name), 'utf8');
  expect(page('market.html')).toContain('<h1>Report on BTC/USD</h1>');
  expect(page('market.html')).toContain('Checked when this page was created: signed by');
  expect(page('diligence.html')).toContain('<h1>Report on Equinor</h1>');
  for (const name of ['market.html', 'diligence.html']) {
    expect(page(name)).toContain('<svg class="drawing"');
    expect(page(name)).not.toMatch(/<script|(?:href|src)="(?!#)/);
  }
  // Nobody but the upstreams of the test was asked.
  const { report } = JSON.parse(page('diligence.json'));
  const hosts = report.sources.map(({ url }: { url: string }) => new URL(url).hostname);
  expect(new Set(hosts)).toContain('127.0.0.1');
});
