import { AppError } from '../../domain/common/error.ts';

/** Hosts and origins that the operator allows beside the server's own. */
export interface AuthoritySettings {
  /** Values of `Host`, in lower case, with the port unless it is 80. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may call the server and read its replies. */
  readonly allowedOrigins: readonly string[];
}

const LISTED_MAX = 50;
const RECEIVED_CHARS_MAX = 200;

/**
 * Reads `STOA_ALLOWED_HOSTS` (`host:port,host:port`) and `STOA_ALLOWED_ORIGINS`
 * (`https://host,http://host:port`).
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function readAuthoritySettings(
  env: Readonly<Record<string, string | undefined>>,
): AuthoritySettings {
  return {
    allowedHosts: readEntries(env, 'STOA_ALLOWED_HOSTS', isHost, 'host:port,host:port'),
    allowedOrigins: readEntries(
      env,
      'STOA_ALLOWED_ORIGINS',
      isOrigin,
      'https://host,http://host:port, without a path',
    ),
  };
}

function readEntries(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  isValid: (text: string) => boolean,
  form: string,
): readonly string[] {
  const text = env[name] ?? '';
  if (text.trim() === '') return [];
  const listed = text.split(',').map((item) => item.trim().toLowerCase());
  if (listed.length <= LISTED_MAX && listed.every(isValid)) return listed;
  const received = text.slice(0, RECEIVED_CHARS_MAX);
  throw new AppError('CONFIG_INVALID', {
    message: `${name} is ${JSON.stringify(received)}; it must be ${form}, at most ${LISTED_MAX}.`,
    data: { name, received, allowed: form },
  });
}

function isHost(text: string): boolean {
  return isOrigin(`http://${text}`);
}

/** Accepts only the serialisation of the URL standard, which is what browsers send. */
function isOrigin(text: string): boolean {
  if (!/^https?:\/\/[a-z0-9.:_[\]-]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).origin === text;
}
