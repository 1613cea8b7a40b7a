import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import {
  type Arguments,
  sampleArguments,
  schemaOf,
} from '../../../domain/audit/probe/arguments.ts';
import { classifyTool } from '../../../domain/audit/probe/reading-tool.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { ownArguments } from '../../../domain/audit/probe/sending.ts';
import type { GatedCallOptions, GatedConnection } from './gate.ts';
import type { Focus } from './make-probe.ts';
import type { ProbeSession } from './probe.ts';

/** Tools of a target that one probe calls. */
export const TOOLS_CALLED_MAX = 12;

/** Calls a tool. What comes of it is a value. */
export async function callTool(
  connection: GatedConnection,
  name: string,
  values: Arguments,
  options?: GatedCallOptions,
): Promise<RpcOutcome> {
  return await connection.request('tools/call', { name, arguments: values }, options);
}

/** The tools that the gate lets a probe call, or the one that a replay is about. */
export function callable(session: ProbeSession, focus?: Focus): readonly Definition[] {
  return session.recon.tools
    .filter(({ name }) => focus?.tool === undefined || name === focus.tool)
    .filter((tool) => session.target.admits(tool));
}

/** The tools that only read, or the one that a replay is about. */
export function readers(session: ProbeSession, focus?: Focus): readonly Definition[] {
  return session.recon.tools
    .filter(({ name }) => focus?.tool === undefined || name === focus.tool)
    .filter((tool) => isReader(tool));
}

/** True where a tool clearly only reads: it alone may be sent what exists. */
export function isReader(tool: Definition): boolean {
  return classifyTool(tool) === 'reader';
}

/** Of further ways to call a tool those that the policy lets through. */
export function sendable(
  session: ProbeSession,
  tool: Definition,
  ways: readonly Arguments[],
): readonly Arguments[] {
  return ways.filter((values) => session.target.wouldSend(tool.name, values));
}

/** Arguments that fit a tool: a canary in its texts, and of all but readers in its names, too. */
export function fittingArguments(session: ProbeSession, tool: Definition): Arguments {
  const label = `fit-${tool.name}`;
  if (!isReader(tool)) return ownArguments(tool, session.own, label);
  return sampleArguments(schemaOf(tool), session.canary(label));
}

/** Works with a fresh connection, which is closed whatever comes of it. */
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

/** Waits, unless the audit is ended before. */
export async function pause(
  { clock, signal }: Pick<ProbeSession, 'clock' | 'signal'>,
  ms: number,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.at(clock.now() + ms, resolve);
    const stop = () => {
      cancel();
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
