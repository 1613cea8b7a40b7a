import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { ResponseWriter } from '../../../../src/transport/mcp/call/response-writer.ts';
import { ClientRequests } from '../../../../src/transport/mcp/tasks/client-requests.ts';

const QUESTION = { method: 'elicitation/create', params: { message: 'Well?' } } as const;

function laneOf(sent: { id: string }[]): ResponseWriter {
  return { notify: (json: string) => sent.push(JSON.parse(json)) } as unknown as ResponseWriter;
}

test('an answer finds its question, an error is no answer, and strangers are passed on', async () => {
  const sent: { id: string }[] = [];
  const asks = new ClientRequests('p');
  const { signal } = new AbortController();
  const first = asks.send(laneOf(sent), QUESTION, signal);
  const second = asks.send(laneOf(sent), QUESTION, signal);
  expect(sent).toMatchObject([
    { id: 'p:1', ...QUESTION },
    { id: 'p:2', ...QUESTION },
  ]);
  expect(asks.handleResponse({ id: 'p:3', result: {} })).toBe(false);
  expect(asks.handleResponse({ id: 'p:2', result: { action: 'accept' } })).toBe(true);
  expect(asks.handleResponse({ id: 'p:1', error: { code: -1, message: 'no' } })).toBe(true);
  expect(await second).toEqual({ action: 'accept' });
  expect(await first).toBeUndefined();
  expect(asks.handleResponse({ id: 'p:1', result: {} })).toBe(false);
});

test('what its call has given up is not waited for', async () => {
  const asks = new ClientRequests('p');
  const gone = new AbortController();
  const asked = asks.send(laneOf([]), QUESTION, gone.signal);
  gone.abort();
  expect(await asked).toBeUndefined();
  expect(await asks.send(laneOf([]), QUESTION, gone.signal)).toBeUndefined();
});

test('at most 64 are open at once', async () => {
  const sent: { id: string }[] = [];
  const asks = new ClientRequests('p');
  const { signal } = new AbortController();
  setMaxListeners(65, signal);
  for (let at = 0; at < 64; at += 1) void asks.send(laneOf(sent), QUESTION, signal);
  expect(await asks.send(laneOf(sent), QUESTION, signal)).toBeUndefined();
  expect(sent).toHaveLength(64);
});
