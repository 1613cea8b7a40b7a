import { connect } from 'node:net';
import { LineReader } from '../../../../domain/common/line-reader.ts';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { Kept } from './place.ts';
import { ADMIN_USER } from './settings.ts';

/** Timeout for a response, in milliseconds. */
const ANSWER_MS = 5 * SECOND_MS;
/** Maximum length of a response, in characters: only its first two lines are read. */
export const ANSWER_CHARS_MAX = 65_536;

/**
 * Sends one command to a server and returns the first line of the response, or an error message.
 */
export function askAsAdmin({ port, admin }: Kept, command: string): Promise<string> {
  return new Promise((resolve) => {
    const lines = new LineReader();
    const said: string[] = [];
    let chars = 0;
    const socket = connect({ host: '127.0.0.1', port });
    const end = (answer: string): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(answer);
    };
    // The socket's own timeout would restart with every byte.
    const late = setTimeout(() => end('no response in time'), ANSWER_MS);
    socket.setEncoding('utf8');
    socket.on('error', ({ message }) => end(message));
    socket.on('close', () => end('it closed the connection'));
    socket.on('data', (text: string) => {
      chars += text.length;
      said.push(...lines.push(text).slice(0, 2));
      const [auth, answer] = said;
      if (chars > ANSWER_CHARS_MAX) return end('the response is too long');
      if (auth?.startsWith('-') === true) end(auth);
      else if (answer !== undefined) end(answer);
    });
    socket.write(`AUTH ${ADMIN_USER} ${admin}\r\n${command}\r\n`);
  });
}
