import type { BlobStore } from '../../src/domain/common/blob-store.ts';
import { sha256Hex } from '../../src/domain/common/hash.ts';
import type { DebateBrief } from '../../src/domain/debate/records.ts';
import type { Ballot, PanelInput, Seat, SeatKind, Turn } from '../../src/domain/panel/records.ts';

/** Blobs in memory. */
export function memoryBlobs(): BlobStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    put: async (text) => {
      const hash = sha256Hex(text);
      texts.set(hash, text);
      return hash;
    },
    get: (hash) => texts.get(hash),
  };
}

/** Seats `s0…` of one kind, with families as given or one each. */
export function seatsOf(count: number, kind: SeatKind = 'llm', families: string[] = []): Seat[] {
  return Array.from({ length: count }, (_, place) => ({
    seatId: `s${place}`,
    role: 'panelist',
    kind,
    model: kind === 'llm' ? `vendor:model-${place}` : kind,
    family: families[place % Math.max(1, families.length)] ?? `family-${place}`,
  }));
}

/** A brief with options `o1…`, without criteria or evidence. */
export function briefWith(overrides: Partial<DebateBrief> = {}, options = 3): DebateBrief {
  return {
    question: 'Which store should hold the events?',
    options: ['Alpha', 'Bravo', 'Charlie', 'Delta'].slice(0, options).map((name, place) => ({
      optionId: `o${place + 1}`,
      name,
    })),
    criteria: [],
    evidence: [],
    ...overrides,
  };
}

/** A brief with scores: rows are options `o1…`, columns criteria `c1…`. */
export function scoredBrief(
  rows: readonly (readonly number[])[],
  columns: readonly { readonly weight: number; readonly higherIsBetter?: boolean }[],
): DebateBrief {
  return {
    question: 'Which one?',
    options: rows.map((scores, place) => ({
      optionId: `o${place + 1}`,
      name: `Option ${place + 1}`,
      scores: Object.fromEntries(scores.map((score, c) => [`c${c + 1}`, score])),
    })),
    criteria: columns.map(({ weight, higherIsBetter = true }, c) => ({
      criterionId: `c${c + 1}`,
      name: `Criterion ${c + 1}`,
      weight,
      higherIsBetter,
    })),
    evidence: [],
  };
}

/** Input of a debate of five model seats over `o1`, `o2`, `o3`. */
export function debateInput(overrides: Partial<PanelInput> = {}): PanelInput {
  return {
    jobId: 'job_1',
    briefSha: 'b'.repeat(64),
    optionIds: ['o1', 'o2', 'o3'],
    seats: seatsOf(5),
    chairSeatId: 's0',
    maxRounds: 1,
    tieDefault: 'o1',
    budgetMicroUsd: '1000000',
    priceMicroUsd: '2000000',
    deadlineMs: 100_000,
    seed: 'seed',
    mode: 'llm',
    ...overrides,
  };
}

/** A finished turn; `position` on a vote is also its ranking. */
export function turnOf(
  input: PanelInput,
  childId: string,
  position: string | null,
  overrides: Partial<Turn> = {},
): Turn {
  const [phase, round, seatId = ''] = childId.split('.');
  const answer =
    position === null
      ? { status: 'provider_error' as const }
      : {
          status: 'ok' as const,
          position,
          argumentSha: sha256Hex(`${childId} ${position}`),
          confidence: 0.5,
          evidenceIds: [],
          ...(phase === 'vote' ? { ranking: [position] } : {}),
        };
  return {
    turnId: `${input.jobId}/${childId.replaceAll('.', '/')}`,
    phase: phase as Turn['phase'],
    round: Number(round),
    seatId,
    attempts: 1,
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, source: 'provider' },
    costMicroUsd: '1000',
    priceSource: 'test',
    ms: 3,
    promptSha: 'p',
    outputSha: 'q',
    requestId: null,
    ...answer,
    ...overrides,
  };
}

/** A cast ballot. */
export function ballot(seatId: string, ...ranking: string[]): Ballot {
  return { seatId, status: 'cast', ranking, confidence: 0.5, reason: '' };
}
