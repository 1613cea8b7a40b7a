import { request } from 'node:http';
import { createServer } from 'node:net';
import { MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { FailureReason } from '../../../domain/hosting/records.ts';
import type { HostedInstance, ServiceHost } from '../../../domain/hosting/service-host.ts';
import { acceptsConnections, type Listener, listListeners } from '../../../system/ports.ts';
import { createTenantProgram } from './images/image-programs.ts';
import { type ListeningAddress, ROUTED_ADDRESS, type Routing } from './routing.ts';
import { getPlanLimits, type HostParts } from './run/program-order.ts';
import { type RunRecord, readAddress, writeAddress, writeStartWarning } from './run/run-files.ts';

/** Timeout for a program to become healthy, in milliseconds. */
const START_MS = 15 * MINUTE_MS;
/** Address of programs that listen on `localhost` and get the IPv6 address. */
const LOOPBACK_V6 = '::1';
/** Delay after which a program's log explains why it is not live, in milliseconds. */
const WARN_MS = 30 * SECOND_MS;
/** Interval between checks of a starting program, in milliseconds. */
const POLL_MS = 200;
/** Minimum time for a program to exit after SIGTERM, regardless of the drain, in milliseconds. */
const STOP_MIN_MS = 5 * SECOND_MS;

/** Timeout of one health check, in milliseconds. */
const RESPONSE_MS = 5 * SECOND_MS;
/** Maximum characters of the response body that are reported. */
const REPORTED_CHARS = 200;

/** Timeouts of a start. */
export interface StartTimeouts {
  /** Until the start fails, in milliseconds. */
  readonly startMs: number;
  /** Until the program's log explains why it is not live, in milliseconds. */
  readonly warnMs: number;
}

/** Starts, watches and stops instances. Each start of an instance is a separate run. */
export function createInstances(
  parts: HostParts & Partial<StartTimeouts> & { readonly routing: Routing },
): Pick<ServiceHost, 'start' | 'watch' | 'stop'> {
  const { runner, routing, startMs = START_MS, warnMs = WARN_MS } = parts;
  return {
    start: async (version, instance, signal) => {
      const { service } = version;
      const name = runName(instance);
      if (service.type !== 'web_service') return { ok: false, reason: { missing: 'a program' } };
      const { serviceDetails: details } = service;
      const order = {
        type: 'app',
        command: 'startCommand' in details ? details.startCommand : details.dockerCommand,
        limits: getPlanLimits(service),
        instance: instance.instanceId,
        port: await findFreePort(),
      } as const;
      const program = createTenantProgram(parts, version, order);
      if ('missing' in program) return { ok: false, reason: program };
      const record = await runner.start(name, program.order);
      const run = { name, record, path: details.healthCheckPath };
      const end = await waitUntilHealthy(parts, { run, startMs, warnMs, signal });
      // A router that is down gets the routes when it is back.
      if (end.ok) await routing.onRestarted(instance.instanceId).catch(() => undefined);
      return end;
    },
    watch: async (instance, signal) => {
      const name = runName(instance);
      const end = await runner.waitForEnd(name, signal);
      await routing.refresh().catch(() => undefined);
      const isHostRestart = end.state === 'lost' && end.isHostRestart;
      return { reason: runner.failureReason(name, end) ?? { earlyExit: true }, isHostRestart };
    },
    stop: async ({ graceMs, ...instance }) => {
      const end = runner.now() + graceMs;
      while (runner.now() < end && (await routing.underWay(instance.instanceId)) > 0) {
        if (!runner.isRunning(runName(instance))) break;
        await runner.pause(POLL_MS);
      }
      const leftMs = Math.max(Math.min(graceMs, STOP_MIN_MS), end - runner.now());
      await runner.stop(runName(instance), leftMs);
    },
  };
}

/** Returns the address at which an instance listens; `undefined` if it is not running. */
export function findListeningAddress(
  { runner }: Pick<HostParts, 'runner'>,
  instanceId: string,
): ListeningAddress | undefined {
  const names = runner.listNumbered(`app-${instanceId}-`);
  for (const name of names) {
    const now = runner.getState(name);
    if (now.state !== 'running') continue;
    const { port } = now.record;
    const address = readAddress(runner.paths(name)) ?? ROUTED_ADDRESS;
    return port === undefined ? undefined : { address, port };
  }
  return undefined;
}

function runName({ instanceId, start }: HostedInstance): string {
  return `app-${instanceId}-${start}`;
}

interface StartedRun {
  readonly name: string;
  readonly record: RunRecord;
  readonly path: string;
}

/** Polls a started program until it is healthy, has exited, or has timed out. */
async function waitUntilHealthy(
  parts: HostParts,
  o: StartTimeouts & { readonly run: StartedRun; readonly signal: AbortSignal },
): ReturnType<ServiceHost['start']> {
  const { runner } = parts;
  const { name, record } = o.run;
  const end = record.startedAt + o.startMs;
  let isWarned = false;
  for (;;) {
    const now = runner.getState(name);
    if (now.state !== 'running') {
      return { ok: false, reason: runner.failureReason(name, now) ?? { earlyExit: true } };
    }
    const result = await checkRun(parts, o.run);
    if (result.isHealthy) return { ok: true };
    if (runner.now() >= end) return { ok: false, reason: timeoutReason(result, o.startMs) };
    if (!isWarned && runner.now() >= record.startedAt + o.warnMs) {
      writeStartWarning(runner.paths(name), describeWait(result, o));
      isWarned = true;
    }
    await runner.pause(POLL_MS, o.signal);
  }
}

/** Result of a health check, with a description for the owner. */
interface HealthResult {
  readonly isHealthy: boolean;
  readonly words: string;
}

/** Checks a started program. A port served by another program does not count. */
async function checkRun({ runner }: HostParts, o: StartedRun): Promise<HealthResult> {
  const port = o.record.port ?? 0;
  const reach = checkReachability(listListeners(runner.pids(o.name)), port);
  if ('unreached' in reach) return { isHealthy: false, words: reach.unreached };
  const { address } = reach;
  const paths = runner.paths(o.name);
  if (address !== (readAddress(paths) ?? ROUTED_ADDRESS)) writeAddress(paths, address);
  if (o.path !== '') return checkHealth({ address, port }, o.path);
  if (await acceptsConnections(address, port)) return { isHealthy: true, words: 'listens' };
  return { isHealthy: false, words: `it accepts no connection at ${address}:${port}` };
}

/** Address at which the router reaches a program, or why it cannot. */
export type Reachability = { readonly address: string } | { readonly unreached: string };

/**
 * Finds the address at which the router reaches a program. A program on `localhost` can be at
 * `::1`, if the resolver returns that first.
 */
export function checkReachability(listeners: readonly Listener[], port: number): Reachability {
  const own = listeners.filter(({ isOwn }) => isOwn);
  const hosts = own.filter((each) => each.port === port).map(({ host }) => host);
  const allowed = 'listen on 0.0.0.0 or 127.0.0.1';
  if (hosts.length === 0) {
    const others = [...new Set(own.map((each) => each.port))].join(', ');
    const found = others === '' ? '' : `; it listens on ${others}`;
    return { unreached: `it does not listen on PORT (${port})${found}` };
  }
  const routed = { address: ROUTED_ADDRESS };
  if (hosts.some((host) => host === ROUTED_ADDRESS || host === '0.0.0.0')) return routed;
  // A dual-stack socket excludes another program at the routed address.
  const isOthers = listeners.some(
    ({ host, isOwn, port: theirs }) =>
      !isOwn && theirs === port && (host === ROUTED_ADDRESS || host === '0.0.0.0'),
  );
  if (hosts.includes('::') && !isOthers) return routed;
  if (hosts.includes(LOOPBACK_V6)) return { address: LOOPBACK_V6 };
  return { unreached: `it listens on PORT (${port}) only at ${hosts.join(', ')}: ${allowed}` };
}

function describeWait({ words }: HealthResult, { startMs, warnMs }: StartTimeouts): string {
  const limit = `The start fails after ${startMs / SECOND_MS} s.`;
  return `Not live ${warnMs / SECOND_MS} s after its start: ${words}. ${limit}`;
}

function timeoutReason({ words }: HealthResult, startMs: number): FailureReason {
  return { unhealthy: words, timedOut: { seconds: startMs / SECOND_MS, what: 'the start' } };
}

/** Checks a program's health endpoint: any status from 200 to 399 is healthy. */
function checkHealth({ address, port }: ListeningAddress, path: string): Promise<HealthResult> {
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
function findFreePort(): Promise<number> {
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
