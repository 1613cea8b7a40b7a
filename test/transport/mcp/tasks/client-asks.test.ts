import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { PostLane } from '../../../../src/transport/mcp/call/post-lane.ts';
import { ClientAsks } from '../../../../src/transport/mcp/tasks/client-asks.ts';

const QUESTION = { method: 'elicitation/create', params: { message: 'Well?' } } as const;

function laneOf(sent: { id: string }[]): PostLane {
  return { notify: (json: string) => sent.push(JSON.parse(json)) } as unknown as PostLane;
}

test('an answer finds its question, an error is no answer, and strangers are passed on', async () => {
  const sent: { id: string }[] = [];
  const asks = new ClientAsks('p');
  const { signal } = new AbortController();
  const first = asks.ask(laneOf(sent), QUESTION, signal);
  const second = asks.ask(laneOf(sent), QUESTION, signal);
  expect(sent).toMatchObject([
    { id: 'p:1', ...QUESTION },
    { id: 'p:2', ...QUESTION },
  ]);
  expect(asks.hear({ id: 'p:3', result: {} })).toBe(false);
  expect(asks.hear({ id: 'p:2', result: { action: 'accept' } })).toBe(true);
  expect(asks.hear({ id: 'p:1', error: { code: -1, message: 'no' } })).toBe(true);
  expect(await second).toEqual({ action: 'accept' });
  expect(await first).toBeUndefined();
  expect(asks.hear({ id: 'p:1', result: {} })).toBe(false);
});

test('what its call has given up is not waited for', async () => {
  const asks = new ClientAsks('p');
  const gone = new AbortController();
  const asked = asks.ask(laneOf([]), QUESTION, gone.signal);
  gone.abort();
  expect(await asked).toBeUndefined();
  expect(await asks.ask(laneOf([]), QUESTION, gone.signal)).toBeUndefined();
});

test('at most 64 are open at once', async () => {
  const sent: { id: string }[] = [];
  const asks = new ClientAsks('p');
  const { signal } = new AbortController();
  setMaxListeners(65, signal);
  for (let at = 0; at < 64; at += 1) void asks.ask(laneOf(sent), QUESTION, signal);
  expect(await asks.ask(laneOf(sent), QUESTION, signal)).toBeUndefined();
  expect(sent).toHaveLength(64);
});
