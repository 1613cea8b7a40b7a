import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRuleSeats } from '../../../src/domain/debate/rule-seats.ts';
import type { LlmModel } from '../../../src/domain/llm/llm.ts';
import {
  assignModels,
  countFamilies,
  createCallerSeats,
  seatLetter,
} from '../../../src/domain/panel/seating.ts';

function model(family: string, name = family): LlmModel {
  return { modelId: `openai:${name}`, vendor: 'openai', model: name, family };
}

test('families take turns, and within a family its models do', () => {
  const models = [model('gpt', 'gpt-1'), model('gpt', 'gpt-2'), model('claude'), model('llama')];
  expect(assignModels(models, 7).map((seat) => seat.model)).toEqual([
    'openai:gpt-1',
    'openai:claude',
    'openai:llama',
    'openai:gpt-2',
    'openai:claude',
    'openai:llama',
    'openai:gpt-1',
  ]);
});

test('as many families sit as there can be', () => {
  const configured = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), {
    minLength: 1,
    maxLength: 11,
  });
  fc.assert(
    fc.property(configured, fc.integer({ min: 5, max: 11 }), (families, seats) => {
      const panel = assignModels(
        families.map((family, n) => model(family, `${family}-${n}`)),
        seats,
      );
      expect(panel.map((seat) => seat.seatId)).toEqual(panel.map((_, n) => `s${n}`));
      expect(countFamilies(panel)).toBe(Math.min(seats, new Set(families).size));
    }),
  );
});

test('rule seats are as many different procedures, and one family', () => {
  const panel = createRuleSeats(11);
  expect(new Set(panel.map((seat) => seat.model)).size).toBe(11);
  expect(countFamilies(panel)).toBe(1);
});

test('seats of the caller are one family', () => {
  expect(countFamilies(createCallerSeats(9))).toBe(1);
});

test('seats are shown by letter', () => {
  expect(['s0', 's4', 's10'].map(seatLetter)).toEqual(['A', 'E', 'K']);
});
