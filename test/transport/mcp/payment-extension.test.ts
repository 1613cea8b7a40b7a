import { expect } from 'vitest';
import { CHALLENGE, SETTLEMENT, testService } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import { Wire } from './wire.ts';

const EXTENSION = 'org.x402/payment';
const service = testService();
const priced = {
  ...service,
  tools: service.tools.map((tool) =>
    tool.name === 'paid' ? { ...tool, _meta: { price: { amount: '0.01' } } } : tool,
  ),
};
const claim = claimer({ commerce: priced });

const metaOf = (extensions: object, more: object = {}) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions },
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    ...more,
  },
});

function modern(rig: Wire['rig'], method: string, name?: string): Wire {
  const wire = new Wire(rig, '/mcp');
  wire.headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
  return wire;
}

claim('a server with prices offers the binding in server/discover', async ({ rig, start }) => {
  const ask = (where: Wire['rig']) =>
    modern(where, 'server/discover').ask('server/discover', metaOf({}));
  const { result } = await ask(rig);
  expect(result.capabilities.extensions).toHaveProperty([EXTENSION]);
  const free = await ask(await start({ commerce: service }));
  expect(free.result.capabilities.extensions ?? {}).not.toHaveProperty([EXTENSION]);
});

claim('a client that declares the binding gets a challenge of its own type', async ({ rig }) => {
  const wire = modern(rig, 'tools/call', 'paid');
  const call = { name: 'paid', arguments: {} };
  const answer = await wire.ask('tools/call', { ...call, ...metaOf({ [EXTENSION]: {} }) });
  expect(answer.error).toBeUndefined();
  expect(answer.result).toMatchObject({
    resultType: 'payment_required',
    paymentRequired: CHALLENGE,
  });
  expect(answer.result.isError).toBeUndefined();
  const paid = await wire.ask('tools/call', {
    ...call,
    ...metaOf({ [EXTENSION]: {} }, { 'x402/payment': { pay: 1 } }),
  });
  expect(paid.result).toMatchObject({
    structuredContent: { text: 'paid' },
    _meta: { 'x402/payment-response': SETTLEMENT },
  });
});

claim('a client that does not declare it gets the challenge as a tool result', async ({ rig }) => {
  const wire = modern(rig, 'tools/call', 'paid');
  const { result } = await wire.ask('tools/call', { name: 'paid', arguments: {}, ...metaOf({}) });
  expect(result).toMatchObject({ isError: true, structuredContent: CHALLENGE });
  expect(result.resultType).not.toBe('payment_required');
});
