import { type Arguments, sampleArguments, schemaOf } from '../../domain/audit/arguments.ts';
import type { Definition } from '../../domain/audit/recon.ts';
import { callLeave } from '../../domain/audit/tool-nature.ts';
import type { CallOptions, RpcOutcome, TargetConnection } from '../../domain/ports/audit-target.ts';
import type { Focus } from './make-probe.ts';
import type { ProbeSession } from './probe.ts';

/** Tools of a target that one probe calls. */
export const TOOLS_CALLED_MAX = 12;

/** Calls a tool. What comes of it is a value. */
export async function callTool(
  connection: TargetConnection,
  name: string,
  values: Arguments,
  options?: CallOptions,
): Promise<RpcOutcome> {
  return await connection.request('tools/call', { name, arguments: values }, options);
}

/** The tools that a probe may call, or the one that a replay is about. */
export function callable(session: ProbeSession, focus?: Focus): readonly Definition[] {
  const tools = session.recon.tools.filter((tool) => callLeave(tool) !== 'never');
  if (focus?.tool === undefined) return tools;
  return tools.filter(({ name }) => name === focus.tool);
}

/** The tools that only read, or the one that a replay is about. */
export function readers(session: ProbeSession, focus?: Focus): readonly Definition[] {
  return callable(session, focus).filter((tool) => callLeave(tool) === 'free');
}

/** Arguments that fit a tool, with a canary in its texts. */
export function fittingArguments(session: ProbeSession, tool: Definition): Arguments {
  return sampleArguments(schemaOf(tool), session.canary(`fit-${tool.name}`));
}

/** Works with a fresh connection, which is closed whatever comes of it. */
export async function withConnection<T>(
  session: ProbeSession,
  work: (connection: TargetConnection) => Promise<T>,
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
