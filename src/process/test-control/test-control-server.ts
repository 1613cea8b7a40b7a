import { DEVELOPMENT_KINDS, defineDevelopmentActors } from '../../actors/job/development-kinds.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { connectRpc } from '../../providers/chain/chain-rpc.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import type { ServerEnvironment } from '../server/environment.ts';
import { FaultInjection } from './fault-injection.ts';
import { answerCommand } from './test-control.ts';
import { openTestClock } from './test-control-clock.ts';
import { readTestFaults, rejectRealData, writeTestFaults } from './test-control-data.ts';
import { TestPrices } from './test-control-prices.ts';
import { openTestControlSocket } from './test-control-socket.ts';

/** Event loop turns without work after which a server counts as idle. */
const IDLE_TURNS = 4;
/** Time limit for a server to become idle, in milliseconds of real time. */
const IDLE_WAIT_MS_MAX = 30_000;
/** Time limit for the chain's node to set its clock, in milliseconds. */
const SET_TIME_MS_MAX = 5_000;

/**
 * Creates the environment of a test server: a clock that the socket controls, interfaces with fault
 * injection, and the development actors. The chain's node follows the clock with every call.
 *
 * @param beginAt - Start time of the clock in a new data directory, in milliseconds.
 * @param hasRealKinds - Use production jobs and controls instead of development actors.
 * @throws {AppError} `CONFIG_INVALID` in the data directory of a production server.
 */
export function createTestEnvironment(
  dataDir: string,
  beginAt: number,
  hasRealKinds: boolean,
): ServerEnvironment {
  rejectRealData(dataDir);
  const borders = new FaultInjection(readTestFaults(dataDir), (kept) =>
    writeTestFaults(dataDir, kept),
  );
  const prices = new TestPrices();
  const developmentKinds = hasRealKinds ? [] : DEVELOPMENT_KINDS;
  let engine: ActorEngine | undefined;
  const busy = (): number => (engine?.stats().pendingCommits ?? 0) + borders.underWay;
  const whenIdle = (): Promise<void> => waitUntilIdle(busy);
  const clock = openTestClock({ dataDir, beginAt, rest: whenIdle });
  borders.setClock(clock);
  return {
    clock,
    developmentKinds,
    developmentDefinitions: hasRealKinds ? [] : defineDevelopmentActors(),
    definitions: (definitions) => borders.definitions(definitions),
    chain: (chain) => {
      const rpc = connectRpc(chain.facts.rpcUrl, SET_TIME_MS_MAX);
      const setTime = () => rpc.call('evm_setTime', [Math.floor(clock.now() / SECOND_MS)]);
      return borders.chain(chain, async () => void (await setTime()));
    },
    llm: (llm) => borders.llm(llm),
    egress: (egress) => borders.egress(egress),
    prices: (source) => prices.wrap(source),
    stores: (stores) => ({
      ...stores,
      engine: borders.store(stores.engine),
      blobs: borders.blobs(stores.blobs),
    }),
    serve: async (running) => {
      engine = running;
      const parts = { clock, borders, prices, engine, developmentKinds, rest: whenIdle };
      const close = await openTestControlSocket(dataDir, (line) => answerCommand(parts, line));
      return async () => {
        clock.run(0);
        await close();
        // Closing the server must not wait for calls that nobody will release.
        borders.close();
      };
    },
  };
}

/** Waits until no work has been in progress for some turns of the event loop. */
async function waitUntilIdle(busy: () => number): Promise<void> {
  const latest = performance.now() + IDLE_WAIT_MS_MAX;
  for (let calm = 0; calm < IDLE_TURNS; ) {
    const isBusy = busy() > 0;
    calm = isBusy ? 0 : calm + 1;
    if (performance.now() > latest) {
      throw new AppError('NOT_AT_REST', {
        message: `The server was not idle within ${IDLE_WAIT_MS_MAX} ms.`,
        data: { underWay: busy() },
      });
    }
    await new Promise<void>((done) => {
      if (isBusy) setTimeout(done, 1);
      else setImmediate(done);
    });
  }
}
