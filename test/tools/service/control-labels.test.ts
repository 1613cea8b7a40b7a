import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Tool, ToolCall } from '../../../src/domain/tool/tool.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import { interceptCalls, traceCalls } from '../../../src/tools/service/intercept-calls.ts';
import { selectTools } from '../../../src/tools/service/select-tools.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import { ToolViews } from '../../../src/transport/mcp/call/tool-views.ts';
import { memoryControls } from '../../support/controls.ts';
import { paymentWorld } from '../../support/payment-world.ts';

const BADGE = 'agent_trust-badge';

function tool(name: string, priced = true): Tool {
  return {
    server: 'commerce',
    name,
    title: name,
    description: `A tool of the tests under the name ${name}, which answers that it was run.`,
    annotations: {
      readOnlyHint: name !== 'get_result',
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    input: z.strictObject({}),
    output: z.object({ ran: z.literal(name) }),
    ...(priced ? { price: { amount: '10000', flow: 'authorization' } } : {}),
    run: async () => ({
      content: [{ type: 'text', text: 'ran' }],
      structuredContent: { ran: name },
    }),
  } as Tool;
}

async function rig() {
  const world = await paymentWorld();
  const { payments } = await world.start();
  const controls = memoryControls();
  const challenger = createChallenger({ chain: world.chain, clock: world.clock });
  const service = createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '1.0.0',
    instructions: '',
    tools: [tool('get_result', false), tool(BADGE), tool('ops_link-integrity')],
    paid: { payments, challenger },
    labels: controls,
  });
  const call = (name: string, more: Partial<ToolCall> = {}) =>
    service.call({
      name,
      arguments: {},
      payments: [],
      resourceUrl: `mcp://tool/${name}`,
      principal: { kind: 'local', id: 'test' },
      signal: new AbortController().signal,
      ...more,
    });
  return { world, controls, service, call };
}

const names = ({ tools }: { readonly tools: readonly { readonly name: string }[] }) =>
  tools.map(({ name }) => name);

test('a tool of a control says so where it is listed, and others say nothing', async () => {
  const { service } = await rig();
  const [, badge, link] = service.tools;
  expect(badge?._meta?.['stoa/control']).toEqual({ id: 'trust-badge', label: 'LIVE' });
  expect(badge?._meta?.['price']).toMatchObject({ micro_usd: '10000' });
  expect(link?._meta).not.toHaveProperty('stoa/control');
});

test.each(['SHADOW', 'OFF'] as const)(
  'a tool whose control is %s is neither listed nor sold, and comes back with it',
  async (label) => {
    const { world, controls, service, call } = await rig();
    const startCall = () => ({ trace: '', end: () => undefined });
    const traced = interceptCalls(service, [traceCalls({ startCall })]);
    const views = new ToolViews(traced, []);
    const selected = selectTools(traced, { isReadOnly: true });
    controls.set({ 'trust-badge': label });
    const rest = ['get_result', 'ops_link-integrity'];
    expect(names(service)).toEqual(rest);
    expect(names(JSON.parse(service.listJson))).toEqual(rest);
    expect(names(JSON.parse(views.all.list.text))).toEqual(rest);
    expect(names(views.select([{ isReadOnly: true }]).service)).toEqual(['ops_link-integrity']);
    expect(names(selected)).toEqual(['ops_link-integrity']);
    expect(names(JSON.parse(selected.listJson))).toEqual(['ops_link-integrity']);
    const payments = [{ carrier: 'meta', value: await world.sign() }] as const;
    for (const more of [{}, { payments }]) {
      const refused = await call(BADGE, more);
      expect(refused).toMatchObject({
        kind: 'result',
        result: {
          isError: true,
          structuredContent: { error: 'CONTROL_OFF', data: { control: 'trust-badge', label } },
        },
      });
    }
    expect(world.books()).toEqual({ paid: 0n, refunded: 0n });
    controls.set({});
    expect(names(service)).toContain(BADGE);
    expect(names(JSON.parse(views.all.list.text))).toContain(BADGE);
    expect((await call(BADGE)).kind).toBe('payment_required');
  },
);

test('a call that was paid before gets its answer after its control is OFF', async () => {
  const { world, controls, call } = await rig();
  const asked = await call(BADGE);
  if (asked.kind !== 'payment_required') throw new Error('the tool has a price');
  const [offer] = asked.required.accepts;
  if (offer === undefined) throw new Error('the challenge offers a way to pay');
  const payments = [{ carrier: 'meta', value: await world.sign(offer) }] as const;
  const first = await world.drive(call(BADGE, { payments }));
  expect(first).toMatchObject({ result: { structuredContent: { ran: BADGE } } });
  controls.set({ 'trust-badge': 'OFF' });
  const again = await world.drive(call(BADGE, { payments }));
  expect(again).toMatchObject({ result: { structuredContent: { ran: BADGE } } });
  expect(world.books().paid).toBe(10_000n);
});
