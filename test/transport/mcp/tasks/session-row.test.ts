import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../../src/runtime/timer/clock.ts';
import { FRONT_LIMITS } from '../../../../src/transport/mcp/limits.ts';
import {
  MemoryEventLog,
  MemoryOpenCalls,
  MemorySessionStore,
} from '../../../../src/transport/mcp/session/memory-state.ts';
import { SessionTable } from '../../../../src/transport/mcp/session/session-table.ts';
import { systemRandom } from '../../../support/front-rig.ts';

test('a session remembers its newest hundred tasks, each once', () => {
  const store = new MemorySessionStore();
  const table = new SessionTable({
    store,
    events: new MemoryEventLog(),
    openCalls: new MemoryOpenCalls(),
    clock: new SimulatedClock(0),
    random: systemRandom,
    limits: FRONT_LIMITS,
  });
  const session = table.create({
    endpoint: '/v1/mcp',
    protocolVersion: '2025-11-25',
    clientInfo: { name: 't', version: '1' },
    clientCapabilities: {},
    principal: '127.0.0.1',
  });
  if (session === undefined) throw new Error('no session');
  for (let at = 0; at < 120; at += 1) table.recordTask(session, `j${at}`);
  table.recordTask(session, 'j50');
  const kept = store.get(session.row.sessionId)?.tasks ?? [];
  expect(kept).toHaveLength(100);
  expect([kept[0], kept.at(-1)]).toEqual(['j20', 'j50']);
  expect(new Set(kept).size).toBe(100);
  table.stop();
});
