import type { Readable } from 'node:stream';
import { LineReader } from '../../domain/common/line-reader.ts';

/** Longest accepted line, in UTF-16 units: the HTTP body limit plus room for escapes. */
export const LINE_CHARS_MAX = 8 * 1024 * 1024;

/**
 * Splits a stream into lines. Destroys the stream at a line above `LINE_CHARS_MAX`, so that a peer
 * without line breaks cannot exhaust memory.
 *
 * @param isRestALine - Whether the end of the stream also ends a line.
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
