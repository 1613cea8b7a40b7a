import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import type { HttpEngine, HttpRoute } from '../../../src/transport/http/host.ts';
import { RateLimiter } from '../../../src/transport/mcp/call/rate-limiter.ts';
import { Ticker } from '../../../src/transport/mcp/call/ticker.ts';
import { ToolViews } from '../../../src/transport/mcp/call/tool-views.ts';
import type { EndpointCore } from '../../../src/transport/mcp/endpoint-core.ts';
import { tooManyBytesReply } from '../../../src/transport/mcp/json-bounds.ts';
import { limitBodies } from '../../../src/transport/mcp/limit-bodies.ts';
import { FRONT_LIMITS } from '../../../src/transport/mcp/limits.ts';
import {
  MemoryEventLog,
  MemoryOpenCalls,
  MemorySessionStore,
} from '../../../src/transport/mcp/session/memory-state.ts';
import { SessionTable } from '../../../src/transport/mcp/session/session-table.ts';
import { systemRandom } from '../front-rig.ts';
import { realClock } from '../real-clock.ts';
import { testService } from '../tool-service.ts';
import { SdkEndpoint } from './sdk-endpoint.ts';

const GRACE_MS = 300;
const PATHS = [
  { path: '/v1/mcp', carrier: 'status' },
  { path: '/v2/', carrier: 'in_band' },
] as const;

/** A running server on the official SDK. */
export interface SdkServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Serves the test tools through the official SDK, on a free port of this machine. */
export async function startSdkServer(engine: HttpEngine): Promise<SdkServer> {
  const shutdown = new AbortController();
  const shared = createSharedCore(shutdown.signal);
  let baseUrl = '';
  const endpoints: SdkEndpoint[] = [];
  const { openBodyBytesMax: bodyBytesMax, streamWaitingBytesMax } = FRONT_LIMITS;
  const tooLarge = tooManyBytesReply(bodyBytesMax);
  const routes = PATHS.map((where): HttpRoute => {
    const core = { ...shared, ...where, baseUrl: () => baseUrl };
    const endpoint = new SdkEndpoint(core);
    endpoints.push(endpoint);
    const handle = limitBodies(core, (exchange) => endpoint.handle(exchange));
    return { methods: ['GET', 'POST', 'DELETE'], path: where.path, bodyBytesMax, tooLarge, handle };
  });
  const host = chooseHost(engine, '127.0.0.1', { routes, clock: realClock, streamWaitingBytesMax });
  baseUrl = `http://127.0.0.1:${await host.listen('127.0.0.1', 0)}`;
  const close = async (): Promise<void> => {
    shutdown.abort();
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    await host.close(GRACE_MS);
    shared.sessions.stop();
    shared.pulse.stop();
  };
  return { baseUrl, close };
}

function createSharedCore(ending: AbortSignal): Omit<EndpointCore, 'path' | 'carrier' | 'baseUrl'> {
  const service = testService();
  const [store, events, openCalls] = [
    new MemorySessionStore(),
    new MemoryEventLog(),
    new MemoryOpenCalls(),
  ];
  const limits = FRONT_LIMITS;
  const deps = { store, events, openCalls, clock: realClock, random: systemRandom, limits };
  return {
    sessions: new SessionTable(deps),
    events,
    openCalls,
    pulse: new Ticker(realClock),
    limits,
    gate: new RateLimiter(realClock, limits),
    load: { calls: 0, streams: 0 },
    ending,
    service,
    views: new ToolViews(service, []),
    principalOf: ({ remoteAddress }) => ({ kind: 'address', id: remoteAddress }),
  };
}
