import { expect, test } from 'vitest';
import { calledHosting, liveShop } from '../../support/called-hosting.ts';

const envVars = [
  { key: 'A_SECRET', value: 'one' },
  { key: 'B_SETTING', value: 'two' },
];

test('one variable is changed and the others stay, or the answer names what is lost', async () => {
  const hosting = calledHosting();
  const serviceId = await liveShop(hosting, { envVars });
  const names = async () => (await hosting.call('get_service', { serviceId })).value.envVarNames;
  const call = (more: object) =>
    hosting.call('update_environment_variables', {
      serviceId,
      envVars: [{ key: 'A_SECRET', value: 'new' }],
      ...more,
    });
  const tried = await call({ dryRun: true });
  expect(tried.value).toMatchObject({ changed: false, removed: ['B_SETTING'] });
  expect(tried.value.deployId).toBeUndefined();
  expect(tried.line).toContain('Nothing was changed.');
  expect(tried.line).toContain('would remove B_SETTING');
  expect(await names()).toEqual(['A_SECRET', 'B_SETTING']);
  const merged = await call({ merge: true });
  expect(merged.value).toMatchObject({
    changed: true,
    envVarNames: ['A_SECRET', 'B_SETTING'],
    removed: [],
  });
  expect(await names()).toEqual(['A_SECRET', 'B_SETTING']);
  const added = await call({ merge: true, envVars: [{ key: 'C', value: '' }] });
  expect(added.value.envVarNames).toEqual(['A_SECRET', 'B_SETTING', 'C']);
  const replaced = await call({});
  expect(replaced.value).toMatchObject({ envVarNames: ['A_SECRET'], removed: ['B_SETTING', 'C'] });
  expect(replaced.line).toContain('Removed: B_SETTING, C.');
  expect(await names()).toEqual(['A_SECRET']);
});

test('a variable takes its value from a database of the workspace, and from no other', async () => {
  const hosting = calledHosting();
  const serviceId = await liveShop(hosting);
  const set = (variable: object) =>
    hosting.call('update_environment_variables', { serviceId, envVars: [variable] });
  const made = await hosting.call('create_postgres', { name: 'data', plan: 'free' });
  const { id } = made.value.postgres;
  const wired = await set({ key: 'URL', fromDatabase: { id } });
  expect(wired.isError).toBe(false);
  expect(wired.value.envVarNames).toEqual(['URL']);
  const named = await set({ key: 'HOST', fromDatabase: { id, property: 'host' } });
  expect(named.isError).toBe(false);
  const path = 'envVars.0.fromDatabase.id';
  const gone = `${id.slice(0, 5)}00000000000000000-a`;
  for (const wrong of [gone, serviceId]) {
    const refused = await set({ key: 'URL', fromDatabase: { id: wrong } });
    expect(refused.text).toContain(`${path}: received "${wrong}"`);
  }
  for (const variable of [
    { key: 'URL' },
    { key: 'URL', value: 'x', fromDatabase: { id } },
    { key: 'URL', fromDatabase: { id, property: 'colour' } },
  ]) {
    expect((await set(variable)).isError, JSON.stringify(variable)).toBe(true);
  }
});
