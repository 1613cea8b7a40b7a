import { sha256Hex } from '../common/hash.ts';
import { lastPosition } from './ballots.ts';
import type { HeardTurn, PeerView, Standpoint } from './order.ts';
import { ASSIGNED_PHASE, type Turn, type TurnPhase } from './records.ts';

/** What a view is made from. */
export interface ViewFacts {
  readonly turns: readonly Turn[];
  readonly seatIds: readonly string[];
  readonly optionIds: readonly string[];
  readonly devilSeatId?: string | undefined;
  readonly seed: string;
  /** What {@link ringOf} gives, where many views are made of the same facts. */
  readonly ring?: readonly string[];
  /** What {@link countPositions} gives, in the same way. */
  readonly counts?: Readonly<Record<string, number>>;
}

/**
 * Makes what one seat sees before a rebuttal or a vote: its own last text and those of its two
 * neighbours in a ring, under labels that are dealt anew for each viewer and round; before a
 * rebuttal also how many seats hold each option. The same facts and seed give the same view.
 *
 * @param o.viewer - Seat id; it and all other seat ids stay out of the view.
 */
export function peerView(
  facts: ViewFacts,
  o: { readonly viewer: string; readonly phase: TurnPhase; readonly round: number },
): PeerView {
  const neighbours = neighboursOf(facts.ring ?? ringOf(facts), o.viewer);
  const dealt = sortByHash(
    neighbours,
    (seatId) => `${facts.seed}|labels|${o.viewer}|${o.phase}|${o.round}|${seatId}`,
  );
  const peers = dealt.flatMap((seatId, place) => {
    const standpoint = standpointOf(facts.turns, seatId);
    return standpoint === null ? [] : [{ label: String.fromCharCode(65 + place), ...standpoint }];
  });
  const view = { own: standpointOf(facts.turns, o.viewer), peers };
  return o.phase === ASSIGNED_PHASE
    ? { ...view, counts: facts.counts ?? countPositions(facts) }
    : view;
}

/** Makes what a seat sees that sees nobody else: its own last stand. */
export function ownView({ turns }: ViewFacts, viewer: string): PeerView {
  return { own: standpointOf(turns, viewer), peers: [] };
}

/** Makes what a seat sees that sees all others, in seat order. */
export function wholeView(
  { turns, seatIds }: ViewFacts,
  o: { readonly viewer: string; readonly labelOf: (seatId: string) => string },
): PeerView {
  const peers = seatIds.flatMap((seatId) => {
    const standpoint = seatId === o.viewer ? null : standpointOf(turns, seatId);
    return standpoint === null ? [] : [{ label: o.labelOf(seatId), ...standpoint }];
  });
  return { own: standpointOf(turns, o.viewer), peers };
}

/** The turns of a phase that speak to a seat, in seat order. */
export function heardBy(
  { turns, seatIds }: ViewFacts,
  o: {
    readonly viewer: string;
    readonly phase: TurnPhase;
    /** Only turns of this round; absent outside of rounds, where the last one is heard. */
    readonly round?: number | undefined;
    readonly labelOf: (seatId: string) => string;
  },
): readonly HeardTurn[] {
  const isIts = ({ phase, round }: Turn) =>
    phase === o.phase && (o.round === undefined || round === o.round);
  return seatIds.flatMap((seatId) => {
    const turn = turns.findLast((one) => one.seatId === seatId && isIts(one));
    if (turn?.argumentSha === undefined || turn.addressed?.includes(o.viewer) !== true) return [];
    const { argumentSha, contentSha } = turn;
    const content = contentSha === undefined ? {} : { contentSha };
    return [{ label: o.labelOf(seatId), argumentSha, ...content }];
  });
}

/** Counts the seats that hold each option; assigned arguments do not count. */
export function countPositions(facts: ViewFacts): Readonly<Record<string, number>> {
  const counts = new Map(facts.optionIds.map((optionId) => [optionId, 0]));
  for (const seatId of facts.seatIds) {
    const position = lastPosition(facts.turns, seatId, facts.devilSeatId);
    if (position !== undefined) counts.set(position, (counts.get(position) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** Seats that have said something, in a ring order that the seed deals. */
export function ringOf(facts: ViewFacts): readonly string[] {
  const standing = facts.seatIds.filter((seatId) => standpointOf(facts.turns, seatId) !== null);
  return sortByHash(standing, (seatId) => `${facts.seed}|ring|${seatId}`);
}

function neighboursOf(ring: readonly string[], viewer: string): readonly string[] {
  const place = ring.indexOf(viewer);
  if (place < 0) return ring.slice(0, 2);
  const before = ring[(place + ring.length - 1) % ring.length];
  const after = ring[(place + 1) % ring.length];
  return [...new Set([before, after])].filter(
    (seatId): seatId is string => seatId !== undefined && seatId !== viewer,
  );
}

/** What a seat stood for last; turns without a position leave it as it was. */
function standpointOf(turns: readonly Turn[], seatId: string): Standpoint | null {
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
