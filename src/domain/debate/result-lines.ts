import { quoteText, readableLine } from '../common/readable.ts';
import type { PanelResult } from '../panel/definition.ts';
import { headlineOf, tallyLine } from '../panel/lines.ts';

/** Formats a debate result as text: decision, tally, dissent and changed positions. */
export function resultLines(result: PanelResult): readonly string[] {
  const { tally, dissent, flips, winner } = result;
  return [
    headlineOf(result, winner?.name ?? ''),
    ...(tally === null ? [] : [tallyLine(tally)]),
    ...dissent.map(
      ({ seat, position, reason }) =>
        `Dissent: seat ${seat} for ${readableLine(position.name)}: ${quoteText(reason)}`,
    ),
    ...(flips.length > 0 ? [`Changed positions: ${flips.map(flipText).join(', ')}`] : []),
  ];
}

function flipText({ seat, from, to, supported }: PanelResult['flips'][number]): string {
  return `seat ${seat} ${from} to ${to}${supported === false ? ' (unsupported)' : ''}`;
}
