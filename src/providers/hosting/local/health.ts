import { request } from 'node:http';
import { createServer } from 'node:net';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { ListeningPlace } from './routing.ts';

/** Longest wait for one answer, in milliseconds. */
const ANSWER_MS = 5 * SECOND_MS;
/** Start of the body that is told, in characters. */
const SHOWN_CHARS = 200;

/** What a look at a program came to; `words` say it for its owner. */
export interface HealthLook {
  readonly isHealthy: boolean;
  readonly words: string;
}

/** Asks a program for its health: an answer from 200 to 399 is a good one. */
export function askHealth({ address, port }: ListeningPlace, path: string): Promise<HealthLook> {
  return new Promise((resolve) => {
    const asked = request({ host: address, port, path, timeout: ANSWER_MS }, (answer) => {
      const status = answer.statusCode ?? 0;
      let body = '';
      const done = (): void => {
        const isHealthy = status >= 200 && status < 400;
        const shown = body.slice(0, SHOWN_CHARS).trim();
        resolve({ isHealthy, words: `${path} answered ${status}${shown && `: ${shown}`}` });
        asked.destroy();
      };
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        body += text;
        if (body.length >= SHOWN_CHARS) done();
      });
      answer.on('end', done);
      answer.on('error', done);
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer in time')));
    asked.on('error', ({ message }) => {
      resolve({ isHealthy: false, words: `${path} did not answer: ${message}` });
    });
    asked.end();
  });
}

/** A port that is free at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
