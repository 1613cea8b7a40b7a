import type { CallOptions, RpcOutcome } from '../../../domain/audit/audit-target.ts';
import {
  type Arguments,
  inputSchemaOf,
  sampleArguments,
} from '../../../domain/audit/probe/arguments.ts';
import { sampleAuditArguments } from '../../../domain/audit/probe/call-permission.ts';
import { classifyTool } from '../../../domain/audit/probe/classify-tool.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import type { Focus } from './create-probe.ts';
import type { GatedConnection } from './gate.ts';
import type { ProbeSession } from './probe.ts';

/** Maximum number of tools that one probe calls. */
export const TOOLS_CALLED_MAX = 12;

/** Calls a tool. Failures are returned as values. */
export async function callTool(
  connection: GatedConnection,
  name: string,
  values: Arguments,
  options?: CallOptions,
): Promise<RpcOutcome> {
  return await connection.request('tools/call', { name, arguments: values }, options);
}

/** Returns the tools that the gate allows, or only the tool of a replay. */
export function callableTools(session: ProbeSession, focus?: Focus): readonly Definition[] {
  return session.recon.tools
    .filter(({ name }) => focus?.tool === undefined || name === focus.tool)
    .filter((tool) => session.target.admits(tool));
}

/** Returns the read-only tools, or only the tool of a replay. */
export function readOnlyTools(session: ProbeSession, focus?: Focus): readonly Definition[] {
  return session.recon.tools
    .filter(({ name }) => focus?.tool === undefined || name === focus.tool)
    .filter((tool) => isReader(tool));
}

/** Returns whether a tool is clearly read-only. Only such a tool may get existing names. */
export function isReader(tool: Definition): boolean {
  return classifyTool(tool) === 'reader';
}

/** Filters argument variants by the sending policy. */
export function allowedArguments(
  session: ProbeSession,
  tool: Definition,
  ways: readonly Arguments[],
): readonly Arguments[] {
  return ways.filter((values) => session.target.wouldSend(tool.name, values));
}

/** Returns valid arguments with canaries in the texts; except for readers, also in the names. */
export function createFittingArguments(session: ProbeSession, tool: Definition): Arguments {
  const label = `fit-${tool.name}`;
  if (!isReader(tool)) return sampleAuditArguments(tool, session.own, label);
  return sampleArguments(inputSchemaOf(tool), session.canary(label));
}

/** Runs `work` with a new connection and closes it in any case. */
export async function withConnection<T>(
  session: ProbeSession,
  work: (connection: GatedConnection) => Promise<T>,
): Promise<T> {
  const connection = await session.target.connect();
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}
