// The same debate on LangGraph JS: one node for a seat's turn, fanned out with `Send`, one that
// decides what comes next, one that counts. SAVER=none|memory|sqlite
import { setMaxListeners } from 'node:events';
import { Annotation, END, MemorySaver, Send, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { answer, measureRuns } from '../../lib/cpu.mjs';
import { instantTurn, OPTION_IDS, PANEL, positionOf, REBUTTALS, TURNS } from '../../lib/debate.mjs';
import { scratch } from '../../lib/output.mjs';

const { SAVER = 'memory', RUNS = '20', WARM = '5' } = process.env;
// Its eleven parallel nodes listen to one signal; the warning about that is not part of the work.
setMaxListeners(0);
const store = scratch(`langgraph-${process.pid}`);

const State = Annotation.Root({
  jobId: Annotation(),
  phase: Annotation(),
  round: Annotation(),
  turns: Annotation({ reducer: (kept, more) => kept.concat(more), default: () => [] }),
  counts: Annotation(),
});

const app = new StateGraph(State)
  .addNode('seat', async (order) => ({ turns: [instantTurn(order)] }))
  .addNode('next', nextPhase)
  .addNode('tally', ({ turns }) => ({ counts: countVotes(turns) }))
  .addConditionalEdges(START, askSeats, ['seat'])
  .addEdge('seat', 'next')
  .addConditionalEdges('next', (state) => (state.phase === 'done' ? 'tally' : askSeats(state)), [
    'seat',
    'tally',
  ])
  .addEdge('tally', END)
  .compile({ checkpointer: saver() });

let debates = 0;
const result = await measureRuns(debate, { warm: Number(WARM), runs: Number(RUNS) });
store.clear();
answer(result);

async function debate() {
  debates += 1;
  const jobId = `job-${debates}`;
  const config = { recursionLimit: 50, configurable: { thread_id: jobId } };
  const state = await app.invoke({ jobId, phase: 'opening', round: 0, turns: [] }, config);
  if (state.turns.length !== TURNS) throw new Error(`${state.turns.length} turns`);
}

function saver() {
  if (SAVER === 'none') return undefined;
  if (SAVER === 'memory') return new MemorySaver();
  return SqliteSaver.fromConnString(`${store.path}/panel.sqlite`);
}

function nextPhase({ phase, round }) {
  if (phase === 'vote') return { phase: 'done' };
  if (round < REBUTTALS) return { phase: 'rebuttal', round: round + 1 };
  return { phase: 'vote' };
}

function askSeats({ jobId, phase, round, turns }) {
  return PANEL.map((seat, at) => {
    const { seatId } = seat;
    const name = phase === 'rebuttal' ? `${phase}/${round}` : `${phase}/0`;
    const order = {
      turnId: `${jobId}/${name}/${seatId}`,
      phase,
      round: phase === 'rebuttal' ? round : 0,
      seat,
      briefSha: 'b'.repeat(64),
      seed: 'bench',
      citedIds: ['e1'],
      allowanceMicroUsd: '20000',
      timeoutMs: 90_000,
    };
    return new Send('seat', phase === 'opening' ? order : { ...order, view: viewOf(turns, at) });
  });
}

/** What a seat sees: its own last turn and those of its two neighbours. */
function viewOf(turns, at) {
  const seatIds = PANEL.map(({ seatId }) => seatId);
  const last = (place) => {
    const seatId = seatIds[(place + seatIds.length) % seatIds.length];
    const { position, argumentSha } = turns.findLast((turn) => turn.seatId === seatId);
    return { position, argumentSha };
  };
  const peers = [
    { label: 'A', ...last(at - 1) },
    { label: 'B', ...last(at + 1) },
  ];
  return { own: last(at), peers, counts: countPositions(turns) };
}

function countPositions(turns) {
  const { round } = turns.at(-1);
  const counts = Object.fromEntries(OPTION_IDS.map((optionId) => [optionId, 0]));
  for (const { seatId } of PANEL) counts[positionOf(seatId, round)] += 1;
  return counts;
}

function countVotes(turns) {
  const counts = {};
  for (const { phase, position } of turns) {
    if (phase === 'vote') counts[position] = (counts[position] ?? 0) + 1;
  }
  return counts;
}
