import { numberOf, pathOf, stringsOf } from './bytes.ts';
import type { Call } from './trace.ts';

/** A line that the program wrote when it had been promised something. */
export interface LineWritten {
  readonly at: number;
  readonly words: readonly string[];
}

/** Reads what a traced program wrote to a file, line by line, with the points in time. */
export function linesWritten(calls: readonly Call[], path: string): readonly LineWritten[] {
  const opened = calls.find(({ name, args }) => name === 'openat' && pathOf(args) === path);
  return calls
    .filter(({ name, args }) => name === 'write' && numberOf(args) === opened?.result)
    .flatMap(({ args, begin }) =>
      stringsOf(args)
        .map(String)
        .flatMap((text) => text.split('\n'))
        .filter((line) => line !== '')
        .map((line) => ({ at: begin, words: line.split(' ') })),
    );
}
