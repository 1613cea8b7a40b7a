import { AGENT_CARD_PATH } from '../../domain/agent-protocol/agent-card.ts';
import { A2A_VERSION } from '../../domain/agent-protocol/wire.ts';
import type { CallOutcome, TrustChain } from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import type { PassportOrder } from '../../domain/passport/order.ts';
import { registrationPath } from '../../domain/passport/registration.ts';
import { parseSubject } from '../../domain/passport/subject.ts';
import { type MintResult, type PassportRegistrar, SERVICE_NAME } from './registrar.ts';

/**
 * Mints the server's own passport unless it exists.
 *
 * @param baseUrl - Public base URL of the server.
 */
export function mintOwnPassport(
  registrar: Pick<PassportRegistrar, 'mint'>,
  operator: string,
  baseUrl: string,
): Promise<MintResult> {
  const order: PassportOrder = {
    name: SERVICE_NAME,
    agent_class: 'service',
    description: 'Agents buy decisions and checks here, and trade with each other.',
    services: ownServices(baseUrl),
    x402_support: true,
    wallet: operator,
  };
  return registrar.mint(order, { wallet: operator, key: 'service' });
}

/** Returns the server's own endpoints for its registration file. */
export function ownServices(baseUrl: string): NonNullable<PassportOrder['services']> {
  return [
    { name: 'MCP', endpoint: `${baseUrl}/mcp`, version: '2025-11-25' },
    { name: 'A2A', endpoint: `${baseUrl}${AGENT_CARD_PATH}`, version: A2A_VERSION },
    { name: 'web', endpoint: `${baseUrl}/` },
  ];
}

/**
 * Updates the registry entry to the registration file at the current base URL. An entry that
 * another wallet owns, or that names a file not served here, stays unchanged.
 *
 * @returns The outcome of the call; `undefined` if no update was needed.
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function syncOwnRegistration(
  { identity, operator }: Pick<TrustChain, 'identity' | 'operator'>,
  own: { readonly agentId: string; readonly name: string; readonly baseUrl: string },
): Promise<CallOutcome<null> | undefined> {
  const path = registrationPath(own.name);
  const uri = `${own.baseUrl}${path}`;
  const agent = await identity.read(own.agentId);
  const isOurs = agent?.owner === operator && agent.uri.endsWith(path);
  if (!isOurs || agent.uri === uri) return undefined;
  return identity.setUri(own.agentId, uri);
}

/**
 * Checks that the configured passport of this server exists on its chain.
 *
 * @param configuredId - Value of `STOA_PASSPORT_ID`: `N`, or `eip155:<chain>:<registry>:N`.
 * @returns Its number in the registry.
 * @throws {AppError} `CONFIG_INVALID` if it is not registered, `CHAIN_UNAVAILABLE`
 */
export async function checkOwnPassport(chain: TrustChain, configuredId: string): Promise<string> {
  if (chain.contracts.identity === null) {
    throw invalidPassportId(
      configuredId,
      'This chain has no agent registry.',
      'a registry address',
    );
  }
  const { agentRegistry } = chain.identity;
  const subject = parseSubject(configuredId, agentRegistry);
  if (subject?.by !== 'id') {
    throw invalidPassportId(
      configuredId,
      'It must be an agent id of this registry.',
      `a number, or ${agentRegistry}:<number>`,
    );
  }
  const agent = await chain.identity.read(subject.agentId);
  if (agent !== undefined) return subject.agentId;
  throw invalidPassportId(
    configuredId,
    'No agent has this id on this chain.',
    'a registered agent',
  );
}

function invalidPassportId(received: string, why: string, allowed: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `STOA_PASSPORT_ID is ${JSON.stringify(received.slice(0, 200))}. ${why}`,
    data: { name: 'STOA_PASSPORT_ID', received: received.slice(0, 200), allowed },
  });
}
