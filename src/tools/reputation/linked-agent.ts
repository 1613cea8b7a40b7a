import { isObject, type JsonObject } from '../../domain/common/json.ts';
import type { PassportView } from '../../domain/passport/passport.ts';
import type { Passports } from '../../domain/passport/passports.ts';

/** What agents are looked up with. */
export interface LinkDeps {
  readonly passports: Passports;
  /** The registration file of an agent's name. */
  registrationOf(name: string): Promise<JsonObject | undefined>;
}

/** The agent that a counterparty says it is, or why it cannot stand for the counterparty. */
export type LinkedAgent =
  | { readonly passport: PassportView }
  | { readonly passport: undefined; readonly fault: string };

/**
 * Finds the agent of a counterparty. Its passport must name a service at the counterparty's origin:
 * else anybody could bring the passport of somebody better.
 */
export async function linkedAgent(
  { passports, registrationOf }: LinkDeps,
  agent: string | undefined,
  origin: string,
): Promise<LinkedAgent> {
  if (agent === undefined) return { passport: undefined, fault: 'the posture names no agent' };
  const passport = await passports.find(agent);
  if (passport === undefined) {
    return { passport, fault: `no agent is registered here by the name ${agent}` };
  }
  const services = (await registrationOf(passport.name))?.['services'];
  const rows: readonly unknown[] = Array.isArray(services) ? services : [];
  const isLinked = rows.some((row) => isObject(row) && isAt(row['endpoint'], origin));
  if (isLinked) return { passport };
  const fault = `the passport ${passport.agent_id} names no service at ${origin}`;
  return { passport: undefined, fault };
}

function isAt(endpoint: unknown, origin: string): boolean {
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) return false;
  return new URL(endpoint).origin === origin;
}
