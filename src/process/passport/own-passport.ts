import { AppError } from '../../domain/common/error.ts';
import type { ToolService } from '../../domain/tool/tool.ts';

/** The passport of a server. */
export interface OwnPassport {
  /** Returns its id, such as `eip155:…:0`, or `undefined` while it has none. */
  id(): string | undefined;
  /** Returns whether a text identifies it, in any of its forms. */
  isNamedBy(text: string): boolean;
}

/**
 * Returns a tool server whose instructions state its passport.
 *
 * @param wished - The passport that the client expects. Any when absent.
 * @throws {AppError} `CONFIG_INVALID` when the server uses another one.
 */
export function withPassport(
  service: ToolService,
  own: OwnPassport,
  wished: string | undefined,
): ToolService {
  const id = own.id();
  if (wished !== undefined && !own.isNamedBy(wished)) {
    throw new AppError('CONFIG_INVALID', {
      message:
        `STOA_PASSPORT_ID is ${JSON.stringify(wished.slice(0, 200))}; the server in this data ` +
        `directory uses ${id ?? 'none'}. Stop it, or unset the variable.`,
      data: { received: wished.slice(0, 200), allowed: id ?? null },
    });
  }
  const note =
    id === undefined
      ? 'This server has no passport yet.'
      : `This server uses the ERC-8004 passport ${id}.`;
  return { ...service, instructions: `${service.instructions} ${note}` };
}
