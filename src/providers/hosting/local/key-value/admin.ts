import { connect } from 'node:net';
import { LineReader } from '../../../../domain/common/line-reader.ts';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { InstanceData } from './instance-files.ts';
import { ADMIN_USER } from './settings.ts';

/** Timeout for a response, in milliseconds. */
const RESPONSE_MS = 5 * SECOND_MS;
/** Maximum length of a response, in characters: only its first two lines are read. */
export const RESPONSE_CHARS_MAX = 65_536;

/**
 * Sends one command to a server and returns the first line of the response, or an error message.
 */
export function runAdminCommand({ port, admin }: InstanceData, command: string): Promise<string> {
  return new Promise((resolve) => {
    const lines = new LineReader();
    const responses: string[] = [];
    let chars = 0;
    const socket = connect({ host: '127.0.0.1', port });
    const finish = (answer: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    // The socket's own timeout would restart with every byte.
    const timer = setTimeout(() => finish('no response in time'), RESPONSE_MS);
    socket.setEncoding('utf8');
    socket.on('error', ({ message }) => finish(message));
    socket.on('close', () => finish('it closed the connection'));
    socket.on('data', (text: string) => {
      chars += text.length;
      responses.push(...lines.push(text).slice(0, 2));
      const [auth, answer] = responses;
      if (chars > RESPONSE_CHARS_MAX) return finish('the response is too long');
      if (auth?.startsWith('-') === true) finish(auth);
      else if (answer !== undefined) finish(answer);
    });
    socket.write(`AUTH ${ADMIN_USER} ${admin}\r\n${command}\r\n`);
  });
}
