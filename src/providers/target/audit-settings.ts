import { z } from 'zod';
import { invalidSetting } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';

/** A program that the operator allows to be audited. */
export interface AllowedCommand {
  /** The name that buyers use. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly workingDirectory?: string;
  /** Absolute paths that it reads besides its own package. */
  readonly reads?: readonly string[];
  /** Whether the operator trusts it, so that it runs without the sandbox. */
  readonly isTrusted?: boolean;
}

/** The operator's settings for audits. */
export interface AuditSettings {
  /**
   * Whether loopback and internal addresses may be audited: all, or only these `host:port` pairs.
   */
  readonly allowInternal: boolean | readonly string[];
  /** Allowed programs, by the name that buyers use. */
  readonly commands: readonly AllowedCommand[];
}

const COMMANDS_MAX = 50;
const INTERNAL_MAX = 50;
const READS_MAX = 50;
/** `host:port` with a required port. An IPv6 address is in brackets. */
const HOST_PORT_PAIR = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\]):\d{1,5}$/;
const Commands = z
  .array(
    z.strictObject({
      name: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      workingDirectory: z.string().min(1).optional(),
      reads: z.array(z.string().startsWith('/')).max(READS_MAX).optional(),
      trust: z.boolean().optional(),
    }),
  )
  .max(COMMANDS_MAX);

const COMMANDS_EXAMPLE = '[{"name":"mine","command":"node","args":["server.js"]}]';

/** The audit flags of `stoa serve`. */
export interface AuditFlags {
  /** Runs all audited programs without the sandbox. */
  readonly 'trust-target': boolean;
}

/**
 * Reads `STOA_AUDIT_ALLOW_INTERNAL` (`1`, `0`, or `host:port,host:port`) and `STOA_AUDIT_COMMANDS`
 * (JSON).
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function readAuditSettings(
  flags: AuditFlags,
  env: Readonly<Record<string, string | undefined>>,
): AuditSettings {
  return {
    allowInternal: readAllowInternal(env['STOA_AUDIT_ALLOW_INTERNAL']),
    commands: readCommands(env['STOA_AUDIT_COMMANDS'], flags['trust-target']),
  };
}

function readAllowInternal(text = ''): AuditSettings['allowInternal'] {
  if (['', '0', '1'].includes(text)) return text === '1';
  const pairs = text.split(',').map((pair) => pair.trim().toLowerCase());
  if (pairs.length <= INTERNAL_MAX && pairs.every((pair) => HOST_PORT_PAIR.test(pair)))
    return pairs;
  throw invalidSetting(
    'STOA_AUDIT_ALLOW_INTERNAL',
    text.slice(0, 200),
    '0, 1 or host:port,host:port',
  );
}

function readCommands(text = '', trustsAll: boolean): readonly AllowedCommand[] {
  if (text === '') return [];
  const parsed = Commands.safeParse(tryParseJson(text));
  if (!parsed.success)
    throw invalidSetting('STOA_AUDIT_COMMANDS', text.slice(0, 200), COMMANDS_EXAMPLE);
  return parsed.data.map(({ workingDirectory, reads, trust, ...command }) => ({
    ...command,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    ...(reads === undefined ? {} : { reads }),
    ...(trustsAll || trust === true ? { isTrusted: true } : {}),
  }));
}
