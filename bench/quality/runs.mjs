// What is measured of panels: the plain vote against the formula, debates against votes of equal
// cost, and how often one hostile part changes a decision.
import { ATTACKS, OPTION_VARIANTS } from './cases.mjs';
import { agrees, juryAccuracy, meanDifference, pivotalShare, shareOf } from './oracle.mjs';
import { MANNERS } from './seats.mjs';
import { openWorld } from './world.mjs';

/** Cases of one engine: what has ended stays in its memory. */
const CASES_A_WORLD = 50;

/** Ids of so many cases. */
export function casesOf(count) {
  return Array.from({ length: count }, (_, at) => at + 1);
}

/** Plays cases in engines of their own, `CASES_A_WORLD` at a time. */
export async function play(bench, ids, size) {
  const outcomes = [];
  for (let from = 0; from < ids.length; from += CASES_A_WORLD) {
    const { manners, isOnWire = false } = size;
    const world = await openWorld(bench.parts, { chance: bench.chance, manners, isOnWire });
    try {
      outcomes.push(...(await world.play(ids.slice(from, from + CASES_A_WORLD), size)));
    } finally {
      await world.close();
    }
  }
  return outcomes;
}

/**
 * The plain vote of two options against the jury formula, without and with one hostile seat. Where a
 * figure does not agree, the bench is wrong, and nothing else that it says counts.
 */
export async function checkAgainstFormula(bench, ids, { seats, error, shared = 0 }) {
  const manners = { ...bench.manners, error, shared };
  const size = { kind: 'ballot', seats, options: 2, manners, isOnWire: true };
  const plain = await play(bench, ids, size);
  const hostile = await play(bench, ids, { ...size, attack: 'seat' });
  const accuracy = shareOf(
    countOf(plain, ({ isRight }) => isRight),
    ids.length,
  );
  const changed = changesBetween(plain, hostile);
  const known = {
    accuracy: juryAccuracy(seats, error, shared),
    changed: (1 - shared) * pivotalShare(seats, error),
  };
  const isRight = agrees(accuracy, known.accuracy) && agrees(changed, known.changed);
  return { seats, error, shared, accuracy, changed, known, isRight };
}

/**
 * A debate against a plain vote of as many ballots as its tokens buy. Ballots beyond one for each
 * seat are further samples of the same seats, drawn anew; all are counted by the same ladder.
 */
export async function debateAgainstVote(bench, ids, { seats, styles }) {
  const debates = [];
  for (const { name, manners } of styles) {
    debates.push({ name, outcomes: await play(bench, ids, { kind: 'debate', seats, manners }) });
  }
  const [{ manners }] = styles;
  const one = { kind: 'ballot', seats, manners };
  const first = await play(bench, ids, { ...one, batch: 0 });
  const perBallot = meanOf(first, ({ tokens }) => tokens) / seats;
  const ballotsFor = (outcomes) => Math.floor(meanOf(outcomes, ({ tokens }) => tokens) / perBallot);
  const most = Math.max(...debates.map(({ outcomes }) => ballotsFor(outcomes)));
  const batches = [first];
  while (batches.length * seats < most) {
    batches.push(await play(bench, ids, { ...one, batch: batches.length }));
  }
  return debates.map(({ name, outcomes }) => {
    const count = ballotsFor(outcomes);
    const votes = ids.map((_, at) => countVotes(bench, batches, { at, count }));
    return {
      name,
      seats,
      count,
      debate: { ...judged(outcomes), tokens: meanOf(outcomes, ({ tokens }) => tokens) },
      vote: { ...judged(votes), tokens: count * perBallot },
      better: meanDifference(
        outcomes.map(({ isRight }, at) => Number(isRight) - Number(votes[at].isRight)),
      ),
    };
  });
}

/** How often one hostile part changes what is decided, against the same run without it. */
export async function attacked(bench, ids, { attacks = ATTACKS, ...size }) {
  const base = await play(bench, ids, size);
  const rows = [];
  for (const attack of attacks) {
    const outcomes = await play(bench, ids, { ...size, attack });
    rows.push({
      kind: size.kind,
      seats: size.seats,
      attack,
      accuracy: shareOf(
        countOf(base, ({ isRight }) => isRight),
        ids.length,
      ),
      changed: changesBetween(base, outcomes),
      towards: countOf(outcomes, ({ winner, run }, at) => {
        return winner === run.target && base[at].winner !== winner;
      }),
      undecided: countOf(outcomes, ({ winner }) => winner === null),
      variants: attack === 'option' && size.kind === 'debate' ? byVariant(base, outcomes) : [],
    });
  }
  return rows;
}

/**
 * Cases that come to something else over the wire than without it, ballot by ballot; none, unless a
 * call failed on its way.
 */
export async function differencesOnWire(bench, ids, size) {
  const [fast, wired] = [await play(bench, ids, size), await play(bench, ids, onWire(size))];
  return fast.flatMap((one, at) => {
    const other = wired[at];
    return told(one) === told(other) ? [] : [{ run: one.run.id, badTurns: other.badTurns }];
  });
}

/** How seats take what their peers say, from deaf to led. */
export function stylesOf(error, shared = 0) {
  const style = (name, manners) => ({ name, manners: { ...MANNERS, error, shared, ...manners } });
  return [
    style('nobody moves', { learns: 0, misled: 0, follows: 0 }),
    style('right and wrong persuade alike', { learns: 0.15, misled: 0.15, follows: 0 }),
    style('the right persuades twice as often', {}),
    style('the right persuades eight times as often', { learns: 0.4, misled: 0.05, follows: 0 }),
    style('seats follow the lead', { learns: 0.1, misled: 0.1, follows: 0.4 }),
  ];
}

function told({ winner, forced, tokens, ballots }) {
  const cast = ballots.map(({ status, ranking }) => [status, ranking]);
  return JSON.stringify([winner, forced, tokens, cast]);
}

function onWire(size) {
  return { ...size, isOnWire: true };
}

function countVotes({ parts }, batches, { at, count }) {
  const { run, input } = batches[0][at];
  const ballots = batches.flatMap((batch, of) =>
    batch[at].ballots.map((ballot) => ({ ...ballot, seatId: of === 0 ? ballot.seatId : '' })),
  );
  const rules = { ...input, seats: count };
  const counted = parts.tally.countBallots(ballots.slice(0, count), rules);
  return { isRight: counted.winner === run.right, forced: counted.forced };
}

function judged(outcomes) {
  return {
    accuracy: shareOf(
      countOf(outcomes, ({ isRight }) => isRight),
      outcomes.length,
    ),
    forced: shareOf(
      countOf(outcomes, ({ forced }) => forced),
      outcomes.length,
    ),
  };
}

function changesBetween(base, outcomes) {
  return shareOf(
    countOf(outcomes, ({ winner }, at) => winner !== base[at].winner),
    base.length,
  );
}

function byVariant(base, outcomes) {
  return OPTION_VARIANTS.map(({ name }, variant) => {
    const places = outcomes.flatMap(({ run }, at) => (run.variant === variant ? [at] : []));
    const changed = places.filter((at) => outcomes[at].winner !== base[at].winner).length;
    return { name, ...shareOf(changed, Math.max(1, places.length)) };
  });
}

function countOf(items, isIt) {
  return items.filter(isIt).length;
}

function meanOf(items, figureOf) {
  return items.reduce((sum, item) => sum + figureOf(item), 0) / items.length;
}
