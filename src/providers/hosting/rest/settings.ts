import { AppError } from '../../../domain/common/error.ts';
import { trimEndChars } from '../../../domain/common/text.ts';

/** URL of a second host and the token for it. */
export interface RestHostingSettings {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string;
}

const URL_VARIABLE = 'STOA_HOSTING_URL';
const TOKEN_VARIABLE = 'STOA_HOSTING_TOKEN';
/** Hosts that a token reaches without leaving this machine. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Characters that a header can contain. */
const TOKEN = /^[\x21-\x7e]{1,500}$/;

/** Sources of the settings. */
export interface SettingSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a variable, or the file named by `<name>_FILE`. */
  secret(name: string): string | undefined;
}

/**
 * Reads the settings of the second host.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the variable; the message never contains a token.
 */
export function readRestHosting({ env, secret }: SettingSources): RestHostingSettings {
  const url = parseUrl(env[URL_VARIABLE] ?? '');
  const token = secret(TOKEN_VARIABLE) ?? '';
  if (TOKEN.test(token)) return { url, token };
  const received = token === '' ? 'not set' : 'not a valid token';
  const allowed =
    'a token created on the second host with stoa token create, or its operator token';
  throw new AppError('CONFIG_INVALID', {
    message: `${TOKEN_VARIABLE} (or ${TOKEN_VARIABLE}_FILE) is ${received}; it must be ${allowed}.`,
    data: { name: TOKEN_VARIABLE, received, allowed },
  });
}

/** Every request sends the token to this address, so plain http is only allowed on this machine. */
function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined)
    throw invalidSetting(text, 'the address of the second host, such as https://…');
  if (url.username !== '' || url.password !== '') {
    throw invalidSetting(
      `${url.protocol}//…@${url.host}`,
      'an address without a user or a password',
    );
  }
  if (url.search !== '' || url.hash !== '')
    throw invalidSetting(text, 'an address without ? and #');
  const isSafe =
    url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!isSafe) throw invalidSetting(text, 'an https address, or an http address of this machine');
  return trimEndChars(url.href, '/');
}

function invalidSetting(received: string, allowed: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${URL_VARIABLE} is ${JSON.stringify(received.slice(0, 200))}; it must be ${allowed}.`,
    data: { name: URL_VARIABLE, received: received.slice(0, 200), allowed },
  });
}
