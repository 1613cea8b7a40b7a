import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import type { HttpExchange, HttpReply } from '../../../src/transport/http/host.ts';
import { type Probe, readyRoute } from '../../../src/transport/routes/health.ts';

function probe(part: string, isReady: Probe['isReady']): Probe {
  return { part, fault: `${part} fault`, isReady };
}

async function ask(route: ReturnType<typeof readyRoute>): Promise<HttpReply> {
  const replies: HttpReply[] = [];
  const exchange = { reply: (reply: HttpReply) => replies.push(reply) };
  await route.handle(exchange as unknown as HttpExchange);
  const [reply] = replies;
  if (reply === undefined) throw new Error('no answer');
  return reply;
}

test('a server whose parts can all work is ready', async () => {
  const route = readyRoute([probe('store', async () => true)], new SimulatedClock());
  const reply = await ask(route);
  expect(reply.status).toBe(200);
  expect(JSON.parse(String(reply.body))).toEqual({ ready: true, reasons: [] });
});

test('what fails, says no, or takes too long is a reason, in words that are fixed', async () => {
  const clock = new SimulatedClock();
  const probes = [
    probe('fine', async () => true),
    probe('broken', () => Promise.reject(new Error('a path of this machine'))),
    probe('full', async () => false),
    probe('slow', () => new Promise(() => undefined)),
  ];
  const asked = ask(readyRoute(probes, clock));
  await clock.advance(2_000);
  const reply = await asked;
  expect(reply.status).toBe(503);
  expect(JSON.parse(String(reply.body))).toEqual({
    ready: false,
    reasons: ['broken', 'full', 'slow'].map((part) => ({ part, fault: `${part} fault` })),
  });
});

test('many who ask within a second cost one look', async () => {
  const clock = new SimulatedClock();
  let looks = 0;
  const counted = probe('store', async () => {
    looks += 1;
    return true;
  });
  const route = readyRoute([counted], clock);
  await Promise.all([ask(route), ask(route), ask(route)]);
  await ask(route);
  expect(looks).toBe(1);
  await clock.advance(1_000);
  await ask(route);
  expect(looks).toBe(2);
});
