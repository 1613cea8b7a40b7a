import { z } from 'zod';
import { AppError } from '../../domain/error.ts';
import type { AllowedCommand } from './stdio-target.ts';

/** What an operator allows to be audited. */
export interface AuditSettings {
  /** Loopback and internal addresses, too: targets of the operator's own. */
  readonly allowInternal: boolean;
  /** Programs, by the name that buyers call them. */
  readonly commands: readonly AllowedCommand[];
}

const COMMANDS_MAX = 50;
const Commands = z
  .array(
    z.strictObject({
      name: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      workingDirectory: z.string().min(1).optional(),
    }),
  )
  .max(COMMANDS_MAX);

const COMMANDS_FORM = '[{"name":"mine","command":"node","args":["server.js"]}]';

/**
 * Reads `STOA_AUDIT_ALLOW_INTERNAL` (`1` or `0`) and `STOA_AUDIT_COMMANDS` (JSON).
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function readAuditSettings(
  env: Readonly<Record<string, string | undefined>>,
): AuditSettings {
  const internal = env['STOA_AUDIT_ALLOW_INTERNAL'] ?? '';
  if (!['', '0', '1'].includes(internal)) {
    throw invalid('STOA_AUDIT_ALLOW_INTERNAL', internal, '0 or 1');
  }
  return { allowInternal: internal === '1', commands: readCommands(env['STOA_AUDIT_COMMANDS']) };
}

function readCommands(text = ''): readonly AllowedCommand[] {
  if (text === '') return [];
  const parsed = Commands.safeParse(parseJson(text));
  if (!parsed.success) throw invalid('STOA_AUDIT_COMMANDS', text.slice(0, 200), COMMANDS_FORM);
  return parsed.data.map(({ workingDirectory, ...command }) => ({
    ...command,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
  }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(name: string, received: string, allowed: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${name} is ${JSON.stringify(received)}; it must be ${allowed}.`,
    data: { name, received, allowed },
  });
}
