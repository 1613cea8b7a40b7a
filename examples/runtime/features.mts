// Search, middleware and queues of an app: npm install @stoa/runtime xstate
import type { Middleware } from '@stoa/runtime';
import { durable } from '@stoa/runtime';
import { setup } from 'xstate';

interface Order {
  readonly customer: string;
  readonly total: number;
}

const order = setup({
  types: {} as { context: Order; input: Order; events: { type: 'CLOSE' } },
}).createMachine({
  context: ({ input }) => input,
  initial: 'open',
  states: { open: { on: { CLOSE: 'closed' } }, closed: { type: 'final' } },
});

// [guide search
const shop = await durable({
  actors: { order },
  search: {
    order: {
      customer: { type: 'string', of: ({ customer }) => customer },
      total: { type: 'number', of: ({ total }) => total },
    },
  },
});
await shop.order.start('1', { customer: 'ada', total: 20 });
await shop.order.start('2', { customer: 'ada', total: 300 });
const { rows } = await shop.order.list({ where: { customer: 'ada', total: { from: 100 } } });
// guide]
process.stdout.write(`found ${rows.map(({ id }) => id).join()}\n`);
await shop.close();

// [guide middleware
const metrics = new Map<string, number>();
const count = (name: string) => metrics.set(name, (metrics.get(name) ?? 0) + 1);
const measuring: Middleware = {
  commit: async (next, { writes }) => {
    const startedAt = performance.now();
    await next();
    process.stderr.write(`${writes} rows in ${performance.now() - startedAt} ms\n`);
  },
  effect: async (next, { src, attempt }) => {
    count(`${src}, attempt ${attempt}`);
    return await next();
  },
};
const tracing: Middleware = {
  message: (next, { actorId, event, trace }) => {
    next();
    process.stderr.write(`${trace ?? 'no trace'}: ${actorId} ${event.type}\n`);
  },
};
const measured = await durable({ actors: { order }, use: [measuring, tracing] });
// guide]
await measured.order.start('1', { customer: 'ada', total: 20 }, { trace: 'trace-1' });
await measured.close();
