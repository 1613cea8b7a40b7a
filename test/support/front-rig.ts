import { randomBytes } from 'node:crypto';
import type { Random } from '../../src/domain/common/random.ts';
import { createFront, type Front, type FrontOptions } from '../../src/transport/front/front.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import {
  MemoryEventLog,
  MemorySessionStore,
} from '../../src/transport/mcp/session/memory-state.ts';
import { realClock } from './real-clock.ts';
import { type TestService, testService } from './tool-service.ts';

/** The operator's token in tests. */
export const TOKEN = 'operator-token-of-the-test';

/** Real chance. */
export const systemRandom: Random = { bytes: (length) => randomBytes(length) };

/** A front that serves the test tools. */
export interface FrontRig {
  readonly front: Front;
  readonly service: TestService;
  readonly hosting: TestService;
  readonly port: number;
  readonly baseUrl: string;
  readonly options: FrontOptions;
}

/** Starts a front on a free port of this machine. */
export async function startFront(
  engine: HttpEngine,
  overrides: Partial<FrontOptions> = {},
): Promise<FrontRig> {
  const service = testService();
  const hosting = testService();
  const options: FrontOptions = {
    http: engine,
    clock: realClock,
    random: systemRandom,
    sessions: new MemorySessionStore(),
    events: new MemoryEventLog(),
    commerce: service,
    hosting: { ...hosting, server: 'hosting' },
    isOperatorToken: (token) => token === TOKEN,
    ...overrides,
    limits: { closeGraceMs: 300, ...overrides.limits },
  };
  const front = createFront(options);
  const { port, baseUrl } = await front.listen('127.0.0.1', 0);
  return { front, service, hosting, port, baseUrl, options };
}
