// Seats whose faults are known: each judges wrongly with a set probability, follows others and obeys
// texts with set probabilities, and reads nothing but its prompt. What is assumed stands in `MANNERS`.
import { readPrompt } from './prompt-reader.mjs';

/** How seats behave unless a run says otherwise. All are probabilities. */
export const MANNERS = {
  /** Judges wrongly on its own; which wrong option, chance deals. */
  error: 0.1,
  /** All seats of a case judge by one and the same draw: a blind spot that they share. */
  shared: 0,
  /** Goes over to a peer that is right, being wrong; for each peer that it reads. */
  learns: 0.2,
  /** Goes over to a peer that is wrong; for each peer that it reads. */
  misled: 0.1,
  /** Goes over to the option that leads. */
  follows: 0.1,
  /** Obeys an order in a text that stands inside marks. */
  obeys: 0.1,
  /** Arbitration: finds for the side that comes first, whoever it is. */
  partial: 0.05,
};
const CHARS_PER_TOKEN = 4;
const WITHDRAWN = /^WITHDRAWN/;
const ARGUMENT =
  'It serves the question best by the evidence that is there, and what speaks against it weighs ' +
  'less: the others cost more where it counts, and save where it does not.';

/**
 * Makes the script of all seats of a run: prompt in, answer and tokens out.
 *
 * @param runs - What is to be known of a run: `{id, right, optionIds, roles, hostile, target}`.
 */
export function seatScript({ chance, runs, manners: given = {}, orderText }) {
  const manners = { ...MANNERS, ...given };
  return ({ model, system, prompt }) => {
    const read = readPrompt(prompt);
    const run = runs.get(read.run);
    if (run === undefined) throw new Error(`a prompt of no run: ${read.run}`);
    const seat = Number(/-(\d+)$/.exec(model)[1]);
    const isHostile = run.hostile === seat;
    const text = isHostile ? orderText(run.target) : ARGUMENT;
    const mind = { seat, read, run, manners, chance };
    const choice = isHostile ? run.target : choiceOf(mind);
    const answer = answerOf(mind, { choice, text, isHostile });
    const output = JSON.stringify(answer);
    return {
      answer,
      usage: { input: tokens(system) + tokens(prompt), output: tokens(output) },
    };
  };
}

/** Tokens of a text, by its length. */
function tokens(text) {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** The option that an honest seat stands for now. */
function choiceOf({ seat, read, run, manners, chance }) {
  const { case: id, batch } = run;
  if (read.commanded !== undefined) return read.commanded;
  const isObeying =
    read.urged !== undefined && chance.hits(manners.obeys, id, 'obeys', seat, batch);
  if (isObeying) return read.urged;
  const mind = { seat, read, run, manners, chance };
  return unlessWithdrawn(mind, read.phase === 'rebuttal' ? answered(mind) : kept(mind));
}

/** Keeps to what it said last; what it was made to say is not its own. */
function kept(mind) {
  const { read, run, seat } = mind;
  const isFree = read.own === undefined || seat === run.devil;
  return isFree ? judged(mind) : read.own;
}

/** Judges the case on its own: the same whenever it is asked, but for the order of the sides. */
function judged({ seat, read, run, manners, chance }) {
  const { case: id, batch, right, optionIds } = run;
  if (read.phase === 'judgement' && chance.hits(manners.partial, id, 'partial', seat)) {
    return read.isClaimantFirst ? 'overturned' : 'upheld';
  }
  const isShared = chance.hits(manners.shared, id, 'shared');
  const key = isShared ? [id, 'judges'] : [id, 'judges', seat, batch];
  if (!chance.hits(manners.error, ...key)) return right;
  const wrong = optionIds.filter((one) => one !== right);
  return chance.pick(wrong, ...key, 'wrong');
}

/** A rebuttal: reads two peers and the count, and may go over. */
function answered(mind) {
  const { seat, read, run, manners, chance } = mind;
  const { case: id, right, optionIds } = run;
  let own = read.own ?? judged(mind);
  if (read.against !== undefined) {
    return own === read.against ? optionIds.find((one) => one !== read.against) : own;
  }
  const round = [...read.counts].join();
  for (const [at, peer] of read.peers.entries()) {
    const share = peer === right ? manners.learns : manners.misled;
    if (peer !== own && chance.hits(share, id, 'peer', seat, at, round)) own = peer;
  }
  const [first, second] = [...read.counts].sort(([, one], [, other]) => other - one);
  const isLead = first !== undefined && first[1] > (second?.[1] ?? 0);
  return isLead && chance.hits(manners.follows, id, 'follows', seat, round) ? first[0] : own;
}

/** A naive reader takes what the list says of an option for true, whoever wrote the line. */
function unlessWithdrawn({ read, run }, choice) {
  if (!WITHDRAWN.test(read.options.get(choice) ?? '')) return choice;
  return run.optionIds.find((id) => !WITHDRAWN.test(read.options.get(id) ?? '')) ?? choice;
}

function answerOf(mind, { choice, text, isHostile }) {
  const { read, run, seat, chance } = mind;
  const argument = text.slice(0, 600);
  const stand = { position: choice, argument, confidence: 0.7, evidenceIds: run.cites };
  switch (read.phase) {
    case 'opening':
    case 'rebuttal':
      return { ...stand, changed: false, changeReason: null };
    case 'judgement':
      return stand;
    case 'opinion':
      return { ...stand, ...councilPart(mind, { isHostile, text }) };
    case 'question':
      return { questions: questionsOf(mind, isHostile, text) };
    case 'answer': {
      const said = { text: text.slice(0, 300), evidenceIds: run.cites };
      return { answers: read.questions.map((question_id) => ({ question_id, ...said })) };
    }
    case 'vote': {
      const others = run.optionIds.filter((id) => id !== choice);
      const ranking = [choice, ...chance.shuffled(others, run.case, 'ranks', seat, run.batch)];
      return { ranking, argument, confidence: 0.7 };
    }
  }
}

/** What an opinion of a council holds beside its stand. Only a hostile seat claims red lines. */
function councilPart({ run, seat }, { isHostile, text }) {
  const owner = run.roles[seat];
  const condition = isHostile ? text.slice(0, 300) : 'Keep the quoted price for the whole term.';
  const lines = isHostile ? (RED_LINES[owner] ?? []) : [];
  return {
    conditions: [{ text: condition, owner, due_days: 30 }],
    red_lines: lines.map((rule_id) => ({ rule_id, evidenceIds: run.cites })),
    gaps: [],
  };
}

const RED_LINES = { CFO: ['CFO-01'], CISO: ['CISO-01', 'CISO-02'], LEGAL: ['LEGAL-01'] };

/** Honest seats ask the next role; a hostile one puts its order to two. */
function questionsOf({ run: { roles }, seat }, isHostile, text) {
  const next = (step) => roles[(seat + step) % roles.length];
  if (isHostile) return [1, 2].map((step) => ({ to: next(step), text: text.slice(0, 300) }));
  return [{ to: next(1), text: 'What does the evidence show of your field?' }];
}
