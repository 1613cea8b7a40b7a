import type { Services } from '../../actors/common/services.ts';
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
import type { Erasable } from '../../domain/common/erasable.ts';
import { toAppError } from '../../domain/common/error.ts';
import type { PassportIndex } from '../../domain/passport/passport-index.ts';
import { formatAgentId, parseSubject } from '../../domain/passport/subject.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { delegationRoutes } from '../../transport/passport/delegation-routes.ts';
import { passportRoutes } from '../../transport/passport/passport-routes.ts';
import type { ServerServices } from '../server/services.ts';
import type { OwnPassport } from './own-passport.ts';

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
export async function openPassports(
  services: Pick<
    Services,
    | 'baseUrl'
    | 'chain'
    | 'clock'
    | 'engine'
    | 'notice'
    | 'origins'
    | 'proofs'
    | 'reputationOf'
    | 'trust'
    | 'wallets'
  > &
    Pick<ServerServices, 'config' | 'define'>,
  index: PassportIndex,
): Promise<OpenPassports> {
  const { baseUrl, chain, clock, config, engine, notice, trust } = services;
  services.define(definePassport({ ...services, index }), defineDelegation());
  const { passportId: configuredId } = config;
  const ownNumber =
    configuredId === undefined ? undefined : await checkOwnPassport(trust, configuredId);
  await rebuildIndex(engine, index);
  const isMinting =
    configuredId === undefined && chain.facts.isLocal && trust.contracts.identity !== null;
  const parts = { ...services, index };
  const delegations = new DelegationRegistry(parts);
  const directory = new PassportDirectory({ ...parts, delegations });
  const registrar = new PassportRegistrar({ ...parts, directory });
  const ownName = () => (ownNumber === undefined ? SERVICE_NAME : index.byAgentId(ownNumber));
  const documents = new PassportDocuments({
    ...parts,
    directory,
    own: {
      // Only the passport that this server minted lists its services. Others keep the given ones.
      isNamed: (name) => isMinting && name === SERVICE_NAME,
      services: async () => ownServices(await baseUrl()),
    },
  });
  const number = () => ownNumber ?? index.byName(SERVICE_NAME)?.agentId ?? undefined;
  // Without a configured URL, the address is published only on a local chain.
  if (isMinting || (ownNumber !== undefined && config.publicUrl !== undefined)) {
    const publishOwn = async () => {
      const url = await baseUrl();
      if (isMinting) await mintOwnPassport(registrar, trust.operator, url);
      const [name, agentId] = [ownName(), number()];
      if (name === undefined || agentId === undefined) return;
      const outcome = await syncOwnRegistration(trust, { agentId, name, baseUrl: url });
      if (outcome?.state === 'refused') notice(`own passport: ${outcome.fault.message}`);
      if (outcome?.state === 'unknown') notice(`own passport: ${outcome.detail}`);
    };
    publishOwn().catch((thrown: unknown) => notice(`own passport: ${toAppError(thrown).message}`));
  }
  const shared = { walletAuth: services.wallets, clock };
  return {
    passports: directory,
    delegations,
    registrar,
    documents,
    routes: [
      ...passportRoutes({ ...shared, documents, directory, registrar, ownName }),
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
