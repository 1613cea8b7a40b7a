import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { consoleOf } from '../support/browser.ts';
import { besideBrowser, expectForEverybody } from '../support/browser-test.ts';
import { createPayer } from '../support/payer.ts';
import { cleanUp, freshDataDir, fund, startRealServer } from '../support/real-server.ts';
import { textOf, texts } from './actor-page.ts';

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL('../../examples/two-agents.mjs', import.meta.url));

// Two agents have traded on a real server: one job was released, one decided for its buyer.
const { browserTest, host, open } = besideBrowser(async () => {
  const server = await startRealServer(freshDataDir());
  const [buyer, provider] = [createPayer(), createPayer()];
  await fund(server, buyer.address, '24');
  const served = consoleOf(server);
  await run(process.execPath, [EXAMPLE, server.ready.base_url, join(server.dataDir, 'saved')], {
    env: {
      ...process.env,
      BUYER_KEY: buyer.privateKey,
      PROVIDER_KEY: provider.privateKey,
      OPERATOR_TOKEN: served.token,
    },
    timeout: 90_000,
  });
  return { served, server, end: cleanUp };
});

browserTest('jobs of the board lead to their page, and from there to their chart', async () => {
  const { page, complaints } = await open('/console/work');
  await page.getByText('No open requests').waitFor();
  await page.locator('[data-job]').first().waitFor();
  const states = await texts(page, '[data-job] .state-pill');
  expect([...states].sort()).toEqual(['refunded', 'released']);
  await page.locator('[data-job]', { hasText: 'released' }).getByRole('link').click();
  await page.getByRole('heading', { name: /^Job/ }).waitFor();
  const release = await textOf(page.getByRole('region', { name: 'Release' }));
  for (const words of ['$5.00', '$1.00 (fee_bps 2000)', '$4.00']) expect(release).toContain(words);
  expect(await page.locator('#job-facts ~ .wide-table tbody tr').count()).toBeGreaterThan(2);
  await page.getByText('Chart and journal').click();
  await page.locator('[data-state].is-active').first().waitFor();
  expect(complaints).toEqual([]);
});

browserTest('every record of the trade verifies in the browser', async () => {
  const { page, strangers, complaints } = await open('/console/proofs');
  await page.locator('[data-record]').first().waitFor();
  const kinds = await texts(page, '[data-record] td:nth-child(2)');
  expect(kinds.join(' ')).toContain('ProofOfSettlement');
  for (const seq of (await texts(page, '[data-record] th')).slice(0, 5)) {
    await page.getByRole('button', { name: `Verify record ${seq}`, exact: true }).click();
    await page.getByText(`Valid: record ${seq} (`).waitFor();
  }
  expect([...strangers, ...complaints]).toEqual([]);
});

browserTest('the treasury is solvent, and the flows are those of the trade', async () => {
  const { page, complaints } = await open('/console/treasury');
  await page.locator('[data-solvent="true"]').waitFor();
  const flows = page.getByRole('region', { name: 'Recent flows' }).last();
  await flows.getByText('job released').waitFor();
  await flows.getByText('job refunded').waitFor();
  expect(await flows.getByText('job funded').count()).toBe(2);
  expect(complaints).toEqual([]);
});

browserTest('the service’s own passport is listed', async () => {
  const { page, complaints } = await open('/console/passports');
  await page.locator('[data-passport="stoa"]').waitFor();
  expect(complaints).toEqual([]);
});

browserTest('a label that the operator changes is shown with who and why', async () => {
  const { server } = host();
  const { page, complaints } = await open('/console/controls');
  const row = page.locator('[data-control="witness-scoring"]');
  await row.getByText('LIVE', { exact: true }).waitFor();
  const flags = ['--why', 'a drill', '--who', 'ops-1', '--data', server.dataDir];
  expect((await runCli(['control', 'set', 'witness-scoring', 'OFF', ...flags])).code).toBe(0);
  await row.getByText('OFF', { exact: true }).waitFor();
  expect(await textOf(row)).toMatch(/protects nobody.*by ops-1.*a drill/s);
  await row.getByRole('link').click();
  await page.locator('[data-state="OFF"].is-active').waitFor();
  expect(complaints).toEqual([]);
});

browserTest('pages with real data can be used by everybody', async () => {
  await expectForEverybody(open, [
    ['/console/work', '[data-job]'],
    ['/console/passports', '[data-passport]'],
    ['/console/proofs', '[data-record]'],
    ['/console/treasury', '[data-solvent]'],
    ['/console/controls', '[data-control]'],
  ]);
});
