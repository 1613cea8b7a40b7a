import type { McpOpenCall } from '../../../domain/session/mcp-state.ts';
import type { PresentedPayment, Principal } from '../../../domain/tool/tool.ts';
import type { RpcId } from '../json-rpc.ts';
import { REPEAT_CHARS_MAX } from '../limits.ts';

/** The data that repeats a call. */
export interface RepeatableCall {
  readonly id: RpcId;
  readonly name: string;
  readonly arguments: unknown;
  readonly payments: readonly PresentedPayment[];
  readonly hasLegacyPayment: boolean;
  readonly progressToken: string | number | undefined;
  readonly resourceUrl: string;
  readonly principal: Principal;
}

/** Serialises a call. Returns `undefined` when it is too long to store. */
export function serializeCall({ id: _id, ...facts }: RepeatableCall): string | undefined {
  const text = JSON.stringify(facts);
  return text.length > REPEAT_CHARS_MAX ? undefined : text;
}

/** Parses a call that `serializeCall` serialised. */
export function parseCall({ requestId, repeat }: McpOpenCall): RepeatableCall | undefined {
  if (repeat === undefined) return undefined;
  return { ...(JSON.parse(repeat) as Omit<RepeatableCall, 'id'>), id: requestId };
}
