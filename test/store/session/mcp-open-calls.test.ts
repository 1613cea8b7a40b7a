import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMcpState } from '../../../src/store/session/mcp-state.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

const call = (streamId: string, requestId: string | number, sessionId = 's') => ({
  sessionId,
  streamId,
  requestId,
  repeat: `{"name":"t","id":${JSON.stringify(requestId)}}`,
});

test('open calls are read as they were written, at once and after a restart', async () => {
  const state = openMcpState({ path: dir.path });
  const lost = { sessionId: 's', streamId: 'x', requestId: 'lost' };
  for (const one of [call('x', 1), call('x', '1'), call('y', 2), call('x', 3, 'other'), lost]) {
    state.openCalls.put(one);
  }
  const expected = [call('x', '1'), lost, call('x', 1)];
  const read = (from: typeof state) =>
    [...from.openCalls.of('s', 'x')].sort((a, b) =>
      JSON.stringify(a.requestId).localeCompare(JSON.stringify(b.requestId)),
    );
  expect(read(state)).toEqual(expect.arrayContaining(expected));
  expect(read(state)).toHaveLength(3);
  await state.close();
  const again = openMcpState({ path: dir.path });
  expect(read(again)).toEqual(expect.arrayContaining(expected));
  expect(read(again)).toHaveLength(3);
  await again.close();
});

test('a call that is over is gone at once and for good, written or not', async () => {
  const state = openMcpState({ path: dir.path });
  state.openCalls.put(call('x', 1));
  state.openCalls.remove(call('x', 1));
  expect(state.openCalls.of('s', 'x')).toEqual([]);
  state.openCalls.put(call('x', 2));
  await new Promise((done) => setTimeout(done, 50));
  state.openCalls.remove(call('x', 2));
  expect(state.openCalls.of('s', 'x')).toEqual([]);
  await state.close();
  const again = openMcpState({ path: dir.path });
  expect(again.openCalls.of('s', 'x')).toEqual([]);
  await again.close();
});

test('a dropped session takes its calls with it, those of before a restart too', async () => {
  const state = openMcpState({ path: dir.path });
  state.openCalls.put(call('x', 1));
  state.openCalls.put(call('x', 1, 'other'));
  await state.close();
  const again = openMcpState({ path: dir.path });
  again.openCalls.put(call('y', 2));
  again.openCalls.dropSession('s');
  expect(again.openCalls.of('s', 'x')).toEqual([]);
  expect(again.openCalls.of('s', 'y')).toEqual([]);
  expect(again.openCalls.of('other', 'x')).toEqual([call('x', 1, 'other')]);
  await again.close();
  const third = openMcpState({ path: dir.path });
  expect(third.openCalls.of('s', 'x')).toEqual([]);
  await third.close();
});

test('the newest message of a stream is known, over a restart', async () => {
  const state = openMcpState({ path: dir.path });
  state.events.append('s', 'x', '{"n":1}');
  const eventId = state.events.append('s', 'x', '{"n":2}');
  state.events.append('s', 'y', '{"n":3}');
  expect(state.events.last('s', 'x')).toEqual({ eventId, json: '{"n":2}' });
  await state.close();
  const again = openMcpState({ path: dir.path });
  expect(again.events.last('s', 'x')).toEqual({ eventId, json: '{"n":2}' });
  expect(again.events.last('s', 'z')).toBeUndefined();
  await again.close();
});
