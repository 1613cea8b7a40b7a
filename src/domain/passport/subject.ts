import { AgentName, Wallet } from './passport.ts';

/** What names an agent, taken apart. */
export type Subject =
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'id'; readonly agentId: string }
  | { readonly by: 'wallet'; readonly wallet: string };

const PLAIN_ID = /^(0|[1-9]\d{0,77})$/;
const FULL_ID = /^eip155:[1-9]\d{0,17}:0x[0-9a-fA-F]{40}:(0|[1-9]\d{0,77})$/;

/**
 * Reads what names an agent: a name, `N`, `eip155:<chain>:<registry>:N`, or a wallet.
 *
 * @param registry - Ids of another registry name nobody here.
 * @returns `undefined` for a text that is none of them.
 */
export function readSubject(text: string, registry: string): Subject | undefined {
  if (PLAIN_ID.test(text)) return { by: 'id', agentId: text };
  const [, agentId] = FULL_ID.exec(text) ?? [];
  if (agentId !== undefined) {
    const isOurs = text.toLowerCase() === fullId(registry, agentId).toLowerCase();
    return isOurs ? { by: 'id', agentId } : undefined;
  }
  const wallet = Wallet.safeParse(text);
  if (wallet.success) return { by: 'wallet', wallet: wallet.data };
  return AgentName.safeParse(text).success ? { by: 'name', name: text } : undefined;
}

/** The id of an agent that is good everywhere, such as `eip155:31337:0x…:7`. */
export function fullId(registry: string, agentId: string): string {
  return `${registry}:${agentId}`;
}
