import type { Readable } from 'node:stream';

/** Longest line that is taken, in UTF-16 units: the HTTP body cap with room for escapes. */
export const LINE_CHARS_MAX = 8 * 1024 * 1024;

/**
 * Cuts a stream into lines. A line above {@link LINE_CHARS_MAX} ends the stream with an error, so
 * that a peer without line ends cannot fill the memory.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part.trim() !== '') onLine(part);
    if (rest.length > LINE_CHARS_MAX) stream.destroy();
  });
}
