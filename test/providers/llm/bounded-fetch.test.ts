import { expect, test } from 'vitest';
import { createBoundedFetch, MODEL_EVENTS_MAX } from '../../../src/providers/llm/bounded-fetch.ts';

const EVENT = 'data: {}\n\n';

/** Reads an answer of so many events, in one piece. */
async function readEvents(count: number): Promise<string> {
  const fetch = createBoundedFetch(() => Promise.resolve(new Response(EVENT.repeat(count))));
  return await (await fetch('http://model.example')).text();
}

test('as many events as are allowed are handed on', async () => {
  expect(await readEvents(MODEL_EVENTS_MAX)).toBe(EVENT.repeat(MODEL_EVENTS_MAX));
});

test('more events than are allowed end the answer', async () => {
  await expect(readEvents(MODEL_EVENTS_MAX + 1)).rejects.toMatchObject({
    code: 'EGRESS_TOO_LARGE',
    data: { part: 'events', allowed: MODEL_EVENTS_MAX },
  });
});
