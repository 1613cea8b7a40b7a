import { describe, expect, test } from 'vitest';
import {
  ALPHA_GRANT,
  availableStores,
  type CalledHosting,
  calledHosting,
  liveShop,
  SHOP,
} from '../../support/called-hosting.ts';
import { WORKSPACES } from '../../support/hosting-world.ts';
import { proves } from '../../support/proves.ts';

const [ALPHA, BETA] = [WORKSPACES[0].id, WORKSPACES[1].id];

/** One call of every tool on resources that are there, without a workspace. */
async function everyCall(hosting: CalledHosting) {
  const serviceId = await liveShop(hosting);
  const { postgresId, keyValueId } = await availableStores(hosting);
  const page = await hosting.provider.deploys.list({ serviceId, limit: 1 });
  const deployId = page.items[0]?.item.id ?? '';
  const { value: site } = await hosting.call('create_static_site', {
    name: 'site',
    buildCommand: 'true',
  });
  const { value: cron } = await hosting.call('create_cron_job', {
    ...SHOP,
    name: 'cron',
    schedule: '0 0 * * *',
  });
  const ofWorkspace = [
    ['list_services', {}],
    ['list_postgres_instances', {}],
    ['list_key_value', {}],
    ['create_web_service', { ...SHOP, name: 'second' }],
    ['create_static_site', { name: 'third', buildCommand: 'true' }],
    ['create_cron_job', { ...SHOP, name: 'fourth', schedule: '0 0 * * *' }],
    ['create_postgres', { name: 'fifth', plan: 'free' }],
    ['create_key_value', { name: 'sixth', plan: 'free' }],
  ] as const;
  const ofResources = [
    ['get_service', { serviceId }],
    ['update_environment_variables', { serviceId, envVars: [] }],
    ['update_web_service', { serviceId }],
    ['update_static_site', { serviceId: site.service.id }],
    ['update_cron_job', { serviceId: cron.service.id }],
    ['list_deploys', { serviceId }],
    ['get_deploy', { serviceId, deployId }],
    ['trigger_deploy', { serviceId }],
    ['list_events', { serviceId }],
    ['list_logs', { resource: [serviceId, postgresId] }],
    ['list_log_label_values', { label: 'level', resource: [serviceId] }],
    ['get_metrics', { resourceId: serviceId, metricTypes: ['cpu_usage'] }],
    ['get_metrics', { resourceId: postgresId, metricTypes: ['cpu_usage'] }],
    ['get_metrics', { resourceId: keyValueId, metricTypes: ['cpu_usage'] }],
    ['query_hosted_postgres', { postgresId, sql: 'select 1' }],
    ['get_postgres', { postgresId }],
    ['get_key_value', { keyValueId }],
  ] as const;
  return { ofWorkspace, ofResources, all: [...ofWorkspace, ...ofResources] };
}

const sql = async () => ({ columns: [], rows: [] });

describe('which workspace a call is about', () => {
  test('every tool on resources takes workspaceId, and none needs it by its schema', () => {
    proves('H4.s5');
    const { service } = calledHosting();
    const without = ['list_workspaces', 'select_workspace', 'get_selected_workspace'];
    const taking = service.tools.filter(({ inputSchema }) => {
      const { properties, required } = inputSchema as {
        properties: object;
        required?: readonly string[];
      };
      expect(required ?? []).not.toContain('workspaceId');
      return 'workspaceId' in properties;
    });
    expect(taking).toHaveLength(23);
    expect(taking.map(({ name }) => name)).not.toEqual(expect.arrayContaining(without));
  });

  test('the one that the call names', async () => {
    const hosting = calledHosting({ sql });
    for (const [name, args] of (await everyCall(hosting)).all) {
      const answer = await hosting.raw(name, { ...args, workspaceId: ALPHA });
      expect([name, answer.isError, answer.text]).toEqual([name, false, expect.any(String)]);
    }
  });

  test('else the one that its session has selected', async () => {
    proves('H4.s7.c1', 'H2.t1');
    const hosting = calledHosting({ sql });
    const calls = await everyCall(hosting);
    const session = hosting.session();
    await hosting.raw('select_workspace', { ownerID: ALPHA }, { session });
    for (const [name, args] of calls.all) {
      expect([name, (await hosting.raw(name, args, { session })).isError]).toEqual([name, false]);
    }
  });

  test('none: every tool says what to pass, and does nothing', async () => {
    proves('H4.s6', 'H4.s7.c2');
    const hosting = calledHosting({ sql });
    const calls = await everyCall(hosting);
    const before = await hosting.provider.services.list({ ownerId: ALPHA, limit: 100 });
    for (const [name, args] of calls.all) {
      for (const session of [hosting.session('nobody'), undefined]) {
        const { value, text } = await hosting.raw(name, args, { session });
        expect([name, value.error]).toEqual([name, 'WORKSPACE_REQUIRED']);
        expect(text).toMatch(/workspaceId: received nothing.*list_workspaces.*ask the user/s);
      }
    }
    expect(await hosting.provider.services.list({ ownerId: ALPHA, limit: 100 })).toEqual(before);
  });

  test('none, where only one is reached: it is not taken by itself', async () => {
    const hosting = calledHosting({ workspaces: [WORKSPACES[0]] });
    const session = hosting.session();
    await hosting.raw('list_workspaces', {}, { session });
    const { value } = await hosting.raw('list_services', {}, { session });
    expect(value.error).toBe('WORKSPACE_REQUIRED');
  });

  test.each([
    ['', 'workspaceId: received "", allowed: the id of a workspace'],
    ['   ', 'allowed: the id of a workspace'],
    [7, 'workspaceId: received 7, allowed: string'],
    [[ALPHA], 'allowed: string'],
    ['x'.repeat(65), 'allowed: at most 64'],
    ['tea-\u0000', 'without control characters'],
  ])('an id of the wrong form is refused by name: %j', async (workspaceId, said) => {
    const hosting = calledHosting();
    const session = hosting.session();
    session.selectWorkspace(ALPHA);
    const { value, text } = await hosting.raw('list_services', { workspaceId }, { session });
    expect(value.error).toBe('INPUT_INVALID');
    expect(text).toContain(said);
  });

  test('one that there is not is refused by every tool', async () => {
    const hosting = calledHosting({ sql });
    const { ofWorkspace } = await everyCall(hosting);
    for (const [name, args] of ofWorkspace) {
      const { value, text } = await hosting.raw(name, { ...args, workspaceId: 'tea-none' });
      expect([name, value.error]).toEqual([name, 'RESOURCE_UNKNOWN']);
      expect(text).toContain('workspaceId: received "tea-none"');
    }
  });
});

