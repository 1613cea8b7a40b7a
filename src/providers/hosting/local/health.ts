import { request } from 'node:http';
import { createServer } from 'node:net';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { ListeningAddress } from './routing.ts';

/** Timeout of one health check, in milliseconds. */
const RESPONSE_MS = 5 * SECOND_MS;
/** Maximum characters of the response body that are reported. */
const REPORTED_CHARS = 200;

/** Result of a health check, with a description for the owner. */
export interface HealthResult {
  readonly isHealthy: boolean;
  readonly words: string;
}

/** Checks a program's health endpoint: any status from 200 to 399 is healthy. */
export function checkHealth(
  { address, port }: ListeningAddress,
  path: string,
): Promise<HealthResult> {
  return new Promise((resolve) => {
    const outgoing = request({ host: address, port, path, timeout: RESPONSE_MS }, (answer) => {
      const status = answer.statusCode ?? 0;
      let body = '';
      const done = (): void => {
        const isHealthy = status >= 200 && status < 400;
        const excerpt = body.slice(0, REPORTED_CHARS).trim();
        resolve({
          isHealthy,
          words: `${path} responded with ${status}${excerpt && `: ${excerpt}`}`,
        });
        outgoing.destroy();
      };
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        body += text;
        if (body.length >= REPORTED_CHARS) done();
      });
      answer.on('end', done);
      answer.on('error', done);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no response in time')));
    outgoing.on('error', ({ message }) => {
      resolve({ isHealthy: false, words: `${path} did not respond: ${message}` });
    });
    outgoing.end();
  });
}

/** Returns a currently free port. */
export function findFreePort(): Promise<number> {
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
