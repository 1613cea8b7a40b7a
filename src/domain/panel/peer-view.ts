import { sha256Hex } from '../common/hash.ts';
import { findLastPosition } from './ballots.ts';
import type { AddressedTurn, PeerView, SeatPosition } from './order.ts';
import { ASSIGNED_PHASE, type Turn, type TurnPhase } from './records.ts';

/** Input of a view. */
export interface ViewInput {
  readonly turns: readonly Turn[];
  readonly seatIds: readonly string[];
  readonly optionIds: readonly string[];
  readonly devilSeatId?: string | undefined;
  readonly seed: string;
  /** Precomputed result of {@link shuffleRing}, for many views of the same facts. */
  readonly ring?: readonly string[];
  /** Precomputed result of {@link countPositions}. */
  readonly counts?: Readonly<Record<string, number>>;
}

/**
 * Creates the view of one seat before a rebuttal or a vote. It contains the seat's last text and
 * those of its two ring neighbours, under labels that are shuffled per viewer and round. Before a
 * rebuttal it also contains the number of seats per option. The same facts and seed give the same
 * view.
 *
 * @param o.viewer - Seat id. No seat id appears in the view.
 */
export function createPeerView(
  facts: ViewInput,
  o: { readonly viewer: string; readonly phase: TurnPhase; readonly round: number },
): PeerView {
  const neighbours = findNeighbours(facts.ring ?? shuffleRing(facts), o.viewer);
  const shuffled = sortByHash(
    neighbours,
    (seatId) => `${facts.seed}|labels|${o.viewer}|${o.phase}|${o.round}|${seatId}`,
  );
  const peers = shuffled.flatMap((seatId, index) => {
    const standpoint = findPosition(facts.turns, seatId);
    return standpoint === null ? [] : [{ label: String.fromCharCode(65 + index), ...standpoint }];
  });
  const view = { own: findPosition(facts.turns, o.viewer), peers };
  return o.phase === ASSIGNED_PHASE
    ? { ...view, counts: facts.counts ?? countPositions(facts) }
    : view;
}

/** Creates the view of a seat that sees no others: only its own last position. */
export function createOwnView({ turns }: ViewInput, viewer: string): PeerView {
  return { own: findPosition(turns, viewer), peers: [] };
}

/** Creates the view of a seat that sees all others, in seat order. */
export function createWholeView(
  { turns, seatIds }: ViewInput,
  o: { readonly viewer: string; readonly labelOf: (seatId: string) => string },
): PeerView {
  const peers = seatIds.flatMap((seatId) => {
    const standpoint = seatId === o.viewer ? null : findPosition(turns, seatId);
    return standpoint === null ? [] : [{ label: o.labelOf(seatId), ...standpoint }];
  });
  return { own: findPosition(turns, o.viewer), peers };
}

/** Returns the turns of a phase that address a seat, in seat order. */
export function listAddressedTurns(
  { turns, seatIds }: ViewInput,
  o: {
    readonly viewer: string;
    readonly phase: TurnPhase;
    /**
     * Only turns of this round. If absent, outside of rounds, the last turn of each seat counts.
     */
    readonly round?: number | undefined;
    readonly labelOf: (seatId: string) => string;
  },
): readonly AddressedTurn[] {
  const isInScope = ({ phase, round }: Turn) =>
    phase === o.phase && (o.round === undefined || round === o.round);
  return seatIds.flatMap((seatId) => {
    const turn = turns.findLast((one) => one.seatId === seatId && isInScope(one));
    if (turn?.argumentSha === undefined || turn.addressed?.includes(o.viewer) !== true) return [];
    const { argumentSha, contentSha } = turn;
    const content = contentSha === undefined ? {} : { contentSha };
    return [{ label: o.labelOf(seatId), argumentSha, ...content }];
  });
}

/** Counts the seats per option. Assigned arguments do not count. */
export function countPositions(facts: ViewInput): Readonly<Record<string, number>> {
  const counts = new Map(facts.optionIds.map((optionId) => [optionId, 0]));
  for (const seatId of facts.seatIds) {
    const position = findLastPosition(facts.turns, seatId, facts.devilSeatId);
    if (position !== undefined) counts.set(position, (counts.get(position) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** Returns the seats with a position, in a ring order derived from the seed. */
export function shuffleRing(facts: ViewInput): readonly string[] {
  const withPosition = facts.seatIds.filter((seatId) => findPosition(facts.turns, seatId) !== null);
  return sortByHash(withPosition, (seatId) => `${facts.seed}|ring|${seatId}`);
}

function findNeighbours(ring: readonly string[], viewer: string): readonly string[] {
  const place = ring.indexOf(viewer);
  if (place < 0) return ring.slice(0, 2);
  const before = ring[(place + ring.length - 1) % ring.length];
  const after = ring[(place + 1) % ring.length];
  return [...new Set([before, after])].filter(
    (seatId): seatId is string => seatId !== undefined && seatId !== viewer,
  );
}

/** Returns the last position of a seat. Turns without a position do not change it. */
function findPosition(turns: readonly Turn[], seatId: string): SeatPosition | null {
  const turn = turns.findLast(
    (one) => one.seatId === seatId && one.status === 'ok' && one.position !== undefined,
  );
  if (turn?.position === undefined || turn.argumentSha === undefined) return null;
  const { position, argumentSha, contentSha } = turn;
  return { position, argumentSha, ...(contentSha === undefined ? {} : { contentSha }) };
}

function sortByHash(
  seatIds: readonly string[],
  key: (seatId: string) => string,
): readonly string[] {
  return seatIds
    .map((seatId) => ({ seatId, hash: sha256Hex(key(seatId)) }))
    .sort((left, right) => (left.hash < right.hash ? -1 : 1))
    .map(({ seatId }) => seatId);
}
