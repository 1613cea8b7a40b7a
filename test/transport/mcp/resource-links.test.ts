import { expect, test } from 'vitest';
import type { ToolService } from '../../../src/domain/tool/tool.ts';
import { stdioPair } from '../../support/stdio-pair.ts';
import { testService } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import { Wire } from './wire.ts';

const TEXT = { type: 'text', text: 'Decision: a' } as const;
const LINK = { type: 'resource_link', uri: 'stoa://jobs/1', name: 'Transcript' } as const;
const PLAIN = { type: 'text', text: 'Transcript: stoa://jobs/1' };
/** Resource links came with 2025-06-18; clients of older versions reject a result with one. */
const EXPECTED = [
  ['2025-11-25', LINK],
  ['2025-06-18', LINK],
  ['2025-03-26', PLAIN],
  ['2024-11-05', PLAIN],
] as const;

const linking = (): ToolService => ({
  ...testService(),
  call: async () => ({ kind: 'result', result: { content: [TEXT, LINK] } }),
});

const claim = claimer({ commerce: linking() });

claim('a version without resource links gets text in their place', async ({ rig }) => {
  for (const [version, second] of EXPECTED) {
    const wire = new Wire(rig, '/mcp');
    await wire.open(version);
    const { result } = JSON.parse(await (await wire.call('echo')).text());
    expect([version, result.content]).toEqual([version, [TEXT, second]]);
  }
});

test.for(EXPECTED)('stdio does the same in %s', async ([version, second]) => {
  const pair = stdioPair(linking());
  const clientInfo = { name: 't', version: '1' };
  const params = { protocolVersion: version, capabilities: {}, clientInfo };
  pair.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await pair.next();
  pair.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = { name: 'echo', arguments: {} };
  pair.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  expect(await pair.next()).toMatchObject({ result: { content: [TEXT, second] } });
  await pair.end();
});
