import { expect } from 'vitest';
import {
  CONTROL_CATALOG,
  CONTROL_IDS,
  CONTROL_LABELS,
  type ControlLabel,
} from '../../src/domain/control/control-catalog.ts';
import { besideBrowser, expectForEverybody } from '../support/browser-test.ts';
import { claimsIn, idle } from '../support/protection.ts';
import { seeded } from '../support/seeded.ts';
import { textOf, texts } from './actor-page.ts';
import { balances, fulfilledJob, openRequest, passport, releasedEvent } from './trust-rows.ts';
import { openTrustStage } from './trust-stage.ts';

const { browserTest, host, open } = besideBrowser(() =>
  openTrustStage({
    requests: [],
    jobs: [],
    passports: [],
    balances: balances({ open_jobs: { count: 0, amount: balances().escrow.owed } }),
    events: [],
    broken: new Set(),
  }),
);

browserTest('where nothing has happened yet, each page says what to do', async () => {
  for (const [path, words] of [
    ['work', 'No open requests'],
    ['work', 'No jobs yet'],
    ['passports', 'No agents registered yet'],
    ['proofs', 'No records yet'],
    ['treasury', 'No recent flows'],
    ['job', 'No job selected'],
  ] as const) {
    const { page, complaints } = await open(`/console/${path}`);
    await page.getByText(words).waitFor();
    expect(complaints).toEqual([]);
  }
});

browserTest(
  'the board shows requests with their bids, and jobs that lead to their page',
  async () => {
    const { told } = host();
    told.requests = [openRequest()];
    told.jobs = [fulfilledJob()];
    const { page, strangers, complaints } = await open('/console/work');
    const request = page.locator('[data-request="req_1"]');
    await request.waitFor();
    expect(await textOf(request)).toContain('up to $12.00');
    expect(await textOf(request)).toContain('<b>All of them</b>');
    await request.getByText('1 bid').click();
    expect(await textOf(request)).toContain('$10.00 by atlas');
    await page.locator('[data-job]').getByRole('link').click();
    await page.getByRole('heading', { name: /^Job/ }).waitFor();
    await page.getByText('The buyer signs the move release.').waitFor();
    const release = await textOf(page.getByRole('region', { name: 'Release' }));
    for (const words of ['$10.00', '$2.00 (fee_bps 2000)', '$8.00', 'released automatically']) {
      expect(release).toContain(words);
    }
    expect(await texts(page, '.move-list li')).toEqual([
      expect.stringContaining('complete by buyer'),
      expect.stringContaining('dispute by buyer'),
    ]);
    expect(await texts(page, '#job-facts ~ .wide-table tbody th')).toEqual([
      'JobEscrowed',
      'JobFulfilled',
    ]);
    expect(await page.getByText('Chart and journal').getAttribute('href')).toBe(
      `/console/actor/${fulfilledJob().job_id}`,
    );
    expect(await page.locator('nav [aria-current="page"]').textContent()).toBe('Work');
    expect([...strangers, ...complaints]).toEqual([]);
  },
);

browserTest('a job that moves is shown anew, and one that is not there says so', async () => {
  const { told } = host();
  told.jobs = [fulfilledJob()];
  const { page } = await open(`/console/job/${fulfilledJob().job_id}`);
  await page.locator('.page-head .state-pill', { hasText: 'fulfilled' }).waitFor();
  told.jobs = [fulfilledJob({ state: 'released', moves: [] })];
  await page.locator('.page-head .state-pill', { hasText: 'released' }).waitFor();
  await page.getByText('None; the job has ended.').waitFor();
  const { page: other } = await open('/console/job/job_none');
  await other.getByText('No job has this id.').waitFor();
});

browserTest('passports say who owns, which wallet proved itself, and who keeps them', async () => {
  const revoked = { at: '2026-02-01T00:00:00.000Z', reason: 'key lost' };
  host().told.passports = [
    passport(),
    passport({ name: 'nova', wallet: null, custody: 'self', status: 'revoked', revoked }),
  ];
  const { page } = await open('/console/passports');
  expect(await textOf(page.locator('[data-passport="atlas"]'))).toContain('the operator');
  const nova = await textOf(page.locator('[data-passport="nova"]'));
  for (const words of ['none bound', 'its owner', 'revoked', 'key lost']) {
    expect(nova).toContain(words);
  }
});

browserTest('the treasury says first whether it is solvent, and how money moved', async () => {
  const { told } = host();
  told.balances = balances();
  told.events = [releasedEvent(0)];
  const { page } = await open('/console/treasury');
  await page.locator('[data-solvent="true"]').waitFor();
  const flows = page.getByRole('region', { name: 'Recent flows' }).last();
  await flows.getByText('job released').waitFor();
  expect(await textOf(flows)).toContain('$10.00');
  told.balances = balances({ solvent: false });
  await page.locator('[data-solvent="false"]').waitFor();
  told.broken.add('/a2a/treasury/balances');
  await page.getByText('Not refreshed: The chain does not answer.').waitFor();
  const { page: fresh } = await open('/console/treasury');
  await fresh.getByText('Cannot load balances').waitFor();
  told.broken.clear();
  await fresh.getByRole('button', { name: 'Try again' }).click();
  await fresh.locator('[data-solvent="false"]').waitFor();
});

