import { expect, test } from 'vitest';
import type { Frame, JournalRow, Push } from '../../../src/domain/inspect/wire.ts';
import { serializePush } from '../../../src/transport/inspect/inspect-client.ts';

const FRAME = { topic: 'runtime', isFirst: true, samples: [], store: [], effects: [] } as Frame;
const ROWS = [{ id: 'a "quoted" id', seq: 1 }] as unknown as readonly JournalRow[];
const PUSHES: readonly Push[] = [
  { sub: 1, kind: 'frame', frame: FRAME },
  { sub: 2, kind: 'rows', rows: ROWS, nextSeq: 7 },
  { sub: 3, kind: 'shown', event: { type: 'TOKEN' } },
  { sub: 4, kind: 'ended', error: { code: 'ACTOR_UNKNOWN', message: 'gone' } },
];

test.each(PUSHES)('a push of the kind $kind is written as its JSON', (push) => {
  expect(serializePush(push)).toBe(JSON.stringify(push));
  expect(serializePush({ ...push, sub: 9 })).toBe(JSON.stringify({ ...push, sub: 9 }));
});

test('what many consoles are pushed is written once', () => {
  let looks = 0;
  const toJSON = () => {
    looks += 1;
    return { looks };
  };
  const row = { toJSON } as unknown as JournalRow;
  const rows = [row];
  const texts = [1, 2, 3].map((sub) => serializePush({ sub, kind: 'rows', rows, nextSeq: 2 }));
  expect(looks).toBe(1);
  expect(texts[2]).toBe('{"sub":3,"kind":"rows","rows":[{"looks":1}],"nextSeq":2}');
});
