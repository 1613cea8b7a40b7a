import type { Services } from '../../actors/common/services.ts';
import { isObject, type JsonObject } from '../../domain/common/json.ts';
import type { PassportView } from '../../domain/passport/passport.ts';

/** The agent of a counterparty, or the reason why the claim is not accepted. */
export type LinkedAgent =
  | { readonly passport: PassportView }
  | { readonly passport: undefined; readonly fault: string };

/**
 * Finds the agent of a counterparty. Its passport must name a service at the counterparty's origin;
 * otherwise anyone could present the passport of a more reputable agent.
 */
export async function findLinkedAgent(
  {
    passports,
    registrationOf,
  }: Pick<Services, 'passports'> & {
    registrationOf(name: string): Promise<JsonObject | undefined>;
  },
  agent: string | undefined,
  origin: string,
): Promise<LinkedAgent> {
  if (agent === undefined) return { passport: undefined, fault: 'the posture names no agent' };
  const passport = await passports.find(agent);
  if (passport === undefined) {
    return { passport, fault: `no agent is registered here under the name ${agent}` };
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
