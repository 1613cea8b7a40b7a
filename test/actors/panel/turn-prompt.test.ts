import { expect, test } from 'vitest';
import { createPrompt, loadBrief } from '../../../src/actors/panel/turn-prompt.ts';
import type { BlobStore } from '../../../src/domain/common/blob-store.ts';
import { debatePanel } from '../../../src/domain/debate/panel.ts';
import type { TurnOrder } from '../../../src/domain/panel/order.ts';
import { briefWith, memoryBlobs, seatsOf } from '../../support/debate.ts';
import { scriptedLlm } from '../../support/scripted-llm.ts';

test('the turns of a panel share one parsed brief', async () => {
  const { blobs, reads } = countingBlobs();
  const sha = await blobs.put(JSON.stringify(briefWith()));
  const first = loadBrief(debatePanel, blobs, sha);
  expect(first).toEqual(briefWith());
  expect(loadBrief(debatePanel, blobs, sha)).toBe(first);
  expect(reads()).toBe(1);
});

test('two stores of texts do not share briefs', async () => {
  const sha = await memoryBlobs().put(JSON.stringify(briefWith()));
  expect(() => loadBrief(debatePanel, memoryBlobs(), sha)).toThrow(
    'every text that a panel refers to is stored',
  );
});

test('64 briefs are kept; the first one is read again after them', async () => {
  const { blobs, reads } = countingBlobs();
  const shas: string[] = [];
  for (let n = 0; n < 65; n += 1) {
    shas.push(await blobs.put(JSON.stringify(briefWith({ question: `Which, the ${n}th time?` }))));
  }
  for (const sha of shas) loadBrief(debatePanel, blobs, sha);
  expect(reads()).toBe(65);
  loadBrief(debatePanel, blobs, shas[64] ?? '');
  loadBrief(debatePanel, blobs, shas[1] ?? '');
  expect(reads()).toBe(65);
  expect(loadBrief(debatePanel, blobs, shas[0] ?? '').question).toBe('Which, the 0th time?');
  expect(reads()).toBe(66);
});

test('names are concealed by the models of each call, also for one brief', async () => {
  const blobs = memoryBlobs();
  const brief = briefWith();
  const order = await rebuttal(blobs, 'As GPT I agree with Claude.');
  const { models } = scriptedLlm({ say: () => ({ position: 'o1' }) });
  const claude = models.filter(({ modelId }) => modelId.includes('claude'));
  const prompt = (of: typeof models) =>
    createPrompt(debatePanel, order, { brief, blobs, models: of }).prompt;
  expect(prompt(models)).toContain('As [a member] I agree with [a member].');
  expect(prompt([])).toContain('As GPT I agree with Claude.');
  expect(prompt(claude)).toContain('As GPT I agree with [a member].');
  expect(prompt(models)).toContain('As [a member] I agree with [a member].');
});

function countingBlobs() {
  const kept = memoryBlobs();
  let reads = 0;
  const get = (sha: string) => {
    reads += 1;
    return kept.get(sha);
  };
  const blobs: BlobStore = { put: kept.put, get };
  return { blobs, reads: () => reads };
}

async function rebuttal(blobs: BlobStore, argument: string): Promise<TurnOrder> {
  const [seat] = seatsOf(1);
  const argumentSha = await blobs.put(argument);
  return {
    turnId: 'j/rebuttal/1/s0',
    phase: 'rebuttal',
    round: 1,
    seat: seat as TurnOrder['seat'],
    briefSha: 'b'.repeat(64),
    seed: 'seed',
    citedIds: [],
    allowanceMicroUsd: '1000',
    timeoutMs: 1_000,
    view: { own: null, peers: [{ label: 'A', position: 'o1', argumentSha }], counts: {} },
  };
}