test('null means that none is named', async () => {
  const hosting = calledHosting();
  const { value } = await hosting.raw('list_services', { workspaceId: null });
  expect(value.error).toBe('WORKSPACE_REQUIRED');
});

describe('whose a resource is', () => {
  test('a resource of another workspace is refused with both named, by every tool', async () => {
    const hosting = calledHosting({ sql });
    const { ofResources } = await everyCall(hosting);
    for (const [name, args] of ofResources) {
      const { value, text } = await hosting.raw(name, { ...args, workspaceId: BETA });
      expect([name, value.error]).toEqual([name, 'WORKSPACE_MISMATCH']);
      expect(text).toContain(ALPHA);
      expect(text).toContain(BETA);
    }
  });

  test('the selected workspace is held against the resource in the same way', async () => {
    const hosting = calledHosting({ sql });
    const { ofResources } = await everyCall(hosting);
    const session = hosting.session();
    session.selectWorkspace(BETA);
    for (const [name, args] of ofResources) {
      const { value } = await hosting.raw(name, args, { session });
      expect([name, value.error]).toEqual([name, 'WORKSPACE_MISMATCH']);
    }
  });

  test('of several resources of logs each is looked at', async () => {
    const hosting = calledHosting();
    const own = await liveShop(hosting);
    const other = await liveShop(hosting, { workspaceId: BETA });
    for (const resource of [
      [own, other],
      [other, own],
    ]) {
      const { value, text } = await hosting.call('list_logs', { resource });
      expect(value.error).toBe('WORKSPACE_MISMATCH');
      expect(text).toContain(`resource.${resource.indexOf(other)}`);
    }
  });

  test('an id that names nothing says which parameter, and which tool lists them', async () => {
    const hosting = calledHosting();
    const serviceId = 'srv-00000000000000000000';
    const { value, text } = await hosting.call('get_service', { serviceId });
    expect(value.error).toBe('RESOURCE_UNKNOWN');
    expect(text).toContain(`serviceId: received "${serviceId}"`);
    expect(text).toContain('list_services');
    const metrics = { resourceId: 'other-form', metricTypes: ['cpu_usage'] };
    expect((await hosting.call('get_metrics', metrics)).value.error).toBe('RESOURCE_UNKNOWN');
  });

  test('an id of another kind is told apart', async () => {
    const hosting = calledHosting();
    const { postgresId } = await availableStores(hosting);
    const { value, text } = await hosting.call('get_service', { serviceId: postgresId });
    expect(value.error).toBe('RESOURCE_UNKNOWN');
    expect(text).toContain('this is a postgres');
  });

  test('an unknown resource in an unknown workspace names the workspace first', async () => {
    const hosting = calledHosting();
    const args = { workspaceId: 'tea-none', serviceId: 'srv-00000000000000000000' };
    expect((await hosting.raw('get_service', args)).text).toContain('workspaceId: received');
  });
});

