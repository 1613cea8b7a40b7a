import { connect } from 'node:net';
import { SECOND_MS } from '../../../../domain/time.ts';
import type { Kept } from './place.ts';
import { ADMIN_USER } from './settings.ts';

/** Longest wait for an answer, in milliseconds. */
const ANSWER_MS = 5 * SECOND_MS;

/** Gives a server one command; the first line of its answer, or what went wrong. */
export function askAsAdmin({ port, admin }: Kept, command: string): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect({ host: '127.0.0.1', port });
    const end = (answer: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_MS, () => end('no answer in time'));
    socket.setEncoding('utf8');
    socket.on('error', ({ message }) => end(message));
    socket.on('close', () => end('it closed the connection'));
    socket.on('data', (text: string) => {
      said += text;
      const [auth, answer] = said.split('\r\n').slice(0, -1);
      if (auth?.startsWith('-') === true) end(auth);
      else if (answer !== undefined) end(answer);
    });
    socket.write(`AUTH ${ADMIN_USER} ${admin}\r\n${command}\r\n`);
  });
}
