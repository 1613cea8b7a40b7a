import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { JobState } from '../../../src/domain/job/job.ts';
import { resultRoutes } from '../../../src/transport/result/result-routes.ts';
import { startFront } from '../../support/front-rig.ts';
import { realClock } from '../../support/real-clock.ts';

const JOB = `job_${'a'.repeat(24)}`;
const SCRIPT = 'console.log(1)';
const PAGE = `<head><style>p{}</style></head><body></body><script>${SCRIPT}</script></html>`;
const RESULT = { content: [{ type: 'text' as const, text: '</script><script>alert(1)</script>' }] };
const STATE: JobState = {
  jobId: JOB,
  status: 'ended',
  message: '',
  createdAt: 0,
  updatedAt: 0,
  pollAfterMs: 1,
  asks: [],
  result: RESULT,
};

async function serve(page: string | undefined): Promise<string> {
  const state = async (id: string) => (id === JOB ? STATE : undefined);
  const routes = resultRoutes({ jobs: { state }, page, clock: realClock });
  const { front, baseUrl } = await startFront('node', { routes });
  onTestFinished(() => front.close());
  return `${baseUrl}/v1/results`;
}

test('the page has the result with it as data, and allows only its own script', async () => {
  const url = await serve(PAGE);
  const reply = await fetch(`${url}/${JOB}`, { headers: { accept: 'text/html' } });
  const html = await reply.text();
  const hash = createHash('sha256').update(SCRIPT).digest('base64');
  expect(reply.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}'`);
  expect(html.match(/<script/g)).toHaveLength(2);
  const data = /<script id="result-data" type="application\/json">(.*?)<\/script>/.exec(html)?.[1];
  expect(JSON.parse(data ?? '')).toEqual(RESULT);
});

test('a program gets JSON; unknown jobs and formats are refused', async () => {
  const url = await serve(PAGE);
  expect(await (await fetch(`${url}/${JOB}`)).json()).toEqual(RESULT);
  expect((await fetch(`${url}/${JOB}b`)).status).toBe(404);
  expect((await fetch(`${url}/short`)).status).toBe(404);
  expect((await fetch(`${url}/${JOB}?format=pdf`)).status).toBe(422);
});

test('without a built page, a result is JSON', async () => {
  const url = await serve(undefined);
  const reply = await fetch(`${url}/${JOB}`, { headers: { accept: 'text/html' } });
  expect(await reply.json()).toEqual(RESULT);
});
