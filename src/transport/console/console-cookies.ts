import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import type { Random } from '../../domain/common/random.ts';
import { DAY_MS, SECOND_MS } from '../../domain/common/time.ts';
import { headerValues } from '../http/headers.ts';
import type { HttpRequest } from '../http/host.ts';

/** Prefix of the console cookie's name. */
const COOKIE_NAME = 'stoa_console';
/** Browsers accept this prefix only from the host itself, over TLS, so no other host can set it. */
const HOST_PREFIX = '__Host-';
/** Characters that distinguish the cookies of several servers at one host name. */
const SERVER_CHARS = 8;
/** Lifetime of a session, in milliseconds. */
export const SESSION_MS = 7 * DAY_MS;

/** Version, expiry in seconds, and nonce, followed by their MAC. */
const VALUE = /^(v1\.(\d{1,12})\.([\w-]{22}))\.([\w-]{43})$/;
const NONCE_BYTES = 16;
/** Length of the nonce prefix that names a session. It grants no access. */
const NAME_CHARS = 8;

/** A console session, proven by its cookie. */
export interface ConsoleSession {
  /** Identifies the session in a journal. It is not secret. */
  readonly name: string;
  /** In milliseconds. */
  readonly endsAt: number;
}

/** The dependencies of the cookies. */
export interface CookieDeps {
  /** Derived from the operator token, so a new token ends all sessions. */
  readonly key: Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
  /** Send cookies over TLS only. */
  readonly isSecure: boolean;
}

/**
 * Creates and verifies the console cookie: an expiry and a nonce under a MAC. The server stores
 * nothing, so sessions survive a restart. The name depends on the server's key, because browsers
 * send cookies to every port of a host. With a common name, two servers on one machine would
 * overwrite each other's cookies.
 */
export class ConsoleCookies {
  /** The cookie name, stable until the key changes. */
  readonly name: string;
  private readonly parts: CookieDeps;

  constructor(parts: CookieDeps) {
    this.parts = parts;
    const server = this.mac(COOKIE_NAME).slice(0, SERVER_CHARS);
    this.name = `${parts.isSecure ? HOST_PREFIX : ''}${COOKIE_NAME}_${server}`;
  }

  /** Returns the `Set-Cookie` value that starts a session. */
  issue(): string {
    const { clock, random } = this.parts;
    const endsAt = Math.floor((clock.now() + SESSION_MS) / SECOND_MS);
    const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('base64url');
    const claim = `v1.${endsAt}.${nonce}`;
    return this.header(`${claim}.${this.mac(claim)}`, SESSION_MS / SECOND_MS);
  }

  /** Returns the `Set-Cookie` value that ends a session. */
  clear(): string {
    return this.header('', 0);
  }

  /** Returns the session of a request, or `undefined` without a valid cookie. */
  read(request: HttpRequest): ConsoleSession | undefined {
    const prefix = `${this.name}=`;
    // A page on a sibling host may have set more cookies of this name, so any valid one counts. The
    // 16 KiB limit of a head allows fewer than 200 of them.
    for (const line of headerValues(request, 'cookie')) {
      for (const pair of line.split(';')) {
        const text = pair.trim();
        if (!text.startsWith(prefix)) continue;
        const session = this.readValue(text.slice(prefix.length));
        if (session !== undefined) return session;
      }
    }
    return undefined;
  }

  private readValue(value: string): ConsoleSession | undefined {
    const match = VALUE.exec(value);
    const [, claim = '', seconds = '', nonce = '', mac = ''] = match ?? [];
    if (match === null || !isEqual(mac, this.mac(claim))) return undefined;
    const endsAt = Number(seconds) * SECOND_MS;
    if (endsAt <= this.parts.clock.now()) return undefined;
    return { name: nonce.slice(0, NAME_CHARS), endsAt };
  }

  private header(value: string, maxAgeS: number): string {
    const secure = this.parts.isSecure ? '; Secure' : '';
    const rules = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeS}${secure}`;
    return `${this.name}=${value}; ${rules}`;
  }

  private mac(claim: string): string {
    return createHmac('sha256', this.parts.key).update(claim).digest('base64url');
  }
}

function isEqual(presented: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(presented), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
