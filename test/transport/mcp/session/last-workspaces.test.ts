import { expect, test } from 'vitest';
import type { Principal } from '../../../../src/domain/tool/tool.ts';
import {
  createMemorySelection,
  createToolSession,
  LAST_WORKSPACES_MAX,
  LastWorkspaces,
} from '../../../../src/transport/mcp/session/last-workspaces.ts';

const caller = (id: string): Principal => ({ kind: 'token', id });

test('each caller has a last workspace of its own', () => {
  const last = new LastWorkspaces();
  const one = createToolSession(last, caller('a'), createMemorySelection());
  const two = createToolSession(last, caller('a'), createMemorySelection());
  const other = createToolSession(last, caller('b'), createMemorySelection());
  one.selectWorkspace('tea-1');
  expect([one.workspaceId, one.lastWorkspaceId]).toEqual(['tea-1', 'tea-1']);
  expect([two.workspaceId, two.lastWorkspaceId]).toEqual([undefined, 'tea-1']);
  expect([other.workspaceId, other.lastWorkspaceId]).toEqual([undefined, undefined]);
  expect(last.get({ kind: 'local', id: 'a' })).toBeUndefined();
});

test('the caller heard of longest ago is forgotten first', () => {
  const last = new LastWorkspaces();
  for (let at = 0; at < LAST_WORKSPACES_MAX; at += 1) last.set(caller(`c${at}`), 'tea-1');
  last.set(caller('c0'), 'tea-2');
  last.set(caller('new'), 'tea-3');
  expect(last.get(caller('c0'))).toBe('tea-2');
  expect(last.get(caller('c1'))).toBeUndefined();
  expect(last.get(caller('c2'))).toBe('tea-1');
});
