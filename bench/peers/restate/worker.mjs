// The same actor as a virtual object: two states, a counter, and a few facts, kept under its key.
import { createServer } from 'node:http2';

// The SDK asks for a function that Node has from version 22 on.
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};
const { createEndpointHandler, object } = await import('@restatedev/restate-sdk');

const PARTY = `0x${'ab'.repeat(20)}`;
const NEW = { value: 'held', flips: 0, priceMicroUsd: '250000', feeBps: 2000 };

const flip = object({
  name: 'flip',
  handlers: {
    flip: async (context, event) => {
      const before = (await context.get('state')) ?? { ...NEW, payer: PARTY, payee: PARTY };
      const value = before.value === 'held' ? 'released' : 'held';
      context.set('state', { ...before, value, flips: before.flips + 1 });
      return { value, n: event.n };
    },
  },
});

const server = createServer(createEndpointHandler({ services: [flip] }));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
