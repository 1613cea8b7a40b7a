import { expect, test } from 'vitest';
import { type JsonObject, toJson } from '../../../src/domain/common/json.ts';

interface Report {
  readonly name: string;
  readonly note?: string;
  readonly parts: readonly Report[];
}

test('toJson takes an interface of plain members, as it is', () => {
  const report: Report = { name: 'whole', parts: [{ name: 'part', parts: [] }] };
  const json: JsonObject = toJson(report);
  expect(json).toBe(report);
});

test('toJson gives no JSON for members that are none', () => {
  // @ts-expect-error A date is no JSON.
  const date: JsonObject = toJson({ at: new Date(0) });
  // @ts-expect-error A bigint is no JSON.
  const large: JsonObject = toJson({ n: 1n });
  // @ts-expect-error A function is no JSON.
  const act: JsonObject = toJson({ act: () => 1 });
  // @ts-expect-error An unknown value may be anything.
  const any: JsonObject = toJson({ any: JSON.parse('1') as unknown });
  expect([date, large, act, any]).toHaveLength(4);
});
