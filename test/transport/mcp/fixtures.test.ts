import { expect, test } from 'vitest';
import { createFront } from '../../../src/transport/front/front.ts';
import {
  MemoryEventLog,
  MemorySessionStore,
} from '../../../src/transport/mcp/session/memory-state.ts';
import { systemRandom } from '../../support/front-rig.ts';
import { ModernWire } from '../../support/modern-wire.ts';
import { realClock } from '../../support/real-clock.ts';
import { testService } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import { readEvents, readMessages, Wire } from './wire.ts';

const claim = claimer();
const claimWith = claimer({ conformanceFixtures: true });

claim('no fixture is there without the flag', async ({ wire }) => {
  const list = JSON.stringify((await wire.ask('tools/list')).result);
  expect(list).not.toMatch(/test_|json_schema_2020/);
  const refused = await wire.ask('tools/call', { name: 'test_simple_text' });
  expect(refused.error?.code).toBe(-32_602);
  expect((await wire.ask('prompts/list')).error?.code).toBe(-32_601);
  expect((await wire.ask('resources/read', { uri: 'test://static-text' })).error?.code).toBe(
    -32_002,
  );
});

claim('nor is one there for 2026-07-28', async ({ rig }) => {
  const wire = new ModernWire(rig.baseUrl);
  const list = JSON.stringify((await wire.ask('tools/list')).result);
  expect(list).not.toMatch(/test_|json_schema_2020/);
  expect(list).not.toMatch(/greet|slow_compute|failing_job|confirm_delete|multi_input/);
  const { capabilities } = (await wire.ask('server/discover')).result;
  expect(capabilities).toEqual({ tools: {}, resources: {} });
  for (const name of ['test_simple_text', 'test_missing_capability', 'greet', 'slow_compute']) {
    const refused = await wire.ask('tools/call', { name, arguments: {} });
    expect(refused.error?.code).toBe(-32_602);
  }
  expect((await wire.ask('prompts/list')).error?.code).toBe(-32_601);
  expect((await wire.ask('resources/read', { uri: 'test://static-text' })).error?.code).toBe(
    -32_602,
  );
});

claimWith('with the flag, 2026-07-28 lists and calls both', async ({ rig }) => {
  const wire = new ModernWire(rig.baseUrl);
  const { tools } = (await wire.ask('tools/list')).result;
  const names = tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['echo', 'test_simple_text']));
  expect(names).toContain('test_missing_capability');
  const own = await wire.ask('tools/call', { name: 'echo', arguments: { a: 1 } });
  expect(own.result.content[0].text).toBe('{"a":1}');
  const asked = { name: 'test_input_required_result_sampling', arguments: {} };
  expect((await wire.ask('tools/call', asked)).error?.code).toBe(-32_021);
});

test('fixtures are refused on an address that others reach', async () => {
  const front = createFront({
    http: 'node',
    clock: realClock,
    random: systemRandom,
    sessions: new MemorySessionStore(),
    events: new MemoryEventLog(),
    commerce: testService(),
    isOperatorToken: () => false,
    conformanceFixtures: true,
  });
  await expect(front.listen('0.0.0.0', 0)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

claimWith(
  'with the flag, the lean tools and the SDK share a session and its ids',
  async (world) => {
    const { wire } = world;
    const names = (await wire.ask('tools/list')).result.tools.map(
      ({ name }: { name: string }) => name,
    );
    expect(names).toEqual(expect.arrayContaining(['echo', 'test_simple_text']));
    expect((await wire.ask('prompts/list', {}, 'a')).id).toBe('a');
    const lean = await wire.ask('tools/call', { name: 'echo', arguments: { a: 1 } }, 'b');
    expect(lean.result.content[0].text).toBe('{"a":1}');
    const bound = await wire.ask('tools/call', { name: 'test_simple_text' }, 'c');
    expect(bound.result.content[0].text).toContain('simple text');
  },
);

claimWith('a request of the server reaches the client in the stream of its call', async (world) => {
  const wire = new Wire(world.rig);
  await wire.open('2025-06-18', { elicitation: {} });
  const response = await wire.call('test_elicitation', { message: 'who?' }, { id: 77 });
  let answer = '';
  for await (const { data } of readEvents(response)) {
    const message = JSON.parse(data);
    if (message.method === 'elicitation/create') {
      expect(message.params.message).toBe('who?');
      const result = { action: 'accept', content: { username: 'u', email: 'u@example.com' } };
      await wire.post({ jsonrpc: '2.0', id: message.id, result });
    } else if (message.id === 77) answer = message.result.content[0].text;
  }
  expect(answer).toContain('action=accept');
});

claimWith('a call that lets go of its stream answers on the next one', async ({ wire }) => {
  const response = await wire.call('test_reconnection');
  const events = [];
  for await (const event of readEvents(response)) events.push(event);
  expect(events).toHaveLength(1);
  const next = await wire.plain('GET', { 'last-event-id': events[0]?.id ?? '' });
  const [message] = await readMessages(next);
  expect(message?.result.content[0].text).toContain('Reconnection');
});
