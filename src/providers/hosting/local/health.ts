import { request } from 'node:http';
import { createServer } from 'node:net';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { ListeningPlace } from './routing.ts';

/** Timeout of one health check, in milliseconds. */
const ANSWER_MS = 5 * SECOND_MS;
/** Maximum characters of the response body that are reported. */
const SHOWN_CHARS = 200;

/** Result of a health check, with a description for the owner. */
export interface HealthLook {
  readonly isHealthy: boolean;
  readonly words: string;
}

/** Checks a program's health endpoint: any status from 200 to 399 is healthy. */
export function askHealth({ address, port }: ListeningPlace, path: string): Promise<HealthLook> {
  return new Promise((resolve) => {
    const asked = request({ host: address, port, path, timeout: ANSWER_MS }, (answer) => {
      const status = answer.statusCode ?? 0;
      let body = '';
      const done = (): void => {
        const isHealthy = status >= 200 && status < 400;
        const shown = body.slice(0, SHOWN_CHARS).trim();
        resolve({ isHealthy, words: `${path} responded with ${status}${shown && `: ${shown}`}` });
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
    asked.on('timeout', () => asked.destroy(new Error('no response in time')));
    asked.on('error', ({ message }) => {
      resolve({ isHealthy: false, words: `${path} did not respond: ${message}` });
    });
    asked.end();
  });
}

/** Returns a currently free port. */
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
