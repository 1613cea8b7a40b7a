import { afterEach, describe, expect, test } from 'vitest';
import { createReportState } from '../../../src/actors/report/report-state.ts';
import { readReport } from '../../../src/actors/report/report-view.ts';
import { createDataValue } from '../../../src/domain/data/value.ts';
import { reportRoutes } from '../../../src/transport/report/report-routes.ts';
import { ENGINES } from '../../support/engines.ts';
import { startFront } from '../../support/front-rig.ts';
import { realClock } from '../../support/real-clock.ts';
import { reportWorld, stateOf } from '../../support/reports/report-world.ts';
import { testKind } from '../../support/reports/test-kind.ts';

const HOSTILE = '</style><script>alert(1)</script><img src=x onerror=alert(1)>\u202eevil';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const figure = (value: string) =>
  createDataValue({
    value,
    unit: 'USD',
    asOf: 0,
    asOfKind: 'upstream_publish',
    maxAgeMs: 1,
    now: 5_000,
    sources: ['s1'],
  });

/** A report whose every text is hostile, with rows of figures. */
function hostileKind() {
  const kind = testKind({ fates: { filings: 'fails' } });
  return {
    ...kind,
    compose: async (...args: Parameters<typeof kind.compose>) => {
      const answer = await kind.compose(...args);
      return {
        ...answer,
        data: {
          note: HOSTILE,
          [HOSTILE]: null,
          deep: [[{ a: { b: { c: { d: { e: { f: { g: HOSTILE } } } } } } }]],
          rows: [
            { name: HOSTILE, assets: figure('120.50') },
            { name: 'minus', assets: figure('-7') },
          ],
        },
        sources: answer.sources.map((source) => ({ ...source, url: HOSTILE, license: HOSTILE })),
        method: { how: HOSTILE },
        disclaimer: HOSTILE,
      };
    },
  };
}

async function served(engine: 'uws' | 'node', kind = hostileKind()) {
  const world = await reportWorld(kind);
  const life = await world.life();
  const { job_id } = stateOf(await life.buy({ subject: HOSTILE, wait_s: 0 }));
  await life.ended(job_id);
  const { blobs } = world;
  const reports = {
    read: async (jobId: string) => createReportState(await readReport(life.engine, jobId), blobs),
  };
  const routes = reportRoutes({ reports, clock: realClock });
  const { front, baseUrl } = await startFront(engine, { routes });
  open.push(front);
  const ask = (path: string, accept = 'text/html') =>
    fetch(`${baseUrl}/v1/reports/${path}`, { headers: { accept } });
  return { ask, jobId: job_id };
}

describe.each(ENGINES)('through the %s engine', (engine) => {
  test('a report is one page that loads nothing, with its figures, sources and faults', async () => {
    const { ask, jobId } = await served(engine);
    const reply = await ask(`${jobId}?download=1`);
    const page = await reply.text();
    expect([reply.status, reply.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="ops_due-diligence-scan.html"',
    ]);
    expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src/);
    expect(reply.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page).toContain('Published, partial: 3 of 3 steps.');
    expect(page).toContain('upstream_unavailable');
    const time = '<time datetime="1970-01-01T00:00:00.000Z">1970-01-01 00:00:00 UTC</time>';
    expect(page).toContain(`120.50 USD <small>${time} <strong>stale</strong>`);
    expect(page).toContain('<a href="#s1">[s1]</a>');
    expect(page).toContain('<span id="s1">');
    expect(page).toContain('@media print');
    expect(page.match(/<rect class="main"/g)).toHaveLength(2);
    // Links lead to sources within the page alone, and what is unknown is not a number.
    expect(page.match(/(?:href|src)="(?!#)/g)).toBeNull();
    expect(page).toContain('<em>unknown</em>');
  });

  test('texts of strangers stay text wherever they stand', async () => {
    const { ask, jobId } = await served(engine);
    const page = await (await ask(jobId)).text();
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).toContain('[U+202E]evil');
    const tags = new Set([...page.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name));
    for (const name of ['script', 'img', 'iframe', 'form']) expect([...tags]).not.toContain(name);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
  });

  test('programs get the state that get_result answers', async () => {
    const { ask, jobId } = await served(engine);
    const told = await (await ask(jobId, 'application/json')).json();
    expect(told).toMatchObject({
      job_id: jobId,
      status: 'published',
      report: { completeness: 'partial' },
    });
  });

  test('another id is unknown, whatever it holds, and there is no list', async () => {
    const { ask, jobId } = await served(engine);
    const wrong = [`${jobId.slice(0, -1)}x`, 'job_x', '', '..%2f', `${jobId}/more`];
    for (const path of wrong) expect([path, (await ask(path)).status]).toEqual([path, 404]);
    expect((await ask(`${jobId}?format=pdf`)).status).toBe(422);
  });
});
