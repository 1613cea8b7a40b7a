import { AgentName, Wallet } from './passport.ts';

/** A parsed reference to an agent. */
export type AgentReference =
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'id'; readonly agentId: string }
  | { readonly by: 'wallet'; readonly wallet: string };

const PLAIN_ID = /^(0|[1-9]\d{0,77})$/;
const FULL_ID = /^eip155:[1-9]\d{0,17}:0x[0-9a-fA-F]{40}:(0|[1-9]\d{0,77})$/;

/**
 * Parses a reference to an agent: a name, `N`, `eip155:<chain>:<registry>:N`, or a wallet.
 *
 * @param registry - Ids of another registry match no agent here.
 * @returns `undefined` for any other text.
 */
export function parseSubject(text: string, registry: string): AgentReference | undefined {
  if (PLAIN_ID.test(text)) return { by: 'id', agentId: text };
  const [, agentId] = FULL_ID.exec(text) ?? [];
  if (agentId !== undefined) {
    const isOurs = text.toLowerCase() === formatAgentId(registry, agentId).toLowerCase();
    return isOurs ? { by: 'id', agentId } : undefined;
  }
  const wallet = Wallet.safeParse(text);
  if (wallet.success) return { by: 'wallet', wallet: wallet.data };
  return AgentName.safeParse(text).success ? { by: 'name', name: text } : undefined;
}

/** Returns the global id of an agent, such as `eip155:31337:0x…:7`. */
export function formatAgentId(registry: string, agentId: string): string {
  return `${registry}:${agentId}`;
}
