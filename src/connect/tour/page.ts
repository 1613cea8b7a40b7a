import { styleText } from 'node:util';
import { AppError } from '../../domain/common/error.ts';

/** Where the tour writes; a stream that is no terminal gets plain text. */
export interface Page {
  chapter(title: string): void;
  say(line: string): void;
  fact(name: string, value: string): void;
  /** A line of progress, marked as arriving live. */
  step(line: string): void;
}

const NAME_WIDTH = 14;

/**
 * Makes the page of the tour on a stream.
 *
 * @throws {AppError} `OUTPUT_CLOSED` from what it writes, once nobody reads the stream any more.
 */
export function createPage(output: NodeJS.WriteStream): Page {
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    output.isTTY ? styleText(format, text) : text;
  let chapters = 0;
  let cut: Error | undefined;
  output.on('error', (cause) => {
    cut = cause;
  });
  const write = (line: string): void => {
    if (cut !== undefined) throw new AppError('OUTPUT_CLOSED', { cause: cut });
    output.write(`${line}\n`);
  };
  return {
    chapter: (title) => {
      chapters += 1;
      write(`\n${style('bold', `${chapters}. ${title}`)}`);
    },
    say: (line) => write(`   ${line}`),
    fact: (name, value) => write(`   ${style('dim', name.padEnd(NAME_WIDTH))} ${value}`),
    step: (line) => write(`   ${style('cyan', '›')} ${line}`),
  };
}
