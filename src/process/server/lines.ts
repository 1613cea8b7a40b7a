import type { Readable } from 'node:stream';
import { LineReader } from '../../domain/common/line-reader.ts';

/** Longest line that is taken, in UTF-16 units: the HTTP body cap with room for escapes. */
export const LINE_CHARS_MAX = 8 * 1024 * 1024;

/**
 * Cuts a stream into lines. A line above {@link LINE_CHARS_MAX} ends the stream with an error, so
 * that a peer without line ends cannot fill the memory.
 *
 * @param isRestALine - Whether the end of the stream ends a line, too.
 */
export function readLines(
  stream: Readable,
  onLine: (line: string) => void,
  isRestALine = false,
): void {
  const lines = new LineReader();
  stream.setEncoding('utf8');
  const take = (chunk: string): void => {
    for (const line of lines.push(chunk)) if (line.trim() !== '') onLine(line);
  };
  stream.on('data', (chunk: string) => {
    take(chunk);
    if (lines.openChars > LINE_CHARS_MAX) stream.destroy();
  });
  if (isRestALine) stream.once('end', () => take('\n'));
}
