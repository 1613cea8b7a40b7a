import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import type { Random } from '../../domain/common/random.ts';
import { DAY_MS, SECOND_MS } from '../../domain/common/time.ts';
import { headerValues } from '../http/headers.ts';
import type { HttpRequest } from '../http/host.ts';

/** What the name of the console's cookie begins with. */
const COOKIE_NAME = 'stoa_console';
/** A browser takes this name from the host itself alone, over TLS: no other name can set it. */
const HOST_PREFIX = '__Host-';
/** Characters that tell one server's cookie from another's at the same host name. */
const SERVER_CHARS = 8;
/** How long an entry lasts, in milliseconds. */
export const ENTRY_MS = 7 * DAY_MS;

/** Version, expiry in seconds, nonce; then the MAC over them. */
const VALUE = /^(v1\.(\d{1,12})\.([\w-]{22}))\.([\w-]{43})$/;
const NONCE_BYTES = 16;
/** So much of the nonce names an entry; it opens nothing. */
const NAME_CHARS = 8;

/** An entry that a cookie proves. */
export interface ConsoleEntry {
  /** Tells one entry from another in a journal; not a secret. */
  readonly name: string;
  /** In milliseconds. */
  readonly endsAt: number;
}

/** What cookies are made with. */
export interface CookieParts {
  /** Drawn from the operator's token: a new token ends all entries. */
  readonly key: Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
  /** Send cookies over TLS only. */
  readonly isSecure: boolean;
}

/**
 * Makes and reads the console's cookie: an expiry and a nonce under a MAC. The server keeps nothing
 * of it, so it survives a restart. Its name is that of this server's key: browsers send cookies to
 * every port of a host, so two servers of one machine would overwrite a common name.
 */
export class ConsoleCookies {
  /** Name of the cookie, the same until the key changes. */
  readonly name: string;
  private readonly parts: CookieParts;

  constructor(parts: CookieParts) {
    this.parts = parts;
    const server = this.mac(COOKIE_NAME).slice(0, SERVER_CHARS);
    this.name = `${parts.isSecure ? HOST_PREFIX : ''}${COOKIE_NAME}_${server}`;
  }

  /** The value of `Set-Cookie` that begins an entry. */
  enter(): string {
    const { clock, random } = this.parts;
    const endsAt = Math.floor((clock.now() + ENTRY_MS) / SECOND_MS);
    const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('base64url');
    const claim = `v1.${endsAt}.${nonce}`;
    return this.header(`${claim}.${this.mac(claim)}`, ENTRY_MS / SECOND_MS);
  }

  /** The value of `Set-Cookie` that forgets it. */
  leave(): string {
    return this.header('', 0);
  }

  /** The entry of a request; `undefined` without a cookie of ours that is still good. */
  read(request: HttpRequest): ConsoleEntry | undefined {
    const beginning = `${this.name}=`;
    // A page of a neighbouring name may have set more of this name: any good one will do. The
    // bound of a head, 16 KiB, has room for less than 200 of them.
    for (const line of headerValues(request, 'cookie')) {
      for (const pair of line.split(';')) {
        const text = pair.trim();
        if (!text.startsWith(beginning)) continue;
        const entry = this.readValue(text.slice(beginning.length));
        if (entry !== undefined) return entry;
      }
    }
    return undefined;
  }

  private readValue(value: string): ConsoleEntry | undefined {
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
