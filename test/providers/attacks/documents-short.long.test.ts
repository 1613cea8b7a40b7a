import { expect, test } from 'vitest';
import { type AttackOutcome, attackAll, attackSpoilt } from '../../support/attacks/attack-rig.ts';
import { DOCUMENTS, type HostileDocument, SPOILERS } from '../../support/attacks/documents.ts';

/** A wide guard: one that takes a document apart unguarded is blocked for minutes. */
const BLOCKED_MS = 15_000;
// One of each kind; every one is in the long run.
test('names of members of all objects end typed with every reader', {
  timeout: 120_000,
}, async () => {
  check(await attackAll(DOCUMENTS['names of members of all objects'] as HostileDocument));
});

test('no figure that is none comes through any reader', { timeout: 120_000 }, async () => {
  check(await attackSpoilt(SPOILERS['figures that are none'] as (json: string) => string));
});

test('answers that are not spoilt are read, so that spoiling them is what is tested', {
  timeout: 120_000,
}, async () => {
  const { wrong, answered } = await attackSpoilt((json) => json);
  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(25);
});

function check({ wrong, readers, blockedMs }: AttackOutcome): void {
  expect(wrong).toEqual([]);
  expect(readers).toBeGreaterThan(40);
  expect(blockedMs).toBeLessThan(BLOCKED_MS);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}
