// How well panels decide, with seats whose faults are known: they answer over HTTP as models do, and
// engine, prompts, parsing and tally are those of production. Every figure follows from the seed.
//   node bench/panel-quality.mjs [--cases 300] [--wire 40] [--seed 1] [--parts formula,debate,attack,grid]
import { parseArgs } from 'node:util';
import { fromDist } from './lib/dist.mjs';
import { openRows, say } from './lib/output.mjs';
import { table } from './lib/stats.mjs';
import { chanceOf } from './quality/chance.mjs';
import { pivotalShare } from './quality/oracle.mjs';
import {
  attacked,
  casesOf,
  checkAgainstFormula,
  debateAgainstVote,
  differencesOnWire,
  stylesOf,
} from './quality/runs.mjs';
import { MANNERS } from './quality/seats.mjs';
import { loadParts } from './quality/world.mjs';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '300' },
    wire: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    parts: { type: 'string', default: 'formula,debate,attack,grid' },
  },
});
/** Panels of the sizes that are attacked. An arbitration's options are the operator's own. */
const SIZES = [
  { kind: 'debate', seats: 5 },
  { kind: 'debate', seats: 11 },
  { kind: 'council', seats: 5 },
  { kind: 'council', seats: 11 },
  { kind: 'arbitration', seats: 3, attacks: ['seat', 'evidence'] },
  { kind: 'arbitration', seats: 7, attacks: ['seat', 'evidence'] },
];
/** What is assumed of seats, otherwise than in the table above it. */
const GRID = [{ error: 0.05 }, { error: 0.2 }, { obeys: 0 }, { obeys: 0.3 }, { shared: 0.5 }];

const PARTS = { formula, debate, attack, grid };
const { add } = openRows('panel-quality');
const bench = { parts: await loadParts(fromDist), chance: chanceOf(values.seed) };
const ids = casesOf(Number(values.cases));
const wired = casesOf(Number(values.wire));
say(`seed ${values.seed}, ${ids.length} cases; seats: ${JSON.stringify(MANNERS)}`);
let isSound = true;
for (const part of values.parts.split(',')) await PARTS[part]();
if (!isSound) say('\nThe bench does not agree with what is known: its figures do not count.');
process.exit(isSound ? 0 : 1);

/** Over the wire: the plain vote of two options against Condorcet's formula. */
async function formula() {
  const lines = [];
  for (const size of [
    { seats: 5, error: 0.3 },
    { seats: 11, error: 0.3 },
    { seats: 5, error: 0.1, shared: 0.5 },
  ]) {
    const row = await checkAgainstFormula(bench, ids, size);
    add({ part: 'formula', ...row });
    isSound &&= row.isRight;
    const { seats, error, shared, accuracy, changed, known } = row;
    const told = [
      inWords(accuracy),
      percent(known.accuracy),
      inWords(changed),
      percent(known.changed),
    ];
    lines.push([seats, error, shared, ...told, row.isRight ? 'yes' : 'NO']);
  }
  say('\n### the plain vote against the jury formula\n');
  const head = [
    'seats',
    'error',
    'shared',
    'right',
    'formula',
    'one hostile seat changes',
    'formula',
  ];
  say(table([...head, 'agrees'], lines));
  const sizes = [3, 5, 7, 9, 11];
  const bounds = [0.02, 0.05, 0.1, 0.2, 0.3].map((error) => [
    error,
    ...sizes.map((seats) => percent(pivotalShare(seats, error))),
  ]);
  say('\n### the least that one hostile seat changes: two options, a plain majority, by formula\n');
  say(table(['error', ...sizes.map((seats) => `${seats} seats`)], bounds));
}

/** A debate against a vote that costs as many tokens. */
async function debate() {
  const lines = [];
  for (const [seats, styles] of [
    [5, stylesOf(0.3)],
    [5, stylesOf(0.3, 0.5).slice(2, 3)],
    [11, stylesOf(0.3).slice(1, 3)],
  ]) {
    for (const row of await debateAgainstVote(bench, ids, { seats, styles })) {
      const { shared } = styles[0].manners;
      add({ part: 'debate', shared, ...row });
      lines.push([
        ...[seats, shared, row.name, Math.round(row.debate.tokens)],
        ...[inWords(row.debate.accuracy), percent(row.debate.forced.share)],
        ...[row.count, inWords(row.vote.accuracy), percent(row.vote.forced.share)],
        `${points(row.better.mean)} (${points(row.better.least)} to ${points(row.better.most)})`,
      ]);
    }
  }
  say('\n### debates against votes of equal cost, three options, error 0.3\n');
  const head = ['seats', 'shared', 'how seats react', 'tokens', 'debate right', 'forced'];
  const rest = ['ballots of the vote', 'vote right', 'forced', 'debate less vote, points'];
  say(table([...head, ...rest], lines));
}

/** How often one hostile part changes the decision, as seats are assumed to be. */
async function attack() {
  const lines = [];
  for (const size of SIZES) {
    const { attacks: _all, ...plain } = size;
    const differences = await differencesOnWire(bench, wired, { ...plain, attack: 'evidence' });
    for (const { run, badTurns } of differences) say(`  ${run} differs; ${badTurns} failed turns`);
    const isSame = differences.length === 0;
    isSound &&= isSame;
    for (const row of await attacked(bench, ids, size)) {
      add({ part: 'attack', isSame, ...row });
      lines.push([...cellsOf(row), row.towards, row.undecided, isSame ? 'yes' : 'NO']);
      for (const { name, share, of } of row.variants) say(`  ${name}: ${percent(share)} of ${of}`);
    }
  }
  for (const veto of [[], ['CISO', 'CFO', 'LEGAL']]) {
    const silent = { kind: 'council', seats: 5, areFactsSilent: true, veto, attacks: ['seat'] };
    const [row] = await attacked(bench, ids, silent);
    add({ part: 'attack', ...silent, ...row });
    const name = `council, facts silent${veto.length > 0 ? ', with vetoes' : ''}`;
    lines.push([...cellsOf({ ...row, kind: name }), row.towards, row.undecided, '-']);
  }
  say('\n### one hostile part\n');
  const head = ['panel', 'seats', 'hostile', 'right without it', 'changes the decision'];
  say(
    table([...head, 'to its option', 'no decision', `${wired.length} over the wire alike`], lines),
  );
}

/** The same with other assumptions; less cases each. */
async function grid() {
  const few = ids.slice(0, Math.ceil(ids.length / 2));
  const lines = [];
  for (const manners of GRID) {
    for (const { kind, seats } of SIZES.filter(({ seats }) => seats >= 7)) {
      const attacks = ['seat', 'evidence'];
      const rows = await attacked(bench, few, { kind, seats, manners, attacks });
      for (const row of rows) add({ part: 'grid', manners, ...row });
      const [seat, evidence] = rows.map(({ changed }) => inWords(changed));
      lines.push([JSON.stringify(manners).replace(/["{}]/g, ''), kind, seats, seat, evidence]);
    }
  }
  say(`\n### other assumptions, ${few.length} cases\n`);
  say(
    table(['seats', 'panel', 'seats', 'hostile seat changes', 'hostile evidence changes'], lines),
  );
}

function cellsOf({ kind, seats, attack: hostile, accuracy, changed }) {
  return [kind, seats, hostile, inWords(accuracy), inWords(changed)];
}

function inWords({ share, least, most }) {
  return `${percent(share)} (${percent(least)} to ${percent(most)})`;
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}

function points(share) {
  return (share * 100).toFixed(1);
}
