import type { JsonObject } from '../common/json.ts';
import type { PassportOrder } from './order.ts';

const TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1';

/** What a registration file is made from. */
export interface Registration {
  readonly order: PassportOrder;
  /** Such as `eip155:31337:0x…`. */
  readonly agentRegistry: string;
  readonly agentId: string;
  /** False once it is revoked. */
  readonly isActive: boolean;
}

/** The registration file of ERC-8004: what the agent says of itself, and where it is registered. */
export function registrationFile({ order, agentRegistry, agentId, isActive }: Registration) {
  const { name, description = '', image, services = [], x402_support = false } = order;
  const file: JsonObject = {
    type: TYPE,
    name,
    description,
    ...(image === undefined ? {} : { image }),
    services: services.map(({ version, ...service }) => ({
      ...service,
      ...(version === undefined ? {} : { version }),
    })),
    x402Support: x402_support,
    active: isActive,
    registrations: [{ agentId: numbered(agentId), agentRegistry }],
    supportedTrust: ['reputation'],
  };
  return file;
}

/** Where the registration file of a name is, below a server's address. */
export function registrationPath(name: string): string {
  return `/a2a/passport/${name}/registration.json`;
}

/** The standard shows ids as numbers; those that a number cannot hold stay texts. */
function numbered(agentId: string): number | string {
  const number = Number(agentId);
  return Number.isSafeInteger(number) ? number : agentId;
}
