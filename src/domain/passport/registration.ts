import type { JsonObject } from '../common/json.ts';
import type { PassportOrder } from './order.ts';

const REGISTRATION_TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1';

/** Input of a registration file. */
export interface RegistrationInput {
  readonly order: PassportOrder;
  /** For example `eip155:31337:0x…`. */
  readonly agentRegistry: string;
  readonly agentId: string;
  /** False after a revocation. */
  readonly isActive: boolean;
}

/** Builds the ERC-8004 registration file: the agent's own description and its registration. */
export function buildRegistrationFile({
  order,
  agentRegistry,
  agentId,
  isActive,
}: RegistrationInput) {
  const { name, description = '', image, services = [], x402_support = false } = order;
  const file: JsonObject = {
    type: REGISTRATION_TYPE,
    name,
    description,
    ...(image === undefined ? {} : { image }),
    services: services.map(({ version, ...service }) => ({
      ...service,
      ...(version === undefined ? {} : { version }),
    })),
    x402Support: x402_support,
    active: isActive,
    registrations: [{ agentId: toNumberIfSafe(agentId), agentRegistry }],
    supportedTrust: ['reputation'],
  };
  return file;
}

/** Returns the path of the registration file of a name. */
export function registrationPath(name: string): string {
  return `/a2a/passport/${name}/registration.json`;
}

/** Returns an id as a number, as in the standard, or as text beyond the safe integers. */
function toNumberIfSafe(agentId: string): number | string {
  const number = Number(agentId);
  return Number.isSafeInteger(number) ? number : agentId;
}
