import { expect } from 'vitest';
import { besideBrowser, expectForEverybody } from '../support/browser-test.ts';
import { webService } from '../support/hosted-console.ts';
import { textOf, texts } from './actor-page.ts';
import { openHostingStage } from './hosting-stage.ts';
import { INJECTIONS } from './injections.ts';

const { browserTest, host, open } = besideBrowser(() => openHostingStage());
const nothing = besideBrowser(() => openHostingStage({ isHosting: false }));
const shown = besideBrowser(() => openHostingStage({ mayChange: false }));

browserTest('services and databases are listed by workspace, and lead to their page', async () => {
  const { provider, live, postgres } = host();
  await live('listed');
  await postgres('store');
  const failing = await provider.services.create(webService({ name: 'failing' }));
  provider.failNext(failing.service.id, 'build', { nonZeroExit: 7 });
  const { page, strangers, complaints } = await open('/console/hosting');
  const row = page.locator('[data-service]', { hasText: 'listed' });
  await row.locator('[data-deploy="live"]').waitFor();
  const broken = page.locator('[data-service]', { hasText: 'failing' });
  await broken.getByText('exited with code 7').waitFor();
  await page.locator('[data-database]', { hasText: 'Postgres 16' }).waitFor();
  expect(await page.locator('nav [aria-current="page"]').first().textContent()).toBe('Hosting');
  await page.getByLabel('Workspace').selectOption({ label: 'Beta' });
  await page.getByText('No services yet').waitFor();
  await page.getByText('No databases yet').waitFor();
  await page.goBack();
  await row.getByRole('link', { name: 'listed', exact: true }).click();
  await page.getByRole('heading', { name: 'listed', level: 1 }).waitFor();
  expect([...strangers, ...complaints]).toEqual([]);
});

browserTest('a service shows its deploys with their reasons, and its events', async () => {
  const { provider, live } = host();
  const id = await live('told');
  provider.failNext(id, 'update', { unhealthy: '500 from /healthz' });
  await provider.deploys.trigger(id, { clearCache: false });
  const { page, complaints } = await open(`/console/hosting/services/${id}`);
  await page.getByText('failed its health check: 500 from /healthz').first().waitFor();
  await page.locator('[data-row] [data-deploy="live"]').waitFor();
  await page.locator('[data-event="deploy_started"]').first().waitFor();
  const facts = await textOf(page.getByRole('region', { name: 'Service', exact: true }));
  for (const words of ['node', 'starter', 'API_KEY', 'https://git.example.org/hello']) {
    expect(facts).toContain(words);
  }
  expect(await page.content()).not.toContain('never-shown');
  expect(complaints).toEqual([]);
});