browserTest('a record is verified in the browser, and so is a file that is pasted', async () => {
  const { proofs } = host();
  const refs = ['job_1', 'job_2', 'job_3'];
  for (const ref of refs) {
    await proofs.log.append({ kind: 30016, key: ref, ref, subject: '0xme', payload: {} });
  }
  await proofs.log.checkpoint();
  const { page, strangers, complaints } = await open('/console/proofs');
  await page.locator('[data-record="2"]').waitFor();
  expect(await texts(page, '[data-record] td:nth-child(3)')).toEqual(refs.toReversed());
  await page.getByRole('button', { name: 'Verify record 1' }).click();
  await page.locator('[data-verdict="valid"]').waitFor();
  const verdict = await textOf(page.locator('[data-verdict]'));
  expect(verdict).toContain('Valid: record 1 (ProofOfService) is in the log');
  expect(verdict).toContain('not that it is true');

  const file = page.getByLabel('Paste a proof file or drop it here');
  const good = await file.inputValue();
  await file.fill(good.replace('"job_2"', '"job_9"'));
  await page.locator('[data-verdict="invalid"]').waitFor();
  expect(await textOf(page.locator('[data-verdict]'))).toContain(
    'the record is not in the signed log',
  );
  await file.fill('no proof');
  await page.locator('[data-verdict="unread"]').waitFor();
  await file.fill('{"v":1}');
  await page.getByText(/it is not a proof file/).waitFor();
  await file.fill(good);
  await page.getByLabel(/Key of the log/).fill('other+00000000+AAAA');
  await page.getByText('the key is not a verifier key (name+id+key)').waitFor();
  await page.getByLabel(/Key of the log/).fill(proofs.keys.verifierKey);
  await page.getByText('The checkpoint is signed with the key that you entered.').waitFor();

  await page.getByLabel(/Key of the log/).fill('');
  await page.getByLabel('Or choose a file').setInputFiles({
    name: 'proof.json',
    mimeType: 'application/json',
    buffer: Buffer.from(good),
  });
  await page.locator('[data-verdict="valid"]').waitFor();
  expect([...strangers, ...complaints]).toEqual([]);
});

browserTest('controls are shown as they stand, with who changed them and why', async () => {
  const { controls } = host();
  controls.set({});
  const { page } = await open('/console/controls');
  await page.locator('[data-control="two-leg-escrow"]').waitFor();
  expect(await texts(page, '.limit-list li')).toHaveLength(3);
  expect(await textOf(page.locator('[data-control="two-leg-escrow"]'))).toMatch(
    /OFF.*It protects nobody/s,
  );
  await controls.change('payer-binding', { to: 'SHADOW', who: 'operator', why: 'a test' });
  const row = page.locator('[data-control="payer-binding"]');
  await row.getByText('SHADOW', { exact: true }).waitFor();
  expect(await textOf(row)).toMatch(/by operator.*a test/s);
  expect(await row.getByRole('link').getAttribute('href')).toBe(
    '/console/actor/control-payer-binding',
  );
});

browserTest('under any labels the page sells no control that does not act', async () => {
  const chance = seeded(48);
  const offered = new Set<string>();
  const { controls } = host();
  const { page } = await open('/console/controls');
  for (let round = 0; round < 5; round += 1) {
    const label = (): ControlLabel =>
      CONTROL_LABELS[Math.floor(chance() * CONTROL_LABELS.length)] ?? 'OFF';
    const labels = Object.fromEntries(CONTROL_IDS.map((id) => [id, label()])) as Record<
      (typeof CONTROL_IDS)[number],
      ControlLabel
    >;
    controls.set(labels);
    await page.reload();
    await page.locator('[data-control="evidence-bundle"]').waitFor();
    const standing = { labels, offered };
    const shown = await textOf(page.locator('main'));
    expect(claimsIn(shown, standing)).toEqual([]);
    for (const id of idle(standing)) {
      expect(await textOf(page.locator(`[data-control="${id}"]`))).not.toContain(
        CONTROL_CATALOG[id].does,
      );
    }
  }
  controls.set({});
});

browserTest('all pages can be used by everybody, on a laptop and on a phone', async () => {
  const { told } = host();
  told.requests = [openRequest()];
  told.jobs = [fulfilledJob()];
  told.passports = [passport()];
  told.balances = balances();
  await expectForEverybody(open, [
    ['/console/work', '[data-job]'],
    [`/console/job/${fulfilledJob().job_id}`, '.move-list li'],
    ['/console/passports', '[data-passport]'],
    ['/console/proofs', '[data-record]'],
    ['/console/treasury', '[data-solvent]'],
    ['/console/controls', '[data-control]'],
  ]);
});

browserTest('keys lead to each page, and the list of keys names them', async () => {
  const { page } = await open('/console/');
  for (const [key, title] of [
    ['w', 'Work'],
    ['i', 'Passports'],
    ['f', 'Proofs'],
    ['y', 'Treasury'],
    ['c', 'Controls'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
  }
});
