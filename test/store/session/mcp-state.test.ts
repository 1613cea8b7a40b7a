import { afterEach, beforeEach, expect, test } from 'vitest';
import type { McpSessionRow } from '../../../src/domain/session/mcp-state.ts';
import { openMcpState } from '../../../src/store/session/mcp-state.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

test('sessions are read as they were written, at once and after a restart', async () => {
  const state = openMcpState({ path: dir.path });
  state.sessions.put(session('s1', 10));
  state.sessions.put(session('s2', 20));
  state.sessions.put({ ...session('s1', 30), src: 'tour' });
  expect(state.sessions.get('s1')).toEqual({ ...session('s1', 30), src: 'tour' });
  state.sessions.delete('s2');
  await state.close();
  const again = openMcpState({ path: dir.path });
  expect(again.sessions.count()).toBe(1);
  expect(again.sessions.get('s1')).toEqual({ ...session('s1', 30), src: 'tour' });
  await again.close();
});

test('sessions idle since before a moment expire, for good', async () => {
  const state = openMcpState({ path: dir.path });
  for (const [id, seen] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ] as const) {
    state.sessions.put(session(id, seen));
  }
  expect(state.sessions.expire(3)).toEqual(['a', 'b']);
  await state.close();
  const again = openMcpState({ path: dir.path });
  expect(again.sessions.count()).toBe(1);
  await again.close();
});

test('messages of a stream are replayed from an id on, over a restart', async () => {
  const state = openMcpState({ path: dir.path });
  const ids = ['{"n":1}', '{"n":2}\n', '{"n":3}'].map((json) =>
    state.events.append('s', 'x', json),
  );
  state.events.append('s', 'y', '{"other":true}');
  const rows = [
    { eventId: ids[1], json: '{"n":2}\n' },
    { eventId: ids[2], json: '{"n":3}' },
  ];
  expect(state.events.after('s', ids[0] ?? '')).toEqual(rows);
  await state.close();
  const again = openMcpState({ path: dir.path });
  expect(again.events.after('s', ids[0] ?? '')).toEqual(rows);
  expect(again.events.after('s', ids[2] ?? '')).toEqual([]);
  expect(again.events.after('other', ids[0] ?? '')).toBeUndefined();
  expect(again.events.after('s', 'x:99')).toBeUndefined();
  const next = again.events.append('s', 'x', '{"n":4}');
  expect(ids).not.toContain(next);
  expect(again.events.after('s', ids[2] ?? '')).toEqual([{ eventId: next, json: '{"n":4}' }]);
  await again.close();
});

test('a session keeps its newest 256 messages and 1 MiB of them', async () => {
  const state = openMcpState({ path: dir.path });
  const first = state.events.append('s', 'x', '0');
  const second = state.events.append('s', 'x', '1');
  for (let n = 0; n < 255; n += 1) state.events.append('s', 'x', String(n));
  expect(state.events.after('s', first)).toBeUndefined();
  expect(state.events.after('s', second)).toHaveLength(255);
  const big = state.events.append('s', 'x', 'b'.repeat(1024 * 1024 - 2));
  const last = state.events.append('s', 'x', 'cc');
  expect(state.events.after('s', big)).toEqual([{ eventId: last, json: 'cc' }]);
  expect(state.events.after('s', second)).toBeUndefined();
  await state.close();
  const again = openMcpState({ path: dir.path });
  expect(again.events.after('s', big)).toEqual([{ eventId: last, json: 'cc' }]);
  await again.close();
});

test('a dropped session has no messages left', async () => {
  const state = openMcpState({ path: dir.path });
  const first = state.events.append('s', 'x', '1');
  state.events.dropSession('s');
  expect(state.events.after('s', first)).toBeUndefined();
  await state.close();
  const again = openMcpState({ path: dir.path });
  expect(again.events.after('s', first)).toBeUndefined();
  await again.close();
});

test('a session dropped after its messages reached the disk has none left at once', async () => {
  const state = openMcpState({ path: dir.path });
  const first = state.events.append('s', 'x', '1');
  await state.close();
  const again = openMcpState({ path: dir.path });
  again.events.dropSession('s');
  expect(again.events.after('s', first)).toBeUndefined();
  expect(again.events.append('s', 'x', '2')).not.toBe(first);
  await again.close();
});

function session(sessionId: string, lastSeenAt: number): McpSessionRow {
  return {
    sessionId,
    endpoint: '/v1/mcp',
    protocolVersion: '2025-11-25',
    clientInfo: { name: 'c', version: '1' },
    clientCapabilities: { sampling: {} },
    principal: 'address:127.0.0.1',
    createdAt: 1,
    lastSeenAt,
  };
}
