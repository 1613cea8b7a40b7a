import { join } from 'node:path';
import { sha256Hex } from '../../src/domain/common/hash.ts';
import type { JobView, RequestView } from '../../src/domain/escrow/work.ts';
import type { PassportView } from '../../src/domain/passport/passport.ts';
import { addControlRoutes } from '../../src/process/control/controls.ts';
import { type FrontRoute, plainRoute } from '../../src/transport/front/front-route.ts';
import { proofRoutes } from '../../src/transport/proof/proof-routes.ts';
import { jsonReply } from '../../src/transport/proof/replies.ts';
import type { ConsoleHost } from '../support/browser-test.ts';
import { built } from '../support/built.ts';
import { startConsole } from '../support/console-rig.ts';
import { type MemoryControls, memoryControls } from '../support/controls.ts';
import { TOKEN } from '../support/front-rig.ts';
import { type ProofRig, proofRig } from '../support/proof-rig.ts';
import { realClock } from '../support/real-clock.ts';
import { testService } from '../support/tool-service.ts';

/** What the addresses tell that stand on a chain; a test changes it. */
export interface Told {
  requests: RequestView[];
  jobs: JobView[];
  passports: PassportView[];
  balances: Readonly<Record<string, unknown>>;
  events: Readonly<Record<string, unknown>>[];
  /** Addresses that answer 503. */
  readonly broken: Set<string>;
}

/**
 * A console over a real log of proofs and real controls, and a board that tells what it is told.
 */
export interface TrustStage extends ConsoleHost {
  readonly told: Told;
  readonly controls: MemoryControls;
  readonly proofs: ProofRig;
}

/** Opens one. */
export async function openTrustStage(told: Told): Promise<TrustStage> {
  const controls = memoryControls();
  const proofs = proofRig();
  const { log, keys } = proofs;
  const offered = testService();
  const chain = { facts: { network: 'eip155:31337', token: `0x${'1'.repeat(40)}` } };
  let origin = '';
  const folder = join(await built(), 'web');
  const rig = await startConsole(
    'node',
    {
      routes: addControlRoutes(
        { controls, chain, clock: realClock, seal: sha256Hex, origin: { current: () => origin } },
        { offered },
        [
          ...proofRoutes({
            log,
            verifierKey: keys.verifierKey,
            clock: realClock,
            isComing: async () => false,
          }),
          ...boardRoutes(told),
        ],
      ),
    },
    { folder },
  );
  origin = rig.baseUrl;
  return {
    told,
    controls,
    proofs,
    served: { baseUrl: rig.baseUrl, token: TOKEN },
    end: async () => {
      await rig.front.close();
      await proofs.close();
    },
  };
}

function boardRoutes(told: Told): readonly FrontRoute[] {
  const read = (path: string, tell: (rest: string) => object | undefined, isPrefix = false) =>
    plainRoute({ methods: ['GET'], access: 'open', path, isPrefix }, (request) => {
      if (told.broken.has(path)) {
        return jsonReply(503, {
          error: 'CHAIN_UNAVAILABLE',
          message: 'The chain does not answer.',
        });
      }
      const found = tell(decodeURIComponent(request.path.slice(path.length)));
      return found === undefined
        ? jsonReply(404, { error: 'JOB_UNKNOWN', message: 'No job has this id.' })
        : jsonReply(200, found);
    });
  return [
    read('/a2a/requests/open', () => ({ requests: told.requests, cursor: null })),
    read('/a2a/jobs', () => ({ jobs: told.jobs, cursor: null })),
    read('/a2a/jobs/', (id) => told.jobs.find((job) => job.job_id === id), true),
    read('/a2a/passports', () => ({ passports: told.passports, cursor: null })),
    read('/a2a/treasury/balances', () => told.balances),
    read('/v1/events', () => ({ events: told.events, next: 0, size: told.events.length })),
  ];
}