describe('what is selected in a session', () => {
  test('a selection is checked, told and kept for the session alone', async () => {
    proves('H4.workspaces.t2', 'H4.workspaces.t3', 'H9.i4');
    const hosting = calledHosting();
    const [one, two] = [hosting.session('one'), hosting.session('two')];
    const none = await hosting.raw('get_selected_workspace', {}, { session: one });
    expect(none.value).toEqual({ selected: null });
    const wrong = await hosting.raw('select_workspace', { ownerID: 'tea-none' }, { session: one });
    expect(wrong.text).toContain('ownerID: received "tea-none"');
    const { line, text } = await hosting.raw(
      'select_workspace',
      { ownerID: ALPHA },
      { session: one },
    );
    expect(line).toBe(`Workspace ${ALPHA} (Alpha) is selected in this session.`);
    expect(text).toContain('deprecated');
    const selected = await hosting.raw('get_selected_workspace', {}, { session: one });
    expect(selected.value).toEqual({ selected: ALPHA });
    const other = await hosting.raw('get_selected_workspace', {}, { session: two });
    expect(other.value).toEqual({ selected: null });
  });

  test('naming a workspace overrides the selection and does not change it', async () => {
    const hosting = calledHosting();
    const session = hosting.session();
    session.selectWorkspace(BETA);
    const { value } = await hosting.call('list_services', {}, { session });
    expect(value.services).toEqual([]);
    expect(session.workspaceId).toBe(BETA);
    const fresh = hosting.session('fresh');
    await hosting.call('list_services', {}, { session: fresh });
    expect(fresh.workspaceId).toBeUndefined();
  });

  test('calls at once with different workspaces do not mix', async () => {
    const hosting = calledHosting();
    await liveShop(hosting, { name: 'a' });
    await liveShop(hosting, { name: 'b', workspaceId: BETA });
    const session = hosting.session();
    const asked = Array.from({ length: 40 }, async (_, at) => {
      const workspaceId = at % 2 === 0 ? ALPHA : BETA;
      const { value } = await hosting.raw('list_services', { workspaceId }, { session });
      return [workspaceId, value.services.map(({ name }: { name: string }) => name)];
    });
    for (const [workspaceId, names] of await Promise.all(asked)) {
      expect(names).toEqual([workspaceId === ALPHA ? 'a' : 'b']);
    }
  });

  test('in a new session the last one is named in the error, and not used', async () => {
    const hosting = calledHosting();
    hosting.session().selectWorkspace(BETA);
    const session = hosting.session();
    const { value, text } = await hosting.raw('list_services', {}, { session });
    expect(value).toMatchObject({ error: 'WORKSPACE_REQUIRED', data: { last_selected: BETA } });
    expect(text).toContain(`was ${BETA}; it is not used`);
    const { value: selected } = await hosting.raw('get_selected_workspace', {}, { session });
    expect(selected).toEqual({ selected: null, lastSelected: BETA });
    expect(session.workspaceId).toBeUndefined();
    const stranger = await hosting.raw('list_services', {}, { session: hosting.session('other') });
    expect(stranger.text).not.toContain(BETA);
  });

  test('a connection without sessions refuses a selection and says what to pass', async () => {
    const hosting = calledHosting();
    const { value, text } = await hosting.raw('select_workspace', { ownerID: ALPHA });
    expect(value.error).toBe('WORKSPACE_REQUIRED');
    expect(text).toContain(`Pass workspaceId: "${ALPHA}" on each call instead.`);
    const selected = await hosting.raw('get_selected_workspace', {});
    expect(selected.value).toEqual({ selected: null });
    expect(selected.text).toContain('no sessions');
  });
});

describe('a token of one workspace', () => {
  test('lists that one alone', async () => {
    proves('H4.workspaces.t1');
    const hosting = calledHosting();
    const all = await hosting.raw('list_workspaces', {});
    expect(all.value.workspaces).toEqual(WORKSPACES);
    expect(all.line).toBe(`2 workspaces: ${ALPHA} (Alpha), ${BETA} (Beta)`);
    const own = await hosting.raw('list_workspaces', {}, { grant: ALPHA_GRANT });
    expect(own.value.workspaces).toEqual([WORKSPACES[0]]);
  });

  test('names no other workspace, by any tool', async () => {
    const hosting = calledHosting({ sql });
    const session = hosting.session();
    for (const [name, args] of (await everyCall(hosting)).all) {
      const by = { session, grant: ALPHA_GRANT };
      const { value } = await hosting.raw(name, { ...args, workspaceId: BETA }, by);
      expect([name, value.error]).toEqual([name, 'FORBIDDEN']);
    }
    const by = { session, grant: ALPHA_GRANT };
    const selected = await hosting.raw('select_workspace', { ownerID: BETA }, by);
    expect(selected.value.error).toBe('FORBIDDEN');
    expect(session.workspaceId).toBeUndefined();
  });

  test('learns of a resource of another workspace what it learns of none', async () => {
    const hosting = calledHosting({ sql });
    const { ofResources } = await everyCall(hosting);
    const grant = { tokenId: 'beta', workspaceId: BETA };
    for (const [name, args] of ofResources) {
      const { value, text } = await hosting.raw(name, { ...args, workspaceId: BETA }, { grant });
      expect([name, value.error]).toEqual([name, 'RESOURCE_UNKNOWN']);
      expect(text).not.toContain(ALPHA);
    }
  });

  test('is told its workspace where it names none', async () => {
    const hosting = calledHosting();
    const by = { session: hosting.session(), grant: ALPHA_GRANT };
    const { value, text } = await hosting.raw('list_services', {}, by);
    expect(value.error).toBe('WORKSPACE_REQUIRED');
    expect(text).toContain(`This token reaches only ${ALPHA}.`);
  });
});
