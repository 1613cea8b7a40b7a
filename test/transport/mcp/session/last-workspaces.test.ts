import { expect, test } from 'vitest';
import type { Principal } from '../../../../src/domain/tool/tool.ts';
import {
  LAST_WORKSPACES_MAX,
  LastWorkspaces,
  placeInMemory,
  toolSession,
} from '../../../../src/transport/mcp/session/last-workspaces.ts';

const caller = (id: string): Principal => ({ kind: 'token', id });

test('each caller has a last workspace of its own', () => {
  const last = new LastWorkspaces();
  const one = toolSession(last, caller('a'), placeInMemory());
  const two = toolSession(last, caller('a'), placeInMemory());
  const other = toolSession(last, caller('b'), placeInMemory());
  one.selectWorkspace('tea-1');
  expect([one.workspaceId, one.lastWorkspaceId]).toEqual(['tea-1', 'tea-1']);
  expect([two.workspaceId, two.lastWorkspaceId]).toEqual([undefined, 'tea-1']);
  expect([other.workspaceId, other.lastWorkspaceId]).toEqual([undefined, undefined]);
  expect(last.of({ kind: 'local', id: 'a' })).toBeUndefined();
});

test('the caller heard of longest ago is forgotten first', () => {
  const last = new LastWorkspaces();
  for (let at = 0; at < LAST_WORKSPACES_MAX; at += 1) last.note(caller(`c${at}`), 'tea-1');
  last.note(caller('c0'), 'tea-2');
  last.note(caller('new'), 'tea-3');
  expect(last.of(caller('c0'))).toBe('tea-2');
  expect(last.of(caller('c1'))).toBeUndefined();
  expect(last.of(caller('c2'))).toBe('tea-1');
});
