import { AppError } from '../../domain/common/error.ts';
import type { ToolService } from '../../domain/tool/tool.ts';

/** The passport that a server runs under. */
export interface OwnPassport {
  /** Such as `eip155:…:0`; `undefined` while it has none. */
  id(): string | undefined;
  /** Tells whether a text names it, in any of its forms. */
  isNamedBy(text: string): boolean;
}

/**
 * Gives a tool server that tells a client under which passport it runs.
 *
 * @param wished - What the client expects; anything when absent.
 * @throws {AppError} `CONFIG_INVALID` when it runs under another one.
 */
export function underPassport(
  service: ToolService,
  own: OwnPassport,
  wished: string | undefined,
): ToolService {
  const id = own.id();
  if (wished !== undefined && !own.isNamedBy(wished)) {
    throw new AppError('CONFIG_INVALID', {
      message:
        `STOA_PASSPORT_ID is ${JSON.stringify(wished.slice(0, 200))}; the server of this data ` +
        `directory runs under ${id ?? 'none'}; end it, or leave the variable unset.`,
      data: { received: wished.slice(0, 200), allowed: id ?? null },
    });
  }
  const words =
    id === undefined
      ? 'This server has no passport yet.'
      : `This server runs under the ERC-8004 passport ${id}.`;
  return { ...service, instructions: `${service.instructions} ${words}` };
}
