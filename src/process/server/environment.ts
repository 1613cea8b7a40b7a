import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { LlmPort } from '../../domain/llm/llm.ts';
import type { PriceSource } from '../../domain/market/price-source.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { EngineStore, RuntimeClock } from '../../runtime/engine/ports.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { rejectTestData } from '../test-control/test-control-data.ts';

/**
 * The environment of a server: its clock and its external interfaces. A test server replaces them;
 * each function returns what the server must use instead of its argument.
 */
export interface ServerEnvironment {
  readonly clock: RuntimeClock;
  /** Actor kinds that accept events from consoles and from the test-control socket. */
  readonly developmentKinds: readonly string[];
  readonly developmentDefinitions: readonly Definition[];
  definitions(definitions: readonly Definition[]): readonly Definition[];
  chain<Chain extends PaymentChain>(chain: Chain): Chain;
  llm<Llm extends LlmPort>(llm: Llm): Llm;
  egress<Egress extends EgressPort>(egress: Egress): Egress;
  prices(source: PriceSource): PriceSource;
  stores<Stores extends { readonly engine: EngineStore; readonly blobs: BlobStore }>(
    stores: Stores,
  ): Stores;
  /** Starts to accept commands, if there are any. @returns A function that stops it. */
  serve(engine: ActorEngine): Promise<() => Promise<void>>;
}

/** The configuration that selects a test environment. */
export interface EnvironmentConfig {
  readonly dataDir: string;
  readonly testControl?: { readonly beginAt?: number; readonly hasRealKinds: boolean };
}

/** The code of test servers. */
export interface TestControl {
  createTestEnvironment(dataDir: string, beginAt: number, hasRealKinds: boolean): ServerEnvironment;
}

/**
 * Creates the environment.
 *
 * @param loadTestControl - Loads the test code. It is called only with the test flag.
 * @throws {AppError} `CONFIG_INVALID` when the data directory belongs to the other kind of server.
 */
export async function openEnvironment(
  config: EnvironmentConfig,
  loadTestControl: () => Promise<TestControl>,
): Promise<ServerEnvironment> {
  const { dataDir, testControl } = config;
  const clock = systemClock();
  if (testControl === undefined) {
    rejectTestData(dataDir);
    return { clock, ...PRODUCTION };
  }
  const { createTestEnvironment } = await loadTestControl();
  const { beginAt = clock.now(), hasRealKinds } = testControl;
  return createTestEnvironment(dataDir, beginAt, hasRealKinds);
}

const PRODUCTION: Omit<ServerEnvironment, 'clock'> = {
  developmentKinds: [],
  developmentDefinitions: [],
  definitions: (definitions) => definitions,
  chain: (chain) => chain,
  llm: (llm) => llm,
  egress: (egress) => egress,
  prices: (source) => source,
  stores: (stores) => stores,
  serve: async () => async () => undefined,
};
