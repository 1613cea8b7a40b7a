import { AppError } from '../../domain/common/error.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import type { OpenedInspector, OpenInspectorOptions } from './inspector-types.ts';
import { INSPECTOR_ACTIONS } from './inspector-types.ts';

const TOKEN = /^[\w-]{16,128}$/;
const PORT_MAX = 65_535;

/**
 * Opens the console of an app on this machine: actors by kind and state, live charts, journals,
 * time travel, forks, dead letters and metrics. Only programs and browsers of this machine can
 * reach it, and only with the token. It ends with `app.close()`, and keeps the process alive until
 * then.
 *
 * @param target - An app from `durable`, or an engine. Pass `definitions` with an engine.
 * @throws {AppError} `PORT_IN_USE`; `CONFIG_INVALID` if an option is not allowed.
 * @example
 * const { url } = await openInspector(app, { redact: ['**.password'] });
 */
export async function openInspector(
  target: ActorEngine | { readonly engine: ActorEngine },
  options: OpenInspectorOptions = {},
): Promise<OpenedInspector> {
  checkOptions(options);
  // Loaded on demand, so that a program without an open inspector does not pay for it.
  const { startInspector } = await import('./start-inspector.ts');
  return startInspector('engine' in target ? target.engine : target, options);
}

/** @throws {AppError} `CONFIG_INVALID` */
function checkOptions({ port = 0, token, actions = [] }: OpenInspectorOptions): void {
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX) {
    throw optionError('port', port, `an integer from 0 to ${PORT_MAX}`);
  }
  if (token !== undefined && !TOKEN.test(token)) {
    throw optionError('token', `${token.length} characters`, '16 to 128 of A-Z a-z 0-9 _ -');
  }
  const unknown = actions.find((action) => !INSPECTOR_ACTIONS.includes(action));
  if (unknown !== undefined) throw optionError('actions', unknown, INSPECTOR_ACTIONS.join(', '));
}

function optionError(name: string, received: unknown, allowed: string): AppError {
  const message = `${name} is ${String(received)}; it must be ${allowed}.`;
  return new AppError('CONFIG_INVALID', { message, data: { name, received, allowed } });
}
