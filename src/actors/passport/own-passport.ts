import type { CallOutcome, TrustChain } from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import type { PassportOrder } from '../../domain/passport/order.ts';
import { registrationPath } from '../../domain/passport/registration.ts';
import { readSubject } from '../../domain/passport/subject.ts';
import { type Registered, type Registrar, SERVICE_NAME } from './registrar.ts';

/**
 * Mints the service's own passport; one that is there stays.
 *
 * @param baseUrl - Where the service is reached.
 */
export function mintOwn(
  registrar: Pick<Registrar, 'mint'>,
  operator: string,
  baseUrl: string,
): Promise<Registered> {
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

/** Where the service itself is reached, as its registration file tells. */
export function ownServices(baseUrl: string): NonNullable<PassportOrder['services']> {
  return [
    { name: 'MCP', endpoint: `${baseUrl}/v1/mcp`, version: '2025-11-25' },
    { name: 'web', endpoint: `${baseUrl}/` },
  ];
}

/**
 * Brings the registry level with the address of now: the passport's entry names the registration
 * file that this server serves. One that belongs to somebody else, or names another file than one
 * of ours, stays as it is.
 *
 * @returns What became of the call; `undefined` where nothing was to be done.
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function levelOwn(
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
 * Checks that the passport which a server is told to run under is on its chain.
 *
 * @param written - As `STOA_PASSPORT_ID` has it: `N`, or `eip155:<chain>:<registry>:N`.
 * @returns Its number in the registry.
 * @throws {AppError} `CONFIG_INVALID` when it is not registered, `CHAIN_UNAVAILABLE`
 */
export async function checkOwn(chain: TrustChain, written: string): Promise<string> {
  if (chain.contracts.identity === null) {
    throw refused(written, 'This chain has no registry of agents.', 'an address of a registry');
  }
  const { agentRegistry } = chain.identity;
  const subject = readSubject(written, agentRegistry);
  if (subject?.by !== 'id') {
    throw refused(
      written,
      'It is no id of an agent of this registry.',
      `a number, or ${agentRegistry}:<number>`,
    );
  }
  const agent = await chain.identity.read(subject.agentId);
  if (agent !== undefined) return subject.agentId;
  throw refused(written, 'No agent is registered under it on this chain.', 'a registered agent');
}

function refused(received: string, why: string, allowed: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `STOA_PASSPORT_ID is ${JSON.stringify(received.slice(0, 200))}. ${why}`,
    data: { name: 'STOA_PASSPORT_ID', received: received.slice(0, 200), allowed },
  });
}
