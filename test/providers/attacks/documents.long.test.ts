import { expect, test } from 'vitest';
import { type AttackOutcome, attackAll, attackSpoilt } from '../../support/attacks/attack-rig.ts';
import { DOCUMENTS, SPOILERS } from '../../support/attacks/documents.ts';

/** A wide guard: one that takes a document apart unguarded is blocked for minutes. */
const BLOCKED_MS = 15_000;

test.each(Object.entries(DOCUMENTS))(
  '%s: every reader ends typed, and the main thread goes on',
  { timeout: 300_000 },
  async (_, document) => {
    check(await attackAll(document));
  },
);

test.each(Object.entries(SPOILERS))(
  '%s: every reader ends typed, and no such figure comes through',
  { timeout: 300_000 },
  async (_, spoil) => {
    check(await attackSpoilt(spoil));
  },
);

function check({ wrong, blockedMs }: AttackOutcome): void {
  expect(wrong).toEqual([]);
  expect(blockedMs).toBeLessThan(BLOCKED_MS);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}
