import { formatUsd } from '../common/money.ts';
import { quoteText, toReadableLine } from '../common/readable.ts';
import { sumPanelCosts } from './costs.ts';
import type { ReportInput } from './definition.ts';
import type { Turn } from './records.ts';
import { countFamilies, seatLetter } from './seating.ts';

/**
 * Lists the limitations of a result and the rules that produced it, as sentences.
 *
 * @param rulesOnlyLimits - Limitations to state if rules fill all seats.
 */
export function listLimits(facts: ReportInput, rulesOnlyLimits: readonly string[]): string[] {
  return [
    ...listModeLimits(facts, rulesOnlyLimits),
    ...listAnswererLimits(facts),
    ...listRuleLimits(facts),
    ...listLossLimits(facts),
    ...listCostLimits(facts),
  ];
}

function listModeLimits({ input, turns }: ReportInput, ofRules: readonly string[]): string[] {
  const [families, seats] = [countFamilies(input.seats, turns), input.seats.length];
  switch (input.mode) {
    case 'rules_only':
      return [...ofRules];
    case 'caller':
      return [
        "All seats were filled by the caller's own agent and count as one family: errors that it " +
          'makes once it may make in every seat.',
      ];
    case 'llm':
    case 'mixed':
      return families < seats
        ? [
            `${seats} seats share ${families} model ${pluralize(families, 'family', 'families')}: \
models of a family share errors, so the vote is weaker evidence than ${seats} separate families.`,
          ]
        : [];
  }
}

/** Names the seats whose answers came from another model than configured. */
function listAnswererLimits({ input, turns }: ReportInput): string[] {
  const lines = turns.flatMap(({ seatId, status, answeredBy }) => {
    if (status !== 'ok' || answeredBy === undefined) return [];
    const listed = input.seats.find((seat) => seat.seatId === seatId)?.model ?? '';
    const { model, served } = answeredBy;
    const host = served === undefined ? '' : ` (its host names ${quoteText(served)})`;
    return [`Seat ${seatLetter(seatId)} is ${listed} and was answered by ${model}${host}.`];
  });
  return [...new Set(lines)];
}

function listRuleLimits({ input, tally, brief }: ReportInput): string[] {
  const tieName = brief.options.find((option) => option.optionId === input.tieDefault)?.name;
  const chair = seatLetter(input.chairSeatId);
  const limits = [
    'Confidence is reported by each seat itself. It is shown but has no weight in the count.',
    `Options left level go by Borda points, then by the casting vote of seat ${chair}, then to ` +
      `${toReadableLine(tieName ?? input.tieDefault)}.`,
  ];
  if (input.seats.length % 2 === 0) {
    limits.push(`${input.seats.length} seats are an even number: ties are likelier than with odd.`);
  }
  if (tally?.forced === true) {
    limits.push('The ballots alone left a tie: the decision was forced by the rule named above.');
  }
  return limits;
}

function listLossLimits({ input, turns, cutTurns, ballots, tally }: ReportInput): string[] {
  const limits: string[] = [];
  const failed = turns.filter((turn) => turn.status !== 'ok').length;
  if (failed > 0)
    limits.push(`${failed} ${pluralize(failed, 'turn', 'turns')} had no usable answer.`);
  if (cutTurns > 0) {
    limits.push(
      `${cutTurns} ${pluralize(cutTurns, 'turn', 'turns')} had not finished or started when time ` +
        'or budget ran out.',
    );
  }
  const missing = tally === null ? 0 : input.seats.length - tally.cast;
  if (missing > 0) limits.push(`${missing} of ${input.seats.length} seats have no valid ballot.`);
  const carried = ballots.filter((ballot) => ballot.source === 'position').length;
  if (carried > 0) {
    limits.push(`${carried} ballots are last positions because the vote was cut off.`);
  }
  const flips = turns.filter((turn) => turn.unsupportedFlip === true).length;
  if (flips > 0) {
    limits.push(`${flips} changes of mind came without new evidence or a named error.`);
  }
  return limits;
}

function listCostLimits({ turns }: ReportInput): string[] {
  const { unpricedTurns, orphanedMicroUsd } = sumPanelCosts(turns);
  const limits: string[] = [];
  if (unpricedTurns > 0) {
    limits.push(`${unpricedTurns} turns are of models without a known price: not in the cost.`);
  }
  const bounded = turns.filter(isCostBounded).length;
  if (bounded > 0) {
    limits.push(
      `${bounded} ${pluralize(bounded, 'turn', 'turns')}: the host named more tokens or money ` +
        'than the call could use; the most that it could use is counted.',
    );
  }
  if (orphanedMicroUsd !== '0') {
    const maxCost = formatUsd(BigInt(orphanedMicroUsd));
    limits.push(`Answers lost in a restart may have cost up to $${maxCost} more.`);
  }
  return limits;
}

function isCostBounded({ usage, priceSource }: Turn): boolean {
  return usage.source === 'bounded' || priceSource === 'ceiling';
}

function pluralize(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
