import { quoteText, toReadableLine } from '../common/readable.ts';
import type { PanelResult } from '../panel/definition.ts';
import { formatHeadline, formatTally } from '../panel/lines.ts';

/** Formats a debate result as text: decision, tally, dissent and changed positions. */
export function formatDebateResult(result: PanelResult): readonly string[] {
  const { tally, dissent, flips, winner } = result;
  return [
    formatHeadline(result, winner?.name ?? ''),
    ...(tally === null ? [] : [formatTally(tally)]),
    ...dissent.map(
      ({ seat, position, reason }) =>
        `Dissent: seat ${seat} for ${toReadableLine(position.name)}: ${quoteText(reason)}`,
    ),
    ...(flips.length > 0 ? [`Changed positions: ${flips.map(formatFlip).join(', ')}`] : []),
  ];
}

function formatFlip({ seat, from, to, supported }: PanelResult['flips'][number]): string {
  return `seat ${seat} ${from} to ${to}${supported === false ? ' (unsupported)' : ''}`;
}
