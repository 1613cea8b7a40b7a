import { expect, test } from 'vitest';
import { isObject } from '../../../src/domain/common/json.ts';
import { ENGINES } from '../../support/engines.ts';
import { proves } from '../../support/proves.ts';
import { serveApi } from './api-rig.ts';

/** Every operation of the API, by the name that its document gives it. */
const OPERATIONS = [
  ...['getAbilities', 'listWorkspaces', 'getWorkspace', 'listServices', 'createService'],
  ...['getService', 'updateService', 'removeService', 'restartService', 'listEnvVarNames'],
  ...['replaceEnvVars', 'listDeploys', 'triggerDeploy', 'getDeploy', 'cancelDeploy'],
  ...['rollbackDeploy', 'listEvents', 'queryLogs', 'listLogValues', 'tailLogs', 'queryMetrics'],
  ...['listPostgres', 'createPostgres', 'getPostgres', 'removePostgres', 'setPostgresAllowList'],
  ...['getPostgresConnection', 'queryPostgres', 'listKeyValue', 'createKeyValue', 'getKeyValue'],
  ...['removeKeyValue', 'setKeyValueAllowList', 'getKeyValueConnection'],
  ...['suspendPostgres', 'resumePostgres', 'suspendKeyValue', 'resumeKeyValue'],
];

/** Every value of a member, however deep it stands. */
function membersOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => membersOf(item, name));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(key === name ? [member] : []),
    ...membersOf(member, name),
  ]);
}

test.each(ENGINES)('the API describes every operation of it (%s)', async (engine) => {
  proves('H4.s2');
  const api = await serveApi(engine);
  const { status, value } = await api.ask('openapi.json', { token: 'reader' });
  expect([status, value.openapi]).toEqual([200, '3.1.0']);
  const told = membersOf(value.paths, 'operationId').map(String);
  expect(told.toSorted()).toEqual(OPERATIONS.toSorted());
  for (const ref of membersOf(value, '$ref')) {
    const steps = String(ref).replace('#/', '').split('/');
    const found = steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), value);
    expect([ref, isObject(found)]).toEqual([ref, true]);
  }
});

test('every name in an address is a parameter, and every one is needed', async () => {
  const { value } = await (await serveApi('node')).ask('openapi.json');
  for (const [path, operations] of Object.entries<Record<string, unknown>>(value.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters = [] } of Object.values(operations) as { parameters?: unknown[] }[]) {
      const inPath = (parameters as { name: string; in: string; required: boolean }[]).filter(
        (parameter) => parameter.in === 'path',
      );
      expect([path, inPath.map(({ name }) => name)]).toEqual([path, names]);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  }
});
