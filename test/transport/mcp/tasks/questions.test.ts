import { expect, test } from 'vitest';
import {
  buildQuestion,
  parseAnswer,
  supportsQuestions,
} from '../../../../src/transport/mcp/tasks/questions.ts';

const ask = { askId: 'a', system: 'Be brief.', prompt: 'Which?', schema: { type: 'object' } };

test.each([
  [{ sampling: {} }, 'sampling/createMessage'],
  [{ sampling: {}, elicitation: {} }, 'sampling/createMessage'],
  [{ elicitation: {} }, 'elicitation/create'],
  [{ elicitation: { form: {}, url: {} } }, 'elicitation/create'],
  [{ elicitation: { url: {} } }, undefined],
  [{}, undefined],
  [undefined, undefined],
] as const)('a client that has %j is asked by %s', (capabilities, method) => {
  expect(buildQuestion(ask, capabilities)?.method).toBe(method);
  expect(supportsQuestions(capabilities)).toBe(method !== undefined);
});

test('a question holds what the job says, its schema, and why it is asked again', () => {
  for (const capabilities of [{ sampling: {} }, { elicitation: {} }]) {
    const text = JSON.stringify(buildQuestion(ask, capabilities, 'No JSON.'));
    for (const part of ['Be brief.', 'Which?', 'schema', 'No JSON.']) expect(text).toContain(part);
  }
});

test.each([
  [{ role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } }, 'x'],
  [
    { content: [{ type: 'text', text: 'x' }, { type: 'image' }, { type: 'text', text: 'y' }] },
    'x\ny',
  ],
  [{ action: 'accept', content: { answer: 'x' } }, 'x'],
  [{ action: 'accept', content: { answer: 7 } }, undefined],
  [{ action: 'accept' }, undefined],
  [{ action: 'decline' }, undefined],
  [{ content: { type: 'image', data: '' } }, undefined],
  [7, undefined],
  [undefined, undefined],
])('of %j the answer is %j', (response, text) => {
  expect(parseAnswer({}, response)).toBe(text);
});

test('a form goes to a person with its fields, and comes back as an object', () => {
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
  const form = { ...ask, schema, isForm: true };
  expect(buildQuestion(form, { sampling: {} })).toBeUndefined();
  expect(buildQuestion(form, { sampling: {}, elicitation: {} })).toMatchObject({
    method: 'elicitation/create',
    params: { mode: 'form', requestedSchema: schema },
  });
  expect(parseAnswer(form, { action: 'accept', content: { ok: true } })).toEqual({ ok: true });
  expect(parseAnswer(form, { content: { type: 'text', text: 'yes' } })).toBeUndefined();
});
