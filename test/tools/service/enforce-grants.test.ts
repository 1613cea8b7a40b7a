import { expect, test } from 'vitest';
import type { Grant } from '../../../src/domain/tool/tool.ts';
import { calledHosting } from '../../support/called-hosting.ts';

const grant = (more: Partial<Grant>): { readonly grant: Grant } => ({
  grant: { tokenId: 't1', ...more },
});

test('a call outside the groups of its grant is refused, whatever its session lists', async () => {
  const hosting = calledHosting();
  const by = grant({ toolsets: ['workspaces', 'logs'] });
  const { value, text } = await hosting.call('list_services', {}, by);
  expect(value).toMatchObject({ error: 'FORBIDDEN', data: { received: 'list_services' } });
  expect(text).toContain('The token t1 does not allow list_services (toolset services).');
  expect((await hosting.call('list_workspaces', { workspaceId: undefined }, by)).value.error).toBe(
    'INPUT_INVALID',
  );
  expect((await hosting.raw('list_workspaces', {}, by)).isError).toBe(false);
  const whole = grant({ toolsets: ['all'] });
  expect((await hosting.call('list_services', {}, whole)).isError).toBe(false);
});

test('a grant for reading makes nothing, and does not even look at the arguments', async () => {
  const hosting = calledHosting();
  const by = grant({ isReadOnly: true });
  const made = await hosting.call('create_postgres', { name: 'p', plan: 'free' }, by);
  expect(made.value.error).toBe('FORBIDDEN');
  expect((await hosting.call('create_postgres', { wrong: 1 }, by)).value.error).toBe('FORBIDDEN');
  expect((await hosting.call('list_postgres_instances', {}, by)).value.postgres).toEqual([]);
});

test('a grant of no tools reaches none', async () => {
  const hosting = calledHosting();
  const by = grant({ toolsets: [], isReadOnly: true });
  for (const { name } of hosting.service.tools) {
    expect([name, (await hosting.raw(name, {}, by)).value.error]).toEqual([name, 'FORBIDDEN']);
  }
});
