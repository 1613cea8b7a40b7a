import { styleText } from 'node:util';
import { AppError } from '../../domain/common/error.ts';

/** Output of the tour; plain text if the stream is not a terminal. */
export interface TourOutput {
  chapter(title: string): void;
  print(line: string): void;
  fact(name: string, value: string): void;
  /** Writes a line of live progress. */
  step(line: string): void;
}

const NAME_WIDTH = 14;

/**
 * Creates the output of the tour on a stream.
 *
 * @throws {AppError} `OUTPUT_CLOSED` from its methods after the reader closed the stream.
 */
export function createTourOutput(output: NodeJS.WriteStream): TourOutput {
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    output.isTTY ? styleText(format, text) : text;
  let chapters = 0;
  let outputError: Error | undefined;
  output.on('error', (cause) => {
    outputError = cause;
  });
  const write = (line: string): void => {
    if (outputError !== undefined) throw new AppError('OUTPUT_CLOSED', { cause: outputError });
    output.write(`${line}\n`);
  };
  return {
    chapter: (title) => {
      chapters += 1;
      write(`\n${style('bold', `${chapters}. ${title}`)}`);
    },
    print: (line) => write(`   ${line}`),
    fact: (name, value) => write(`   ${style('dim', name.padEnd(NAME_WIDTH))} ${value}`),
    step: (line) => write(`   ${style('cyan', '›')} ${line}`),
  };
}
