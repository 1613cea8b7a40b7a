import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIFFERENCES } from './corpus/differences.ts';
import { anyStory } from './corpus/fuzz.ts';
import { type Compared, FrontPair } from './corpus/pair.ts';
import { recordClients } from './corpus/recorded.ts';
import { STORIES } from './corpus/stories.ts';

const RUNS = process.env['STOA_LONG'] !== 'all' ? 150 : 3_000;

// The engines below have a contract suite of their own; this is about what stands above them.
describe('the lean path beside the transport of the SDK', () => {
  let pair: FrontPair;
  beforeAll(async () => {
    pair = await FrontPair.start('node');
  });
  afterAll(() => pair.close());

  test('answers the written corpus alike, or as the list of differences says', async () => {
    const all: Compared[] = [];
    for (const story of STORIES) all.push(...(await pair.play(story)));
    expect(unexplained(all)).toEqual([]);
    expect(all.length).toBeGreaterThan(120);
    const same = all.filter(({ verdict }) => verdict === 'same');
    expect(same.length).toBeGreaterThan(0.8 * all.length);
    const met = all.flatMap(({ verdict }) => (typeof verdict === 'object' ? [verdict.name] : []));
    expect(new Set(met)).toEqual(new Set(DIFFERENCES.map(({ name }) => name)));
  });

  test('answers what the official clients send just alike', async () => {
    const recorded = await recordClients(pair.lean);
    for (const story of recorded) {
      expect(story.steps.length).toBeGreaterThan(5);
      const played = await pair.play(story);
      expect(played.filter(({ verdict }) => verdict !== 'same')).toEqual([]);
    }
  });

  test('answers random sessions alike, or as the list says', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(anyStory, async (story) => {
        expect(unexplained(await pair.play(story))).toEqual([]);
      }),
      { numRuns: RUNS, endOnFailure: false },
    );
  });
});

function unexplained(compared: readonly Compared[]): readonly Compared[] {
  return compared.filter(({ verdict }) => verdict === undefined);
}