browserTest('a service is deployed, rolled back, suspended and resumed from its page', async () => {
  const { provider, live, halt } = host();
  const id = await live('moved');
  const { page, complaints } = await open(`/console/hosting/services/${id}`);
  const press = async (words: string, button: string): Promise<void> => {
    await page.getByRole('button', { name: words }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await press('Deploy …', 'Deploy');
  await page.locator('[data-row] [data-deploy="deactivated"]').waitFor();
  await press('Roll back dep-', 'Roll back');
  await page.getByText('rollback', { exact: true }).waitFor();
  await expect
    .poll(async () => (await provider.deploys.list({ serviceId: id, limit: 1 })).items[0]?.item)
    .toMatchObject({ trigger: 'rollback', status: 'live' });
  await press('Suspend …', 'Suspend');
  await page.locator('.page-head .state-pill', { hasText: 'suspended' }).waitFor();
  expect((await provider.services.get(id)).suspended).toBe('suspended');
  await press('Resume …', 'Resume');
  await page.locator('.page-head [data-deploy="live"]').waitFor();
  const resume = halt();
  await provider.deploys.trigger(id, { clearCache: false });
  await page.locator('[data-deploy="queued"]').first().waitFor();
  await press('Cancel dep-', 'Cancel the deploy');
  await page.locator('[data-deploy="canceled"]').first().waitFor();
  resume();
  expect(complaints).toEqual([]);
});

browserTest('settings change for real; what is wrong stands at its field', async () => {
  const { provider, live } = host();
  const id = await live('set');
  await live('taken name');
  const settings = provider.services.settingsUrl(id);
  const { page, complaints } = await open(new URL(settings).pathname);
  expect(new URL(settings).origin).toBe(host().served.baseUrl);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await page.getByLabel('Instances').fill('0');
  await save.click();
  const fault = page.locator('#setting-numInstances-fault');
  await fault.waitFor();
  expect(await textOf(fault)).toMatch(/received 0, allowed: an integer/);
  expect(await page.getByLabel('Instances').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Instances').fill('3');
  await page.getByLabel('Name', { exact: true }).fill('taken name');
  await save.click();
  await page.getByText('allowed: a name that is not taken').waitFor();
  expect(await provider.services.get(id)).toMatchObject({ name: 'set' });
  await page.getByLabel('Name', { exact: true }).fill('set anew');
  await page.getByLabel('Start command').fill('node main.js');
  await page.getByLabel('Plan').selectOption('standard');
  await page.getByText('Changed: name, startCommand, plan, numInstances').waitFor();
  await save.click();
  await page
    .getByText(/Saved\. Deploy dep-\w+ started\./)
    .first()
    .waitFor();
  await page.getByRole('heading', { name: 'set anew', level: 1 }).waitFor();
  expect(await provider.services.get(id)).toMatchObject({
    name: 'set anew',
    serviceDetails: { startCommand: 'node main.js', numInstances: 3, plan: 'standard' },
  });
  await page.getByText('No changes.').waitFor();
  // The two refusals are told to the console of the browser as answers that failed.
  expect(complaints.filter((words) => !/status of 4(22|09)/.test(words))).toEqual([]);
});

browserTest('variables are replaced as a whole, and never shown', async () => {
  const { provider, live } = host();
  const id = await live('variables');
  const { page, complaints } = await open(`/console/hosting/services/${id}/settings`);
  await page.getByRole('button', { name: 'Replace all variables' }).click();
  expect(await page.getByLabel('Name 1', { exact: true }).inputValue()).toBe('API_KEY');
  expect(await page.getByLabel('Value 1').inputValue()).toBe('');
  await page.getByRole('button', { name: 'Remove variable 1' }).click();
  await page.getByRole('button', { name: 'Add a variable' }).click();
  await page.getByLabel('Name 1', { exact: true }).fill('TOKEN');
  await page.getByLabel('Value 1').fill('typed-once');
  await page.getByRole('button', { name: 'Replace …', exact: true }).click();
  await page.getByText('Removed: API_KEY.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await page.locator('.env-names', { hasText: 'TOKEN' }).waitFor();
  expect(await provider.services.envVarNames(id)).toEqual(['TOKEN']);
  expect(await page.content()).not.toContain('typed-once');
  expect(complaints).toEqual([]);
});

browserTest('log lines come live, through filters that the address keeps', async () => {
  const { provider, live } = host();
  const id = await live('logs');
  for (let at = 0; at < 130; at += 1) {
    provider.log({ resource: id, type: 'app', level: 'info' }, `old line ${at}`);
  }
  const { page, complaints } = await open(`/console/hosting/services/${id}/logs`);
  await page.locator('[data-live="true"]').waitFor();
  await page.getByText('old line 129').waitFor();
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('old line 0', { exact: true }).waitFor();
  provider.log({ resource: id, type: 'app', level: 'error' }, 'it fell over');
  await page.getByText('it fell over').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  provider.log({ resource: id, type: 'app', level: 'info' }, 'while paused');
  await page.getByRole('button', { name: 'Resume (1 new)' }).click();
  await page.getByText('while paused').waitFor();
  await page.getByLabel('Level').selectOption('error');
  await expect.poll(() => texts(page, '.log-text')).toEqual(['it fell over']);
  expect(new URL(page.url()).searchParams.get('level')).toBe('error');
  const labels = { resource: id, level: 'error', method: 'GET', path: '/x' } as const;
  provider.log({ ...labels, type: 'request', statusCode: '503' }, 'GET x/x 503 12 ms');
  await page.getByText('GET x/x 503 12 ms').waitFor();
  await page.getByLabel('Status').fill('5*');
  await expect.poll(() => texts(page, '.log-text')).toEqual(['GET x/x 503 12 ms']);
  await page.reload();
  await page.getByText('GET x/x 503 12 ms').waitFor();
  expect(await page.getByLabel('Status').inputValue()).toBe('5*');
  expect(complaints).toEqual([]);
  await page.getByLabel('Text').fill('/(/');
  await page.getByRole('alert').waitFor();
});

browserTest('charts have their units, and a gap where nothing was measured', async () => {
  const id = await host().live('charted');
  const { page, complaints } = await open(`/console/hosting/services/${id}/metrics`);
  await page.locator('[data-plot="memory"] canvas').waitFor();
  const memory = await textOf(page.locator('[data-plot="memory"] .plot-now'));
  expect(memory).toMatch(/limit per instance512 MiB.*used128 MiB/s);
  const slider = page.getByRole('slider', { name: 'CPU, cores: time' });
  await slider.focus();
  await slider.press('ArrowLeft');
  await page.locator('[data-plot="processor"] .plot-now', { hasText: '0.125' }).waitFor();
  await slider.press('PageUp');
  for (let step = 0; step < 5; step += 1) await slider.press('ArrowLeft');
  expect(await slider.getAttribute('aria-valuetext')).toContain('used');
  const plots = await page.evaluate(async (resource) => {
    const answer = await fetch(`/inspect/hosting/metrics?resource=${resource}&hours=1`);
    return (await answer.json()).plots;
  }, id);
  expect(plots[0].lines[1].values.filter((value: unknown) => value === null)).toHaveLength(20);
  await page.getByRole('button', { name: '7 d' }).click();
  await page.getByRole('heading', { name: 'Requests per 60 min' }).waitFor();
  expect(new URL(page.url()).search).toBe('?hours=168');
  expect(complaints).toEqual([]);
});

browserTest('the allowlist of a database is changed on its page', async () => {
  const { provider, postgres } = host();
  const id = await postgres('guarded');
  const { dashboardUrl } = await provider.postgres.get(id);
  const { page, complaints } = await open(new URL(dashboardUrl).pathname);
  await page.getByText('127.0.0.1/32').waitFor();
  await page.getByRole('button', { name: 'Edit the list' }).click();
  await page.getByRole('button', { name: 'Remove range 2' }).click();
  await page.getByLabel('Range 1', { exact: true }).fill('203.0.113.7');
  await page.getByRole('button', { name: 'Save the list' }).click();
  await page.locator('#range-fault', { hasText: 'an address and prefix' }).waitFor();
  expect(await page.getByLabel('Range 1', { exact: true }).getAttribute('aria-invalid')).toBe(
    'true',
  );
  await page.getByLabel('Range 1', { exact: true }).fill('203.0.113.7/32');
  await page.getByLabel('Description of range 1').fill('the office');
  await page.getByRole('button', { name: 'Save the list' }).click();
  await page.getByRole('button', { name: 'Edit the list' }).waitFor();
  const wanted = [{ cidrBlock: '203.0.113.7/32', description: 'the office' }];
  expect((await provider.postgres.get(id)).ipAllowList).toEqual(wanted);
  await page.getByRole('button', { name: 'Edit the list' }).click();
  await page.getByRole('button', { name: 'Remove range 1' }).click();
  await page.getByRole('button', { name: 'Save the list' }).click();
  await page.getByText('Only programs on the same host can connect.').waitFor();
  expect((await provider.postgres.get(id)).ipAllowList).toEqual([]);
  expect(complaints.filter((words) => !words.includes('status of 422'))).toEqual([]);
});

browserTest('a service is deleted by its name alone, from the keyboard', async () => {
  const { provider, live } = host();
  const id = await live('to be gone');
  const { page, complaints } = await open(`/console/hosting/services/${id}`);
  await page.getByRole('button', { name: 'Delete …' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete this service?' });
  const button = dialog.getByRole('button', { name: 'Delete', exact: true });
  await dialog.getByLabel('Type the name of the service').focus();
  await page.keyboard.type('to be gon');
  expect(await button.isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect((await provider.services.get(id)).name).toBe('to be gone');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Type the name of the service').focus();
  await page.keyboard.type('to be gone');
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Hosting', level: 1 }).waitFor();
  await expect(provider.services.get(id)).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
  expect(complaints.filter((words) => !words.includes('status of 404'))).toEqual([]);
});

browserTest('a database is suspended, resumed and deleted from its page', async () => {
  const { provider, postgres } = host();
  const id = await postgres('moved about');
  const { page, complaints } = await open(`/console/hosting/databases/${id}`);
  const press = async (words: string): Promise<void> => {
    await page.getByRole('button', { name: `${words} …` }).click();
    await page.getByRole('dialog').getByRole('button', { name: words, exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await press('Suspend');
  await page.locator('.page-head .state-pill', { hasText: 'suspended' }).waitFor();
  expect((await provider.postgres.get(id)).status).toBe('suspended');
  await press('Resume');
  await page.locator('.page-head .state-pill', { hasText: 'available' }).waitFor();
  await page.getByRole('button', { name: 'Delete …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this database?' });
  await dialog.getByLabel('Type the name of the database').fill('moved about');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { name: 'Hosting', level: 1 }).waitFor();
  await expect(provider.postgres.get(id)).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
  expect(complaints.filter((words) => !words.includes('status of 404'))).toEqual([]);
});

browserTest('connection strings are on the page only between show and hide', async () => {
  const { provider, postgres } = host();
  const id = await postgres('kept secret');
  const { internal, external } = await provider.postgres.connection(id);
  const { page, complaints } = await open(`/console/hosting/databases/${id}`);
  await page.getByRole('heading', { name: 'Connection strings' }).waitFor();
  const { password } = new URL(external);
  expect(await page.content()).not.toContain(password);
  await page.getByRole('button', { name: 'Show connection strings' }).focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Connection strings' });
  await panel.getByText(external, { exact: true }).waitFor();
  expect(await textOf(panel)).toContain(internal);
  await page.getByRole('button', { name: 'Hide connection strings' }).click();
  await panel.getByText(external, { exact: true }).waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(password);
  expect(complaints).toEqual([]);
});

browserTest('keys lead to the page, and through its parts to a change', async () => {
  const id = await host().live('by keyboard');
  const { page } = await open('/console/');
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await page.getByRole('heading', { name: 'Hosting', level: 1 }).waitFor();
  await page.locator(`[data-service="${id}"] a`).first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Settings' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Branch').focus();
  await page.keyboard.press('End');
  await page.keyboard.type('-two');
  await page.keyboard.press('Enter');
  await page
    .getByText(/^Saved/)
    .first()
    .waitFor();
  expect((await host().provider.services.get(id)).branch).toBe('main-two');
});

browserTest('texts of programs and callers stay texts', async () => {
  const { provider } = host();
  const found: string[] = [];
  for (const [at, text] of INJECTIONS.entries()) {
    const name = `${at} ${text}`.slice(0, 90);
    const order = webService({ name, repo: text, branch: text });
    const { service } = await provider.services.create(order);
    provider.log({ resource: service.id, type: 'app', level: 'info', instance: text }, text);
    provider.tell(service.id, 'server_failed', { reason: { unhealthy: text }, [text]: text });
    if (at % 8 > 0) continue;
    const { page, strangers, complaints } = await open(`/console/hosting/services/${service.id}`);
    page.on('dialog', () => found.push(`${at}: dialog`));
    await page.locator('[data-event="server_failed"]').waitFor();
    for (const [part, sign] of [
      ['logs', '[data-line]'],
      ['settings', '#setting-name'],
    ] as const) {
      await page.goto(`${host().served.baseUrl}/console/hosting/services/${service.id}/${part}`);
      await page.locator(sign).first().waitFor();
    }
    found.push(...(await foreignParts(page)), ...strangers, ...complaints);
    await page.context().close();
  }
  const { page } = await open('/console/hosting');
  await page.locator('[data-service]').first().waitFor();
  expect([...found, ...(await foreignParts(page))]).toEqual([]);
});

/** Markup that texts of others have become, or what they have run. */
function foreignParts(page: Awaited<ReturnType<typeof open>>['page']): Promise<readonly string[]> {
  return page.evaluate(() => {
    const foreign =
      'main :is(script, iframe, img, object, embed, style, base, [onerror], [onload], ' +
      'a[href^="javascript:" i], a[href^="data:" i])';
    const parts = [...document.querySelectorAll(foreign)].map(({ outerHTML }) => outerHTML);
    return 'injected' in window ? ['a script has run', ...parts] : parts;
  });
}

browserTest('all pages can be used by everybody, on a laptop and on a phone', async () => {
  const { provider, live, postgres } = host();
  const id = await live('for everybody');
  provider.log({ resource: id, type: 'app', level: 'critical' }, `long ${'x'.repeat(500)}`);
  const database = await postgres('for everybody too');
  await expectForEverybody(open, [
    ['/console/hosting', '[data-service]'],
    [`/console/hosting/services/${id}`, '[data-row]'],
    [`/console/hosting/services/${id}/logs`, '[data-line]'],
    [`/console/hosting/services/${id}/metrics`, '[data-plot] canvas'],
    [`/console/hosting/services/${id}/settings`, '#setting-name'],
    [`/console/hosting/databases/${database}`, '#connection-strings'],
  ]);
});

nothing.browserTest('where nothing is hosted the page says how to switch it on', async () => {
  for (const path of ['/console/hosting', '/console/hosting/services/srv-x/settings']) {
    const { page } = await nothing.open(path);
    await page.getByText('Nothing is hosted yet').waitFor();
    expect(await page.locator('[data-service], .hosted-tabs').count()).toBe(0);
  }
  await expectPlain(nothing.open);
});

/** The refusal itself is told to the browser's console, so that only other complaints count. */
async function expectPlain(openPage: typeof open): Promise<void> {
  const { page, complaints } = await openPage('/console/hosting');
  await page.getByText('docs/hosting.md').waitFor();
  expect(complaints.filter((words) => !words.includes('status of 503'))).toEqual([]);
}

shown.browserTest('where changes are off they are not offered, and the flag is named', async () => {
  const { live, postgres } = shown.host();
  const id = await live('only shown');
  const { page, complaints } = await shown.open(`/console/hosting/services/${id}/settings`);
  await page.getByText('stoa serve --console-actions hosting').waitFor();
  expect(await page.getByLabel('Branch').isDisabled()).toBe(true);
  for (const words of ['Deploy …', 'Suspend …', 'Delete …', 'Replace all variables …']) {
    expect(await page.getByRole('button', { name: words }).count()).toBe(0);
  }
  await page.goto(
    `${shown.host().served.baseUrl}/console/hosting/databases/${await postgres('x')}`,
  );
  await page.getByText('stoa serve --console-actions hosting').waitFor();
  for (const words of ['Edit the list', 'Suspend …', 'Delete …', 'Show connection strings']) {
    expect(await page.getByRole('button', { name: words }).count()).toBe(0);
  }
  expect(complaints).toEqual([]);
});
