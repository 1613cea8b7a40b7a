import type { McpOpenCall } from '../../../domain/session/mcp-state.ts';
import type { PresentedPayment, Principal } from '../../../domain/tool/tool.ts';
import type { RpcId } from '../json-rpc.ts';
import { REPEAT_CHARS_MAX } from '../limits.ts';

/** What a call is made again from. */
export interface RepeatFacts {
  readonly id: RpcId;
  readonly name: string;
  readonly arguments: unknown;
  readonly payments: readonly PresentedPayment[];
  readonly hasLegacyPayment: boolean;
  readonly progressToken: string | number | undefined;
  readonly resourceUrl: string;
  readonly principal: Principal;
}

/** Writes a call down; `undefined` when it is too long to be kept. */
export function writeRepeat({ id: _id, ...facts }: RepeatFacts): string | undefined {
  const text = JSON.stringify(facts);
  return text.length > REPEAT_CHARS_MAX ? undefined : text;
}

/** Reads a call that was written down by {@link writeRepeat}. */
export function readRepeat({ requestId, repeat }: McpOpenCall): RepeatFacts | undefined {
  if (repeat === undefined) return undefined;
  return { ...(JSON.parse(repeat) as Omit<RepeatFacts, 'id'>), id: requestId };
}
