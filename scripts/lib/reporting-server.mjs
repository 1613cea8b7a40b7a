// A server with reports for pictures: one on a ticker, a due diligence that has ended, one that
// nobody answered, and one that is under way. Money and upstreams are made up.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { connectBuyer } from './buyer.mjs';
import { CHECKOUT } from './checkout.mjs';
import { COMPANY, startMadeUpstreams } from './made-upstreams.mjs';

const MARKET = 'oracle_comprehensive-report';
const DILIGENCE = 'ops_due-diligence-scan';
const VETTING = 'procurement_vendor-vetting';
const REGISTRIES = ['gleif', 'brreg'];

/** Starts one and buys its reports. `close` ends it and removes what it has written. */
export async function startReportingServer() {
  const dist = (path) => import(join(CHECKOUT, 'dist', path));
  const [{ startStoa }, { parseConfig }] = await Promise.all([dist('main.js'), dist('config.js')]);
  const dataDir = mkdtempSync(join(tmpdir(), 'stoa-reports-'));
  const upstreams = await startMadeUpstreams();
  const flags = ['--port', '0', '--data', dataDir, '--console-actions', 'reports'];
  const config = parseConfig(flags, { STOA_OPERATOR_EMAIL: 'operator@example.org' });
  const stoa = await startStoa(config, () => undefined, { upstreams: upstreams.others });
  const buyer = await connectBuyer(stoa.ready);
  const market = await buyer.buy(MARKET, { ticker: 'BTC', history_days: 120 });
  const vetting = await ended(buyer, VETTING, COMPANY);
  const diligence = await ended(buyer, DILIGENCE, COMPANY);
  return {
    ready: stoa.ready,
    consoleUrl: () => stoa.consoleLink().url,
    market: await pageOf(market, dataDir),
    diligence: diligence.job_id,
    vetting: vetting.job_id,
    /** Orders a report whose registries never answer: it goes on for some seconds. */
    orderSlow: async () => {
      for (const id of REGISTRIES) upstreams.dial(id, 'hang');
      return (await buyer.buy(DILIGENCE, { name: 'Made Up Works', wait_s: 0 })).job_id;
    },
    close: async () => {
      await buyer.close();
      await stoa.close();
      await upstreams.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What is pictured of its reports. */
export function reportViews({ market, diligence }, { LOW, PHONE }) {
  const page = `/v1/reports/${diligence}?format=html`;
  const one = { path: `report/${diligence}`, until: '[data-answer]' };
  return [
    { name: 'report-market', file: market, until: 'figure' },
    { name: 'report-diligence', address: page, until: 'figure' },
    { name: 'report-console', ...one },
    { name: 'report-list', path: 'reports', until: '[data-progress]', size: LOW },
    { name: 'report-market-phone', file: market, until: 'figure', size: PHONE },
    { name: 'report-console-phone', ...one, size: PHONE },
  ];
}

async function ended({ buy, call }, tool, args) {
  let job = await buy(tool, { ...args, wait_s: 60 });
  while (job.poll_after_ms !== undefined) {
    job = await call('get_result', { job_id: job.job_id, wait_s: 60 });
  }
  if (job.report === undefined) throw new Error(`${tool}: ${job.reason}`);
  return job;
}

/** The page as `stoa report` makes it of an answer that was saved. */
async function pageOf(answer, folder) {
  const [saved, page] = [join(folder, 'market.json'), join(folder, 'market.html')];
  writeFileSync(saved, JSON.stringify(answer));
  const cli = join(CHECKOUT, 'dist', 'cli.js');
  await promisify(execFile)(process.execPath, [cli, 'report', saved, '--html', page]);
  return pathToFileURL(page).href;
}
