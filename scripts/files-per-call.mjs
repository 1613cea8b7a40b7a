// `npm run files-per-call`: counts the files of src whose functions run during one call of a tool,
// by V8's coverage of the built server. What runs at the start does not count. What runs in the
// background without any call counts, and is told. With `--list` it prints the files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectBuyer } from './lib/buyer.mjs';
import { CHECKOUT } from './lib/checkout.mjs';
import { startMadeUpstreams } from './lib/made-upstreams.mjs';

/** The modules as they were compiled; those of `dist` are bundled. */
const OUTPUT = join(CHECKOUT, '.modules');
const MODULES = `${pathToFileURL(OUTPUT).href}/`;
const FILES_MAX = { debate: 0, price: 0, service: 0 };
const WAIT_S = 60;
/** How long the server is watched without a call, in milliseconds. */
const IDLE_MS = 5_000;

compileModules();
const folder = mkdtempSync(join(tmpdir(), 'stoa-files-'));
const upstreams = await startMadeUpstreams();
const stoa = await startServer();
const session = new Session();
try {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await new Promise((done) => setTimeout(done, IDLE_MS));
  const idle = new Set(await takeEntered());
  const buyer = await connectBuyer(stoa.ready);
  await report('debate', 'a paid debate', idle, () => buyDebate(buyer));
  await report('price', 'oracle_price-feed', idle, () =>
    buyer.buy('oracle_price-feed', { pair: 'BTC/USD' }),
  );
  await buyer.close();
  await report('service', 'create_web_service until it is live', idle, createService);
} finally {
  session.disconnect();
  await stoa.close();
  await upstreams.close();
  rmSync(folder, { recursive: true, force: true });
}

function compileModules() {
  const compiler = join(CHECKOUT, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const options = ['-p', 'tsconfig.build.json', '--outDir', OUTPUT];
  execFileSync(process.execPath, [compiler, ...options], { cwd: CHECKOUT, stdio: 'inherit' });
}

async function startServer() {
  const [{ startStoa }, { parseConfig }] = await Promise.all(
    ['main.js', 'config.js'].map((name) => import(`${MODULES}${name}`)),
  );
  mkdirSync(join(folder, 'sources'));
  const flags = ['--port', '0', '--data', join(folder, 'data')];
  const hosting = ['--hosting', 'local', '--hosting-sources', join(folder, 'sources')];
  const local = ['--router-port', '0', '--trust-repositories'];
  const config = parseConfig([...flags, ...hosting, ...local], {});
  return startStoa(config, () => undefined, { upstreams: upstreams.others });
}

/** Counts what runs during `call`, prints it, and fails where it is more than allowed. */
async function report(name, words, idle, call) {
  await session.post('Profiler.takePreciseCoverage');
  await call();
  const files = await takeEntered();
  const layers = new Map();
  for (const file of files) {
    const layer = file.split('/')[0];
    layers.set(layer, (layers.get(layer) ?? 0) + 1);
  }
  const parts = [...layers].map(([layer, count]) => `${layer} ${count}`).join(', ');
  const background = files.filter((file) => idle.has(file)).length;
  process.stdout.write(
    `${words}: ${files.length} files (${parts}), ${background} of them also without a call\n`,
  );
  if (process.argv.includes('--list')) process.stdout.write(`  ${files.join('\n  ')}\n`);
  if (FILES_MAX[name] > 0 && files.length > FILES_MAX[name]) {
    process.stdout.write(`  more than the ${FILES_MAX[name]} that are allowed\n`);
    process.exitCode = 1;
  }
}

/** Returns the files that were entered since the last look. */
async function takeEntered() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(isEntered)
    .map(({ url }) => url.slice(MODULES.length))
    .sort();
}

/** The first range of a script is its module's own code, which runs when it is loaded. */
function isEntered({ url, functions }) {
  if (!url.startsWith(MODULES)) return false;
  return functions.some(({ functionName, ranges: [range] }) => {
    const isModule = functionName === '' && range.startOffset === 0;
    return !isModule && range.count > 0;
  });
}

async function buyDebate({ buy, call }) {
  let job = await buy('deliberation_multi-agent-debate', {
    question: 'Which queue should the new service use?',
    options: [
      { name: 'an embedded log', scores: { cost: 9, load: 5 } },
      { name: 'a broker of its own', scores: { cost: 4, load: 8 } },
    ],
    criteria: [{ name: 'cost' }, { name: 'load' }],
    seats_by: 'rules',
    wait_s: WAIT_S,
  });
  while (job.poll_after_ms !== undefined) {
    job = await call('get_result', { job_id: job.job_id, wait_s: WAIT_S });
  }
  if (job.status !== 'decided') throw new Error(JSON.stringify(job).slice(0, 500));
}

async function createService() {
  const repo = join(folder, 'sources', 'own');
  mkdirSync(repo);
  const git = (...args) => execFileSync('git', ['-C', repo, ...args], { stdio: 'ignore' });
  git('init', '--quiet');
  const program =
    "require('node:http').createServer((_, out) => out.end('ok')).listen(process.env.PORT)";
  writeFileSync(join(repo, 'server.cjs'), program);
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--quiet', '-m', 'one');
  const operator = await connectBuyer(stoa.ready, { isHosting: true });
  const { workspaces } = await operator.call('list_workspaces', {});
  const ask = (name, args) => operator.call(name, { workspaceId: workspaces[0].id, ...args });
  const { service, deployId } = await ask('create_web_service', {
    name: 'web',
    repo,
    runtime: 'node',
    buildCommand: 'true',
    startCommand: 'exec node server.cjs',
  });
  for (;;) {
    const { deploy } = await ask('get_deploy', { serviceId: service.id, deployId });
    if (deploy.status === 'live') break;
    if (/failed|canceled/.test(deploy.status)) throw new Error(`the deploy is ${deploy.status}`);
    await new Promise((done) => setTimeout(done, 100));
  }
  await operator.close();
}
