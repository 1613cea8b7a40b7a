// The real engine, effects and panels over seats that follow a script; stores are in memory.
import {
  councilRequest,
  debateRequest,
  frozenCase,
  orderText,
  priceOf,
  runOf,
  TERMS,
} from './cases.mjs';
import { seatScript } from './seats.mjs';
import { modelsInProcess, startDouble } from './wire.mjs';

const RUN_MS_MAX = 120_000;
/** Panels that run at once. */
const AT_ONCE = 12;

/**
 * Loads what a world is made of.
 *
 * @param load - Imports a module of the program by its place, such as `runtime/engine/engine.js`.
 */
export async function loadParts(load) {
  const places = {
    engine: 'runtime/engine/engine.js',
    store: 'runtime/store/memory-store.js',
    clock: 'runtime/timer/clock.js',
    hash: 'domain/common/hash.js',
    llm: 'providers/llm/create-llm.js',
    panels: 'actors/panel/panels.js',
    machines: 'machines/panel/panels.js',
    order: 'actors/panel/panel-order.js',
    debateOrder: 'actors/debate/debate-order.js',
    councilOrder: 'actors/council/council-order.js',
    debate: 'domain/debate/panel.js',
    debateRequest: 'domain/debate/request.js',
    council: 'domain/council/panel.js',
    councilRequest: 'domain/council/request.js',
    roles: 'domain/council/roles.js',
    arbitration: 'domain/arbitration/panel.js',
    caseBrief: 'domain/arbitration/build-brief.js',
    caseTerms: 'domain/arbitration/case-terms.js',
    seating: 'domain/panel/seating.js',
    tally: 'domain/panel/tally.js',
  };
  const modules = await Promise.all(Object.values(places).map(load));
  return Object.fromEntries(Object.keys(places).map((name, at) => [name, modules[at]]));
}

/**
 * Opens a world. `play` runs cases and gives for each what came of it: `{winner, forced, isRight,
 * tokens, ballots, run}`, in the order of the ids.
 *
 * @param o.isOnWire - Seats answer over HTTP through the provider of language models.
 */
export async function openWorld(parts, { chance, manners, isOnWire = true }) {
  const runs = new Map();
  const script = seatScript({ chance, runs, manners, orderText });
  const double = isOnWire ? await startDouble(script) : undefined;
  const clock = parts.clock.systemClock();
  const llm =
    double === undefined
      ? modelsInProcess(script)
      : parts.llm.createLlm({ ...double, keys: () => undefined, clock });
  const blobs = blobsInMemory(parts.hash.sha256Hex);
  const panels = [...benchPanels(parts)];
  const engine = await parts.engine.createEngine({
    store: parts.store.memoryStore(),
    clock,
    definitions: parts.panels.definePanels({ llm, blobs }, panels),
  });
  const world = { parts, chance, runs, llm, blobs, clock, engine };
  return {
    play: (ids, size) => playAll(world, ids, size),
    calls: () => double?.calls() ?? 0,
    close: async () => {
      await engine.close();
      await double?.stop();
    },
  };
}

/** The panels as they are, but arbitration without its window, and a vote that is nothing else. */
function benchPanels({ machines, debate, council, arbitration }) {
  const ballot = debate.debatePanel.phases.at(-1);
  const { rounds: _none, ...rest } = debate.debatePanel;
  const vote = { ...rest, kind: 'ballot', phases: [{ ...ballot, view: 'none' }] };
  const { councilPanel } = council;
  const { arbitrationPanel } = arbitration;
  return [debate.debatePanel, vote, councilPanel, arbitrationPanel].map((panel) =>
    machines.createPanel(panel),
  );
}

async function playAll(world, ids, size) {
  const outcomes = new Map();
  const left = [...ids];
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      outcomes.set(id, await playOne(world, id, size));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ids.map((id) => outcomes.get(id));
}

async function playOne(world, id, size) {
  const { parts, engine, runs, chance } = world;
  const run = runOf(chance, id, { ...size, roles: parts.roles.ROLE_NAMES });
  runs.set(run.id, run);
  const { kind, input } = await orderOf(world, run, size);
  await engine.create(kind, run.id, { ...input, jobId: run.id });
  const isOver = ({ status }) => status !== 'active';
  const view = await engine.waitFor(run.id, isOver, { timeoutMs: RUN_MS_MAX });
  runs.delete(run.id);
  const { tally, ballots, turns, outcome } = view.context;
  if (outcome === null || outcome === 'failed')
    throw new Error(`${run.id}: ${view.context.reason}`);
  return {
    run,
    ballots,
    winner: tally?.winner ?? null,
    isRight: tally?.winner === run.right,
    forced: tally?.forced ?? false,
    badTurns: turns.filter(({ status }) => status !== 'ok').length,
    tokens: turns.reduce((sum, { usage }) => sum + usage.input + usage.output, 0),
    input,
  };
}

async function orderOf(world, run, size) {
  const { parts, llm, blobs, clock, chance } = world;
  const random = { bytes: (length) => chance.bytes(length, run.case, 'panel') };
  const deps = { llm, blobs, random, clock };
  const priceMicroUsd = priceOf(run.kind);
  switch (run.kind) {
    case 'debate': {
      const { DebateRequest } = parts.debateRequest;
      const request = DebateRequest.parse({ ...debateRequest(run), ...size.request });
      return (await parts.debateOrder.prepareDebate(deps, request, priceMicroUsd)).order;
    }
    case 'ballot':
      return voteOrder(parts, deps, run);
    case 'council': {
      const { CouncilRequest } = parts.councilRequest;
      const request = CouncilRequest.parse(councilRequest(run, size));
      return parts.councilOrder.prepareCouncil(deps, request, priceMicroUsd);
    }
    case 'arbitration':
      return arbitrationOrder(parts, deps, run);
  }
}

/** One call a seat: the ballot of a debate with nothing before it. */
async function voteOrder({ debateRequest: asked, order, seating, debate }, deps, run) {
  const brief = asked.createDebateBrief(asked.DebateRequest.parse(debateRequest(run)));
  const panel = { ...debate.debatePanel, kind: 'ballot', seats: { least: 1, most: 11 } };
  return order.createPanelOrder(panel, deps, {
    brief,
    seats: seating.assignModels(deps.llm.models, run.seats),
    mode: 'llm',
    maxRounds: 0,
    tieDefault: 'o1',
    deadlineS: 300,
    priceMicroUsd: priceOf('debate'),
  });
}

async function arbitrationOrder(parts, deps, run) {
  const { caseBrief, caseTerms, order, seating, arbitration, hash } = parts;
  const { frozen, textOf } = frozenCase(run, { ...hash, ...caseBrief });
  return order.createPanelOrder(arbitration.arbitrationPanel, deps, {
    brief: caseBrief.buildBrief(frozen, textOf),
    seats: seating.assignModels(deps.llm.models, run.seats),
    mode: 'llm',
    maxRounds: 0,
    tieDefault: 'upheld',
    deadlineS: 300,
    policy: caseTerms.encodeTerms(TERMS),
    priceMicroUsd: priceOf('arbitration'),
  });
}

function blobsInMemory(sha256Hex) {
  const texts = new Map();
  return {
    put: async (text) => {
      const hash = sha256Hex(text);
      texts.set(hash, text);
      return hash;
    },
    get: (hash) => texts.get(hash),
  };
}
