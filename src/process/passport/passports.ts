import { defineDelegation, definePassport } from '../../actors/passport/definition.ts';
import { DelegationRegistry } from '../../actors/passport/delegations.ts';
import { PassportDirectory } from '../../actors/passport/directory.ts';
import { PassportDocuments } from '../../actors/passport/documents.ts';
import { createPassportEraser } from '../../actors/passport/erase.ts';
import {
  checkOwnPassport,
  mintOwnPassport,
  ownServices,
  syncOwnRegistration,
} from '../../actors/passport/own-passport.ts';
import { createPassportProjector, delegationProjector } from '../../actors/passport/projectors.ts';
import { rebuildIndex } from '../../actors/passport/rebuild.ts';
import { PassportRegistrar, SERVICE_NAME } from '../../actors/passport/registrar.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Erasable } from '../../domain/common/erasable.ts';
import { toAppError } from '../../domain/common/error.ts';
import { formatAgentId, parseSubject } from '../../domain/passport/subject.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { ReadReputation } from '../../domain/reputation/reputation.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import type { TrustStore } from '../../store/chain/trust-store.ts';
import { openPassportIndex } from '../../store/passport/passport-index.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { delegationRoutes } from '../../transport/passport/delegation-routes.ts';
import { passportRoutes } from '../../transport/passport/passport-routes.ts';
import type { OwnPassport } from './own-passport.ts';

/** The dependencies of the actor definitions. */
export interface PassportDefinitionDeps {
  readonly trust: TrustChain;
  readonly store: TrustStore;
  /** Resolves with the public address of the server, once it is known. */
  readonly baseUrl: () => Promise<string>;
}

/** Returns the actor definitions of passports and delegations. */
export function passportDefinitions(parts: PassportDefinitionDeps): readonly Definition[] {
  const { trust, store, baseUrl } = parts;
  const index = openPassportIndex(store);
  return [definePassport({ chain: trust, index, baseUrl }), defineDelegation()];
}

/** The dependencies of passports. */
export interface PassportDeps extends PassportDefinitionDeps {
  readonly engine: ActorEngine;
  readonly chainId: number;
  readonly isLocalChain: boolean;
  readonly wallets: WalletAuth;
  /** Returns the origins of this server. */
  readonly origins: () => readonly string[];
  readonly proofs: ProofLog;
  readonly reputationOf: ReadReputation;
  /** `STOA_PASSPORT_ID`. Without it, the service mints its own passport on the local chain. */
  readonly passportId: string | undefined;
  /** Whether the operator has configured the public URL. */
  readonly hasPublicUrl: boolean;
  readonly clock: Clock;
  readonly notice: (line: string) => void;
}

/** The running passports and delegations. */
export interface OpenPassports {
  readonly passports: PassportDirectory;
  readonly delegations: DelegationRegistry;
  readonly registrar: PassportRegistrar;
  readonly documents: PassportDocuments;
  readonly routes: readonly FrontRoute[];
  readonly projectors: readonly Projector[];
  readonly own: OwnPassport;
  readonly erasable: Erasable;
}

/**
 * Opens passports and delegations on the engine. Mints the service's own passport in the
 * background.
 *
 * @throws {AppError} `CONFIG_INVALID` when the configured passport does not exist.
 */
export async function openPassports(parts: PassportDeps): Promise<OpenPassports> {
  const { engine, trust, store, chainId, wallets, proofs, reputationOf, clock, notice } = parts;
  const index = openPassportIndex(store);
  const configuredId = parts.passportId;
  const ownNumber =
    configuredId === undefined ? undefined : await checkOwnPassport(trust, configuredId);
  await rebuildIndex(engine, index);
  const isMinting =
    configuredId === undefined && parts.isLocalChain && trust.contracts.identity !== null;
  const delegations = new DelegationRegistry({
    engine,
    chain: trust,
    chainId,
    index,
    proofs,
    clock,
    origins: parts.origins,
  });
  const directory = new PassportDirectory({ engine, chain: trust, index, delegations });
  const registrar = new PassportRegistrar({ engine, chain: trust, index, directory, clock });
  const ownName = () => (ownNumber === undefined ? SERVICE_NAME : index.byAgentId(ownNumber));
  const documents = new PassportDocuments({
    directory,
    chain: trust,
    proofs,
    reputationOf,
    clock,
    own: {
      // Only the passport that this server minted lists its services. Others keep the given ones.
      isNamed: (name) => isMinting && name === SERVICE_NAME,
      services: async () => ownServices(await parts.baseUrl()),
    },
  });
  const number = () => ownNumber ?? index.byName(SERVICE_NAME)?.agentId ?? undefined;
  // Without a configured URL, the address is published only on a local chain.
  if (isMinting || (ownNumber !== undefined && parts.hasPublicUrl)) {
    const publishOwn = async () => {
      const baseUrl = await parts.baseUrl();
      if (isMinting) await mintOwnPassport(registrar, trust.operator, baseUrl);
      const [name, agentId] = [ownName(), number()];
      if (name === undefined || agentId === undefined) return;
      const outcome = await syncOwnRegistration(trust, { agentId, name, baseUrl });
      if (outcome?.state === 'refused') notice(`own passport: ${outcome.fault.message}`);
      if (outcome?.state === 'unknown') notice(`own passport: ${outcome.detail}`);
    };
    publishOwn().catch((thrown: unknown) => notice(`own passport: ${toAppError(thrown).message}`));
  }
  const shared = { walletAuth: wallets, clock };
  return {
    passports: directory,
    delegations,
    registrar,
    documents,
    routes: [
      ...passportRoutes({
        ...shared,
        documents,
        directory,
        registrar,
        ownName,
      }),
      ...delegationRoutes({ ...shared, delegations }),
    ],
    projectors: [createPassportProjector(trust), delegationProjector],
    own: createOwnPassport(trust, number),
    erasable: createPassportEraser({ engine, index, clock }),
  };
}

/** Creates the service's own passport from the number of its agent, which may come later. */
function createOwnPassport(trust: TrustChain, number: () => string | undefined): OwnPassport {
  return {
    id: () => {
      const agentId = number();
      return agentId === undefined
        ? undefined
        : formatAgentId(trust.identity.agentRegistry, agentId);
    },
    isNamedBy: (text) => {
      const agentId = number();
      if (agentId === undefined) return false;
      const subject = parseSubject(text, trust.identity.agentRegistry);
      return subject?.by === 'id' && subject.agentId === agentId;
    },
  };
}
